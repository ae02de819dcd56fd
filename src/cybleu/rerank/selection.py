"""Selections, the results of rerankers: one hypothesis for each segment; and the choice by weighted features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from .._runtime.arrays import NDArray, first_not_finite, index, np, repeat
from .._runtime.html import html_table
from .._runtime.numbers import counted
from ..errors import ArrayValueError, FeatureError, StatisticsError
from ..metrics import Metric, Variant, find
from ..nbest import NBest
from ..nbest.container import check_nbest
from ..nbest.features import Weights, owners_of, weighed, weights_of
from ..nbest.parts import part_of
from ..nbest.validation import Places

Text = TypeVar("Text", covariant=True)

SHOWN = 10  # segments in a notebook


@dataclass(frozen=True, eq=False)
class Selection(Generic[Text]):
    """The choice of one hypothesis for each segment.

    In annotations, the texts of a ``Selection[str]`` are strings, and those of a ``Selection[list[str]]`` token lists.

    :param offsets: the hypotheses of segment s are ``offsets[s]:offsets[s + 1]``
    :param rows: the index of each chosen hypothesis in the whole list, int64 `(S,)`; -1 if a segment has no hypotheses
    :param scores: the scores of all hypotheses, by which they were chosen, float64 `(N,)`; NaN for pruned hypotheses
    :param hypotheses: the list of the hypotheses, or their texts

    >>> from cybleu.rerank import linear
    >>> nbest = NBest([0, 2, 2], [[1.0], [2.0]], [[2, 3, 1, 2], [3, 3, 2, 3]], texts=["a b", "a b c"])
    >>> best = linear(nbest, [1.0])
    >>> best.rows, best.positions, best.texts
    (array([ 1, -1]), array([ 1, -1]), ['a b c', ''])
    """

    offsets: NDArray[np.int64]
    rows: NDArray[np.int64]
    scores: NDArray[np.float64]
    hypotheses: NBest | Sequence[Any]

    def __len__(self) -> int:
        """The number of segments."""
        return len(self.rows)

    @property
    def positions(self) -> NDArray[np.int64]:
        """The index of each chosen hypothesis in its segment; -1 if a segment has no hypotheses."""
        return np.where(self.rows < 0, -1, self.rows - self.offsets[:-1])

    @property
    def texts(self) -> list[Text]:
        """The text chosen for each segment.

        A segment without hypotheses has an empty text, so text i belongs to segment i.

        :raises ArrayValueError: the texts of the list are not known
        """
        texts = self.hypotheses.texts if isinstance(self.hypotheses, NBest) else self.hypotheses
        if texts is None:
            raise ArrayValueError("the texts of the n-best list are not known; read it with its texts")
        empty: Any = [] if len(texts) and not isinstance(texts[0], str) else ""
        return [texts[row] if row >= 0 else empty for row in self.rows.tolist()]

    @property
    def stats(self) -> NDArray[Any]:
        """The statistics rows of the chosen hypotheses. Segments without hypotheses have none.

        :raises StatisticsError: the hypotheses were chosen from texts, which have no statistics
        """
        if not isinstance(self.hypotheses, NBest):
            raise StatisticsError("a selection of plain texts has no statistics; count its `texts` with cybleu.rows")
        return self.hypotheses.stats[self.rows[self.rows >= 0]]

    def _repr_html_(self) -> str:
        known = not isinstance(self.hypotheses, NBest) or self.hypotheses.texts is not None
        texts = self.texts if known else [""] * len(self)
        cells = zip(range(SHOWN), self.rows.tolist(), self.positions.tolist(), texts)
        rows = [(segment, place, self.scores[row] if row >= 0 else "", text) for segment, row, place, text in cells]
        return html_table(counted(len(self), "segment"), ["segment", "hypothesis", "score", "text"], rows)

    def corpus_score(self, metric: str | Metric | Variant | None = None, **options: Any) -> Any:
        """The score of the chosen hypotheses as a corpus, without the segments that have no hypotheses.

        :param metric: the metric, in any form that :func:`cybleu.metrics.find` accepts, by default the metric of the
            list, otherwise ``sacrebleu``
        :param options: options of :class:`cybleu.metrics.Bleu`
        :return: the result of :func:`cybleu.score`
        """
        stats = self.stats  # raises if there is no n-best list
        assert isinstance(self.hypotheses, NBest)
        return metric_of(self.hypotheses, metric, options).score(stats)

    def ranked(self) -> NDArray[np.int64]:
        """The indices of all hypotheses, segment after segment: first the chosen one, then the others by score."""
        taken = np.zeros(len(self.scores), dtype=bool)
        taken[self.rows[self.rows >= 0]] = True
        # stable, so equal scores stay in order
        return np.lexsort((-self.scores, ~taken, owners_of(self.offsets)))

    def best_first(self) -> NBest:
        """The list, sorted in the order of :meth:`ranked`; its `model_scores` are the scores.

        :raises ArrayValueError: the hypotheses were chosen from texts, not from an n-best list
        :raises StatisticsError: a score is not finite
        """
        if not isinstance(self.hypotheses, NBest):
            raise ArrayValueError("a selection of plain texts has no n-best list to sort")
        nbest = self.hypotheses
        # pruned hypotheses have NaN, which a list cannot have as a model score
        Places(nbest.offsets, nbest.ids).check_finite(self.scores, "score")
        order = self.ranked()
        part = part_of(nbest).taken(order, nbest.offsets, nbest.ids, nbest.index[order])
        return NBest.unchecked(replace(part, model_scores=self.scores[order]), nbest.score, nbest.inputs)


@dataclass(frozen=True, eq=False)
class CorpusSelection(Selection[Text]):
    """The choice of one hypothesis for each segment by corpus BLEU: a :class:`Selection` with more attributes.

    :param score: corpus BLEU, on the scale of the tool
    :param start: corpus BLEU of the hypotheses that are chosen by sentence BLEU
    :param passes: the number of passes over all segments; the last pass improved nothing, unless it reached the limit
    :param swaps: the number of replacements of a hypothesis

    >>> from cybleu.rerank import oracle
    >>> hypotheses = [["a b c d", "a b"], ["e f", "e f g"]]
    >>> references = [["a b c e"], ["e f g h"]]
    >>> nbest = NBest.from_texts(hypotheses, references, tokenize=str.split, max_order=2)
    >>> found = oracle(nbest, "corpus")
    >>> found.rows, round(found.score, 1), found.passes, found.gain
    (array([0, 3]), 71.8, 1, 0.0)
    """

    score: float
    start: float
    passes: int
    swaps: int

    @property
    def gain(self) -> float:
        """The absolute difference of the score and `start`."""
        return abs(self.score - self.start)


def linear(nbest: NBest, weights: Weights) -> Selection[str]:
    """Choose the hypothesis of each segment with the largest weighted sum of its features.

    :param nbest: any list; for a segment without hypotheses the result is -1
    :param weights: the weights by name, for every dense feature and any of the sparse ones; or as numbers, in the order
        of `nbest.names`, followed by those of the sparse features if the list has any
    :return: a selection whose `scores` are the weighted sums, added up in the order of the features. If several are
        equally good, the lowest index is chosen
    :raises FeatureError: the weights do not match the features, or are not finite

    >>> nbest = NBest([0, 2, 4], [[1.0, 2.0], [2.0, 1.0], [0.0, 0.0], [0.0, 0.0]], [[0.0]] * 4, ["lm", "length"])
    >>> linear(nbest, {"lm": 1.0, "length": 0.5}).rows
    array([1, 2])
    """
    check_nbest(nbest)
    # added in the order of the features, so that equal features have equal sums
    sums = weighed(nbest.axes.rows, weights_of(nbest, weights, "weights", FeatureError), len(nbest.features))
    if (row := first_not_finite(sums)) is not None:
        raise FeatureError(f"the weighted sum of hypothesis {row} is {sums[row]}; the weights are too large")
    return chosen(nbest, nbest.offsets, sums)


def metric_of(nbest: NBest, metric: str | Metric | Variant | None, options: dict[str, Any]) -> Metric:
    """Find the metric, by default that of the rows of the list.

    :raises StatisticsError: the rows are neither those of BLEU nor of a `Metric`
    """
    # a function scores sums, but it cannot say what its rows are
    own = nbest.score if isinstance(nbest.score, Metric) else None
    if nbest.score is not own or nbest.stats.dtype != (own.dtype if own else "int64"):
        raise StatisticsError("the n-best list holds neither the statistics of BLEU nor of a Metric")
    return find(own if metric is None and "variant" not in options else metric, **options)


def chosen(
    hypotheses: NBest | Sequence[Any],
    offsets: NDArray[np.int64],
    scores: NDArray[np.float64],
    preferred: NDArray[np.bool_] | None = None,
) -> Selection[Any]:
    """Choose the first hypothesis with the highest score in each segment.

    :param scores: NaN for hypotheses that cannot be chosen, if `preferred` is given
    :param preferred: hypotheses that are chosen before all others, whatever these score
    """
    filled = offsets[1:] > offsets[:-1]
    rows = np.full(len(filled), -1, dtype=np.int64)
    values = scores
    if preferred is not None:
        values = np.where(preferred, scores, np.finfo(float).min)
        values[np.isnan(scores)] = -np.inf
    # all that have the highest value; the search below finds the first of each segment
    first = np.flatnonzero(values == highest(values, offsets))
    rows[filled] = first[np.searchsorted(first, offsets[:-1][filled])]
    return Selection(offsets, rows, scores, hypotheses)


def highest(values: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return for each hypothesis the highest value of its segment."""
    sizes = np.diff(offsets)
    starts = offsets[:-1][sizes > 0]
    return repeat(np.maximum.reduceat(values, index(starts)), sizes[sizes > 0]) if len(values) else values
