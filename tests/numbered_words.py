"""Numbered words of hypotheses and references, for kernels that write rows of them, and what such a kernel must refuse."""

from __future__ import annotations

import numpy as np


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
