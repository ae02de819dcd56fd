"""Batch MIRA by both rules, compared with simple implementations on dense features."""

from itertools import pairwise
from math import exp, log

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from brute_force import score_of
from cybleu import metrics
from cybleu.nbest import NBest
from cybleu.tuning import kbmira
from nbest_lists import sparse_and_dense as lists


def place_of_largest(values):
    """The place of the largest value; Hypothesis tries other lists where rounding can decide it, as of equal values."""
    values = [*values]
    largest = max(values)
    assume(sum(value > largest - 1e-9 for value in values) == 1)
    return values.index(largest)


def gain_of(row, background, shares):
    """BLEU of a row and the background, times the reference length."""
    length, wanted, *counts = map(sum, zip(row, background))
    orders = [(share, *of_order) for share, of_order in zip(shares, zip(counts, counts[len(shares) :])) if share]
    if any(matches == 0 for _, matches, _ in orders):
        return 0.0
    logarithm = sum(share * log(matches / total) for share, matches, total in orders)
    return exp(logarithm + min(0, 1 - wanted / length)) * wanted


PASSES = 3
HOW = st.fixed_dictionaries(
    {
        "step": st.sampled_from([0.01, 0.1, 3.0]),
        "decay": st.sampled_from([0.0, 0.9, 0.999, 1.0]),
        "seed": st.just(7),
        "shuffle": st.booleans(),
        "safe_hope": st.booleans(),
        "model_background": st.booleans(),
    }
)


def by_hand(nbest, start, how, shares, rules):
    """Compute the averages after each pass in plain Python, as the paper and the source of Moses's kbmira describe them."""
    moses = rules == "moses"
    segments = [range(first, last) for first, last in pairwise(nbest.offsets.tolist())]
    features = nbest.features.tolist()
    stats = nbest.stats.tolist()
    generator = np.random.default_rng([how["seed"]])
    background = [1.0] * 6 if moses else [2.0, 2.0, 2.0, 1.0, 2.0, 1.0]
    weights = [*start]
    total = [weight * moses for weight in start]
    count = int(moses)
    averages = []
    for _ in range(PASSES):
        for segment in generator.permutation(len(segments)) if how["shuffle"] else range(len(segments)):
            values = [sum(w * x for w, x in zip(weights, features[row])) for row in segments[segment]]
            gains = [gain_of(stats[row], background, shares) for row in segments[segment]]
            hope = place_of_largest(value + gain for value, gain in zip(values, gains))
            if how["safe_hope"] and abs(values[hope]) > 1e-8 and 5 * abs(gains[hope]) < abs(values[hope]):
                scale = 5 * abs(gains[hope]) / abs(values[hope])
                hope = place_of_largest(scale * value + gain for value, gain in zip(values, gains))
            fear = place_of_largest(value - gain for value, gain in zip(values, gains))
            delta = gains[hope] - gains[fear]
            assume(not 0 < abs(delta) < 1e-9)
            if moses and delta <= 0:
                continue
            better = segments[segment][hope]
            worse = segments[segment][fear]
            change = [one - other for one, other in zip(features[better], features[worse])]
            loss = delta - sum(w * one for w, one in zip(weights, change))
            assume(hope == fear or abs(loss) > 1e-9)
            moves = delta > 0 and loss > 0 and any(change)
            if moves:
                step = min(how["step"], loss / sum(one * one for one in change))
                weights = [w + step * one for w, one in zip(weights, change)]
            if moves or not moses:
                total = [one + w for one, w in zip(total, weights)]
                count += 1
            taken = segments[segment][place_of_largest(values)] if how["model_background"] else better
            background = [how["decay"] * old + new for old, new in zip(background, stats[taken])]
        averages.append([one / count for one in total])
    return averages


@pytest.mark.parametrize("rules", ["paper", "moses"])
@settings(max_examples=25)
@given(st.integers(0, 10**6), HOW, st.sampled_from([(0.5, 0.5), (1.0, 0.0), (0.7, 0.3)]))
def test_the_rules(rules, seed, how, shares):
    sparse, dense, hidden = lists(seed, segments=6, size=5)
    start = (np.rint(-4 * hidden) / 4 * (100 if how["safe_hope"] else 1)).tolist()
    expected = by_hand(dense, start, how, shares, rules)
    metric = metrics.Bleu("moses", weights=shares)
    for nbest in (dense, sparse):
        traced = []
        kbmira(nbest, start, PASSES, metric=metric, return_best_dev=False, rules=rules, trace=traced.append, **how)
        for found, weights in zip(traced, expected, strict=True):
            assert [*found.weights.values()] == pytest.approx(weights, rel=1e-9, abs=1e-12)
            assert found.score == pytest.approx(score_of(nbest, found.weights.values(), metric), abs=1e-12)


@pytest.mark.parametrize("rules", ["paper", "moses"])
@given(st.sampled_from([0.0, 0.9, 1.0]))
def test_hypotheses_with_equal_features_are_in_the_background(rules, decay):
    features = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    stats = [[3, 3, 3, 2, 3, 2], [3, 3, 1, 0, 3, 2], [4, 4, 4, 3, 4, 3], [4, 4, 2, 1, 4, 3]]
    nbest = NBest([0, 2, 4], features, stats, ["a", "b"])
    how = {"step": 3.0, "decay": decay, "seed": 7, "shuffle": False, "safe_hope": False, "model_background": False}
    expected = by_hand(nbest, [1.0, 0.0], how, (0.5, 0.5), rules)
    found = kbmira(
        nbest, [1.0, 0.0], PASSES, metric=metrics.Bleu("moses", max_order=2), return_best_dev=False, rules=rules, **how
    )
    assert [*found.weights.values()] == pytest.approx(expected[-1])


