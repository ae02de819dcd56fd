"""Numbered words of hypotheses and references, for kernels that write rows of them, and what such a kernel must refuse."""

from __future__ import annotations

import numpy as np
import pytest

from integer_arrays import ints


def packed(texts):
    """The words of all texts, and where each text ends."""
    ids = np.array([word for text in texts for word in text], dtype=np.int32)
    return ids, np.cumsum([len(text) for text in texts], dtype=np.int64)


def rows_of(fill_rows, corpus, texts, owners, width):
    """The rows of texts against the references of their owners, counted in two ranges.

    :param corpus: for each segment a hypothesis and its references
    """
    bounds = np.cumsum([0, *(len(group) for _, group in corpus)], dtype=np.int64)
    words = *packed([text for text, _ in corpus]), *packed([text for _, group in corpus for text in group])
    places = np.array(texts, dtype=np.int64), np.array(owners, dtype=np.int64)
    rows = np.full((len(texts), width), -1.0)
    middle = len(texts) // 2
    for start, stop in ((0, middle), (middle, len(texts))):
        fill_rows(*words, bounds, *places, start, stop, rows)
    return rows.tolist()


def check_refused(fill_rows, width):
    """Check that arguments that do not fit are errors, and never read memory that is not theirs."""
    words, ends, sets, place = (np.array([0, 1], np.int32), *(np.array(x, np.int64) for x in ([2], [0, 1], [0])))
    good = {"hypotheses": words, "hypothesis_ends": ends, "references": words, "reference_ends": ends}
    good |= {"sets": sets, "texts": place, "owners": place, "start": 0, "stop": 1, "rows": np.zeros((1, width))}
    fill_rows(*good.values())
    for wrong in (
        {"hypothesis_ends": ints(1)},
        {"reference_ends": ints(3)},
        {"reference_ends": ints(3, 2)},
        {"sets": ints(0, 0)},
        {"sets": ints(0, 2)},
        {"sets": ints(1, 1)},
        {"texts": ints(1)},
        {"texts": ints(-1)},
        {"owners": ints(1)},
        {"owners": ints(-1)},
        {"owners": ints(0, 0)},
        {"start": 2},
        {"start": -1},
        {"stop": 2},
        {"rows": np.zeros((1, width - 1))},
        {"rows": np.zeros((1, width + 1))},
    ):
        with pytest.raises(ValueError, match=r"out of range|no reference|do not"):
            fill_rows(*(good | wrong).values())
