"""Tuning by climbs with multiple restarts: results, fixed weights and bounds."""

import math
import time

import numpy as np
import pytest
from hypothesis import given, strategies as st

from brute_force import LIST, bleu, chosen, nbests, rows_of_bleu, score_of, weight
from cybleu.nbest import NBest
from cybleu.tuning import line_search, tune
from inputs import Own
from marks import long


@given(nbests(features=3), st.data())
def test_every_end_is_an_optimum_of_every_axis(nbest, data):
    start = data.draw(st.tuples(weight, weight, weight).filter(any))
    metric = data.draw(st.sampled_from(["moses", "sacrebleu"]))
    tuned = tune(nbest, start, restarts=14, metric=metric)
    for end in tuned.restarts:
        assert end.score == score_of(nbest, end.weights.values(), metric)
        assert any(end.weights.values())
        for axis in nbest.names:
            assert line_search(nbest, end.weights, axis, metric=metric).score <= end.score
    assert tuned.score == max(end.score for end in tuned.restarts)
    assert tuned.score == score_of(nbest, tuned.weights.values(), metric)
    assert tuned.start_score == score_of(nbest, start, metric)
    assert tuned.chosen[tuned.chosen >= 0].tolist() == chosen(nbest, tuned.weights.values())
    assert ((tuned.chosen < 0) == (np.diff(nbest.offsets) == 0)).all()


