"""Numbered words of hypotheses and references, for kernels that write rows of them, and what such a kernel must refuse."""

from __future__ import annotations

import numpy as np


def words_of(backend, texts):
    """The backend's texts of numbered words."""
    ids = np.array([word for text in texts for word in text], dtype=np.int32)
    ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
    return backend.TokenTexts(ids, np.append(0, ends)[: len(ends)].astype(np.int64), ends)


def rows_of(backend, fill_rows, corpus, texts, owners, width):
    """The rows of texts against the references of their owners, counted in two ranges.

    :param corpus: for each segment a hypothesis and its references
    """
    bounds = np.cumsum([0, *(len(group) for _, group in corpus)], dtype=np.int64)
    hypotheses = words_of(backend, [corpus[text][0] for text in texts])
    references = words_of(backend, [text for _, group in corpus for text in group])
    rows = np.full((len(texts), width), -1.0)
    middle = len(texts) // 2
    for start, stop in ((0, middle), (middle, len(texts))):
        fill_rows(hypotheses, references, bounds, np.array(owners, dtype=np.int64), start, stop, rows)
    return rows.tolist()
