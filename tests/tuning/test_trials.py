"""Cross-validation."""

from __future__ import annotations

import numpy as np
import pytest

from brute_force import bleu, chosen, score_of
from cybleu import metrics
from cybleu.tuning import cross_validate, tune
from cybleu.tuning.trials import _part

pytestmark = pytest.mark.usefixtures("backend")


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
