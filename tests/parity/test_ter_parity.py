"""Edits and shifts on the two backends; what does not fit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cybleu import _mirror

# few different words, so that many are alike
texts = st.integers(1, 6).flatmap(lambda most: st.lists(st.integers(0, most), max_size=45))


def packed(texts):
    ids = np.array([word for text in texts for word in text], dtype=np.int32)
    return ids, np.cumsum([len(text) for text in texts], dtype=np.int64)


def results(backend, corpus, places):
    bounds = np.cumsum([0, *(len(group) for _, group in corpus)], dtype=np.int64)
    hypotheses = packed([text for text, _ in corpus])
    references = packed([text for _, group in corpus for text in group])
    texts, owners = (np.array(column, dtype=np.int64) for column in zip(*places))
    rows = np.full((len(places), 2), -1.0)
    middle = len(places) // 2
    for start, stop in ((0, middle), (middle, len(places))):
        backend.edit_rows(*hypotheses, *references, bounds, texts, owners, start, stop, rows)
    return rows.tolist()


@given(st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=3)), min_size=1, max_size=4), st.data())
@example([([1, 2, 3] * 30, [[3, 2, 1] * 40, []]), ([], [[1]])], None)
def test_rows(kernels, corpus, data):
    place = st.integers(0, len(corpus) - 1)
    count = len(corpus)
    drawn = [] if data is None else data.draw(st.lists(st.tuples(place, place), max_size=4))
    places = [(number, number) for number in range(count)] + drawn
    assert results(kernels, corpus, places) == results(_mirror, corpus, places)


def test_what_does_not_fit(kernels):
    words, ends, sets, place = (np.array([0, 1], np.int32), *(np.array(x, np.int64) for x in ([2], [0, 1], [0])))
    rows = np.zeros((1, 2))
    good = {
        "hypotheses": words,
        "hypothesis_ends": ends,
        "references": words,
        "reference_ends": ends,
        "sets": sets,
        "texts": place,
        "owners": place,
        "start": 0,
        "stop": 1,
        "rows": rows,
    }
    kernels.edit_rows(*good.values())
    for wrong in (
        {"hypothesis_ends": np.array([1])},
        {"reference_ends": np.array([3])},
        {"reference_ends": np.array([3, 2])},
        {"sets": np.array([0, 0])},
        {"sets": np.array([0, 2])},
        {"texts": np.array([1])},
        {"texts": np.array([-1])},
        {"owners": np.array([1])},
        {"owners": np.array([0, 0])},
        {"start": 2},
        {"stop": 2},
        {"rows": np.zeros((1, 3))},
    ):
        with pytest.raises(ValueError):
            kernels.edit_rows(*{**good, **wrong}.values())
