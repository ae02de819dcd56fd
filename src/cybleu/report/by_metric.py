"""Figures of a report by one metric: scores, intervals, tests, groups and the influence of segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from .._runtime.arrays import bincount, np
from .._runtime.scales import percent
from .._version import __version__
from ..errors import UnknownNameError
from ..significance import SystemComparison, SystemScore, compare_systems
from ..significance.paired import of_systems
from ..text.tokenizers import tokenizer_signature
from .figures import Buckets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..metrics import Metric
    from .texts import Texts

    Lengths: TypeAlias = Mapping[str, tuple[NDArray[np.int64], NDArray[np.int64]]]

ALL_PAIRS = 4  # systems; with more, only some pairs are shown in detail
BY = ("length", "difference", "score")
LENGTHS = (10, 20, 30, 40, 50, 60)
DIFFERENCES = (-10, -5, -2, 0, 1, 3, 6, 11)
TENTHS = tuple(range(10, 100, 10))


class MetricFigures:
    """Figures of a comparison report by one metric.

    :ivar metric: the metric that scores the systems
    :ivar label: its name on the page
    :ivar comparison: the scores, intervals and tests of the systems
    :ivar systems: the scores of the systems, in the order of the report: the best by its first metric first; if there is a
        baseline, it comes before the others
    :ivar differences: the tests of all pairs, or of the pairs with the baseline, in the order of the report
    :ivar looked_at: the pairs of systems that are shown in detail: all pairs of up to four systems; if there are more, those with the
        best one; and with a baseline those that were compared
    :ivar names: the names of the outputs, in the order of the systems. A system with several runs has several outputs
    :ivar rows: the statistics of each output, from which its score is computed, `(segments, columns)`: int64, or float64 if the
        metric takes fractions
    :ivar bootstrap_scores: the scores of each system in the bootstrap samples that give the intervals, from 0 to 100

    >>> from cybleu.report import analyse
    >>> references = [["the cat sat on the mat"], ["it rains a lot in May"]]
    >>> report = analyse(references, {"mine": ["the cat sat on a mat", "it rains a lot in May"]}, ["sacrebleu", "ter"])
    >>> [(figures.label, round(figures.systems[0].score, 2)) for figures in report.metrics]
    [('BLEU', 77.82), ('TER', 8.33)]
    """

    def __init__(
        self, texts: Texts, counter: Metric, label: str, lengths: Lengths, order: Sequence[str] | None, compared: Any
    ):
        """
        :param counter: the metric with its tokeniser
        :param lengths: of the segments: for each output that of the first reference, and how much longer the output is
        :param order: the names of the systems in the order of the report; None for that of this metric
        :param compared: options of :func:`compare_systems`
        """
        counter = counter.with_weights_of(texts.references) if counter.weighs_by_call else counter
        rows, described = texts.rows(counter, compared["threads"]), _described(texts, counter)
        metric = counter if counter.reads == "text" else counter.with_choices(tokenize=None, lowercase=False)
        self.metric, self.label = metric, label
        self._lengths = lengths
        tables = {name: [rows[run] for run in runs] for name, runs in texts.runs.items()}
        if len(tables) == 1:
            for table in rows.values():  # the tool has no score for some texts
                metric.score(table)
        found = compare_systems(tables, metric, **compared)
        self.comparison: SystemComparison = replace(found, signature=f"{found.signature}|{described}")
        self.bootstrap_scores = dict(zip(tables, map(self.percent, of_systems(found._rows, found._samples))))
        order = order or [system.name for system in found.systems]
        self.systems: tuple[SystemScore, ...] = tuple(sorted(found.systems, key=lambda one: order.index(one.name)))
        best, *others = order
        baseline = compared["baseline"]
        pairs = [*combinations(order, 2)] if baseline is None else [(name, best) for name in others]
        self.differences = tuple(self.comparison.between(*pair) for pair in pairs)
        shown = pairs if baseline is not None or len(order) <= ALL_PAIRS else [(best, name) for name in others]
        self.looked_at: tuple[tuple[str, str], ...] = tuple(shown)
        self.names = tuple(run for name in order for run in texts.runs[name])
        self.rows = {run: rows[run] for run in self.names}

    @cached_property
    def sentence_scores(self) -> NDArray[np.float64]:
        """The score of each segment, as the tool scores single sentences: float64 `(outputs, segments)`.

        Scores are from 0 to 100; those of TER and NIST can be higher.
        """
        sentences = self.metric.of_sentences()
        return np.array([self.percent(sentences.scores(rows)) for rows in self.rows.values()])

    def buckets(self, by: str) -> Buckets:
        """Score groups of segments.

        :param by: ``length`` groups by the length of the first reference; ``difference`` by how much longer the output
            is than the reference that sets the reference length; ``score`` by the score of each segment
        :raises UnknownNameError: `by` is none of these

        >>> from cybleu.report import analyse
        >>> report = analyse([["a b c d e"], ["a b c d"]], {"mine": ["a b c d e", "a b c d e"]})
        >>> found = report.metrics[0].buckets("difference")
        >>> [(label, int(n)) for label, n in zip(found.labels, found.segments[0]) if n]
        [('0', 1), ('1 to 2', 1)]
        """
        if by not in BY:
            raise UnknownNameError(f"unknown groups {by!r}; use one of {', '.join(BY)}")
        edges: Sequence[int] = TENTHS
        if by == "score":
            values: Any = self.sentence_scores
            last = "90 and more" if round(float(values.max()), 6) > 100 else "90 to 100"
            labels = (*(f"{low} to {low + 10}" for low in range(0, 90, 10)), last)
        else:
            edges, lowest = (LENGTHS, 0) if by == "length" else (DIFFERENCES, None)
            labels = labels_of(edges, lowest)
            values = [self._lengths[name][by == "difference"] for name in self.names]
        segments = np.zeros((len(self.names), len(labels)), dtype=np.int64)
        scores = np.full(segments.shape, np.nan)
        for output, (rows, of_segments) in enumerate(zip(self.rows.values(), values)):
            group = np.searchsorted(np.array(edges), of_segments, side="right")
            segments[output] = bincount(group, minlength=len(labels))
            for place in segments[output].nonzero()[0].tolist():
                with suppress(ZeroDivisionError):  # some tools fail on empty texts
                    scores[output, place] = self.percent(self.metric.score(rows[group == place]).score)
        return Buckets(by, labels, self.names, segments, scores)

    # ------------------------------------------------------------------------------------------------------------ pairs

    def influence(self, first: str, second: str) -> NDArray[np.float64]:
        """Compute how many points each segment adds to the difference of the scores: float64 `(segments,)`.

        If lower is better, points below 0 are in favour of the first system.

        :param first: the name of a system
        :param second: the name of another system
        :raises UnknownNameError: there is no such system
        """
        points: NDArray[np.float64] = self.percent(self.comparison.influence(first, second))
        return points

    def percent(self, value: Any) -> Any:
        """Convert scores to the scale from 0 to 100.

        :param value: a score of the metric, or an array of scores
        """
        return percent(value, self.metric.scale)

    @property
    def sign(self) -> int:
        """1 if higher scores are better, otherwise -1."""
        return 1 if self.metric.higher_is_better else -1

    def improvement(self, first: str, second: str) -> tuple[float, float, float]:
        """Return by how many points the first of two systems that were compared is better, and the interval.

        :param first: the name of a system
        :param second: the name of another system
        :raises UnknownNameError: they were not compared
        """
        found = self.comparison.between(*((first, second) if self.sign > 0 else (second, first)))
        return self.percent(found.difference), self.percent(found.low), self.percent(found.high)

    @cached_property
    def gains(self) -> NDArray[np.float64]:
        """The points of each segment in favour of the first system of each pair in :attr:`looked_at`: float64
        `(pairs, segments)`. They are above 0 if the segment is better there, also if lower scores are better. For one system
        they are the scores of the segments, with the sign that makes the worst the largest."""
        if not self.looked_at:
            return -self.sign * self.sentence_scores[:1]
        return np.array([self.sign * self.influence(*pair) for pair in self.looked_at])


def _described(texts: Texts, metric: Metric) -> str:
    """Describe what a metric counted, for signatures."""
    of_tokens = ""
    if metric.reads != "text":
        tokens: Any = metric.tokenizer
        of_tokens = f"|case:{'lc' if metric.lowercase else 'mixed'}|tok:{tokenizer_signature(tokens)}"
    return f"nrefs:{texts.most_references}{of_tokens}|version:{__version__}"


def labels_of(edges: Sequence[int], lowest: int | None = None) -> tuple[str, ...]:
    """Return the labels of groups of whole numbers, each of which begins at an edge."""
    first = f"below {edges[0]}" if lowest is None else _range(lowest, edges[0] - 1)
    return (first, *(_range(low, high - 1) for low, high in pairwise(edges)), f"{edges[-1]} and more")


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"
