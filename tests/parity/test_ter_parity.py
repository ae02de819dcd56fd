"""Edits and shifts on the two backends; what does not fit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cybleu import _mirror
from numbered_words import rows_of
from statistics_rows import ints

# few different words, so that many are alike
texts = st.integers(1, 6).flatmap(lambda most: st.lists(st.integers(0, most), max_size=45))


@given(st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=3)), min_size=1, max_size=4), st.data())
@example([([1, 2, 3] * 30, [[3, 2, 1] * 40, []]), ([], [[1]])], None)
def test_rows(kernels, corpus, data):
    place = st.integers(0, len(corpus) - 1)
    count = len(corpus)
    drawn = [] if data is None else data.draw(st.lists(st.tuples(place, place), max_size=4))
    places = [(number, number) for number in range(count)] + drawn
    rows = [rows_of(backend, backend.edit_rows, corpus, *zip(*places), 2) for backend in (kernels, _mirror)]
    assert rows[0] == rows[1]


@pytest.mark.parametrize(
    ("size", "width"), [(2**30, 0), (0, 2**30), (2**30 - 1, 1), (2**29 - 1, 1), (1, 2**29 - 1), (2**29 - 1, 0)]
)
@pytest.mark.parametrize("others", [0, 1])
def test_texts_whose_edits_do_not_fit(kernels, size, width, others):
    """Words are not read where they are too many, so that these take no memory."""
    words, rows = np.zeros(max(size, width), np.int32), np.zeros((1, 2))
    hypotheses = kernels.TokenTexts(words, ints(0), ints(size))
    references = kernels.TokenTexts(words, ints(*[0] * (1 + others)), ints(*[width] * (1 + others)))
    arguments = hypotheses, references, ints(0, 1 + others), None, 0, 1, rows
    if size + width < 2**29:
        kernels.edit_rows(*arguments)
        assert rows.tolist() == [[size, 0]]
    else:
        with pytest.raises(
            MemoryError, match=f"hypothesis of {size} words and a reference of {width} are too long for TER"
        ):
            kernels.edit_rows(*arguments)
