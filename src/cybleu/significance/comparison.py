"""Systems beside each other: scores, intervals, differences, ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import np
from ..errors import UnknownNameError
from . import tables
from .defaults import ALPHA, CONFIDENCE, RESAMPLES, SEED
from .paired import bootstrapped, check_test, interval, mean_and_deviation, of_systems, randomized, signature_of
from .resampling import bootstrap_scores
from .systems import MetricLike, Systems, check_samples, check_share, mean_of_runs, named

if TYPE_CHECKING:
    from numpy.typing import NDArray

CORRECTIONS = ("holm", "none")
RANKINGS = ("every", "any")
PIECE = 1 << 16  # segments


@dataclass(frozen=True)
class SystemScore:
    """A system in a comparison. All numbers are on the metric's scale.

    :param name: the system's
    :param score: of its segments, for several runs the mean
    :param low: the lower end of the bootstrap interval
    :param high: its upper end
    :param s_sel: the standard deviation of the bootstrap samples' scores, for several runs the mean of theirs: what choosing
        other segments would change (Clark and others 2011)
    :param s_opt: the standard deviation of the runs' scores, None for one run: what training again would change
    :param runs: the score of each run
    :param rank: from 1; systems that are not significantly different share one. None beside a baseline

    >>> SystemScore("mine", 0.3, 0.25, 0.35, 0.02, None, (0.3,), 1).name
    'mine'
    """

    name: str
    score: float
    low: float
    high: float
    s_sel: float
    s_opt: float | None
    runs: tuple[float, ...]
    rank: int | None


@dataclass(frozen=True)
class SystemDifference:
    """Two systems of a comparison.

    :param first: the better one, or the one that is compared with the baseline
    :param second: the other, or the baseline
    :param difference: the first one's score minus the second one's, on the metric's scale
    :param low: the lower end of the bootstrap interval of the difference
    :param high: its upper end
    :param p: of the test
    :param p_holm: the same by Holm's correction for all tests of the comparison
    :param significant: the p that the comparison goes by is at most its alpha
    :param samples: how many shuffles or bootstrap samples `p` is of
    :param enumerated: these were all shuffles that there are, and `p` is exact
    :param wins: segments in which the first is better, as the metric scores single sentences; of a function of the sum, those
        that speak for the first by their influence
    :param losses: segments in which the second is better
    :param ties: segments in which they are equal

    >>> SystemDifference("mine", "theirs", 0.01, -0.01, 0.03, 0.2, 0.4, False, 10000, False, 9, 7, 84).ties
    84
    """

    first: str
    second: str
    difference: float
    low: float
    high: float
    p: float
    p_holm: float
    significant: bool
    samples: int
    enumerated: bool
    wins: int
    losses: int
    ties: int


@dataclass(frozen=True)
class SystemComparison:
    """The result of :func:`compare_systems`; ``print`` shows it as tables, with scores from 0 to 100 where the scale is known.

    :param systems: the best first; beside a baseline that one comes first
    :param differences: of all pairs, or of each system from the baseline
    :param baseline: its name, None if all pairs were compared
    :param test: its name
    :param samples: of the test
    :param resamples: bootstrap samples of the intervals
    :param seed: of all samples
    :param confidence: of the intervals
    :param alpha: the level of significance
    :param correction: ``holm`` or ``none``, by which `significant` and the ranks go
    :param segments: how many there are
    :param metric: its name
    :param scale: of a perfect match, None where it is not known
    :param signature: definition, test, samples and seed in one line

    >>> import numpy
    >>> ratings = {"one": numpy.arange(40) % 7 / 7, "two": numpy.arange(40) % 5 / 7, "three": numpy.arange(40) % 7 / 7}
    >>> result = compare_systems(ratings, scale=1)
    >>> [(system.name, system.rank) for system in result.systems]
    [('one', 1), ('three', 1), ('two', 1)]
    """

    systems: tuple[SystemScore, ...]
    differences: tuple[SystemDifference, ...]
    baseline: str | None
    test: str
    samples: int
    resamples: int
    seed: int
    confidence: float
    alpha: float
    correction: str
    segments: int
    metric: str
    scale: float | None
    signature: str
    _rows: Systems = field(repr=False, compare=False)

    def influence(self, first: str, second: str) -> NDArray[np.float64]:
        """How much each segment adds to the difference of two systems.

        Entry i is the score of the first system minus what it would be if its segment i were the second one's: the points
        of the difference that this segment alone makes. For several runs it is the mean over all pairs of runs.

        :param first: the name of a system
        :param second: that of another
        :return: float64 `(segments,)`, on the metric's scale
        :raises UnknownNameError: there is no such system

        >>> import numpy
        >>> rows = {"one": numpy.array([0.5, 0.75, 0.25]), "two": numpy.array([0.5, 0.25, 0.5])}
        >>> compare_systems(rows).influence("one", "two").round(3)
        array([ 0.   ,  0.167, -0.083])
        """
        return _influence(self._rows, *(self._number(name) for name in (first, second)))

    def between(self, first: str, second: str) -> SystemDifference:
        """The difference of two systems, in the direction that is asked for.

        :param first: the name of a system
        :param second: that of another
        :raises UnknownNameError: they were not compared

        >>> import numpy
        >>> rows = {"one": numpy.array([0.5, 0.75, 0.25]), "two": numpy.array([0.5, 0.25, 0.25])}
        >>> compare_systems(rows).between("two", "one").losses
        1
        """
        for found in self.differences:
            if (found.first, found.second) == (first, second):
                return found
            if (found.first, found.second) == (second, first):
                values = vars(found) | {
                    "first": first,
                    "second": second,
                    "difference": -found.difference,
                    "low": -found.high,
                    "high": -found.low,
                    "wins": found.losses,
                    "losses": found.wins,
                }
                return SystemDifference(**values)
        raise UnknownNameError(f"{first!r} and {second!r} were not compared with each other")

    def as_dict(self, influence: bool = False) -> dict[str, Any]:
        """Everything, for JSON; scores from 0 to 100 where the scale is known.

        :param influence: also that of every segment on each difference

        >>> import numpy
        >>> found = compare_systems({"one": numpy.array([0.5, 0.75]), "two": numpy.array([0.5, 0.25])}, scale=1)
        >>> found.as_dict()["systems"][0]["score"]
        62.5
        """
        return tables.as_dict(self, influence)

    def to_json(self, influence: bool = False) -> str:
        """The same as text.

        :param influence: also that of every segment on each difference

        >>> import numpy
        >>> found = compare_systems({"one": numpy.array([0.5, 0.75]), "two": numpy.array([0.5, 0.25])}, scale=1)
        >>> found.to_json()[:45]
        '{"signature": "mean|test:randomization|sample'
        """
        return tables.as_json(self, influence)

    def to_csv(self) -> str:
        """A line for each difference, with the scores of both systems, numbers in full.

        >>> import numpy
        >>> found = compare_systems({"one": numpy.array([0.5, 0.75]), "two": numpy.array([0.5, 0.25])}, scale=1)
        >>> found.to_csv().splitlines()[1].partition(",1.0")[0]
        'one,62.5,50.0,75.0,1,two,37.5,25.0,50.0,1,25.0,0.0,50.0'
        """
        return tables.as_csv(self)

    def to_markdown(self, width: int = 2) -> str:
        """The tables in Markdown.

        :param width: decimals of scores

        >>> import numpy
        >>> found = compare_systems({"one": numpy.array([0.5, 0.75]), "two": numpy.array([0.5, 0.25])}, scale=1)
        >>> found.to_markdown().splitlines()[2]
        '| 1 | one | 62.50 | 50.00 to 75.00 |'
        """
        return tables.as_markdown(self, width)

    def to_latex(self, width: int = 2) -> str:
        """The tables in LaTeX, for the package booktabs.

        :param width: decimals of scores

        >>> import numpy
        >>> found = compare_systems({"one": numpy.array([0.5, 0.75]), "two": numpy.array([0.5, 0.25])}, scale=1)
        >>> found.to_latex().splitlines()[2]
        '\\\\toprule'
        """
        return tables.as_latex(self, width)

    def format(self, width: int = 2) -> str:
        """The tables as text.

        :param width: decimals of scores

        >>> import numpy
        >>> found = compare_systems({"one": numpy.array([0.5, 0.75]), "two": numpy.array([0.5, 0.25])}, scale=1)
        >>> found.format(1).splitlines()[1]
        '   1  one     62.5   50.0 to 75.0'
        """
        return tables.as_text(self, width)

    def __str__(self) -> str:
        return self.format()

    def _number(self, name: str) -> int:
        if name not in self._rows.names:
            raise UnknownNameError(f"there is no system {name!r}; there are {', '.join(self._rows.names)}")
        return self._rows.names.index(name)


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
    lower_is_better: bool = False,
    scale: float | None = None,
    threads: int | None = None,
    progress: bool = False,
    **choices: Any,
) -> SystemComparison:
    """Which of some systems are better: all pairs, or each beside a baseline.

    :param systems: names with what :func:`bootstrap` takes, rows or the rows of several runs: a mapping or pairs
    :param metric: as for :func:`bootstrap`
    :param baseline: the name of a system; the others are compared with it alone
    :param test: as for :func:`paired_test`; a bootstrap test takes its samples for the intervals, too
    :param resamples: bootstrap samples for the intervals
    :param confidence: of the intervals
    :param alpha: differences with a p up to this one are significant
    :param correction: ``holm`` for the correction of p by the number of tests (Holm 1979), or ``none``; significance and
        ranks go by it
    :param ranking: a new rank begins with a system that is significantly worse than ``every`` system of the rank above, or
        than ``any`` of them
    :param lower_is_better: of error rates
    :param samples: as for :func:`paired_test`
    :param seed: of all samples
    :param scale: as for :func:`bootstrap`
    :param threads: that work at the same time; None is one. The result is the same
    :param progress: show progress bars (needs tqdm)
    :param choices: of :class:`cybleu.metrics.Bleu`, or of the metric
    :raises UnknownNameError: two systems have the same name, or there is no such baseline, test, correction or ranking
    :raises LengthMismatchError: systems, or the runs of one, have different numbers of segments
    :raises SampleError: there are fewer than two systems or segments, or numbers of samples that cannot be
    :raises CybleuError: of the kind that fits, for rows that cannot be

    >>> import numpy
    >>> generator = numpy.random.default_rng(1)
    >>> ratings = {name: generator.normal(mean, 1, 200) for name, mean in (("a", 3), ("b", 3.05), ("c", 2.5))}
    >>> result = compare_systems(ratings)
    >>> [(found.first, found.second, found.significant) for found in result.differences]
    [('b', 'a', False), ('b', 'c', True), ('a', 'c', True)]
    """
    samples = check_test(test, samples, seed)
    check_samples(resamples, seed)
    check_share(confidence, "confidence")
    check_share(alpha, "alpha")
    for name, value, known in (("correction", correction, CORRECTIONS), ("ranking", ranking, RANKINGS)):
        if value not in known:
            raise UnknownNameError(f"unknown {name} {value!r}; use one of {', '.join(known)}")
    given = named(systems, 2)
    if baseline is not None and baseline not in given:
        raise UnknownNameError(f"there is no system {baseline!r} to be the baseline; there are {', '.join(given)}")
    rows = Systems(given, metric, scale, **choices)
    count = len(rows.names)
    by_bootstrap = test != "randomization"
    resamples = samples if by_bootstrap else resamples
    of_runs = bootstrap_scores(rows, resamples, seed, threads, progress)
    of_samples = of_systems(rows, of_runs)
    scores = [rows.score(system) for system in range(count)]
    order = sorted(range(count), key=lambda system: scores[system] if lower_is_better else -scores[system])
    if baseline is None:
        pairs = [(first, second) for place, first in enumerate(order) for second in order[place + 1 :]]
    else:
        base = rows.names.index(baseline)
        order = [base, *(system for system in order if system != base)]
        pairs = [(system, base) for system in order[1:]]
    differences = {pair: of_samples[pair[0]] - of_samples[pair[1]] for pair in pairs} if by_bootstrap else {}
    if by_bootstrap:
        tested = [(bootstrapped(test, differences.pop(pair), rows.difference(*pair)), samples, False) for pair in pairs]
    else:
        tested = _in_given_order(rows, pairs, samples, seed, threads, progress)
    corrected = holm([p for p, _, _ in tested])
    judged = corrected if correction == "holm" else [p for p, _, _ in tested]
    of_segments = _of_segments(rows)
    found = []
    for pair, (p, looked_at, enumerated), p_holm, judge in zip(pairs, tested, corrected, judged):
        first, second = pair
        low, high = interval(of_samples[first] - of_samples[second], confidence)
        better = _influence(rows, first, second) if of_segments is None else of_segments[first] - of_segments[second]
        wins, losses = int((better > 0).sum()), int((better < 0).sum())
        if lower_is_better:
            wins, losses = losses, wins
        found.append(
            SystemDifference(
                rows.names[first],
                rows.names[second],
                rows.difference(first, second),
                low,
                high,
                p,
                p_holm,
                judge <= alpha,
                looked_at,
                enumerated,
                wins,
                losses,
                rows.segments - wins - losses,
            )
        )
    ranks = (
        _ranks(order, {pair: one.significant for pair, one in zip(pairs, found)}, ranking) if baseline is None else {}
    )
    return SystemComparison(
        tuple(_system(rows, system, of_samples[system], of_runs, confidence, ranks.get(system)) for system in order),
        tuple(found),
        baseline,
        test,
        samples,
        resamples,
        seed,
        confidence,
        alpha,
        correction,
        rows.segments,
        rows.scoring.name,
        rows.scoring.scale,
        f"{rows.scoring.signature}|{signature_of(test, samples, seed)}",
        rows,
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction: the smallest of m times m, the next times m - 1, never below one before, at most 1."""
    corrected = [0.0] * len(p_values)
    largest = 0.0
    for done, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - done) * p_values[place]))
        corrected[place] = largest
    return corrected


