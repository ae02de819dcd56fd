"""Line searches on lists with sparse features, whose weights tune keeps."""

import math

import numpy as np
import pytest

from brute_force import score_of
from cybleu import errors
from cybleu.nbest import NBest
from cybleu.rerank import linear
from cybleu.tuning import line_search, tune
from nbest_lists import sparse_and_dense as lists

START = {"d0": 1.0, "d1": -0.5, "d2": 0.25, "s0": 0.75, "s1": -1.0, "s2": 0.0, "s3": 0.5, "s4": 2.0}
HELD = [name for name in START if name.startswith("s")]


def checked(nbest, found):
    """Check the score of a result against its weights."""
    weights = [found.weights[name] for name in (*nbest.names, *nbest.sparse.names)]
    assert list(found.weights) == [*nbest.names, *nbest.sparse.names]
    assert found.score == score_of(nbest, weights)
    rows = linear(nbest, found.weights).rows
    assert (np.array(found.stats) == nbest.stats[rows].sum(axis=0)).all()
    return rows


def test_climbs_are_those_of_dense_features():
    sparse, dense, _ = lists(1)
    ours = tune(sparse, START, restarts=0)
    theirs = tune(dense, START, restarts=0, fixed=HELD)
    assert ours.weights == pytest.approx(theirs.weights)
    assert (ours.score, ours.start_score) == (theirs.score, theirs.start_score)
    assert (ours.chosen == theirs.chosen).all()
    assert (ours.chosen == checked(sparse, ours)).all()
    assert [move.direction for move in ours.history] == [move.direction for move in theirs.history]
    assert ours.score > ours.start_score
    assert set(ours.restarts[0].weights) == {"d0", "d1", "d2"}


def test_without_a_start_sparse_weights_are_0():
    nbest, _, _ = lists(1)
    found = tune(nbest, restarts=2)
    assert [found.weights[name] for name in HELD] == [0.0] * 5
    alone = NBest(nbest.offsets, nbest.features, nbest.stats, nbest.names)
    assert {name: found.weights[name] for name in nbest.names} == tune(alone, restarts=2).weights
    checked(nbest, found)


def test_bounds_and_fixed_weights():
    nbest, _, _ = lists(1)
    found = tune(nbest, START, restarts=2, bounds={"d0": (0.0, 2.0)})
    assert 0.0 <= found.weights["d0"] <= 2.0
    found = tune(nbest, START, restarts=2, fixed={"s3": -3.0, "d1": 0.125})
    assert (found.weights["s3"], found.weights["d1"], found.weights["s4"]) == (-3.0, 0.125, 2.0)
    checked(nbest, found)


def test_other_weights_of_sparse_features_are_another_point():
    nbest, _, _ = lists(1)
    fixed = [*nbest.names, "s3"]
    tune(nbest, START, restarts=0, fixed=fixed)  # the list keeps the values of the last point
    checked(nbest, tune(nbest, {**START, "s4": -2.0}, restarts=0, fixed=fixed))


def test_all_features_sparse():
    alone, _, _ = lists(1, dense=0)
    start = {name: START[name] for name in HELD}
    with pytest.raises(errors.FeatureError, match="all features of the list are sparse; tune their weights with"):
        tune(alone, start)
    found = line_search(alone, start, "s1")
    assert found.score == score_of(alone, found.weights.values()) >= score_of(alone, start.values())


@pytest.mark.parametrize("direction", ["d1", "s3", [0, 1, 0, 0, -1, 0, 0.5, 0], {"d0": 1, "d1": 0, "d2": 0, "s2": -2}])
def test_lines_are_those_of_dense_features(direction):
    sparse, dense, _ = lists(4)
    named = direction if not isinstance(direction, dict) else {**dict.fromkeys(START, 0.0), **direction}
    for lower, upper in ((-math.inf, math.inf), (-0.5, 0.25), (0.25, 1.0)):
        ours = line_search(sparse, START, direction, lower, upper, surface=True)
        theirs = line_search(dense, START, named, lower, upper, surface=True)
        assert (ours.score, ours.stats) == (theirs.score, theirs.stats)
        assert ours.step == pytest.approx(theirs.step)
        assert ours.weights == pytest.approx(theirs.weights)
        assert ours.start_score == pytest.approx(theirs.start_score, nan_ok=True)
        assert ours.surface[1].tolist() == theirs.surface[1].tolist()
        assert ours.surface[0] == pytest.approx(theirs.surface[0])
