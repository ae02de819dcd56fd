"""Rows of numbered words: information weights of NIST on both backends, and edits that do not fit."""

import sys

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from cybleu.metrics import Nist, NistInformation
from inputs import on_both_backends
from statistics_rows import ints

# few different words, so that many are alike; 0 is another word for the script
TEXTS = st.integers(1, 5).flatmap(
    lambda most: st.lists(st.sampled_from("012345"[: most + 1]), max_size=12).map(" ".join)
)
NUMBERS = [*map(str, range(300))]


@pytest.mark.thread_unsafe(reason="one process has the mirror")
@given(st.lists(TEXTS, min_size=1, max_size=4), st.integers(1, 9), TEXTS, st.lists(TEXTS, min_size=1, max_size=3))
@example([""], 5, "1 2", ["1 2"])
@example(["0 1 0 2"], 2, "0 1 0", ["0 1", "0 1 0 1"])
@example([" ".join(NUMBERS)] * 2, 4, " ".join(NUMBERS * 2), [" ".join(NUMBERS[::-1]), " ".join(NUMBERS)])
def test_information(kernels, corpus, max_order, text, references):
    words = text.split()
    beginnings = [" ".join(words[:size]) for size in range(max_order + 1)]

    def found():
        information = NistInformation([corpus])
        rows = Nist(max_order, information).rows([text], [references])
        return rows, [information.weight(beginning) for beginning in beginnings]

    on_both_backends(found)


@pytest.mark.long
@pytest.mark.skipif(sys.maxsize < 2**32, reason="the texts take 1 GiB")
@pytest.mark.parametrize(("size", "width"), [(2**25 - 1, 0), (2**25 - 1, 1), (1, 2**25 - 1)])
def test_more_words_than_any_segment_has(kernels, size, width):
    words = np.zeros(max(size, width), np.int32)
    texts = [kernels.TokenTexts(words, ints(0), ints(count)) for count in (size, width)]
    segments = kernels.Segments(None, *texts, ints(0, 1))
    rows = np.zeros((1, 2))
    if size + width < 2**25:
        kernels.edit_rows(segments, 0, 1, rows)
        assert rows.tolist() == [[size, 0]]
    else:
        with pytest.raises(
            MemoryError, match=f"hypothesis of {size} words and a reference of {width} are too long for TER"
        ):
            kernels.edit_rows(segments, 0, 1, rows)