def _in_given_order(
    rows: Systems, pairs: Sequence[tuple[int, int]], samples: int, seed: int, threads: int | None, progress: bool
) -> list[tuple[float, int, bool]]:
    """The test says the same both ways; with the systems in their own order the work is in larger pieces."""
    turned = {pair: (min(pair), max(pair)) for pair in pairs}
    ordered = sorted(turned.values())
    tested = dict(zip(ordered, randomized(rows, ordered, samples, seed, threads, progress)))
    return [tested[turned[pair]] for pair in pairs]


def _system(
    rows: Systems,
    system: int,
    of_samples: NDArray[np.float64],
    of_runs: NDArray[np.float64],
    confidence: float,
    rank: int | None,
) -> SystemScore:
    runs = rows.runs[system]
    low, high = interval(of_samples, confidence)
    deviations = [mean_and_deviation(of_runs[run])[1] for run in runs]
    return SystemScore(
        rows.names[system],
        rows.score(system),
        low,
        high,
        float(np.mean(deviations)),
        mean_and_deviation(rows.scores[runs])[1] if len(runs) > 1 else None,
        tuple(rows.scores[runs].tolist()),
        rank,
    )


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
    """The scores of single segments, means of the runs', for each system; None where a segment alone has none."""
    of_runs = [rows.scoring.of_segments(table) for table in rows.given]
    if any(scores is None for scores in of_runs):
        return None
    return [mean_of_runs(np.array([of_runs[run] for run in runs])) for runs in rows.runs]


def _influence(rows: Systems, first: int, second: int) -> NDArray[np.float64]:
    result = np.zeros(rows.segments)
    columns, pairs = rows.columns, [(own, other) for own in rows.runs[first] for other in rows.runs[second]]
    for start in range(0, rows.segments, PIECE):
        part = slice(start, start + PIECE)
        for own, other in pairs:
            sums = columns.totals[own][:, None] - columns.of_segments(own, part) + columns.of_segments(other, part)
            result[part] += rows.scores[own] - rows.scoring.exact(columns.numbers(sums))
    return result / len(pairs)
