"""Comparison of systems: scores, intervals, differences, ranks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import np
from .._runtime.samples import check_samples
from ..errors import UnknownNameError
from .defaults import ALPHA, CONFIDENCE, RESAMPLES, SEED
from .paired import check_test, interval, mean_and_deviation, of_systems, p_values, signature_of
from .resampling import bootstrap_scores
from .results import SystemComparison, SystemDifference, SystemScore
from .systems import MetricLike, Systems, check_share, mean_of_runs, named

if TYPE_CHECKING:
    from numpy.typing import NDArray

CORRECTIONS = ("holm", "none")
RANKINGS = ("every", "any")


def compare_systems(
    systems: Any,
    metric: MetricLike = None,
    *,
    baseline: str | None = None,
    test: str = "randomization",
    samples: int | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    confidence: float = CONFIDENCE,
    alpha: float = ALPHA,
    correction: str = "holm",
    ranking: str = "every",
    lower_is_better: bool | None = None,
    scale: float | None = None,
    threads: int | None = None,
    progress: bool = False,
    **choices: Any,
) -> SystemComparison:
    """Compare all pairs of systems, or each system with a baseline, with intervals, tests and ranks.

    :param systems: a mapping from the name of each system to its `stats`, see :func:`bootstrap`; or pairs of name and
        `stats`. A single system has no differences
    :param metric: see :func:`bootstrap`
    :param baseline: the name of a system; each other system is compared only with this one
    :param test: see :func:`paired_test`. The samples of a bootstrap test also give the intervals
    :param resamples: the number of bootstrap samples of the intervals
    :param confidence: the confidence of the intervals
    :param alpha: the level of significance: the largest p of a significant difference
    :param correction: ``holm`` corrects p for the number of tests (Holm 1979), ``none`` does not; significance and
        ranks are based on the result
    :param ranking: a new rank begins with a system that is significantly worse than ``every`` system, or than ``any``
        system, of the rank above
    :param lower_is_better: whether the metric is an error rate; by default defined by the metric, and False for a
        function
    :param samples: see :func:`paired_test`
    :param seed: the seed of all samples
    :param scale: see :func:`bootstrap`
    :param threads: the number of threads, by default one; it does not affect the result
    :param progress: show progress bars (requires tqdm)
    :param choices: options of :class:`cybleu.metrics.Bleu`, or of the metric
    :return: scores with intervals and ranks, and the tests of the differences; systems with equal scores are in the
        order in which they were given
    :raises UnknownNameError: two systems have the same name, or there is no such baseline, test, correction or ranking
    :raises LengthMismatchError: systems, or the runs of one, have different numbers of segments
    :raises SampleError: there is no system, there are fewer than two segments, or a number of samples is not valid
    :raises CybleuError: the rows are invalid

    >>> import numpy
    >>> generator = numpy.random.default_rng(1)
    >>> ratings = {name: generator.normal(mean, 1, 200) for name, mean in (("a", 3), ("b", 3.05), ("c", 2.5))}
    >>> result = compare_systems(ratings)
    >>> [(found.first, found.second, found.significant) for found in result.differences]
    [('b', 'a', False), ('b', 'c', True), ('a', 'c', True)]
    """
    samples = check_test(test, samples, seed)
    check_samples(resamples, seed)
    confidence, alpha = check_share(confidence, "confidence"), check_share(alpha, "alpha")
    for name, value, known in (("correction", correction, CORRECTIONS), ("ranking", ranking, RANKINGS)):
        if value not in known:
            raise UnknownNameError(f"unknown {name} {value!r}; use one of {', '.join(known)}")
    given = named(systems)
    if baseline is not None and baseline not in given:
        raise UnknownNameError(f"there is no system {baseline!r} to be the baseline; there are {', '.join(given)}")
    rows = Systems(given, metric, scale, **choices)
    if lower_is_better is None:
        lower_is_better = not rows.scoring.higher_is_better
    rows.scoring.higher_is_better = not lower_is_better
    resamples = resamples if test == "randomization" else samples
    of_runs = bootstrap_scores(rows, resamples, seed, threads, progress)
    of_samples = of_systems(rows, of_runs)
    order, pairs = _order_and_pairs(rows, baseline)
    # in the order of the systems, which decides about the shuffles of systems with different numbers of runs
    ordered = [(min(pair), max(pair)) for pair in pairs]
    tested = p_values(rows, ordered, test, samples, seed, of_samples, threads, progress)
    of_segments = _of_segments(rows)
    differences = []
    for (first, second), (p, looked_at, enumerated), p_holm in zip(pairs, tested, holm([p for p, _, _ in tested])):
        low, high = interval(of_samples[first] - of_samples[second], confidence)
        better = rows.influence(first, second) if of_segments is None else of_segments[first] - of_segments[second]
        differences.append(
            SystemDifference(
                first=rows.names[first],
                second=rows.names[second],
                difference=rows.difference(first, second),
                low=low,
                high=high,
                p=p,
                p_holm=p_holm,
                significant=(p_holm if correction == "holm" else p) <= alpha,
                samples=looked_at,
                enumerated=enumerated,
                **_wins(-better if lower_is_better else better),
            )
        )
    significant = {pair: one.significant for pair, one in zip(pairs, differences)}
    ranks = _ranks(order, significant, ranking) if baseline is None else {}
    of_intervals = rows.scoring.signature.with_fields(resamples=resamples, seed=seed)
    return SystemComparison(
        systems=tuple(_score_of(rows, one, of_runs, of_samples[one], confidence, ranks.get(one)) for one in order),
        differences=tuple(differences),
        baseline=baseline,
        test=test,
        samples=samples,
        resamples=resamples,
        seed=seed,
        confidence=confidence,
        alpha=alpha,
        correction=correction,
        segments=rows.segments,
        metric=rows.scoring.name,
        scale=rows.scoring.scale,
        signature=signature_of(rows, test, samples, seed) if pairs else of_intervals,
        _rows=rows,
        _samples=of_runs,
    )


def _order_and_pairs(rows: Systems, baseline: str | None) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the systems from the best to the worst, a baseline first, and the pairs to compare."""
    sign = -1 if rows.scoring.higher_is_better else 1
    order = sorted(range(len(rows.names)), key=lambda system: sign * rows.score(system))
    if baseline is None:
        return order, list(combinations(order, 2))
    base = rows.names.index(baseline)
    others = [system for system in order if system != base]
    return [base, *others], [(system, base) for system in others]


