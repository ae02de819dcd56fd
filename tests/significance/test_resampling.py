"""Resampling, sums and scores: exact for numbers of any size, the same for every block, thread and backend."""

import math
import operator
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from cybleu.metrics import METRICS, Bleu, score
from cybleu.significance import Settings, bootstrap, compare_systems, paired_test, resampling
from cybleu.significance.settings import TESTS
from marks import long
from statistics_rows import rows_of

# ------------------------------------------------------------------------------------------------------ the definitions


def drawn(segments, samples, seed):
    return np.random.default_rng(seed).choice(segments, size=(samples, segments))


@given(st.integers(2, 40), st.integers(0, 2**32))
def test_bootstrap_by_its_definition(segments, seed):
    rows = rows_of(np.random.default_rng(seed), segments)
    found = bootstrap(rows, samples=60, seed=seed, confidence=np.float32(0.95))
    expected = [score(rows[places].sum(axis=0)).score for places in drawn(segments, 60, seed)]
    assert found.scores.tolist() == expected
    ordered = sorted(expected)
    assert (found.low, found.high) == (ordered[1], ordered[58])
    assert found.score == score(rows).score
    assert found.mean == pytest.approx(math.fsum(expected) / 60, rel=1e-12)
    assert found.deviation == pytest.approx(np.std(expected, ddof=1), rel=1e-9, abs=1e-12)
    assert found.ci == (found.high - found.low) / 2


def shuffled(first, second, stays, evaluate):
    stays = np.asarray(stays, dtype=bool)[:, None]
    return abs(evaluate(np.where(stays, first, second)) - evaluate(np.where(stays, second, first)))


@given(st.integers(2, 40), st.integers(0, 2**32))
def test_randomization_by_its_definition(segments, seed):
    generator = np.random.default_rng(seed)
    first = rows_of(generator, segments)
    second = rows_of(generator, segments)
    found = paired_test(first, second, samples=50, seed=seed)

    def evaluate(rows):
        return score(rows).score

    real = abs(evaluate(first) - evaluate(second))
    differing = (first != second).any(axis=1).nonzero()[0]
    if 2 ** len(differing) <= 50:
        every = []
        for choice in product([False, True], repeat=len(differing)):
            stays = np.ones(segments)
            stays[differing] = choice
            every.append(shuffled(first, second, stays, evaluate) >= real)
        assert (found.p, found.samples, found.enumerated) == (sum(every) / len(every), len(every), True)
    else:
        masks = np.random.default_rng(seed).integers(2, size=(50, segments), dtype=bool)
        beyond = sum(shuffled(first, second, stays, evaluate) >= real for stays in masks)
        assert (found.p, found.samples, found.enumerated) == ((beyond + 1) / 51, 50, False)


@pytest.mark.parametrize("test", ["shifted-bootstrap", "win-ratio"])
@given(st.integers(2, 40), st.integers(0, 2**32))
def test_bootstrap_tests_by_their_definitions(test, segments, seed):
    generator = np.random.default_rng(seed)
    first = rows_of(generator, segments)
    second = rows_of(generator, segments)
    found = paired_test(first, second, test=test, samples=50, seed=seed)
    real = score(first).score - score(second).score
    differences = [
        score(first[places].sum(axis=0)).score - score(second[places].sum(axis=0)).score
        for places in drawn(segments, 50, seed)
    ]
    if test == "win-ratio":
        beyond = sum(not (d > 0 if real > 0 else d < 0 if real < 0 else False) for d in differences)
    else:
        beyond = sum(abs(d - real) >= abs(real) for d in differences)
    assert found.p == (beyond + 1) / 51
    assert (found.wins, found.losses) == (sum(d > 0 for d in differences) / 50, sum(d < 0 for d in differences) / 50)
    assert found.difference == real
    assert f"; the first wins in {100 * found.wins:.1f} % and loses in {100 * found.losses:.1f} %" in str(found)


@example(own=5, others=4, seed=0)  # too many runs for a table of their orders
@given(st.integers(1, 3), st.integers(1, 3), st.integers(0, 2**32))
def test_shuffles_of_several_runs_are_partitions(own, others, seed):
    """The sum of all runs is the same in every shuffle."""
    generator = np.random.default_rng(seed)
    runs = [rows_of(generator, 9) for _ in range(own + others)]
    seen = []

    def watching(row):
        seen.append(row.tolist())
        return score(row.tolist()).score

    paired_test(runs[:own], runs[own:], watching, samples=5, seed=seed)
    # first the runs as they are, then the first run of each shuffle, the second of each, ...
    shuffles = np.array(seen[len(runs) :]).reshape(len(runs), 5, -1)
    assert (shuffles.sum(axis=0) == np.sum(runs, axis=(0, 1))).all()


