"""Tuning problem: an n-best list with an objective, points and lines in the space of weights, and intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, isnan, sqrt
from operator import itemgetter
from typing import Any

from .._runtime.arrays import Array, Floats, Integers, NDArray, first_not_finite, index, least_sum, np
from ..errors import EmptyCorpusError, FeatureError, StatisticsError, WeightsError
from ..metrics import Bleu, Metric as MetricType, Variant, find
from ..metrics.combined import Accuracy
from ..nbest import NBest
from ..nbest.container import check_nbest
from ..nbest.features import Weights, rows_of, weighed, weights_of

Metric = str | Variant | MetricType | Callable[[Array], float] | None

# ------------------------------------------------------------------------------------------------------- points and lines


@dataclass(frozen=True, eq=False)
class Point:
    """Weights with the values of all hypotheses, the best hypothesis of each segment, and the score.

    :ivar merit: the score and, where it is 0, a smoothed score
    :ivar values: None where they were not needed to find the best; no search can begin there
    """

    weights: Floats
    values: Floats | None
    chosen: Integers
    row: Array
    merit: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Line:
    """Direction, with the slopes of the hypotheses, their order, and the range of steps.

    :param axis: the only feature that changes, or -1
    """

    direction: Floats
    slope: Floats
    order: NDArray[np.int32]
    lower: float
    upper: float
    axis: int


# ------------------------------------------------------------------------------------------------- scores


class Objective:
    """Objective function of a sum of statistics.

    :ivar stats: the rows to sum, which may differ from those of the list: NLTK's BLEU counts an order that a segment
        is too short for as one n-gram
    :ivar least: as :func:`least_sum` returns it
    :ivar metric: None if only a function of the sum is known
    :ivar bleu: the metric if it is BLEU, whose rows kernels search, otherwise None
    :ivar plateau: a metric that distinguishes sums that this one scores 0, if there is any
    :ivar scale: the score of a perfect match, if known
    """

    def __init__(self, nbest: NBest, metric: Metric):
        self.stats: Array = nbest.stats
        self._most = len(nbest)
        self.metric: MetricType | None = None
        self.bleu: Bleu | None = None
        self.plateau: MetricType | None = None
        self.scale: float | None = None
        chosen = nbest.score if metric is None else metric
        self._function: Callable[[Any], float] = itemgetter(0)
        if callable(chosen) and not isinstance(chosen, type):
            self.name = getattr(chosen, "__name__", "score")
            self._function = chosen
        # float columns are of no metric that is known, unless it counts fractions
        elif nbest.stats.dtype == np.float64 and (chosen is None or find(chosen).dtype != "float64"):
            if metric is not None or nbest.stats.shape[1] != 1:
                raise StatisticsError(
                    f"the statistics are {nbest.stats.shape[1]} float columns, which are not BLEU's; give a function "
                    "of their sum as metric"
                )
            self.name = "sum"
        else:
            found = find(chosen, default="moses")
            if not found.higher_is_better:
                found = Accuracy(found)
            self.metric = found = found.of_width(nbest.stats.shape[1])
            self.bleu = found if isinstance(found, Bleu) else None
            self.name = found.name
            self.scale = found.scale
            self.plateau = getattr(found, "plateau", None)  # BLEU has one, and a metric of the caller's can
            self.stats = found.summable(nbest.stats)

    @cached_property
    def least(self) -> Array:
        return least_sum(self.stats, self._most)

    def score(self, row: Array) -> float:
        """Score a sum."""
        score = self.metric.formula(row.tolist()) if self.metric else float(self._function(row))
        if isnan(score):
            raise self._no_score(row)
        return score

    def scores(self, rows: Array) -> Floats:
        """Score each of several sums."""
        if self.metric:
            scores = self.metric.evaluate_rows(rows)
        else:
            scores = np.array([float(self._function(row)) for row in rows])
        wrong = np.isnan(scores)
        if wrong.any():
            raise self._no_score(rows[wrong.argmax()])
        return scores

    def _no_score(self, row: Array) -> StatisticsError:
        return StatisticsError(f"the metric {self.name} gave nan for the sum {row.tolist()}")


def summed(stats: Array, chosen: Integers) -> Array:
    """Sum rows, at most one for each segment.

    :param chosen: their indices
    """
    rows = stats.take(index(chosen), axis=0)
    # for integers einsum takes a third of the time; for floats it would sum in another order
    total: Array = np.einsum("ij->j", rows) if rows.dtype == np.int64 else rows.sum(axis=0)
    return total


# ----------------------------------------------------------------------------------------------------- the problem


class Problem:
    """N-best list with a metric: the hypotheses that weights choose, and their score.

    Weights are vectors, with those of sparse features after the dense ones.

    :ivar axes: the features, which do not depend on the metric
    :ivar rows: the features that are weighed, in the form of the backend
    :ivar width: how many they are
    :ivar kept: the bytes of the weights of sparse features that are summed
    """

    def __init__(self, nbest: NBest, metric: Metric):
        check_nbest(nbest)
        self.nbest = nbest
        self.axes = nbest.axes
        if not len(self.axes.present):
            raise EmptyCorpusError("no segment has a hypothesis, so there is nothing to tune on")
        if not nbest.all_names:
            raise FeatureError("the hypotheses have no features, so there is nothing to weigh")
        self.rows = self.axes.rows
        self.width = len(nbest.all_names)
        self.kept = b""
        # after the list, whose mistakes are reported first
        self.objective = Objective(nbest, metric)

    def start(self, start: Weights | None) -> Floats:
        """Convert the start weights: by default 1 for dense features and 0 for sparse ones."""
        if start is None:
            return np.where(np.arange(len(self.nbest.all_names)) < len(self.nbest.names), 1.0, 0.0)
        return weights_of(self.nbest, start, "start")

    def with_sum(self, weights: Floats) -> Problem:
        """Return the problem with the sum of the sparse features, whose weights stay, as one more dense feature."""
        nbest = self.nbest
        count = len(nbest.features)
        sums = weighed(rows_of(np.zeros((count, 0)), nbest.sparse), weights, count)
        problem = copy(self)
        problem.rows = rows_of(np.column_stack([nbest.features, sums]), None)
        problem.width = len(nbest.names) + 1
        problem.kept = weights.tobytes()
        return problem

    def values(self, weights: Floats, what: str) -> Floats:
        """Return the value of each hypothesis, the sum of its features by their weights.

        :param what: the weights are, for the message
        """
        values = np.empty(len(self.nbest.features))
        self.rows.weigh(weights, values)
        if not np.isfinite(values).all():
            raise WeightsError(
                f"{what} times the features is more than a float can hold; scale the features: {weights.tolist()}"
            )
        return values

    def chosen(self, weights: Floats, values: Floats, error: float = 0.0) -> Integers:
        """Find the best hypothesis of each segment that has any, from values that are right up to the error."""
        chosen = np.empty(len(self.axes.present), dtype=np.int64)
        self.rows.winners(self.axes.offsets, weights, values, error, chosen)
        return chosen

    def tuned(self, weights: Floats, score: float, start_score: float) -> dict[str, Any]:
        """Return the fields of :class:`Tuned`."""
        return {
            "weights": dict(zip(self.nbest.all_names, weights.tolist())),
            "score": score,
            "start_score": start_score,
            "metric": self.objective.name,
            "scale": self.objective.scale,
        }

    def point(self, weights: Floats) -> Point:
        """Compute the point of these weights, quickly if they are those of the last call, for many searches from one."""
        key = self.kept + weights.tobytes()
        last = self.axes.last  # another thread may replace it
        if last is None or last[0] != key:
            values = self.values(weights, "the vector of weights")
            last = key, values, self.chosen(weights, values)
            self.axes.last = last
        _, values, chosen = last
        return self.scored(weights, values, chosen)

    def scored(self, weights: Floats, values: Floats | None, chosen: Integers) -> Point:
        """Score a point whose best hypotheses are known."""
        row = summed(self.objective.stats, chosen)
        score = self.objective.score(row)
        smoothed = 0.0
        plateau = self.objective.plateau
        # BLEU without smoothing is 0 wherever an order has no match, and a search can leave this plateau
        if score == 0 and plateau is not None:
            smoothed = plateau.formula(row.tolist())
        return Point(weights, values, chosen, row, (score, smoothed))

    def sentence_scores(self) -> Floats:
        """Score each hypothesis as a single sentence.

        :raises StatisticsError: a score is not finite
        """
        stats = self.nbest.stats
        metric = self.objective.metric
        if isinstance(metric, Bleu) and metric.name == "moses" and metric.smoothing is None:
            metric = replace(metric, smoothing="add")  # Moses has no BLEU of single sentences
        scores = metric.of_sentences().evaluate_rows(stats) if metric else self.objective.scores(stats)
        place = first_not_finite(scores)
        if place is not None:
            row = stats[place].tolist()
            name = self.objective.name
            raise StatisticsError(f"the metric {name} gave {scores[place]} for the row {row}; it must be finite")
        return scores

    # ------------------------------------------------------------------------------------------------------- lines

    def axis(self, axis: int, lower: float, upper: float) -> Line:
        """Return the line along a dense feature."""
        direction = np.zeros(self.width)
        direction[axis] = 1.0
        return Line(direction, *self.axes.column(axis), lower, upper, axis)

    def line(self, direction: Floats, lower: float, upper: float) -> Line:
        # the only feature that moves is checked for rounding (see `Surface`)
        used = np.flatnonzero(direction).tolist()
        axis = used[0] if len(used) == 1 else -1
        # the order of the hypotheses along an axis is known
        if 0 <= axis < len(self.nbest.names) and direction[axis] == 1.0:
            return self.axis(axis, lower, upper)
        slope = self.values(direction, "the direction")
        return Line(direction, slope, self.axes.sorted(slope), lower, upper, axis)


@dataclass(frozen=True, eq=False)
class Interval:
    """Interval of a line with constant statistics; `scale` is the largest distance of a threshold of the line."""

    merit: tuple[float, float]
    left: float
    right: float
    row: Array
    scale: float

    def points(self) -> Iterator[float]:
        """Yield steps in the interval, the preferred one first."""
        left = self.left
        right = self.right
        if left == -inf and right == inf:
            yield 0.0
            left = 0.0  # where all weights are 0, hypotheses tie
        if left == -inf or right == inf:
            # the nearest step first; the others are for sums in which rounding hides a small step
            for part in (0.125, 1.0, 64.0, 2**-10, 2.0**30, 2.0**60):
                yield left + part * self.scale if right == inf else right - part * self.scale
        else:
            yield left / 2 + right / 2
            # the geometric mean, if the ends differ by orders of magnitude
            if left * right > 0:
                yield (1 if left > 0 else -1) * sqrt(abs(left)) * sqrt(abs(right))
            yield left + (right / 8 - left / 8)
            yield right - (right / 8 - left / 8)


def check_finite(weights: Floats) -> None:
    """Check that weights that grew are still finite."""
    if not np.isfinite(weights).all():
        raise WeightsError("the weights grew beyond what a float can hold; scale the features, or give a smaller step")


def score_of(problem: Problem, weights: Mapping[str, float]) -> float:
    """Score weights by name; a feature without a weight has 0."""
    return problem.point(np.array([weights.get(name, 0.0) for name in problem.nbest.all_names])).merit[0]
