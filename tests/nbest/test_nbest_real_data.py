"""Lists of real decoders, compared with the scores of their own tools."""

import numpy as np
import pytest

from cybleu.metrics import score
from cybleu.nbest import NBest, read_segments
from nbest_lists import same

pytestmark = [pytest.mark.real_data, pytest.mark.usefixtures("backend")]


def best(nbest, scores):
    """The statistics of the hypotheses with the highest score, the first of those with equal scores."""
    places = [start + int(np.argmax(scores[start:stop])) for start, stop in zip(nbest.offsets, nbest.offsets[1:])]
    return score(nbest.stats[places].sum(axis=0), "moses").score


MOSES_WEIGHTS = [1, 1, 1, 1, 1, 1, 1, 1, 1, 0.3, 0.2, 0.3, 0.2, 0.1, 1]


def test_moses100(data, tmp_path):
    folder = data / "moses100"
    nbest = NBest.from_files(folder / "nbest.gz", folder / "reference")
    assert repr(nbest) == "<NBest of 100 segments, 10000 hypotheses, 15 features>"
    assert nbest.names == tuple("d_0 d_1 d_2 d_3 d_4 d_5 d_6 lm_0 lm_1 tm_0 tm_1 tm_2 tm_3 tm_4 w_0".split())
    assert same(nbest, NBest.from_files(folder / "nbest.old-format.gz", folder / "reference"))
    assert f"{best(nbest, nbest.features @ MOSES_WEIGHTS):.7f}" == "0.0626472"
    files = tmp_path / "F.gz", tmp_path / "S.gz"
    nbest.to_moses(*files)
    read = NBest.from_moses(*files)
    assert read.features.tobytes() == nbest.features.tobytes()
    assert read.stats.tobytes() == nbest.stats.tobytes()
    segments = list(read_segments(folder / "nbest.gz"))
    assert [segment.id for segment in segments] == list(range(100))
    assert np.concatenate([segment.features for segment in segments]).tobytes() == nbest.features.tobytes()


@pytest.mark.parametrize(("name", "count", "expected"), [("hiero", 805, ".24166"), ("packed", 862, ".26621")])
def test_four_references(data, name, count, expected):
    folder = data / "bn-en"
    nbest = NBest.from_files(folder / f"{name}.nbest.gz", [folder / f"reference.en.{number}" for number in range(4)])
    assert len(nbest.features) == count
    assert f"{best(nbest, nbest.model_scores):.5f}" == f"0{expected}"
    assert nbest.names[0] == "lm_0"
