"""Random search and cross-validation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brute_force import LIST, bleu, chosen, nbests, score_of, weight
from cybleu import errors, metrics
from cybleu.nbest import NBest
from cybleu.tuning import cross_validate, random_search, random_weights, tune
from cybleu.tuning.trials import _part

pytestmark = pytest.mark.usefixtures("backend")


@given(nbests(), st.lists(st.tuples(weight, weight), min_size=1, max_size=5), st.sampled_from([None, 2]))
def test_many_weights_at_once(nbest, weights, threads):
    expected = [score_of(nbest, row) for row in weights]
    assert random_search(nbest, weights, threads=threads).tolist() == expected


def test_many_more_weights_than_a_block():
    generator = np.random.default_rng(0)
    nbest = bleu([0, 30, 60], generator.normal(size=(60, 3)), generator.integers(0, 2, 60))
    weights = generator.normal(size=(200, 3))
    assert random_search(nbest, weights, threads=3).tolist() == [score_of(nbest, row) for row in weights]


def test_cross_validation_scores_what_was_held_out():
    generator = np.random.default_rng(1)
    nbest = bleu(range(0, 110, 10), generator.normal(size=(100, 3)), generator.integers(0, 2, 100))
    folds = [0, 1, 0, 1, 2, 2, 0, 1, 2, 0]
    result = cross_validate(nbest, folds, restarts=2, seed=3)
    total = 0
    for fold, tuning in enumerate(result.folds):
        rest = _part(nbest, np.flatnonzero(np.array(folds) != fold))
        assert tuning.weights == tune(rest, restarts=2, seed=3).weights
        held_out = _part(nbest, np.flatnonzero(np.array(folds) == fold))
        assert result.held_out[fold] == score_of(held_out, tuning.weights.values())
        total = total + held_out.stats[chosen(held_out, tuning.weights.values())].sum(axis=0)
    assert result.score == metrics.score(total, "moses").score
    assert result.start_score == score_of(nbest, [1.0] * 3)
    drawn = cross_validate(nbest, 5, restarts=0)
    assert len(drawn.folds) == 5 and str(drawn).count("held out") == 5


FEATURELESS = NBest([0, 1, 2], np.zeros((2, 0)), [[1, 1, 1, 1]] * 2)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: random_search(LIST, [1.0, 1.0]), errors.ArrayValueError, "shape"),
        (lambda: random_search(LIST, [[1.0, math.inf]]), errors.WeightsError, r"weights\[0\]"),
        (lambda: cross_validate(LIST, 2), errors.ArrayValueError, "from 2 to the number of segments, 1"),
        (lambda: cross_validate(LIST, 2, seed=-1), errors.WeightsError, "seed is -1; it must be a whole number from 0"),
        (lambda: cross_validate(FEATURELESS, 2), errors.FeatureError, "no features, so there is nothing to weigh"),
        (lambda: random_search(FEATURELESS, [[]]), errors.FeatureError, "no features, so there is nothing to weigh"),
        (lambda: random_weights(["a"], 0, None, None, 0), errors.SampleError, "count is 0; .* from 1 to 100,000,000"),
        (lambda: random_weights(["a"], 10**18, None, None, 0), errors.SampleError, "count is 10"),
        (lambda: random_weights(["a"], 1, None, None, -1), errors.SampleError, "seed is -1"),
        (
            lambda: random_weights([], 2, None, None, 0),
            errors.FeatureError,
            "no features, so there is nothing to weigh",
        ),
    ],
)
def test_trials_that_cannot_be(call, error, text):
    with pytest.raises(error, match=text):
        call()
