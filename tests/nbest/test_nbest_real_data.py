"""Lists of real decoders, compared with the scores of their own tools."""

import numpy as np
import pytest

from brute_force import MOSES_WEIGHTS, score_of
from cybleu.nbest import NBest, read_segments
from nbest_lists import same

pytestmark = [pytest.mark.real_data]


def test_moses100(data, tmp_path):
    folder = data / "moses100"
    nbest = NBest.from_files(folder / "nbest.gz", folder / "reference")
    assert repr(nbest) == "<NBest of 100 segments, 10000 hypotheses, 15 features>"
    assert nbest.names == tuple("d_0 d_1 d_2 d_3 d_4 d_5 d_6 lm_0 lm_1 tm_0 tm_1 tm_2 tm_3 tm_4 w_0".split())
    assert same(nbest, NBest.from_files(folder / "nbest.old-format.gz", folder / "reference"))
    assert f"{score_of(nbest, MOSES_WEIGHTS):.7f}" == "0.0626472"
    files = tmp_path / "F.gz", tmp_path / "S.gz"
    nbest.to_moses(*files)
    read = NBest.from_moses(*files)
    assert read.features.tobytes() == nbest.features.tobytes()
    assert read.stats.tobytes() == nbest.stats.tobytes()
    segments = list(read_segments(folder / "nbest.gz"))
    assert [segment.id for segment in segments] == list(range(100))
    assert np.concatenate([segment.features for segment in segments]).tobytes() == nbest.features.tobytes()
