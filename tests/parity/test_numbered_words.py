"""Rows of numbered words: information weights of NIST on both backends, and edits that do not fit."""

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
def test_more_words_than_any_segment_has(kernels):
    words = np.zeros(1 << 25, np.int32)
    texts = [kernels.TokenTexts(words, ints(0), ints(count)) for count in (1, words.size - 1)]
    segments = kernels.Segments(None, *texts, ints(0, 1))
    with pytest.raises(MemoryError, match="hypothesis of 1 words and a reference of 33554431 are too long for TER"):
        kernels.edit_rows(segments, 0, 1, np.zeros((1, 2)))
