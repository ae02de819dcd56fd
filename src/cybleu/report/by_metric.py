"""Figures of a report that each metric has: scores, intervals, tests, groups and the influence of segments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import np
from .._runtime.scales import percent
from ..errors import UnknownNameError, _printable
from ..significance import SystemComparison, SystemDifference, compare_systems
from ..significance.comparison import system_score
from ..significance.resampling import bootstrap_scores
from ..significance.systems import Rows, Systems, mean_of_runs
from .buckets import DIFFERENCES, LENGTHS, TENTHS, bucketed, labels_of
from .figures import Buckets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..metrics import Metric
    from .texts import Texts

ALL_PAIRS = 4  # systems; with more, only some pairs are shown in detail
BY = ("length", "difference", "score")


class MetricFigures:
    """Figures of a comparison report by one metric.

    :ivar metric: the metric that scores the systems
    :ivar label: its name on the page
    :ivar comparison: the scores, intervals and tests of the systems; None if there is only one system
    :ivar systems: the scores of the systems, in the order of the report: the best by its first BLEU first; if there is a
        baseline, it comes before the others
    :ivar segments: how many segments there are
    :ivar confidence: the confidence of all intervals
    :ivar signature: the definition of the score in one line

    >>> from cybleu.report import analyse
    >>> references = [["the cat sat on the mat"], ["it rains a lot in May"]]
    >>> report = analyse(references, {"mine": ["the cat sat on a mat", "it rains a lot in May"]}, ["sacrebleu", "ter"])
    >>> [(figures.label, round(figures.systems[0].score, 2)) for figures in report.by_metric]
    [('BLEU', 77.82), ('TER', 8.33)]
    """

    def __init__(
        self,
        texts: Texts,
        runs: Mapping[str, list[int]],
        metric: Metric,
        rows: list[NDArray[Any]],
        lengths: list[NDArray[np.int64]],
        *,
        label: str,
        described: str,
        first: MetricFigures | None,
        compared: Mapping[str, Any],
    ):
        """
        :param rows: of each output, from which its score is computed
        :param lengths: of the segments of each output: how much longer they are than the reference
        :param described: what was counted, for the signature
        :param first: the figures whose order of systems and pairs these have; None for an order of their own
        :param compared: options of :func:`compare_systems`
        """
        self._texts, self._runs, self._rows, self._lengths = texts, runs, rows, lengths
        self.metric, self.label, self.segments = metric, label, texts.segments
        self.confidence: float = compared["confidence"]
        self.comparison: SystemComparison | None = None
        if len(runs) > 1:
            of_systems = {name: [rows[output] for output in outputs] for name, outputs in runs.items()}
            found = compare_systems(of_systems, metric, **compared)
            self.comparison = replace(found, signature=f"{found.signature}|{described}")
            self.systems, self._compared = found.systems, found._rows
            self._bootstrapped, self.signature = found._samples, self.comparison.signature
        else:
            (name,) = runs
            for table in rows:  # the tool has no score for some texts
                metric.score(table)
            self._compared = Systems({name: [Rows(name, table) for table in rows]}, metric, None)
            resamples, seed = compared["resamples"], compared["seed"]
            self._bootstrapped = bootstrap_scores(self._compared, resamples, seed)
            samples = mean_of_runs(self._bootstrapped)
            self.systems = (system_score(self._compared, 0, samples, self._bootstrapped, self.confidence, 1),)
            self.signature = f"{metric.signature}|resamples:{resamples}|seed:{seed}|{described}"
        if first is not None:
            by_name = {system.name: system for system in self.systems}
            self.systems = tuple(by_name[system.name] for system in first.systems)
        pairs = self.comparison.differences if self.comparison else ()
        self._pairs: list[tuple[str, str]] = (
            [(pair.first, pair.second) for pair in pairs] if first is None else first._pairs
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the outputs, in the order of the systems. A system with several runs has several outputs."""
        return tuple(self._texts.outputs[output].name for output in self._order)

    @cached_property
    def _order(self) -> list[int]:
        return [output for system in self.systems for output in self._runs[system.name]]

    @property
    def rows(self) -> dict[str, NDArray[Any]]:
        """The statistics of each output, from which its score is computed, `(segments, columns)`: int64, or float64 if the
        metric takes fractions."""
        return {name: self._rows[output] for name, output in zip(self.names, self._order)}

    @cached_property
    def sentence_scores(self) -> NDArray[np.float64]:
        """The score of each segment, as the tool scores single sentences: float64 `(outputs, segments)`.

        Scores are from 0 to 100; those of TER and NIST can be higher.
        """
        scored = [self._compared.scoring.of_segments(self._rows[output]) for output in self._order]
        return np.array([percent(of_output, self.metric.scale) for of_output in scored])

    @cached_property
    def bootstrap_scores(self) -> dict[str, NDArray[np.float64]]:
        """The scores of each system in the bootstrap samples that give the intervals, on the same scale."""
        return {
            system.name: percent(mean_of_runs(self._bootstrapped[self._runs[system.name]]), self.metric.scale)
            for system in self.systems
        }

    def buckets(self, by: str) -> Buckets:
        """Score groups of segments.

        :param by: ``length`` groups by the length of the first reference; ``difference`` by how much longer the output
            is than the reference that sets the reference length; ``score`` by the score of each segment
        :raises UnknownNameError: `by` is none of these

        >>> from cybleu.report import analyse
        >>> report = analyse([["a b c d e"], ["a b c d"]], {"mine": ["a b c d e", "a b c d e"]})
        >>> found = report.buckets("difference")
        >>> [(label, int(n)) for label, n in zip(found.labels, found.segments[0]) if n]
        [('0', 1), ('1 to 2', 1)]
        """
        rows = [self._rows[output] for output in self._order]
        if by == "length":
            values = [self._texts.references[0].lengths] * len(rows)
            return bucketed(by, labels_of(LENGTHS, 0), LENGTHS, values, self.names, rows, self.metric)
        if by == "difference":
            lengths = [self._lengths[output] for output in self._order]
            return bucketed(by, labels_of(DIFFERENCES), DIFFERENCES, lengths, self.names, rows, self.metric)
        if by == "score":
            scores = self.sentence_scores
            last = "90 and more" if round(float(scores.max()), 6) > 100 else "90 to 100"
            labels = (*(f"{low} to {low + 10}" for low in range(0, 90, 10)), last)
            return bucketed(by, labels, TENTHS, list(scores), self.names, rows, self.metric)
        raise UnknownNameError(f"unknown groups {by!r}; use one of {', '.join(BY)}")

    # ------------------------------------------------------------------------------------------------------------ pairs

    @cached_property
    def differences(self) -> tuple[SystemDifference, ...]:
        """The tests of all pairs, or of the pairs with the baseline, in the order of the report."""
        return () if self.comparison is None else tuple(self.comparison.between(*pair) for pair in self._pairs)

    @cached_property
    def looked_at(self) -> tuple[tuple[str, str], ...]:
        """The pairs of systems that are shown in detail.

        These are all pairs of up to four systems. If there are more, or a baseline, they are the pairs of the baseline,
        or of the best system, with each other system.
        """
        if self.comparison is None or self.comparison.baseline is not None or len(self.systems) <= ALL_PAIRS:
            return tuple(self._pairs)
        return tuple(pair for pair in self._pairs if pair[0] == self.systems[0].name)

    @cached_property
    def _influences(self) -> tuple[NDArray[np.float64], ...]:
        """The influence of each segment, for each pair in :attr:`looked_at`."""
        return tuple(self.influence(*pair) for pair in self.looked_at)

    def influence(self, first: str, second: str) -> NDArray[np.float64]:
        """Compute how many points each segment adds to the difference of the scores: float64 `(segments,)`.

        If lower is better, points below 0 are in favour of the first system.

        :param first: the name of a system
        :param second: the name of another system
        :raises UnknownNameError: there is no such system
        """
        numbers = [list(self._runs).index(name) for name in (first, second) if self._runs_of(name)]
        points: NDArray[np.float64] = percent(self._compared.influence(*numbers), self.metric.scale)
        return points

    def _runs_of(self, name: str) -> list[int]:
        if name not in self._runs:
            raise UnknownNameError(f"there is no system {name!r}; there are {', '.join(self._runs)}")
        return self._runs[name]

    def format(self, width: int = 2) -> str:
        """Format the scores as text: the tables of the comparison, or the score of a single system.

        :param width: the number of decimals of scores
        """
        if self.comparison is not None:
            return self.comparison.format(width)
        (system,) = self.systems
        score, low, high = (
            f"{percent(value, self.metric.scale):.{width}f}" for value in (system.score, system.low, system.high)
        )
        interval_is = f"{100 * self.confidence:g} % interval {low} to {high}"
        return f"{_printable(system.name)}: {self.label} {score}, {interval_is}\n{self.signature}"

    def __str__(self) -> str:
        return self.format()
