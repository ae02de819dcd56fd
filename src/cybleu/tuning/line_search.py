"""The search along one line through the space of weights, for :mod:`cybleu.tuning`.

A line is searched by the lists' own intervals: the kernel finds the best one, a step within it is taken, and what its weights
score is computed again. Where rounding keeps the weights from what was predicted, the next best interval is tried.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from math import inf, sqrt
from sys import float_info
from typing import TYPE_CHECKING, Any

from .. import _backend, _mirror
from .._runtime.arrays import np
from .objective import Objective
from ..errors import EmptyCorpusError, FeatureError, WeightsError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .objective import Metric
    from ..nbest.container import NBest

# Intervals that are tried when rounding keeps weights from reaching what was predicted.
TRIES = 64

NO_GAIN = (0.0, 0.0)


# ------------------------------------------------------------------------------------------------------- points and lines


@dataclass(frozen=True, eq=False)
class Point:
    """Weights, the value of each hypothesis by them, the best of each segment, and what those are worth."""

    weights: NDArray[np.float64]
    values: NDArray[np.float64]
    chosen: NDArray[np.int64]
    row: NDArray[Any]
    merit: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Line:
    """A direction, the slopes of the hypotheses along it, their order, and the range of steps.

    :param axis: the feature that alone changes, or -1
    """

    direction: NDArray[np.float64]
    slope: NDArray[np.float64]
    order: NDArray[np.int32]
    lower: float
    upper: float
    axis: int


Values = tuple[bytes, "NDArray[np.float64]", "NDArray[np.int64]"]


class Lists:
    """What does not depend on weights or metric: features by columns, and the order of the hypotheses along each axis."""

    def __init__(self, nbest: NBest):
        present = np.diff(nbest.offsets) > 0
        if not present.any():
            raise EmptyCorpusError("no segment has a hypothesis, so there is nothing to search")
        if nbest.features.shape[1] == 0:
            raise FeatureError("the hypotheses have no features, so there is nothing to weigh")
        if nbest.sparse is not None and len(nbest.sparse.values):
            raise FeatureError(
                f"there are {len(nbest.sparse.names)} sparse features, which a line search does not weigh; tune them with "
                "kbmira, or make an NBest with their weighted sum as one more dense feature"
            )
        self.segments = np.flatnonzero(present)
        self.offsets = np.append(nbest.offsets[:-1][present], nbest.offsets[-1])
        self.columns = np.ascontiguousarray(nbest.features.T)
        self._orders: dict[int, NDArray[np.int32]] = {}
        self._extents: NDArray[np.float64] | None = None
        self.last: Values | None = None
        self._lock = threading.RLock()  # a signal handler may search, too

    def order(self, axis: int) -> NDArray[np.int32]:
        with self._lock:
            if axis not in self._orders:
                self._orders[axis] = self.sorted(self.columns[axis])
            return self._orders[axis]

    def sorted(self, slope: NDArray[np.float64]) -> NDArray[np.int32]:
        order = np.empty(len(slope), dtype=np.int32)
        _backend.chosen.sort_lines(slope, self.offsets, order)
        return order

    def extents(self) -> NDArray[np.float64]:
        """The largest absolute value of each feature in each segment."""
        with self._lock:
            if self._extents is None:
                begins = self.offsets[:-1]
                self._extents = np.array([np.maximum.reduceat(np.abs(column), begins) for column in self.columns])
            return self._extents

    def varies(self, axis: int) -> bool:
        """Whether the feature differs within a segment; otherwise its weight changes nothing."""
        column, order = self.columns[axis], self.order(axis)
        first, last = self.offsets[:-1], self.offsets[1:]
        return bool((column[first + order[first]] != column[first + order[last - 1]]).any())


class Problem:
    """N-best lists with a metric."""

    def __init__(self, nbest: NBest, metric: Metric):
        self.lists: Lists = nbest._derived.get("lists") or nbest._derived.setdefault("lists", Lists(nbest))
        self.objective = Objective(nbest, metric)

    def point(self, weights: NDArray[np.float64], remembered: bool = False) -> Point:
        """The point of these weights.

        :param remembered: many directions are searched from one point: keep its values for the next call
        """
        lists = self.lists
        last = lists.last  # another thread may replace it
        if remembered and last is not None and last[0] == weights.tobytes():
            _, values, chosen = last
        else:
            values, chosen = self._values(weights)
            if remembered:
                lists.last = weights.tobytes(), values, chosen
        row = self.objective.stats[chosen].sum(axis=0)
        return Point(weights, values, chosen, row, self.objective.merit(row))

    def _values(self, weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        lists = self.lists
        values = np.empty(lists.columns.shape[1])
        chosen = np.empty((1, len(lists.segments)), dtype=np.int64)
        _backend.chosen.winners(lists.columns, lists.offsets, weights.reshape(1, -1), chosen, values)
        if not np.isfinite(values).all():
            raise WeightsError(f"these weights times the features are more than a float can hold: {weights.tolist()}")
        return values, chosen[0]

    def moved(self, point: Point, line: Line, step: float, weights: NDArray[np.float64]) -> Point:
        """The point of weights on a line, without the values: most hypotheses are clearly not the best, and are left alone.

        Each value is a sum of products: rounding moves it by less than one part in 2 ** 53 for each operation, of the
        largest that it can be.
        """
        operations = 4 * (len(weights) + 4)
        with np.errstate(over="ignore", invalid="ignore"):  # an error without bound leaves no hypothesis alone
            largest = np.abs(point.weights) + np.abs(step * line.direction)
            errors = operations * 2.0**-53 * (largest @ self.lists.extents()) + 2.0**-1000
        chosen = np.empty(len(self.lists.segments), dtype=np.int64)
        _backend.chosen.winners_near(
            self.lists.columns,
            self.lists.offsets,
            weights,
            point.values,
            line.slope,
            step,
            errors,
            chosen,
        )
        row = self.objective.stats[chosen].sum(axis=0)
        return Point(weights, point.values[:0], chosen, row, self.objective.merit(row))

    def axis(self, axis: int, lower: float, upper: float) -> Line:
        direction = np.zeros(len(self.lists.columns))
        direction[axis] = 1.0
        return Line(direction, self.lists.columns[axis], self.lists.order(axis), lower, upper, axis)

    def line(self, direction: NDArray[np.float64], lower: float, upper: float) -> Line:
        used = np.flatnonzero(direction)
        if len(used) == 1 and direction[used[0]] == 1.0:
            return self.axis(int(used[0]), lower, upper)
        slope = np.zeros(self.lists.columns.shape[1])
        with np.errstate(over="ignore", invalid="ignore"):
            for feature in used:
                slope += direction[feature] * self.lists.columns[feature]
        if not np.isfinite(slope).all():
            raise WeightsError(f"the direction times the features is more than a float can hold: {direction.tolist()}")
        return Line(direction, slope, self.lists.sorted(slope), lower, upper, int(used[0]) if len(used) == 1 else -1)

    def surface(self, point: Point, line: Line) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """The ends of the intervals, and their sums of statistics."""
        xs, rows = _backend.chosen.surface(
            point.values,
            line.slope,
            line.order,
            self.lists.offsets,
            point.chosen,
            self.objective.stats,
            line.lower,
            line.upper,
            np.empty,
        )
        return np.concatenate([[line.lower], xs, [line.upper]]), rows

    def best_interval(self, point: Point, line: Line, objective: Objective) -> Interval:
        """What the kernel finds without writing the surface down."""
        row = np.empty(objective.stats.shape[1], dtype=np.int64)
        arguments = (
            point.values,
            line.slope,
            line.order,
            self.lists.offsets,
            point.chosen,
            objective.stats,
            line.lower,
            line.upper,
        )
        found = _backend.chosen.best_interval(*arguments, objective.definition, row)
        if found is None:
            found = _mirror.best_interval(*arguments, objective.general, row)
        assert found is not None
        score, left, right, first, last = found
        return Interval(score, left, right, row, max(abs(first), abs(last)) or self.scale(point, line))

    def scale(self, point: Point, line: Line) -> float:
        """How far away a threshold might be, of a line that has none but 0."""
        begins = self.lists.offsets[:-1]
        with np.errstate(over="ignore"):  # a range may be more than a float holds
            values, slopes = (
                min(
                    float((np.maximum.reduceat(array, begins) - np.minimum.reduceat(array, begins)).max()),
                    float_info.max,
                )
                for array in (point.values, line.slope)
            )
        return (values or 1.0) / (slopes or 1.0)


@dataclass(frozen=True, eq=False)
class Interval:
    """A stretch of a line with the same statistics; `scale` is how far away the thresholds of the line go."""

    score: float
    left: float
    right: float
    row: NDArray[Any]
    scale: float

    def points(self) -> Iterator[float]:
        """Steps within, the one to prefer first."""
        left, right = self.left, self.right
        if left == -inf and right == inf:
            yield 0.0
        elif left == -inf or right == inf:
            for part in (0.125, 1.0, 64.0, 2**-10, 2.0**30, 2.0**60):
                yield left + part * self.scale if right == inf else right - part * self.scale
        else:
            yield left / 2 + right / 2
            if left * right > 0:
                yield (1 if left > 0 else -1) * sqrt(abs(left)) * sqrt(abs(right))
            yield left + (right / 8 - left / 8)
            yield right - (right / 8 - left / 8)


# -------------------------------------------------------------------------------------------------------- one direction


@dataclass(frozen=True)
class Reached:
    point: Point
    step: float
    left: float
    right: float


class Search:
    """Looks for the best point on a line from a point on it.

    :param goes_on: whether there will be searches from the point found
    """

    def __init__(self, problem: Problem, smoothing: tuple[str, int] | None, low: Any, high: Any, goes_on: bool):
        self.problem = problem
        self.goes_on = goes_on
        self.smoothing = smoothing
        self.low, self.high = low, high

    def first(self, point: Point, line: Line) -> tuple[tuple[float, float], Interval]:
        """The best interval and its merit, which with smoothing is the gain in the smoothed score."""
        objective = self.problem.objective
        if objective.definition is None or self.smoothing:
            return next(self._ranked(point, line))
        interval = self.problem.best_interval(point, line, objective)
        if interval.score > 0 or objective.plateau is None:
            return (interval.score, 0.0), interval
        interval = self.problem.best_interval(point, line, objective.plateau)
        return (0.0, interval.score), interval

    def gain(self, point: Point, merit: tuple[float, float]) -> tuple[float, float]:
        if self.smoothing:
            return merit
        return merit[0] - point.merit[0], merit[1] - point.merit[1]

    def best(
        self, point: Point, line: Line, first: tuple[tuple[float, float], Interval] | None = None
    ) -> Reached | None:
        """The best point on the line by weights that were tried: the point itself where none is better.

        None where the point is not in the range of the line and no other can be reached, or where hypotheses tie at the
        point and none is better.
        """
        own = point.merit if line.lower <= 0 <= line.upper and point.weights.any() else (-inf, -inf)
        found: Reached | None = None
        for merit, interval in chain([first or self.first(point, line)], self._ranked(point, line)):
            if self.smoothing:
                if merit <= NO_GAIN:
                    break
            elif merit <= (found.point.merit if found else own):
                if found is None and interval.left <= 0 <= interval.right and _agree(point.row, interval.row):
                    return Reached(point, 0.0, interval.left, interval.right)
                break
            for step in interval.points():
                reached = self._reach(point, line, interval, step)
                if reached is None:
                    continue
                if self.smoothing or reached.point.merit > (found.point.merit if found else own):
                    found = reached
                if _agree(reached.point.row, interval.row):
                    return found
        return found

    def _reach(self, point: Point, line: Line, interval: Interval, step: float) -> Reached | None:
        if not interval.left < step < interval.right:
            return None
        with np.errstate(over="ignore", invalid="ignore"):
            weights = point.weights + step * line.direction
        weights = np.minimum(np.maximum(weights, self.low), self.high)
        if not np.isfinite(weights).all() or not weights.any():
            return None
        if line.axis >= 0:
            moved = (weights[line.axis] - point.weights[line.axis]) / line.direction[line.axis]
            if not interval.left < moved < interval.right:
                return None
        try:
            reached = self.problem.point(weights) if self.goes_on else self.problem.moved(point, line, step, weights)
        except WeightsError:
            return None
        return Reached(reached, step, interval.left, interval.right)

    def _ranked(self, point: Point, line: Line) -> Iterator[tuple[tuple[float, float], Interval]]:
        """The intervals with their merit, the best first."""
        objective = self.problem.objective
        ends, rows = self.problem.surface(point, line)
        scores = objective.scores(rows)
        scale = float(np.abs(ends[1:-1]).max(initial=0.0)) or self.problem.scale(point, line)
        merits, second = scores, np.zeros(len(scores))
        if self.smoothing:
            merits = smoothed(ends, scores, *self.smoothing)
            merits = merits - merits[_interval_of(ends, 0.0)]
            merits[merits < 1e-12] = 0.0  # sums differ by rounding
        elif objective.plateau and not scores.any():
            second = objective.plateau.scores(rows)
        left, right = ends[:-1], ends[1:]
        elsewhere = (left > 0) | (right < 0)
        order = np.lexsort([np.maximum(left, -right), left - right, elsewhere, -second, -merits])
        for place in order[:TRIES]:
            interval = Interval(float(scores[place]), float(left[place]), float(right[place]), rows[place], scale)
            yield (float(merits[place]), float(second[place])), interval


def _agree(row: NDArray[Any], other: NDArray[Any]) -> bool:
    if row.dtype == np.int64:
        return bool((row == other).all())
    return bool(np.allclose(row, other, rtol=1e-9, atol=1e-12))


def _interval_of(ends: NDArray[np.float64], x: float) -> int:
    return min(max(int(np.searchsorted(ends, x, side="right")) - 1, 0), len(ends) - 2)


def smoothed(ends: NDArray[np.float64], scores: NDArray[np.float64], how: str, width: int) -> NDArray[np.float64]:
    """The scores of intervals with those of `width` neighbours on each side: the least, or the mean weighted by lengths.

    An endless interval counts as long as the longest other one.

    >>> smoothed(np.array([-np.inf, 0.0, 1.0, 4.0, np.inf]), np.array([0.0, 1.0, 0.5, 0.25]), "min", 1)
    array([0.  , 0.  , 0.25, 0.25])
    >>> smoothed(np.array([-np.inf, 0.0, 1.0, 4.0, np.inf]), np.array([0.0, 1.0, 0.5, 0.25]), "average", 1)
    array([0.25      , 0.35714286, 0.46428571, 0.375     ])
    """
    count = len(scores)
    if how == "min":
        padded = np.concatenate([np.full(width, inf), scores, np.full(width, inf)])
        least: NDArray[np.float64] = np.min([padded[shift : shift + count] for shift in range(2 * width + 1)], axis=0)
        return least
    lengths = np.diff(ends)
    finite = np.isfinite(lengths)
    lengths = np.where(finite, lengths, lengths[finite].max(initial=0.0) or 1.0)
    lengths = lengths / lengths.max()
    sums = np.zeros(count)
    weights = np.zeros(count)
    for shift in range(-width, width + 1):
        here = slice(max(0, -shift), max(0, count - max(0, shift)))
        there = slice(max(0, shift), max(0, count + min(0, shift)))
        sums[here] += (lengths * scores)[there]
        weights[here] += lengths[there]
    result: NDArray[np.float64] = sums / weights
    return result