@given(st.integers(0, 2**32))
def test_several_runs_by_brute_force(seed):
    generator = np.random.default_rng(seed)
    first = [generator.integers(0, 5, 3).astype(float) for _ in range(2)]
    second = generator.integers(0, 5, 3).astype(float)
    orders = list(permutations(range(3)))
    pool = [*first, second]
    real = abs(Fraction(float((first[0] + first[1]).sum())) / 2 - Fraction(float(second.sum())))
    differing = [place for place in range(3) if len({run[place] for run in pool}) > 1]
    beyond = count = 0
    for chosen in product(orders, repeat=len(differing)):
        order = {**{place: [0, 1, 2] for place in range(3)}, **dict(zip(differing, chosen))}
        slots = [sum(Fraction(float(pool[order[place][slot]][place])) for place in range(3)) for slot in range(3)]
        beyond += abs((slots[0] + slots[1]) / 2 - slots[2]) >= real
        count += 1
    found = paired_test(first, second, lambda row: float(row[0]), samples=216)
    assert (found.p, found.samples, found.enumerated) == (beyond / count, count, True)


# ----------------------------------------------------------------------------------------------- what makes no difference


@pytest.mark.parametrize("test", TESTS)
def test_blocks_and_threads_make_no_difference(test, monkeypatch):
    generator = np.random.default_rng(1)
    first, second, third = (rows_of(generator, 45) for _ in range(3))
    several = [first, third], [second, first]
    expected = paired_test(first, second, test=test, samples=100), paired_test(*several, test=test, samples=100)
    assert 0 < expected[0].p < 1
    for cells, most in ((45 * 7, 512), (1 << 20, 5), (1 << 20, 33)):
        monkeypatch.setattr(resampling, "CELLS", cells)
        monkeypatch.setattr(resampling, "MOST_ROWS", most)
        for threads in (1, 3):
            assert paired_test(first, second, test=test, samples=100, threads=threads) == expected[0]
            assert paired_test(*several, test=test, samples=100, threads=threads) == expected[1]


@pytest.mark.parametrize(
    "metric",
    [
        *(
            metric if metric.name in ("sacrebleu", "nltk") else long(metric)
            for metric in METRICS.values()
            if isinstance(metric, Bleu) and metric.level == "corpus"
        ),
        Bleu(max_order=2),
        Bleu(weights=(0.5, 0.3, 0.2)),
        Bleu(smoothing="add-k"),
        Bleu(effective_order=True),
        Bleu("nltk", smoothing="method3"),
    ],
    ids=lambda metric: metric.signature,
)
@given(st.integers(0, 2**32))
def test_p_by_a_metric_in_python(metric, seed):
    """The kernels of a metric and its definition count the same shuffles."""
    generator = np.random.default_rng(seed)
    first, second = (rows_of(generator, 30, order=metric.order) for _ in range(2))
    second[:20] = first[:20]  # with ties
    plain = [metric.summable(rows) for rows in (first, second)]
    found = paired_test(first, second, metric, samples=100, seed=seed)
    assert found.p == paired_test(*plain, lambda row: metric.score(row).score, samples=100, seed=seed).p
    assert found.difference == metric.score(first).score - metric.score(second).score


# ------------------------------------------------------------------------------------------------------- numbers of any size


def by_fractions(values, places):
    return float(sum(Fraction(value) for value in values[places].tolist()))


NUMBERS = st.one_of(
    st.floats(-1, 1),
    st.floats(-1e300, 1e300),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.sampled_from([0.0, -0.0, 5e-324, 2.0**-1074, 2.0**-537, 1.0, 2.0**-53, 2.0**-106, 1e16, -1e16]),
)


@given(st.lists(NUMBERS, min_size=2, max_size=30), st.integers(0, 2**32))
def test_sums_of_floats_are_rounded_once(values, seed):
    values = np.array(values)
    found = bootstrap(values, samples=20, seed=seed)
    expected = [by_fractions(values, places) / len(values) for places in drawn(len(values), 20, seed)]
    assert found.scores.tolist() == expected
    assert found.score == by_fractions(values, slice(None)) / len(values)


@given(st.lists(st.integers(-(2**56), 2**56), min_size=2, max_size=20), st.integers(0, 2**32))
def test_sums_of_large_integers(values, seed):
    found = bootstrap(np.array(values)[:, None], lambda row: float(int(row[0]) % 1009), samples=20, seed=seed)
    assert found.scores.tolist() == [
        float(sum(values[place] for place in places) % 1009) for places in drawn(len(values), 20, seed)
    ]


