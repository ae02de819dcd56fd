"""Exact line search in the space of weights.

The kernel finds the best interval of a line. The score of a step within it is recomputed from its weights. Where
rounding keeps the weights from the predicted score, the next best interval is tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import inf
from sys import float_info
from typing import Any

from .._backend import best_interval, crossings
from .._definitions import error_surface
from .._files.text import listed, shown
from .._runtime.arrays import Array, Floats, np
from .._runtime.numbers import as_number
from ..errors import FeatureError, WeightsError
from ..nbest import NBest
from ..nbest.features import Weights, weights_of
from .problem import Interval, Line, Metric, Point, Problem, summed
from .results import LineSearch

# How many intervals to try when rounding keeps weights from reaching the predicted score.
TRIES = 64


def line_search(
    nbest: NBest,
    weights: Weights,
    direction: str | Weights,
    lower: float = -inf,
    upper: float = inf,
    *,
    metric: Metric = None,
    surface: bool = False,
) -> LineSearch:
    """Find the best point on the line weights + x * direction, for x from `lower` to `upper` (Och 2003).

    If several intervals have the best score and the start has it as well, the result is x = 0, unless all weights are 0
    there. Otherwise the interval that contains 0 is chosen, then the widest interval, then the one nearest to 0. The
    result is the middle of this interval. If the interval is open on one side, it is beyond the last threshold, by an
    eighth of the largest threshold. The thresholds, where hypotheses tie, are not searched, except 0.

    :param nbest: a list of which at least one segment has a hypothesis
    :param weights: the weights by name, for every dense feature and any of the sparse ones; or one for each feature
    :param direction: the name of a feature, or a vector in the same form as `weights`. Sparse features on the line are
        searched like dense ones; there should be only a few
    :param lower: the smallest x, which may be -inf
    :param upper: the largest x, which may be inf
    :param metric: the metric, in any form that :func:`cybleu.metrics.find` accepts, scored as a corpus; or a function
        of the sum of the statistics, where higher is better. By default it is `nbest.score`; if the list has none, the
        sum of a single float column; otherwise ``moses``, which is BLEU from 0 to 1 without smoothing
    :param surface: also return the error surface
    :return: step, weights and score of the best point; scores are on the scale of the metric
    :raises CybleuError: the list has no hypothesis, or the weights are not finite or do not match the features

    >>> from cybleu.nbest import NBest
    >>> nbest = NBest([0, 2, 4], [[0.0, 2.0], [1.0, 0.0], [0.0, 0.0], [3.0, 1.0]], [[1.0], [0.0], [0.0], [1.0]], ["a", "b"])
    >>> print(line_search(nbest, {"a": 1.0, "b": 0.0}, "b"))
    2 at 0.875, in 0.5 to inf, from 1
    """
    problem = Problem(nbest, metric)
    names = nbest.all_names
    vector = weights_of(nbest, weights, "weights")
    if not isinstance(direction, str):
        towards = weights_of(nbest, direction, "direction")
    elif direction in names:
        towards = np.zeros(len(vector))
        towards[names.index(direction)] = 1.0
    else:
        raise FeatureError(f"there is no feature {shown(direction)}; there are {listed(names)}")
    lower = as_number(lower)
    upper = as_number(upper)
    if not lower <= upper or lower == inf or upper == -inf:
        raise WeightsError(f"the steps are from {lower} to {upper}; the first must not be greater than the second")
    start = problem.point(vector)
    found: Reached | None = None
    on_request = None
    if lower < upper:
        searched = Surface(problem, start, problem.line(towards, lower, upper))
        found = searched.best_point(-inf, inf, with_values=False)
        if surface:
            ends, rows = searched.intervals
            on_request = ends[:-1], problem.objective.scores(rows)
    if found is None:
        # nothing is better than the point, or it is not in the range: the nearest step is returned
        step = min(max(0.0, lower), upper)
        found = Reached(problem.point(vector + step * towards) if step else start, step, np.nan, np.nan)
    end = found.point
    return LineSearch(
        **problem.tuned(end.weights, end.merit[0], start.merit[0] if lower <= 0 <= upper else np.nan),
        step=found.step,
        stats=tuple(summed(nbest.stats, end.chosen).tolist()),
        left=found.left,
        right=found.right,
        surface=on_request,
    )


@dataclass(frozen=True)
class Reached:
    point: Point
    step: float
    left: float
    right: float


class Surface:
    """The error surface along a line from a point: intervals with constant statistics."""

    def __init__(self, problem: Problem, point: Point, line: Line):
        self.problem = problem
        self.point = point
        self.line = line
        assert point.values is not None  # see `Point`
        self._values = point.values
        # the hypothesis of each segment that is best at the lower end of the line, and where others become the best
        self._starts = np.empty(len(point.chosen), dtype=np.int64)
        found = np.empty(len(point.values), dtype=error_surface.CROSSING)
        count = crossings(
            point.values,
            line.slope,
            line.order,
            problem.axes.offsets,
            point.chosen,
            line.lower,
            line.upper,
            self._starts,
            found,
        )
        self._found = found[:count]

    @cached_property
    def intervals(self) -> tuple[Floats, Array]:
        """The ends of all intervals, one more than there are intervals, and the sum of statistics in each."""
        thresholds, rows = error_surface.sums_between(self._starts, self._found, self.problem.objective.stats)
        # differences of floats may be rounded to less than a sum can be
        rows = np.maximum(rows, self.problem.objective.least)
        return np.concatenate([[self.line.lower], thresholds, [self.line.upper]]), rows

    @cached_property
    def first(self) -> Interval:
        """The best interval."""
        bleu = self.problem.objective.bleu
        if bleu is None:
            return next(self._ranked())
        stats = self.problem.objective.stats
        row: Array = np.empty(stats.shape[1], dtype=np.int64)
        lower = self.line.lower
        upper = self.line.upper
        # where BLEU is 0 everywhere, smoothed BLEU decides
        for metric in (bleu, bleu.plateau):
            # the kernel finds the best interval without storing the others
            found = best_interval(self._starts, self._found, stats, lower, upper, metric.scorer.kernel, row)
            if found is not None:
                score, left, right, farthest = found
            else:
                score, left, right, farthest, row = error_surface.best_interval(
                    self._starts, self._found, stats, lower, upper, metric.scorer.formula
                )
            if score > 0:
                break
        merit = (score, 0.0) if metric is bleu else (0.0, score)
        return Interval(merit, left, right, row, farthest or self._scale())

    def _ranked(self) -> Iterator[Interval]:
        """Yield the intervals, the best first."""
        objective = self.problem.objective
        ends, rows = self.intervals
        left = ends[:-1]
        right = ends[1:]
        scores = objective.scores(rows)
        scale = float(np.abs(ends[1:-1]).max(initial=0.0)) or self._scale()
        second = np.zeros(len(scores))
        if objective.plateau and not scores.any():
            second = objective.plateau.evaluate_rows(rows)
        for place in error_surface.best_first(left, right, scores, second)[:TRIES].tolist():
            merit = float(scores[place]), float(second[place])
            yield Interval(merit, float(left[place]), float(right[place]), rows[place], scale)

    def _scale(self) -> float:
        """Estimate the distance of thresholds for a line that has none but 0."""
        spreads = map(self.problem.axes.spreads, (self._values, self.line.slope))
        values, slopes = (min(float(spread.max()), float_info.max) for spread in spreads)
        return (values or 1.0) / (slopes or 1.0)

    def best_point(self, low: Any, high: Any, with_values: bool = True) -> Reached | None:
        """Find the best point on the line whose score was recomputed: the point itself if none is better.

        Returns None if the point is not in the range of the line and no other can be reached, or if hypotheses tie at
        the point and no other is better.

        :param low: the smallest weights
        :param high: the largest weights
        :param with_values: whether searches from the point found will follow
        """
        point = self.point
        line = self.line
        highest = point.merit if line.lower <= 0 <= line.upper and point.weights.any() else (-inf, -inf)
        found: Reached | None = None
        for interval in chain([self.first], self._ranked()):
            # they come in the order of their merit, so no interval that follows can be better
            if interval.merit <= highest:
                if found is None and interval.left <= 0 <= interval.right and _agree(point.row, interval.row):
                    return Reached(point, 0.0, interval.left, interval.right)
                break
            for step in interval.points():
                weights = self._weights(interval, step, low, high)
                if weights is None:
                    continue
                try:
                    there = self.problem.point(weights) if with_values else self._scored(step, weights)
                except WeightsError:
                    continue
                if there.merit > highest:
                    highest = there.merit
                    found = Reached(there, step, interval.left, interval.right)
                # the weights choose what the search predicted
                if _agree(there.row, interval.row):
                    return found
        return found

    def _scored(self, step: float, weights: Floats) -> Point:
        """Compute the point at a step without its values, reading only hypotheses that may be the best.

        A value is a sum of products, so the error of each operation is below 2 ** -53 of the largest possible value. If
        this largest value is finite, the values are finite, too.
        """
        problem = self.problem
        line = self.line
        with np.errstate(over="ignore", invalid="ignore"):
            largest = np.abs(self.point.weights) + np.abs(step * line.direction)
            error = 4 * (len(weights) + 4) * 2.0**-53 * float(largest @ problem.axes.extents) + 2.0**-1000
        if not error < inf:  # the other values are unknown, and may overflow
            return problem.point(weights)
        return problem.scored(weights, None, problem.chosen(weights, self._values + step * line.slope, error))

    def _weights(self, interval: Interval, step: float, low: Any, high: Any) -> Floats | None:
        """Return the weights at a step; None if rounding or bounds keep them out of the interval, or all are 0."""
        line = self.line
        before = self.point.weights
        if not interval.left < step < interval.right:
            return None
        with np.errstate(over="ignore", invalid="ignore"):
            weights: Floats = np.minimum(np.maximum(before + step * line.direction, low), high)
        if not np.isfinite(weights).all() or not weights.any():
            return None
        # adding the step to a large weight may have rounded it
        if line.axis >= 0:
            moved = (weights[line.axis] - before[line.axis]) / line.direction[line.axis]
            if not interval.left < moved < interval.right:
                return None
        return weights


def _agree(row: Array, other: Array) -> bool:
    # sums of floats are rounded differently along a line and at a point
    if row.dtype != np.float64:
        return bool((row == other).all())
    return bool(np.allclose(row, other, rtol=1e-9, atol=1e-12))