def _wins(better: NDArray[np.float64]) -> dict[str, int]:
    """:param better: by how much the first system is better, for each segment"""
    wins, losses = int((better > 0).sum()), int((better < 0).sum())
    return {"wins": wins, "losses": losses, "ties": len(better) - wins - losses}


def _score_of(
    rows: Systems, system: int, of_runs: NDArray[Any], samples: NDArray[Any], confidence: float, rank: int | None
) -> SystemScore:
    """:param of_runs: the scores of all runs in the samples; `samples` are those of the system"""
    runs = rows.runs[system]
    low, high = interval(samples, confidence)
    return SystemScore(
        name=rows.names[system],
        score=rows.score(system),
        low=low,
        high=high,
        s_sel=float(np.mean([mean_and_deviation(of_runs[run])[1] for run in runs])),
        s_opt=mean_and_deviation(rows.scores[runs])[1] if len(runs) > 1 else None,
        runs=tuple(rows.scores[runs].tolist()),
        rank=rank,
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Apply Holm's step-down correction: multiply the sorted p by m, m - 1, ..., without decreasing, and at most 1."""
    corrected = [0.0] * len(p_values)
    largest = 0.0
    for done, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - done) * p_values[place]))
        corrected[place] = largest
    return corrected


def _ranks(order: Sequence[int], significant: dict[tuple[int, int], bool], ranking: str) -> dict[int, int]:
    enough = all if ranking == "every" else any
    ranks: dict[int, int] = {}
    current: list[int] = []
    for system in order:
        if not current or enough(significant[above, system] for above in current):
            rank = 1 + max(ranks.values(), default=0)
            current = []
        ranks[system] = rank
        current.append(system)
    return ranks


def _of_segments(rows: Systems) -> list[NDArray[np.float64]] | None:
    """Score single segments, with the mean over runs, for each system; None if the metric cannot score a segment alone."""
    of_runs = [rows.scoring.of_segments(table) for table in rows.given]
    if any(scores is None for scores in of_runs):
        return None
    return [mean_of_runs(np.array([of_runs[run] for run in runs])) for runs in rows.runs]