def test_by_the_rules_of_moses_the_start_does_not_compete():
    nbest, _, hidden = lists()
    found = kbmira(nbest, hidden, 1, 1.0, rules="moses")
    assert found.score == found.scores[0] < found.start_score


# ------------------------------------------------------------------------------------------------------------ both rules


@pytest.mark.parametrize(("seed", "higher", "best"), [(8, "paper", "paper"), (11, "moses", "moses"), (0, "", "paper")])
def test_the_best_rules_score_higher_and_of_equal_ones_are_those_of_the_paper(seed, higher, best):
    nbest, _, hidden = lists(seed)
    of_rules = {rules: kbmira(nbest, -hidden / 10, 3, rules=rules) for rules in ("paper", "moses")}
    lower = {"paper": "moses", "moses": "paper"}.get(higher)
    if lower:
        assert of_rules[higher].score > of_rules[lower].score
    assert kbmira(nbest, -hidden / 10, 3) == of_rules[best]
    assert of_rules[best].rules == best


def test_passes_of_both_rules_are_traced():
    nbest, _, hidden = lists()
    traced = []
    kbmira(nbest, -hidden, 3, trace=traced.append)
    assert [result.rules for result in traced] == ["paper"] * 3 + ["moses"] * 3
    assert traced[2::3] == [kbmira(nbest, -hidden, 3, rules=rules) for rules in ("paper", "moses")]


@pytest.mark.parametrize(
    ("size", "safe_hope", "moves"), [(1, True, True), (1e-6, True, True), (1e-8, True, False), (1, False, False)]
)
def test_safe_hope_ignores_the_smallest_model_scores(size, safe_hope, moves):
    """The model score of hope is more than five times its gain, so that safe_hope prefers the hypothesis with more gain."""
    features = np.array([[0.5], [0.45]]) * size
    gains = np.array([0.01, 0.03]) * size
    nbest = NBest([0, 2], features, gains)
    found = kbmira(nbest, [1.0], 1, 1.0, safe_hope=safe_hope, return_best_dev=False)
    assert (found.weights["f0"] != 1) == moves


def test_the_best_or_the_last():
    nbest, _, hidden = lists()
    best, last = (kbmira(nbest, hidden, 20, 1.0, return_best_dev=one) for one in (True, False))
    assert best.scores == last.scores
    assert best.score == max(best.start_score, *best.scores)
    assert last.score == last.scores[-1] < best.score
    assert score_of(nbest, last.weights.values()) == last.score


def test_a_start_names_what_it_knows():
    nbest, dense, _ = lists()
    named = kbmira(nbest, {"d0": 1.0, "d1": -1.0, "d2": 0.5, "s3": 0.25})
    assert named == kbmira(nbest, [1.0, -1.0, 0.5, 0, 0, 0, 0.25, 0])
    assert kbmira(nbest) == kbmira(nbest, [1.0] * 3 + [0.0] * 5)
    assert kbmira(nbest, {"d0": 1, "d1": 1, "d2": 1}) == kbmira(nbest)
    assert kbmira(dense).start_score == score_of(dense, [1.0] * 8)


def test_sparse_features_alone():
    alone, as_dense, _ = lists(dense=0)
    ours = kbmira(alone, passes=5)
    theirs = kbmira(as_dense, [0.0] * 5, passes=5)
    assert ours.weights == pytest.approx(theirs.weights)
    assert ours.score == theirs.score > ours.start_score


def test_good_weights_are_found():
    nbest, _, hidden = lists(segments=40)
    found = kbmira(nbest, -hidden)
    assert found.score > found.start_score
    assert found.score > 0.95 * score_of(nbest, hidden)
    assert kbmira(nbest, -hidden) == found != kbmira(nbest, -hidden, seed=1)
    assert str(found).splitlines()[0] == f"{100 * found.start_score:.4f} -> {100 * found.score:.4f}"
    assert (found.metric, found.scale) == ("moses", 1)


class Accuracy(metrics.Metric):
    """1 - errors / length, for counts that may be fractions."""

    name = "accuracy"
    scale = 1
    columns = ("errors", "length")
    dtype = "float64"

    count = None  # the list has the counts

    def evaluate(self, row):
        return 1 - row[0] / row[1]


@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_metrics_of_error_rates(kind):
    """Integer and fractional counts, from start weights of the same order of magnitude."""
    nbest, _, hidden = lists()
    edits = 20 - nbest.stats[:, 2]
    rows = np.stack([edits, 0 * edits + 20], axis=1).astype(kind)
    of_rates = NBest(nbest.offsets, nbest.features, rows, nbest.names, score=Accuracy(), sparse=nbest.sparse)
    found = kbmira(of_rates, -hidden / 100)
    assert found.metric == "accuracy"
    assert found.score > found.start_score + 0.3
    assert found.score == score_of(of_rates, found.weights.values())


def test_the_start_is_kept_if_no_pass_scores_higher():
    nbest = NBest([0, 2], [[0.0, 2.0], [1.0, 0.0]], [[1.0], [0.0]], ["a", "b"])
    start = {"a": 0.0, "b": 0.125}
    assert kbmira(nbest, start, passes=3, step=1.0, return_best_dev=False).weights != start
    assert kbmira(nbest, start, passes=3, step=1.0).weights == start


def test_a_start_of_zeros_is_left_even_if_no_pass_scores_higher():
    nbest = NBest([0, 2], [[0.0, 2.0], [1.0, 0.0]], [[1.0], [0.0]], ["a", "b"])
    found = kbmira(nbest, {"a": 0.0, "b": 0.0}, passes=3, step=1.0, rules="paper")
    assert found.score == found.start_score == 1.0 and any(found.weights.values())
