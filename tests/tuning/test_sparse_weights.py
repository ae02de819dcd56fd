"""Line searches on lists with sparse features: weights are fixed, or a few are searched like dense ones."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cybleu import errors
from cybleu.nbest import NBest
from cybleu.rerank import linear
from cybleu.tuning import cross_validate, line_search, random_search, tune
from sparse_lists import lists

pytestmark = pytest.mark.usefixtures("backend")

START = {"d0": 1.0, "d1": -0.5, "d2": 0.25, "s0": 0.75, "s1": -1.0, "s2": 0.0, "s3": 0.5, "s4": 2.0}
HELD = [name for name in START if name.startswith("s")]


def checked(nbest, found, metric=None):
    """Check the score of a result against its weights."""
    weights = [found.weights[name] for name in (*nbest.names, *nbest.sparse.names)]
    assert list(found.weights) == [*nbest.names, *nbest.sparse.names]
    assert found.score == random_search(nbest, [weights], metric)[0]
    rows = linear(nbest, found.weights).rows
    assert (np.array(found.stats) == nbest.stats[rows].sum(axis=0)).all()
    return rows


@pytest.mark.parametrize("searched", [(), ("s1",), ["s4", "s0", "s2"]])
def test_climbs_are_those_of_dense_features(searched):
    sparse, dense, _ = lists(1)
    ours = tune(sparse, START, restarts=0, searched=searched)
    theirs = tune(dense, START, restarts=0, fixed=[name for name in HELD if name not in searched])
    assert ours.weights == pytest.approx(theirs.weights)
    assert (ours.score, ours.start_score) == (theirs.score, theirs.start_score)
    assert (ours.chosen == theirs.chosen).all()
    assert (ours.chosen == checked(sparse, ours)).all()
    assert [move.direction for move in ours.history] == [move.direction for move in theirs.history]
    assert ours.score > ours.start_score
    assert set(ours.restarts[0].weights) == {"d0", "d1", "d2", *searched}


def test_restarts_hold_the_others():
    nbest, _, _ = lists(2)
    named = {name: START[name] for name in ("d0", "d1", "d2", "s4")}
    found = tune(nbest, named, restarts=16, seed=3)
    assert {name: found.weights[name] for name in HELD} == {"s0": 0, "s1": 0, "s2": 0, "s3": 0, "s4": 2}
    checked(nbest, found)
    threads = tune(nbest, named, restarts=16, seed=3, threads=2)
    assert threads.weights == found.weights
    assert threads.restarts == found.restarts
    assert found.score >= tune(nbest, named, restarts=0).score
    # the sum of the fixed features does not count: starts are drawn from 0 to the largest weight that is searched
    small = {"d0": 1e-6, "d1": -1e-6, "d2": 1e-6, "s4": 2.0}
    drawn = tune(nbest, small, restarts=3, wide=3, bounds={"d1": (-1e-3, 1e-3)})
    assert all(abs(restart.weights["d1"]) <= 1e-3 for restart in drawn.restarts)
    checked(nbest, drawn)


def test_without_a_start_sparse_weights_are_0():
    nbest, dense, _ = lists(1)
    found = tune(nbest, restarts=2)
    assert [found.weights[name] for name in HELD] == [0.0] * 5
    alone = NBest(nbest.offsets, nbest.features, nbest.stats, nbest.names)
    assert {name: found.weights[name] for name in nbest.names} == tune(alone, restarts=2).weights
    assert tune(nbest, restarts=2, searched=HELD).weights == tune(dense, restarts=2).weights
    checked(nbest, tune(nbest, restarts=2, searched="s3"))


def test_bounds_and_fixed_weights():
    nbest, _, _ = lists(1)
    found = tune(nbest, START, restarts=2, searched=["s0"], bounds={"s0": (0.5, 1.0), "d0": (0.0, 2.0)})
    assert 0.5 <= found.weights["s0"] <= 1.0
    found = tune(nbest, START, restarts=2, fixed={"s3": -3.0, "d1": 0.125})
    assert (found.weights["s3"], found.weights["d1"], found.weights["s4"]) == (-3.0, 0.125, 2.0)
    checked(nbest, found)
    assert tune(nbest, START, restarts=2, fixed=["s3"]).weights == tune(nbest, START, restarts=2).weights
    within = tune(nbest, restarts=1, searched=["s0"], bounds={"s0": (2.0, 3.0)})
    assert 2.0 <= within.weights["s0"] <= 3.0


def test_all_features_sparse():
    nbest, _, _ = lists(1)
    alone = NBest(nbest.offsets, np.zeros((240, 0)), nbest.stats, sparse=nbest.sparse)
    start = {name: START[name] for name in HELD}
    found = tune(alone, start, restarts=2, searched=["s0", "s1"])
    checked(alone, found)
    with pytest.raises(errors.FeatureError, match="none of them is searched"):
        tune(alone, start)


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


def test_a_line_from_some_weights():
    nbest, dense, _ = lists(4)
    some = {"d0": 1.0, "d1": -0.5, "d2": 0.25}
    ours = line_search(nbest, some, "s1")
    assert ours.score == line_search(dense, {**dict.fromkeys(START, 0.0), **some}, "s1").score


def test_many_vectors():
    sparse, dense, _ = lists(5)
    vectors = np.rint(np.random.default_rng(0).normal(size=(70, 8)) * 4)
    assert (random_search(sparse, vectors) == random_search(dense, vectors)).all()
    assert (random_search(sparse, vectors, threads=2) == random_search(dense, vectors)).all()


def test_held_out_segments():
    sparse, dense, _ = lists(6)
    how = {"folds": 3, "start": START, "restarts": 1, "seed": 2}
    ours = cross_validate(sparse, **how, searched=HELD)
    theirs = cross_validate(dense, **how)
    assert (ours.score, ours.start_score, ours.held_out) == (theirs.score, theirs.start_score, theirs.held_out)
    held = cross_validate(sparse, **how)
    assert held.start_score == theirs.start_score
    assert all(tuning.weights["s4"] == 2.0 for tuning in held.folds)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda one, _: tune(one, searched=["s9"]), errors.FeatureError, "no sparse feature 's9'; there are s0"),
        (lambda one, _: tune(one, searched=["d0"]), errors.FeatureError, "no sparse feature 'd0'"),
        (
            lambda one, _: tune(one, searched=["s1"], fixed=["s1"]),
            errors.FeatureError,
            "both in searched and in fixed",
        ),
        (
            lambda one, _: tune(one, searched="s1", fixed={"s1": 2}),
            errors.FeatureError,
            "both in searched and in fixed",
        ),
        (lambda _, dense: tune(dense, searched=["s1"]), errors.FeatureError, "the list has none"),
        (lambda one, _: tune(one, {"d0": 1.0}), errors.FeatureError, "nothing for the feature 'd1'"),
        (lambda one, _: tune(one, {**START, "s7": 1}), errors.FeatureError, "names 's7'"),
        (lambda one, _: tune(one, {**START, "s1": math.inf}), errors.WeightsError, "inf for 's1'"),
        (lambda one, _: tune(one, {**START, "s1": 1e308, "s4": 1e308}), errors.WeightsError, "more than a float"),
        (lambda one, _: tune(one, fixed={"s1": math.nan}), errors.WeightsError, "weight of 's1' is nan"),
        (lambda one, _: tune(one, bounds={"s1": (0, 1)}), errors.FeatureError, "no feature 's1'"),
        (lambda one, _: line_search(one, START, "s9"), errors.FeatureError, "no feature 's9'; there are d0"),
        (lambda one, _: random_search(one, [[1.0] * 3]), errors.ArrayValueError, "a row of 8 numbers"),
        (lambda one, _: random_search(one, [[1e308] * 8]), errors.WeightsError, "more than a float can hold"),
    ],
)
def test_messages(call, error, text):
    with pytest.raises(error, match=text):
        call(*lists()[:2])
