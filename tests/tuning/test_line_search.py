"""Line searches compared with brute force, and cases that line searches of other tools get wrong."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from brute_force import bleu, chosen, nbests, nbests_of_reals, score_of, tried, weight
from cybleu import errors, metrics
from cybleu.nbest import NBest
from cybleu.tuning import line_search, tune


@given(
    nbests(), st.tuples(weight, weight), st.sampled_from([(0.0, 1.0), (2.0, 0.0), (0.0, -1.0), (0.0, 0.0)]), st.data()
)
def test_a_line_search_finds_what_brute_force_finds(nbest, weights, direction, data):
    metric = data.draw(st.sampled_from(["moses", "sacrebleu"]))
    found = line_search(nbest, weights, direction, metric=metric)
    assert found.score == score_of(nbest, found.weights.values(), metric)
    assert found.start_score == score_of(nbest, weights, metric)
    best = max(tried(nbest, weights, direction, metric=metric))
    assert found.score == best if any(weights) else found.score <= best


@given(nbests_of_reals(), st.sampled_from(["moses", "sacrebleu"]))
def test_any_direction(drawn, metric):
    nbest, weights, direction = drawn
    found = line_search(nbest, weights, direction, metric=metric)
    assert found.score == score_of(nbest, found.weights.values(), metric)
    assert found.score == max(tried(nbest, weights, direction, metric=metric))


@given(nbests(), st.tuples(weight, weight), st.data())
def test_bounds_of_the_step(nbest, weights, data):
    assume(any(weights))
    lower, upper = sorted(data.draw(st.tuples(st.floats(-3, 3), st.floats(-3, 3))))
    assume(upper - lower > 1e-3)
    found = line_search(nbest, weights, "f1", lower, upper)
    assert lower <= found.step <= upper
    assert found.score == score_of(nbest, found.weights.values())
    assert found.score >= max(tried(nbest, weights, (0.0, 1.0), lower, upper), default=0.0)


@given(nbests(), st.tuples(weight, weight))
def test_surfaces_are_what_the_weights_score(nbest, weights):
    assume(any(weights))
    found = line_search(nbest, weights, "f0", surface=True)
    starts, scores = found.surface
    assert starts[0] == -math.inf and (np.diff(starts) > 0).all()
    scale = np.abs(starts[1:]).max(initial=0.0) or 1.0
    ends = [*starts[1:].tolist(), starts[-1] + scale if len(starts) > 1 else 1.0]
    ends = [ends[0] - scale, *ends]
    for (left, right), score in zip(pairwise(ends), scores):
        if right - left > 1e-9 * scale:
            middle = left + (right - left) / 2
            assert score == score_of(nbest, (weights[0] + middle, weights[1]))


EXTREMES = st.sampled_from([0.0, 1.0, -1.0, 2.0**1000, -(2.0**999), 2.0**-1000])


@given(
    st.lists(st.tuples(EXTREMES, EXTREMES, st.integers(0, 3)), min_size=6, max_size=6),
    st.tuples(*[st.sampled_from([1.0, -1.0, 2.0**22, -(2.0**23), 2.0**-20])] * 2),
    st.tuples(*[st.sampled_from([0.0, 1.0, 2.0**20, 2.0**-30])] * 2),
)
def test_features_at_the_ends_of_the_floats(rows, weights, direction):
    """The score is that of the weights found, without a warning; or an error says which value overflows."""
    nbest = NBest([0, 3, 6], [row[:2] for row in rows], [[float(row[2])] for row in rows])
    try:
        found = line_search(nbest, weights, direction)
    except errors.WeightsError:
        return
    assert found.score == sum(rows[row][2] for row in chosen(nbest, list(found.weights.values())))


def test_an_interval_wider_than_a_float_can_say():
    nbest = NBest([0, 2, 4], [[1e308, 0.0], [0.0, 1.0], [0.0, 0.0], [1e308, 1.0]], [[1.0], [0.0], [0.0], [1.0]])
    found = tune(nbest, [1.0, 0.5], 0, fixed=["f0"])
    assert (found.score, found.start_score) == (2.0, 2.0)
    assert line_search(nbest, [1.0, 0.5], "f1", surface=True).score == 2.0


def test_a_function_of_the_sum_as_metric():
    def balance(row):
        return -abs(row[0] - row[1])

    stats = [[3.0, 0.0], [0.0, 1.0], [4.0, 4.0], [1.0, 2.0]]
    nbest = NBest([0, 2, 4], [[0.0], [1.0], [0.0], [2.0]], stats, score=balance)
    found = line_search(nbest, [-1.0], "f0")
    assert (found.score, found.stats) == (-2.0, (1.0, 3.0)) and found.weights["f0"] > 0
    other = line_search(nbest, [1.0], "f0", metric=lambda row: row[0])
    assert (other.score, other.stats) == (7.0, (7.0, 4.0))


@pytest.mark.parametrize("refused", [1.0, 2.0], ids=["first interval", "last interval"])
def test_a_function_that_gives_nan_for_a_sum_is_an_error(refused):
    nbest = NBest([0, 2], [[0.0], [1.0]], [[1.0], [2.0]], ["a"])
    with pytest.raises(errors.StatisticsError, match="nan for the sum"):
        line_search(nbest, [0.5], "a", metric=lambda row: math.nan if row[0] == refused else row[0])


def test_sums_of_floats_do_not_fall_below_zero():
    """0.3 + 0.6 - 0.3 - 0.6 is negative in floats, and NIST refuses such a row."""
    stats = [[3.0, information, 3.0] for information in (0.3, 0.0, 0.6, 0.0)]
    nbest = NBest([0, 2, 4], [[0.0], [1.0], [0.0], [2.0]], stats, score=metrics.Nist(max_order=1))
    found = line_search(nbest, [1.0], "f0", surface=True)
    assert found.surface[1].tolist() == [nbest.score.evaluate([6.0, 0.3 + 0.6, 6.0]), 0.0]
    assert tune(nbest, [1.0], restarts=2).score == found.score


def test_nltks_bleu_counts_short_segments():
    stats = np.array([[1, 3, 1, 0, 1, 0], [3, 3, 2, 1, 3, 2], [4, 5, 3, 2, 4, 3], [1, 5, 1, 0, 1, 0]])
    nbest = NBest([0, 2, 4], [[0.0], [1.0], [0.0], [2.0]], stats)
    for start in (1.0, -1.0):
        found = line_search(nbest, [start], "f0", metric="nltk")
        rows = stats[chosen(nbest, found.weights.values())]
        assert found.score == metrics.score(rows, "nltk").score
        assert found.stats == tuple(rows.sum(axis=0).tolist())


# ------------------------------------------------------------------------------------------------ cases of other tools


def test_the_best_point_is_not_left():
    nbest = bleu([0, 3], [[0.0, 0.0], [1.0, 1.0], [0.0, 3.0]], [0, 1, 0])
    found = line_search(nbest, [1.0, 0.001], "f1")
    assert (found.step, found.score) == (0.0, 1.0)
    assert found.left < 0 < found.right
    assert tune(nbest, [1.0, 0.001], restarts=2).weights == {"f0": 1.0, "f1": 0.001}


@pytest.mark.parametrize(
    ("slopes", "best", "step"),
    [
        ([0, 1, 2, 4, 7, 8, 9], [1, 4, 8], 4.25),  # the widest interval
        ([-9, -8, -7, 0, 5, 6, 7], [-8, 6], 6.0),  # of equally wide ones the nearest to 0
        ([-7, -6, -5, 0, 7, 8, 9], [-6, 8], -6.0),
        ([-7, -6, -5, 0, 5, 6, 7], [-6, 6], -6.0),  # and of equally near ones the first
        ([0, 1, 2], [1, 2], 0.5625),  # no threshold divides what scores alike
    ],
)
def test_ties_of_intervals(slopes, best, step):
    """On tangents of a parabola, of which each is highest from halfway to the one before to halfway to the next."""
    features = [[-slope * slope, 2 * slope] for slope in slopes]
    nbest = NBest([0, len(slopes)], features, [[1, 1, slope in best, 1] for slope in slopes])
    assert line_search(nbest, [1.0, 0.0], "f1").step == step


def test_a_line_of_equal_scores_is_searched_where_hypotheses_do_not_tie():
    assert line_search(NBest([0, 3], [[0.0], [1.0], [-1.0]], [0.0, 1.0, 1.0]), [0.0], "f0").score == 1.0


def test_thresholds_at_the_ends_of_the_range_divide_nothing():
    nbest = NBest([0, 3], [[0.0, 0.0], [-1.0, 2.0], [-4.0, 4.0]], [[1.0], [0.0], [2.0]])
    starts, scores = line_search(nbest, [1.0, 0.0], "f1", 0.5, 1.5, surface=True).surface
    assert (starts.tolist(), scores.tolist()) == ([0.5], [0.0])


def test_sums_are_exact():
    """In float32, 2 ** 24 + 1 equals 2 ** 24, so the two hypotheses would have equal scores."""
    large = 2**24
    nbest = NBest([0, 1, 3], [[0.0], [0.0], [1.0]], [[large * 2, 1, large, large * 2], [1, 1, 0, 1], [1, 1, 1, 1]])
    found = line_search(nbest, [-1.0], "f0")
    assert found.stats == (2 * large + 1, 2, large + 1, 2 * large + 1)
    assert found.score == (large + 1) / (2 * large + 1)


@pytest.mark.parametrize("weight", [1e16, -1e16, 4503599627370497.5])
def test_a_middle_that_rounds_onto_a_threshold(weight):
    """No float is in the best interval: the returned score must still be that of the returned weights."""
    features = [[weight, 0.0], [0.0, 1.0], [-np.nextafter(weight, 2 * weight), 2.0]]
    nbest = bleu([0, 3], features, [0, 1, 0])
    found = line_search(nbest, [1.0, 1.0], "f1")
    assert found.score == score_of(nbest, found.weights.values())
    huge = line_search(bleu([0, 3, 6], [*features, *features], [0, 1, 0, 1, 0, 1]), [1.0, weight], "f1")
    assert math.isfinite(huge.step)


# ------------------------------------------------------------------------------------------------------------- messages


def test_values_that_a_float_just_holds():
    nbest = NBest([0, 2, 4], [[10.0, 1.0], [20.0, -3.0], [1.0, 1.0], [2.0, 0.0]], [[1.0], [0.0]] * 2)
    assert tune(nbest, [1e306, 0.0], restarts=0).start_score == 0.0


def test_a_step_without_a_gain_is_not_taken():
    """Rounding hides the crossing, so that the best point has the score of the start."""
    features = [[0.0, 0.0, 0.0, 0.0], [1.0, -1e20, -0.5, 0.0], [2.0, -2e20, -3.0, 0.0]]
    found = line_search(NBest([0, 3], features, [[0.0], [1.0], [0.0]]), [1e20, 1.0, 1.0, 1.0], [1.0, 0.0, 0.0, 1.0])
    assert (found.step, found.score, found.weights["f3"]) == (0.0, 0.0, 1.0)
