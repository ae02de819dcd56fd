"""Comparison of systems: scores, intervals, differences, ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import Floats, np
from ..errors import UnknownNameError
from ..metrics.operations import fields_of_texts
from .resampling import bootstrap_scores, interval, mean_and_deviation, p_values
from .results import SystemComparison, SystemDifference, SystemScore
from .settings import Settings, refuse_settings
from .systems import MetricLike, OfMetric, Systems, mean_of_runs, named, validated

if TYPE_CHECKING:
    from ..metrics import Metric


def compare_systems(
    systems: Any,
    metric: MetricLike = None,
    *,
    baseline: str | None = None,
    settings: Settings | None = None,
    lower_is_better: bool | None = None,
    scale: float | None = None,
    **choices: Any,
) -> SystemComparison:
    """Compare all pairs of systems, or each system with a baseline, with intervals, tests and ranks.

    :param systems: a mapping from the name of each system to its `stats`, see :func:`bootstrap`; or pairs of name and
        `stats`. A single system has no differences
    :param metric: see :func:`bootstrap`
    :param baseline: the name of a system; each other system is compared only with this one
    :param settings: the test, the samples, and what is significant, by default ``Settings()``
    :param lower_is_better: whether the metric is an error rate; by default defined by the metric, and False for a
        function
    :param scale: see :func:`bootstrap`
    :param choices: options of :class:`cybleu.metrics.Bleu`, or of the metric
    :return: scores with intervals and ranks, and the tests of the differences; systems with equal scores are in the
        order in which they were given
    :raises UnknownNameError: two systems have the same name, or there is no such baseline
    :raises LengthMismatchError: systems, or the runs of one, have different numbers of segments
    :raises SampleError: there is no system, or there are fewer than two segments
    :raises CybleuError: the rows are invalid

    >>> import numpy
    >>> generator = numpy.random.default_rng(1)
    >>> ratings = {name: generator.normal(mean, 1, 200) for name, mean in (("a", 3), ("b", 3.05), ("c", 2.5))}
    >>> result = compare_systems(ratings, settings=Settings(samples=1000))
    >>> [(found.first, found.second, found.significant) for found in result.differences]
    [('b', 'a', False), ('b', 'c', True), ('a', 'c', True)]
    """
    refuse_settings(choices)
    statistics = validated(named(systems), metric, scale, **choices)
    if lower_is_better is not None:
        statistics.scoring.higher_is_better = not lower_is_better
    return _compared(statistics, baseline, settings or Settings(), {})


def compare_counts(
    rows: Mapping[str, Sequence[Any]], metric: Metric, nrefs: Any, baseline: str | None, settings: Settings
) -> SystemComparison:
    """Compare systems whose texts a metric has counted; the signature then also describes the texts.

    :param rows: the rows of the runs of each system
    :param nrefs: the number of references of a segment
    """
    tables = [metric.summable(table) for runs in rows.values() for table in runs]
    of_texts = fields_of_texts(metric, metric.tokenization, nrefs)
    return _compared(Systems(rows, OfMetric(metric), tables), baseline, settings, of_texts)


def _compared(
    statistics: Systems, baseline: str | None, settings: Settings, of_texts: Mapping[str, Any]
) -> SystemComparison:
    """Compare systems, see :func:`compare_systems`.

    :param of_texts: fields of the signature
    """
    names = statistics.names
    if baseline is not None and baseline not in names:
        raise UnknownNameError(f"there is no system {baseline!r} to be the baseline; there are {', '.join(names)}")
    of_runs = bootstrap_scores(statistics, settings)
    # the score of a system is the mean of its runs, in each sample as in the corpus
    of_samples = [mean_of_runs(of_runs[runs]) for runs in statistics.runs]
    order, pairs = _order_and_pairs(statistics, baseline)
    differences = _tested_differences(statistics, pairs, settings, of_samples)
    ranks = {}
    if baseline is None:
        significant = {pair: one.significant for pair, one in zip(pairs, differences)}
        ranks = _ranks(order, significant, settings.ranking)
    # of a single system nothing was tested, but its interval has samples
    drawn = {"test": settings.test, "samples": settings.samples} if pairs else {"resamples": settings.resamples}
    signature = statistics.scoring.signature.with_fields(**drawn, seed=settings.seed, **of_texts)
    scores = []
    for system in order:
        own = statistics.run_scores[statistics.runs[system]]
        low, high = interval(of_samples[system], settings.confidence)
        scores.append(
            SystemScore(
                name=names[system],
                score=statistics.scores[system],
                low=low,
                high=high,
                s_sel=float(np.mean([mean_and_deviation(of_runs[run])[1] for run in statistics.runs[system]])),
                s_opt=mean_and_deviation(own)[1] if len(own) > 1 else None,
                runs=tuple(own.tolist()),
                rank=ranks.get(system),
            )
        )
    return SystemComparison(
        systems=tuple(scores),
        differences=tuple(differences),
        baseline=baseline,
        settings=settings,
        segments=statistics.segments,
        metric=statistics.scoring.name,
        scale=statistics.scoring.scale,
        higher_is_better=statistics.scoring.higher_is_better,
        signature=signature,
        bootstrap_scores=dict(zip(names, of_samples)),
        statistics=statistics,
    )


def _tested_differences(
    statistics: Systems,
    pairs: Sequence[tuple[int, int]],
    settings: Settings,
    of_samples: Sequence[Floats],
) -> list[SystemDifference]:
    """Test the difference of each pair.

    :param of_samples: the scores of each system in bootstrap samples
    """
    # in the order of the systems, which decides about the shuffles of systems with different numbers of runs
    ordered = [(min(pair), max(pair)) for pair in pairs]
    tested = p_values(statistics, ordered, settings, of_samples)
    corrected = holm([p for p, _, _ in tested])
    of_runs = [statistics.scoring.of_segments(table) for table in statistics.tables]
    of_systems: list[Floats] = []
    if of_runs[0] is not None:  # otherwise the metric cannot score a segment alone
        of_systems = [mean_of_runs(np.array(of_runs)[runs]) for runs in statistics.runs]
    differences = []
    for (first, second), (p, samples, enumerated), p_holm in zip(pairs, tested, corrected):
        low, high = interval(of_samples[first] - of_samples[second], settings.confidence)
        better = of_systems[first] - of_systems[second] if of_systems else statistics.influence(first, second)
        if not statistics.scoring.higher_is_better:  # a win is a better segment, whatever the sign of the difference
            better = -better
        wins = int((better > 0).sum())
        losses = int((better < 0).sum())
        judged = p_holm if settings.correction == "holm" else p
        differences.append(
            SystemDifference(
                first=statistics.names[first],
                second=statistics.names[second],
                difference=statistics.scores[first] - statistics.scores[second],
                low=low,
                high=high,
                p=p,
                p_holm=p_holm,
                significant=judged <= settings.alpha,
                samples=samples,
                enumerated=enumerated,
                wins=wins,
                losses=losses,
                ties=len(better) - wins - losses,
            )
        )
    return differences


def _order_and_pairs(rows: Systems, baseline: str | None) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the systems from the best to the worst, a baseline first, and the pairs to compare."""
    sign = -1 if rows.scoring.higher_is_better else 1
    order = sorted(
        range(len(rows.names)), key=lambda system: (rows.names[system] != baseline, sign * rows.scores[system])
    )
    first, *others = order
    pairs = combinations(order, 2) if baseline is None else [(system, first) for system in others]
    return order, list(pairs)


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
        # the rank ends at a system that is worse than those in it, however it compares with those above
        if not current or enough(significant[above, system] for above in current):
            rank = 1 + max(ranks.values(), default=0)
            current = []
        ranks[system] = rank
        current.append(system)
    return ranks
