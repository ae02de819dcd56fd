"""Files of n-best lists as streams of segments."""

from __future__ import annotations

import numpy as np
import pytest

from cybleu.nbest import read_segments
from nbest_lists import MANY_LINES, line, written

pytestmark = pytest.mark.usefixtures("backend")


def test_segments_of_a_stream(tmp_path):
    path = written(
        tmp_path, line(5, "a b", "d= 1 p_x= 7", "-2") + line(5, "", "d= 2 p_y= 3 p_x= 4", "-3") + line(9, "c", "d= 3")
    )
    first, second = read_segments(path)
    assert (first.id, first.texts, first.names, first.features.tolist()) == (5, ["a b", ""], ("d_0",), [[1], [2]])
    assert first.model_scores.tolist() == [-2, -3]
    assert [array.tolist() for array in first.sparse[:3]] == [[0, 1, 3], [0, 0, 1], [7, 4, 3]]
    assert first.sparse.names == ("p_x", "p_y")
    assert second.sparse.indptr.tolist() == [0, 0]
    plain = written(tmp_path, "a b\nc\nd\ne\n")
    assert [(segment.id, segment.texts, segment.model_scores) for segment in read_segments(plain, size=2)] == [
        (0, ["a b", "c"], None),
        (1, ["d", "e"], None),
    ]


def test_a_segment_that_goes_on_in_the_next_block(tmp_path):
    path = written(tmp_path, MANY_LINES)
    segments = list(read_segments(path))
    assert [(segment.id, len(segment.texts)) for segment in segments] == [(0, 2500), (1, 2500), (2, 2501)]
    assert np.concatenate([segment.features[:, 0] for segment in segments]).tolist() == [*range(7500), 1]


def test_each_run_of_an_id_is_a_segment(tmp_path):
    path = written(tmp_path, line(2, "so") + line(0, "the") + line(2, "it") + line(2, "is") + line(0, "cat"))
    segments = list(read_segments(path))
    assert [(segment.id, segment.texts) for segment in segments] == [
        (2, ["so"]),
        (0, ["the"]),
        (2, ["it", "is"]),
        (0, ["cat"]),
    ]
