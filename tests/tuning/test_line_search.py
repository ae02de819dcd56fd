"""Line search and tuning against brute force, and the traps that other tools fell into."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cybleu import errors, metrics
from cybleu.nbest import NBest
from cybleu.tuning import cross_validate, line_search, random_search, tune
from cybleu.tuning.climb import _part
from cybleu.tuning.line_search import smoothed

pytestmark = pytest.mark.usefixtures("backend")


# ---------------------------------------------------------------------------------------------------------- the oracle


def chosen(nbest, weights):
    """The first hypothesis of each segment with the highest sum, in plain Python."""
    best = []
    for first, last in pairwise(nbest.offsets.tolist()):
        values = []
        for row in nbest.features[first:last].tolist():
            value = 0.0
            for weight, feature in zip(weights, row):
                value += weight * feature
            values.append(value)
        if values:
            best.append(first + values.index(max(values)))
    return best


def score_of(nbest, weights, metric="moses"):
    rows = [nbest.stats[row] for row in chosen(nbest, weights)]
    total = sum(rows)
    return float(metric(total)) if callable(metric) else metrics.score(total.tolist(), metric).score


def thresholds(nbest, weights, direction):
    """Where any two lines of a segment meet."""
    found = set()
    for first, last in pairwise(nbest.offsets.tolist()):
        lines = [
            (sum(w * h for w, h in zip(weights, row)), sum(d * h for d, h in zip(direction, row)))
            for row in nbest.features[first:last].tolist()
        ]
        found |= {(b - a) / (m - n) for (a, m), (b, n) in combinations(lines, 2) if m != n}
    return sorted(found)


def tried(nbest, weights, direction, lower=-math.inf, upper=math.inf, metric="moses"):
    """The scores in the middle of all stretches between thresholds, outside them, at 0, and on a grid."""
    ends = thresholds(nbest, weights, direction)
    scale = max([abs(x) for x in ends], default=1.0) or 1.0
    ends = [x for x in ends if lower < x < upper]
    if math.isfinite(lower) or not ends:
        ends = [max(lower, -2 * scale), *ends]
    if math.isfinite(upper) or len(ends) == 1:
        ends = [*ends, min(upper, 2 * scale)]
    steps = [(a + b) / 2 for a, b in pairwise(ends) if b - a > 1e-9 * scale]
    if lower == -math.inf:
        steps.append(ends[0] - scale)
    if upper == math.inf:
        steps.append(ends[-1] + scale)
    grid = np.linspace(max(lower, ends[0] - scale), min(upper, ends[-1] + scale), 41).tolist()
    steps += [x for x in grid if min((abs(x - end) for end in ends), default=1.0) > 1e-9 * scale]
    if lower <= 0 <= upper:
        steps.append(0.0)
    return [score_of(nbest, [w + x * d for w, d in zip(weights, direction)], metric) for x in steps]


def rows_of_bleu(lengths, matched, wanted):
    return [[length, want, min(match, length), length] for length, match, want in zip(lengths, matched, wanted)]


@st.composite
def nbests(draw, features=2):
    """Ties, parallel and equal lines, equal hypotheses, constant features, single and missing hypotheses, any scale.

    Sums of these features are exact, so that what ties in the mind ties in floats.
    """
    sizes = draw(st.lists(st.integers(0, 5), min_size=1, max_size=4).filter(any))
    count = sum(sizes)
    numbers = draw(st.sampled_from([st.integers(-2, 2), st.integers(-40, 40)]))
    column = st.one_of(st.lists(numbers, min_size=count, max_size=count), st.just([1] * count))
    columns = [np.array(draw(column)) * draw(st.sampled_from([1.0, 0.125])) for _ in range(features)]
    scale = draw(st.sampled_from([1.0, 2.0**-60, 2.0**60]))
    small = st.lists(st.integers(0, 6), min_size=count, max_size=count)
    stats = rows_of_bleu(draw(small), draw(small), draw(small))
    return NBest(np.cumsum([0, *sizes]), np.array(columns).T.reshape(count, features) * scale, stats)


@st.composite
def nbests_of_reals(draw):
    """Features of different scales, without ties."""
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sizes = draw(st.lists(st.integers(0, 12), min_size=1, max_size=5).filter(any))
    features = generator.normal(size=(sum(sizes), 3)) * draw(st.tuples(*[st.sampled_from([1e-3, 1.0, 1e3])] * 3))
    stats = rows_of_bleu(*generator.integers(0, 7, (3, sum(sizes))).tolist())
    return NBest(np.cumsum([0, *sizes]), features, stats), generator.normal(size=3), generator.normal(size=3)


weight = st.integers(-3, 3).map(float)


# ------------------------------------------------------------------------------------------------------ the line search


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
    assert found.score >= max(tried(nbest, weights, (0.0, 1.0), lower, upper))


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
    """The score told is that of the weights found, without a warning; or an error says what a float does not hold."""
    nbest = NBest([0, 3, 6], [row[:2] for row in rows], [[float(row[2])] for row in rows])
    try:
        found = line_search(nbest, weights, direction)
    except errors.WeightsError:
        return
    assert found.score == sum(rows[row][2] for row in chosen(nbest, list(found.weights.values())))


@given(nbests(), st.sampled_from([2.0**-40, 0.25, 2.0**30]))
def test_scaling_a_feature_scales_the_step(nbest, scale):
    scaled = NBest(nbest.offsets, nbest.features * [1.0, scale], nbest.stats)
    found, other = line_search(nbest, (1.0, 0.0), "f1"), line_search(scaled, (1.0, 0.0), "f1")
    assert (other.score, other.stats, other.step * scale) == (found.score, found.stats, found.step)


@given(nbests(), st.data())
def test_constants_and_repeated_hypotheses_change_nothing(nbest, data):
    added = data.draw(st.lists(st.integers(-8, 8), min_size=len(nbest), max_size=len(nbest)))
    features = nbest.features + np.abs(nbest.features).max() * np.repeat(added, np.diff(nbest.offsets)).reshape(-1, 1)
    rows = np.concatenate([np.tile(np.arange(a, b), 2) for a, b in pairwise(nbest.offsets.tolist())]).astype(int)
    other = NBest(nbest.offsets * 2, features[rows], nbest.stats[rows])
    found, same = line_search(nbest, (1.0, 2.0), "f1"), line_search(other, (1.0, 2.0), "f1")
    assert (same.step, same.score, same.stats) == (found.step, found.score, found.stats)


def test_a_function_of_the_sum_as_metric():
    def balance(row):
        return -abs(row[0] - row[1])

    nbest = NBest(
        [0, 2, 4], [[0.0], [1.0], [0.0], [2.0]], [[3.0, 0.0], [0.0, 1.0], [4.0, 4.0], [1.0, 2.0]], score=balance
    )
    found = line_search(nbest, [-1.0], "f0")
    assert (found.score, found.stats) == (-2.0, (1.0, 3.0)) and found.weights["f0"] > 0
    other = line_search(nbest, [1.0], "f0", metric=lambda row: row[0])
    assert (other.score, other.stats) == (7.0, (7.0, 4.0))


def test_nltks_bleu_counts_short_segments():
    stats = np.array([[1, 3, 1, 0, 1, 0], [3, 3, 2, 1, 3, 2], [4, 5, 3, 2, 4, 3], [1, 5, 1, 0, 1, 0]])
    nbest = NBest([0, 2, 4], [[0.0], [1.0], [0.0], [2.0]], stats)
    for start in (1.0, -1.0):
        found = line_search(nbest, [start], "f0", metric="nltk")
        rows = stats[chosen(nbest, found.weights.values())]
        assert found.score == metrics.score(rows, "nltk").score
        assert found.stats == tuple(rows.sum(axis=0).tolist())


# ------------------------------------------------------------------------------------------------------ fifteen traps


POOR = metrics.score([8, 8, 1, 8], "moses").score


def bleu(offsets, features, perfect, **more):
    """Hypotheses that are perfect, 1, or wrong in all but a word, 0."""
    return NBest(offsets, features, [[8, 8, 8 if one else 1, 8] for one in perfect], **more)


def test_trap_1_ties_fall_as_in_the_choice():
    """The last of equal lines would promise 1."""
    nbest = bleu([0, 3], [[0.0, 0.0], [1.0, 1.0], [1.0, 1.0]], [0, 0, 1])
    found = line_search(nbest, [1.0, 0.0], "f1", surface=True)
    assert found.score == POOR and found.surface[1].max() == POOR
    assert tune(nbest, [1.0, 0.0], restarts=3).score == POOR


def test_trap_2_parallel_lines():
    nbest = bleu([0, 4], [[3.0, 1.0], [2.0, 1.0], [0.0, 0.0], [1.0, 0.0]], [0, 1, 0, 1])
    found = line_search(nbest, [1.0, 0.0], "f1")
    assert found.score == 1 and found.weights["f1"] < -2
    assert math.isfinite(found.step)


def test_trap_3_without_thresholds_nothing_moves():
    nbest = bleu([0, 2], [[3.0, 1.0], [2.0, 1.0]], [0, 1])
    found = line_search(nbest, [1.0, 5.0], "f1")
    assert (found.step, found.score) == (0.0, POOR)
    tuned = tune(nbest, {"f0": 1.0, "f1": 5.0}, restarts=0, fixed=["f0"])
    assert tuned.weights == {"f0": 1.0, "f1": 5.0} and tuned.restarts[0].at_optimum


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e6, 1e15])
def test_trap_4_narrow_intervals_count(scale):
    """The middle line is best between 1 / scale and 1.001 / scale."""
    features = [[0.0, 0.0], [-1.0, scale], [-2.001, 2 * scale]]
    found = line_search(bleu([0, 3], features, [0, 1, 0]), [1.0, 0.0], "f1")
    assert found.score == 1 and 1 < found.step * scale < 1.0011


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e9])
def test_trap_5_margins_are_relative(scale):
    """1.0 beyond the last threshold would be far away, or nothing."""
    features = [[0.0, 0.0], [-1.0, scale]]
    found = line_search(bleu([0, 2], features, [0, 1]), [1.0, 0.0], "f1")
    assert found.score == 1 and 1 < found.step * scale < 2


def test_trap_6_the_best_point_is_not_left():
    nbest = bleu([0, 3], [[0.0, 0.0], [1.0, 1.0], [0.0, 3.0]], [0, 1, 0])
    found = line_search(nbest, [1.0, 0.001], "f1")
    assert (found.step, found.score) == (0.0, 1.0)
    assert found.left < 0 < found.right
    assert tune(nbest, [1.0, 0.001], restarts=2).weights == {"f0": 1.0, "f1": 0.001}


def test_trap_7_bounds_clip():
    """The best interval reaches from -10 to -1 and on both sides beyond the range."""
    nbest = bleu([0, 3], [[0.0, 0.0], [-1.0, -1.0], [-11.0, -2.0]], [0, 1, 0])
    found = line_search(nbest, [1.0, 0.0], "f1", lower=-3.0, upper=-2.0)
    assert found.score == 1 and -3 <= found.step <= -2
    assert math.isnan(found.start_score)
    tuned = tune(nbest, [1.0, 0.0], restarts=4, bounds={"f1": (-3.0, 0.0), "f0": (1.0, 1.0)})
    assert tuned.score == 1 and -3 <= tuned.weights["f1"] <= 0 and tuned.weights["f0"] == 1


def test_trap_8_fixed_weights_do_not_leak():
    generator = np.random.default_rng(3)
    nbest = bleu([0, 20, 40], generator.normal(size=(40, 4)), generator.integers(0, 2, 40))
    start = {"f0": 0.5, "f1": -0.25, "f2": 1.0, "f3": 0.125}
    tuned = tune(nbest, start, restarts=5, directions=3, fixed=["f1", "f3"])
    assert (tuned.weights["f1"], tuned.weights["f3"]) == (-0.25, 0.125)
    assert tuned.score == score_of(nbest, tuned.weights.values())
    assert tune(nbest, start, restarts=1, fixed={"f0": 2.0}).weights["f0"] == 2.0


def test_trap_9_sums_are_exact():
    """In float32, 2 ** 24 + 1 is 2 ** 24, and the two hypotheses would score the same."""
    large = 2**24
    nbest = NBest([0, 1, 3], [[0.0], [0.0], [1.0]], [[large * 2, 1, large, large * 2], [1, 1, 0, 1], [1, 1, 1, 1]])
    found = line_search(nbest, [-1.0], "f0")
    assert found.stats == (2 * large + 1, 2, large + 1, 2 * large + 1)
    assert found.score == (large + 1) / (2 * large + 1)


def test_trap_10_a_plateau_of_zero_is_left():
    """Bigrams match nowhere but at one corner; unigrams lead there. Weights of zero would be one way to stay."""
    rows = [[8, 8, 0, 0, 8, 7], [8, 8, 3, 0, 8, 7], [8, 8, 6, 0, 8, 7], [8, 8, 8, 7, 8, 7]]
    features = [[0.0, 0.0], [1.0, 0.0], [2.0, -1.0], [2.5, 3.0]]
    nbest = NBest([0, 4], features, rows)
    none = NBest([0, 3], features[:3], rows[:3])
    assert tune(nbest, [-1.0, -1.0], restarts=0).score == 1
    tuned = tune(none, [-1.0, -1.0], restarts=0)
    assert tuned.score == 0 and tuned.stats[2] == 6
    for nbest in (none, bleu([0, 2], [[1.0], [1.0]], [0, 0])):
        assert any(tune(nbest, restarts=3).weights.values())
    flat = NBest([0, 2], [[1.0, 0.0], [0.0, 1.0]], [[8, 8, 0, 8]] * 2)
    assert any(tune(flat, restarts=3).weights.values())


def test_trap_11_boundaries_without_a_change_are_none():
    features = [[0.0, 0.0], [-1.0, 1.0], [-3.0, 2.0], [-6.0, 3.0]]
    plain = bleu([0, 2], [features[0], features[3]], [0, 1])
    more = bleu([0, 4], features, [0, 0, 0, 1])
    assert len(line_search(more, [1.0, 0.0], "f1", surface=True).surface[0]) == 2
    assert len(line_search(plain, [1.0, 0.0], "f1", surface=True).surface[0]) == 2
    # two segments that change at the same place and cancel out
    both = NBest([0, 2, 4], [[0.0], [1.0]] * 2, [[4, 4, 1, 4], [4, 4, 3, 4], [4, 4, 3, 4], [4, 4, 1, 4]])
    assert len(line_search(both, [1.0], "f0", surface=True).surface[0]) == 1
    # a stretch cut in two counts no more than one
    whole = smoothed(np.array([0.0, 1.0, 5.0, 6.0]), np.array([1.0, 0.0, 1.0]), "average", 1)
    assert whole.tolist() == [1 / 5, 2 / 6, 1 / 5]


@pytest.mark.parametrize("weight", [1e16, -1e16, 4503599627370497.5])
def test_trap_12_a_middle_that_rounds_onto_a_threshold(weight):
    """No float lies in the best interval: what is returned must be true all the same."""
    features = [[weight, 0.0], [0.0, 1.0], [-np.nextafter(weight, 2 * weight), 2.0]]
    nbest = bleu([0, 3], features, [0, 1, 0])
    found = line_search(nbest, [1.0, 1.0], "f1")
    assert found.score == score_of(nbest, found.weights.values())
    huge = line_search(bleu([0, 3, 6], [*features, *features], [0, 1, 0, 1, 0, 1]), [1.0, weight], "f1")
    assert math.isfinite(huge.step)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_trap_13_features_that_are_not_finite(value):
    with pytest.raises(errors.FeatureError, match=r"feature 'lm' of hypothesis 1 of segment 7 is (nan|inf|-inf)"):
        bleu([0, 1, 3], [[0.0], [1.0], [value]], [0, 1, 1], names=["lm"], ids=[5, 7])


def test_trap_14_lines_that_meet_in_one_point():
    """Three changes at x = 1 in one segment: applied out of order, sums would be of no hypothesis."""
    features = [[0.0, 0.0], [-1.0, 1.0], [-2.0, 2.0], [-3.0, 3.0]]
    nbest = NBest([0, 4, 8], features * 2, [[n, n, n, n] for n in (1, 20, 300, 4000)] * 2)
    found = line_search(nbest, [1.0, 0.0], "f1", surface=True)
    assert found.surface[0].tolist() == [-math.inf, 1.0]
    assert (found.score, found.step, found.stats[0]) == (1.0, 0.0, 2)
    rows = NBest([0, 4, 8], features * 2, np.arange(8.0))
    starts, sums = line_search(rows, [1.0, 0.0], "f1", surface=True).surface
    assert (starts.tolist(), sums.tolist()) == ([-math.inf, 1.0], [4.0, 10.0])


def test_trap_15_threads_change_nothing():
    generator = np.random.default_rng(8)
    nbest = bleu(range(0, 330, 30), generator.normal(size=(300, 5)), generator.integers(0, 2, 300))
    results = [tune(nbest, restarts=7, directions=2, seed=4, threads=threads) for threads in (None, 2, 5)]
    for other in results[1:]:
        assert other.weights == results[0].weights and other.restarts == results[0].restarts
        assert (other.chosen == results[0].chosen).all()
    assert tune(nbest, restarts=3, directions=2, seed=4).restarts == results[0].restarts[:4]
    assert tune(nbest, restarts=7, directions=2, seed=5).restarts[1:] != results[0].restarts[1:]


# ----------------------------------------------------------------------------------------------------------------- tune


@given(nbests(features=3), st.data())
def test_every_end_is_an_optimum_of_every_axis(nbest, data):
    start = data.draw(st.tuples(weight, weight, weight).filter(any))
    metric = data.draw(st.sampled_from(["moses", "sacrebleu"]))
    tuned = tune(nbest, start, restarts=2, metric=metric)
    for end in tuned.restarts:
        assert end.at_optimum
        assert end.score == score_of(nbest, end.weights.values(), metric)
        assert any(end.weights.values())
        for axis in nbest.names:
            assert line_search(nbest, end.weights, axis, metric=metric).score <= end.score
    assert tuned.score == max(end.score for end in tuned.restarts)
    assert tuned.score == score_of(nbest, tuned.weights.values(), metric)
    assert tuned.start_score == score_of(nbest, start, metric)
    assert tuned.chosen[tuned.chosen >= 0].tolist() == chosen(nbest, tuned.weights.values())
    assert ((tuned.chosen < 0) == (np.diff(nbest.offsets) == 0)).all()


def test_bounds_hold_to_the_last_bit():
    generator = np.random.default_rng(2)
    nbest = bleu([0, 50, 100], generator.normal(size=(100, 3)) * 1e3, generator.integers(0, 2, 100))
    bounds = {"f0": (0.1, 0.3), "f1": (-math.inf, 0.7), "f2": (0.0, 0.0)}
    for seed in range(5):
        tuned = tune(nbest, bounds=bounds, directions=4, restarts=3, seed=seed)
        for end in tuned.restarts:
            assert all(low <= end.weights[name] <= high for name, (low, high) in bounds.items())


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


def test_a_peak_is_smoothed_away():
    """One narrow interval of 3 among intervals of 0, and a plateau of 2."""
    features = [[-(n**2) / 2, float(n)] for n in range(12)]
    values = [0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 1.9, 2.0, 2.1, 2.0, 1.9, 2.0]
    nbest = NBest([0, 12], features, values)
    start = [1.0, 0.25]
    assert tune(nbest, start, restarts=0, fixed=["f0"]).score == 3
    for how in ("min", "average"):
        tuned = tune(nbest, start, restarts=0, fixed=["f0"], smoothing=(how, 1))
        assert tuned.score == 2.1 and tuned.restarts[0].at_optimum


def test_segments_without_hypotheses_contribute_nothing():
    nbest = bleu([0, 0, 2, 2, 4, 4], [[0.0], [1.0]] * 2, [0, 1] * 2)
    tuned = tune(nbest, [-1.0], restarts=1)
    assert tuned.score == 1 and tuned.chosen.tolist() == [-1, 1, -1, 3, -1]
    assert random_search(nbest, [[1.0], [-1.0]]).tolist() == [1.0, POOR]


def test_the_choice_is_told_by_the_index_in_the_input():
    nbest = bleu([0, 2, 3], [[0.0], [1.0], [5.0]], [0, 1, 1], index=[4, 9, 2], inputs=10)
    assert tune(nbest, [-1.0], restarts=1).chosen.tolist() == [9, 2]


# -------------------------------------------------------------------------------------------- other ways to use a list


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


# -------------------------------------------------------------------------------------------------------------- messages


LIST = bleu([0, 2], [[0.0, 1.0], [1.0, 0.0]], [0, 1], names=["lm", "tm"])


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: tune(bleu([0, 0], np.zeros((0, 1)), np.zeros((0, 4)))), errors.EmptyCorpusError, "no segment has"),
        (lambda: tune(NBest([0, 1], np.zeros((1, 0)), [[1, 1, 1, 1]])), errors.FeatureError, "no features"),
        (lambda: tune(LIST, [0.0, 0.0]), errors.WeightsError, "all start weights are 0"),
        (lambda: tune(LIST, [1.0, math.nan]), errors.WeightsError, "start is nan for 'tm'"),
        (lambda: tune(LIST, {"lm": 1.0}), errors.FeatureError, "nothing for the feature 'tm'"),
        (lambda: tune(LIST, {"lm": 1.0, "tm": 1.0, "x": 1.0}), errors.FeatureError, "'x', which is no feature"),
        (lambda: tune(LIST, [1.0]), errors.FeatureError, "the 2 features"),
        (lambda: tune(LIST, bounds={"x": (0, 1)}), errors.FeatureError, "no feature 'x'; there are lm, tm"),
        (lambda: tune(LIST, bounds={"lm": (1, 0)}), errors.WeightsError, "bounds of 'lm' are 1 and 0"),
        (lambda: tune(LIST, [2.0, 1.0], bounds={"lm": (0, 1)}), errors.WeightsError, "of 'lm' is 2.0, out of"),
        (lambda: tune(LIST, fixed=["x"]), errors.FeatureError, "no feature 'x'"),
        (lambda: tune(LIST, restarts=-1), errors.WeightsError, "restarts is -1"),
        (lambda: tune(LIST, seed=-1), errors.WeightsError, "seed is -1"),
        (lambda: tune(LIST, directions="random"), errors.WeightsError, "directions is 'random'"),
        (lambda: tune(LIST, smoothing=("max", 1)), errors.WeightsError, "smoothing is"),
        (lambda: tune(LIST, metric="blue"), errors.UnknownNameError, "unknown variant 'blue'"),
        (lambda: tune(LIST, metric=lambda row: math.nan), errors.StatisticsError, "gave nan"),
        (lambda: line_search(LIST, [1.0, 1.0], "x"), errors.FeatureError, "no feature 'x'"),
        (lambda: line_search(LIST, [1.0, 1.0], "lm", 1, 0), errors.WeightsError, "from 1.0 to 0.0"),
        (lambda: line_search(LIST, [1.0, 1.0], "lm", math.nan), errors.WeightsError, "from nan"),
        (lambda: random_search(LIST, [1.0, 1.0]), errors.ArrayTypeError, "shape"),
        (lambda: random_search(LIST, [[1.0, math.inf]]), errors.WeightsError, r"weights\[0\]"),
        (lambda: cross_validate(LIST, 2), errors.ArrayValueError, "from 2 to the number of segments, 1"),
        (lambda: tune(NBest([0, 1], [[1.0]], [[0.5, 0.5]])), errors.StatisticsError, "give a function"),
        (lambda: line_search(NBest([0, 1], [[1e300]], [[1.0]]), [1e300], "f0"), errors.WeightsError, "can hold"),
    ],
)
def test_messages(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_results_print_well():
    found = line_search(LIST, {"lm": -1.0, "tm": 0.0}, "lm")
    assert str(found) == "1 at 1.125, in 1 to inf, from 0.125"
    tuned = tune(LIST, {"lm": -1.0, "tm": 0.0}, restarts=0)
    assert str(tuned).splitlines()[0] == "moses 0.125000 -> 1.000000"
    assert str(tuned.restarts[0]).startswith("  0 0.125000 -> 1.000000, 1 moves")
    assert str(tuned.history[0]).startswith("1.000000  ")


@pytest.mark.parametrize("options", [{}, {"fixed": ["f0", "f1"]}])
def test_random_directions_where_no_weight_changes_anything(options):
    nbest = NBest([0, 2], [[1.0, 2.0]] * 2, [[1.0], [0.0]])
    tuned = tune(nbest, restarts=2, directions=2, **options)
    assert (tuned.score, tuned.line_searches) == (1.0, 0)