def test_the_first_restarts_are_random_and_the_others_begin_at_the_best_end():
    generator = np.random.default_rng(3)
    nbest = bleu(range(0, 330, 30), generator.normal(size=(300, 5)), generator.integers(0, 2, 300))
    tuned = tune(nbest, restarts=16, seed=1)
    assert [end.origin is None for end in tuned.restarts] == [True] * 14 + [False] * 3
    for end in tuned.restarts[14:]:
        before = tuned.restarts[: 14 + (end.number - 14) // 4 * 4]
        assert end.start_score == before[end.origin].score == max(other.score for other in before)
        assert end.score >= end.start_score
    assert str(tuned.restarts[14]).endswith(f"from near the end of {tuned.restarts[14].origin}")


@pytest.mark.long_in_mirror
@pytest.mark.parametrize(("count", "restarts", "wide"), [long(19_990, 60, 39), (20_000, 20, 13)])
def test_small_lists_have_more_restarts_by_default(count, restarts, wide):
    generator = np.random.default_rng(3)
    nbest = bleu(range(0, count + 1, 10), generator.normal(size=(count, 2)), generator.integers(0, 2, count))
    tuned = tune(nbest, [2.0, 3.0])
    assert [end.origin is None for end in tuned.restarts] == [True] * (wide + 1) + [False] * (restarts - wide)
    explicit = tune(nbest, [2.0, 3.0], restarts=4)
    assert (explicit.restarts == tuned.restarts[:5]) == (wide == 13)


FLAT = NBest([0, 2], [[1.0, 2.0]] * 2, [[2, 2, 2, 2]] * 2)


@pytest.mark.parametrize(
    ("bounds", "start", "lowest", "highest"),
    [
        ({}, 1.0, 0.0, 4.0),
        ({"f0": (2.0, 5.0)}, 3.0, 2.0, 5.0),
        ({"f0": (-9.0, 9.0)}, 1.0, -9.0, 9.0),
        ({"f0": (-math.inf, -7.0)}, -8.0, -math.inf, -7.0),
    ],
)
def test_random_starts_are_in_their_range(bounds, start, lowest, highest):
    """A climb without any move ends at its start, which shows the range of random starts."""
    for end in tune(FLAT, {"f0": start, "f1": -4.0}, restarts=12, bounds=bounds).restarts[1:]:
        assert lowest <= end.weights["f0"] <= highest
        assert -max(4, abs(start)) <= end.weights["f1"] <= 0


def test_perturbed_weights_keep_their_bounds_and_what_is_fixed():
    generator = np.random.default_rng(5)
    features = generator.normal(size=(300, 4)) * [1e-200, 1.0, 1e200, 1.0]
    nbest = bleu(range(0, 330, 30), features, generator.integers(0, 2, 300))
    start = {"f0": 1.0, "f1": 0.5, "f2": 1e-200, "f3": -0.7}
    tuned = tune(nbest, start, restarts=20, bounds={"f1": (0.25, 0.75)}, fixed=["f3"])
    assert len({tuple(end.weights.values()) for end in tuned.restarts}) > 1
    for end in tuned.restarts:
        assert 0.25 <= end.weights["f1"] <= 0.75 and end.weights["f3"] == -0.7
        assert end.score == score_of(nbest, end.weights.values())


# Bigrams match only in one corner of the space, and matches of unigrams lead there.
PLATEAU = [[8, 8, 0, 0, 8, 7], [8, 8, 3, 0, 8, 7], [8, 8, 6, 0, 8, 7], [8, 8, 8, 7, 8, 7]]
LEADING = [[0.0, 0.0], [1.0, 0.0], [2.0, -1.0], [2.5, 3.0]]


def test_a_plateau_of_zero_is_left():
    assert tune(NBest([0, 4], LEADING, PLATEAU), [-1.0, -1.0], restarts=0).score == 1


def test_on_a_plateau_of_zero_the_most_unigrams_match():
    tuned = tune(NBest([0, 3], LEADING[:3], PLATEAU[:3]), [-1.0, -1.0], restarts=0)
    assert (tuned.score, tuned.stats[2]) == (0, 6)


@pytest.mark.parametrize("start", [1.0, -1.0])
def test_a_metric_may_have_a_plateau_of_its_own(start):
    kind = type("Zero", (Own,), {"plateau": Own(), "evaluate": lambda self, row: 0.0})
    zero = NBest([0, 2], [[0.0], [start]], [[2, 4], [1, 4]], score=kind())
    assert line_search(zero, [1.0], "f0").stats == (2, 4)


@pytest.mark.parametrize(
    "nbest",
    [NBest([0, 3], LEADING[:3], PLATEAU[:3]), NBest([0, 2], [[1.0, 0.0], [0.0, 1.0]], [[8, 8, 0, 8]] * 2)],
    ids=["plateau", "equal"],
)
def test_weights_are_never_all_0(nbest):
    assert any(tune(nbest, restarts=3).weights.values())


def test_threads_change_nothing():
    generator = np.random.default_rng(8)
    nbest = bleu(range(0, 330, 30), generator.normal(size=(300, 5)), generator.integers(0, 2, 300))
    results = [tune(nbest, restarts=18, seed=4, threads=threads) for threads in (None, 2, 5)]
    for other in results[1:]:
        assert other.weights == results[0].weights and other.restarts == results[0].restarts
        assert (other.chosen == results[0].chosen).all()
    assert tune(nbest, restarts=3, seed=4).restarts == results[0].restarts[:4]
    assert tune(nbest, restarts=18, seed=5).restarts[1:] != results[0].restarts[1:]


def test_a_trace_is_called_by_one_thread_at_a_time():
    calling = []
    together = []

    def trace(restart):
        calling.append(restart)
        time.sleep(0.002)
        together.append(len(calling))
        calling.remove(restart)

    tune(LIST, restarts=7, threads=4, trace=trace)
    assert together == [1] * 8


def test_history_leads_to_the_weights():
    generator = np.random.default_rng(6)
    nbest = bleu([0, 50, 100, 150], generator.normal(size=(150, 4)), generator.integers(0, 2, 150))
    tuned = tune(nbest, restarts=0)
    weights = dict.fromkeys(nbest.names, 1.0)
    for move in tuned.history:
        weights[move.direction] += move.step
        assert move.score == score_of(nbest, weights.values())
    assert weights == tuned.weights and tuned.history[-1].score == tuned.score
    assert [move.score for move in tuned.history] == sorted({move.score for move in tuned.history})
    rows = rows_of_bleu(*generator.integers(1, 9, (3, 1200)).tolist())
    nbest = NBest(range(0, 1230, 30), generator.normal(size=(1200, 5)), rows)
    tuned = tune(nbest, restarts=20, seed=3)
    origins = [tuned.restarts[tuned.best]]
    while origins[0].origin is not None:
        origins.insert(0, tuned.restarts[origins[0].origin])
    assert len(origins) > 1
    assert tuned.history == sum((end.moves for end in origins), ())
    assert tuned.history[-1].score == tuned.score
    assert all((move.direction == "perturbed") == (move.step == 0) for move in tuned.history)


def test_the_choice_is_told_by_the_index_in_the_input():
    nbest = bleu([0, 2, 3], [[0.0], [1.0], [5.0]], [0, 1, 1], index=[4, 9, 2], inputs=10)
    assert tune(nbest, [-1.0], restarts=1).chosen.tolist() == [9, 2]


@pytest.mark.parametrize("options", [{}, {"fixed": ["f0", "f1"]}])
def test_no_search_where_no_weight_changes_anything(options):
    nbest = NBest([0, 2], [[1.0, 2.0]] * 2, [[1.0], [0.0]])
    tuned = tune(nbest, restarts=2, **options)
    assert (tuned.score, tuned.line_searches) == (1.0, 0)


def test_weights_of_0_are_drawn_on_both_sides():
    drawn = [end.weights["f0"] for end in tune(FLAT, {"f0": 0.0, "f1": -4.0}, restarts=12).restarts[1:]]
    assert min(drawn) < 0 < max(drawn)