def exact_p(test, first, second, samples, seed):
    """The p of a test on the means of two columns of fractions, without rounding."""
    count = len(first)
    real = sum(first) - sum(second)
    if test == "randomization":
        gaps = [one - other for one, other in zip(first, second)]
        shuffles = [sum(map(operator.mul, gaps, signs)) for signs in product((1, -1), repeat=count)]
        return sum(abs(shuffle) >= abs(real) for shuffle in shuffles) / len(shuffles)
    differences = [sum(first[i] - second[i] for i in places) for places in drawn(count, samples, seed).tolist()]
    if test == "win-ratio":
        beyond = [difference * real <= 0 for difference in differences]
    else:
        beyond = [abs(difference - real) >= abs(real) for difference in differences]
    return (sum(beyond) + 1) / (samples + 1)


HUNDREDTHS = st.lists(st.tuples(st.integers(-20, 100), st.integers(-20, 100)), min_size=2, max_size=6)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("scale", [1, long(0.01), 1e-150, long(2.0**60)])
@given(columns=HUNDREDTHS)
@example(columns=[(81, 80), (64, 61), (92, 95), (33, 21)])
@example(columns=[(30, 10), (0, 20)])
def test_p_of_decimals_does_not_depend_on_their_scale(test, scale, columns):
    samples = 100
    exact = [[Fraction(number, 100) for number in column] for column in zip(*columns)]
    floats = [np.array([number / 100 for number in column]) * scale for column in zip(*columns)]
    expected = exact_p(test, *exact, samples, 5)
    assert paired_test(*floats, test=test, samples=samples, seed=5).p == expected
    both = compare_systems({"one": floats[0], "two": floats[1]}, settings=Settings(test=test, samples=samples, seed=5))
    assert both.differences[0].p == expected
    numbers = [np.array(column) for column in zip(*columns)]
    shuffles = [paired_test(*tables, test=test, samples=3, seed=5).p for tables in (floats, numbers)]
    assert shuffles[0] == shuffles[1]


@pytest.mark.parametrize("times", [1, 2**8, 2**16, 2**38, 2**45, 2**49])
def test_rows_of_any_size(times):
    """Beyond float32, float64 and int64."""
    generator = np.random.default_rng(3)
    first = rows_of(generator, 30) * times
    second = rows_of(generator, 30) * times
    found = bootstrap(first, samples=50, seed=5)
    for sample, places in enumerate(drawn(30, 50, 5)):
        assert found.scores[sample] == score(np.sum(first[places].astype(object), axis=0).tolist()).score
    assert paired_test(first, second, samples=200).p == paired_test(first // times, second // times, samples=200).p


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=12), st.integers(0, 2**32))
def test_a_complete_swap_is_a_tie(values, seed):
    """If one segment differs, both shuffles have exactly the observed statistic."""
    first = np.array(values)
    second = np.array(values)
    second[seed % len(values)] += 0.1
    assert paired_test(first, second).p == 1.0
    for runs in ([first, second, first], [first, second, first, second, first]):
        others = [second, first, *runs[2:-1], second]
        assert paired_test(runs, others, samples=30, seed=seed).p == 1.0


# -------------------------------------------------------------------------------------------------------- known answers


@pytest.mark.long
@pytest.mark.parametrize("test", ["randomization", "shifted-bootstrap"])
def test_p_is_uniform_where_neither_system_is_better(test):
    """Two halves of one pool, many times."""
    generator = np.random.default_rng(6)
    p_values = []
    for seed in range(200):
        pool = generator.normal(size=(120, 2)) + generator.normal(size=(120, 1))
        p_values.append(paired_test(pool[:, 0], pool[:, 1], test=test, samples=199, seed=seed).p)
    p_values = np.sort(p_values)
    # Kolmogorov and Smirnov: beyond 1.63 / sqrt(n) in one case of 100, and these seeds are fixed
    assert np.abs(p_values - (np.arange(200) + 0.5) / 200).max() < 1.63 / math.sqrt(200)
    assert 0.02 <= (p_values <= 0.05).mean() <= 0.08


def test_systems_of_equal_scores_do_not_differ():
    rows = np.arange(1, 21)[:, None] * [2, 2, 1, 1, 2, 1]
    result = paired_test(rows, rows[::-1].copy(), samples=100)
    assert (result.difference, result.p, result.enumerated) == (0.0, 1.0, False)


def test_the_interval_leaves_out_a_tenth():
    """As a float, 1 - 0.9 is below 0.1."""
    result = bootstrap(np.random.default_rng(1).normal(size=40), samples=1000, confidence=0.9)
    ordered = np.sort(result.scores)
    assert (result.low, result.high) == (ordered[50], ordered[949])


def test_the_bar_of_shuffles_ends_at_their_number(capfd):
    paired_test(*np.random.default_rng(1).random((2, 30)), progress=True)
    assert "10000/10000" in capfd.readouterr().err
