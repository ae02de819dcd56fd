"""N-best lists with an objective: the point of some weights, lines through it, and the intervals of a line."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from math import frexp, inf, ldexp, sqrt
from sys import float_info
from typing import TYPE_CHECKING, Any

from .. import _backend
from .._runtime.arrays import np
from ..errors import EmptyCorpusError, FeatureError, WeightsError
from ..metrics.formula import surface
from .objective import Objective

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..nbest import NBest
    from .objective import Metric

# ------------------------------------------------------------------------------------------------------- points and lines


@dataclass(frozen=True, eq=False)
class Point:
    """Weights, the value of each hypothesis by them, the best of each segment, and what those are worth.

    :ivar errors: for each segment by how much the values may be off at most, None where they are exact. The rest always is.
    """

    weights: NDArray[np.float64]
    values: NDArray[np.float64]
    chosen: NDArray[np.int64]
    row: NDArray[Any]
    merit: tuple[float, float]
    errors: NDArray[np.float64] | None = None


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


Known = tuple[bytes, "NDArray[np.float64]", "NDArray[np.int64]"]


class FeatureColumns:
    """What does not depend on weights or metric: features by columns, and the order of the hypotheses along each axis."""

    def __init__(self, nbest: NBest):
        present = np.diff(nbest.offsets) > 0
        if not present.any():
            raise EmptyCorpusError("no segment has a hypothesis, so there is nothing to search")
        if nbest.features.shape[1] == 0:
            raise FeatureError("the hypotheses have no features, so there is nothing to weigh")
        self.segments = np.flatnonzero(present)
        self.offsets = np.append(nbest.offsets[:-1][present], nbest.offsets[-1])
        self.values = np.ascontiguousarray(nbest.features.T)
        self._orders: dict[int, NDArray[np.int32]] = {}
        self._extents: NDArray[np.float64] | None = None
        self._scales: NDArray[np.float64] | None = None
        self.last: Known | None = None
        self._lock = threading.RLock()  # a signal handler may search, too

    def order(self, axis: int) -> NDArray[np.int32]:
        with self._lock:
            if axis not in self._orders:
                self._orders[axis] = self.sorted(self.values[axis])
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
                self._extents = np.array([np.maximum.reduceat(np.abs(column), begins) for column in self.values])
            return self._extents

    def scales(self) -> NDArray[np.float64]:
        """By how much to change a weight, so that values change as much for each feature, up to a power of 2.

        That is 1 over the standard deviation of the feature within segments. A power of 2 hides how a sum is rounded.
        """
        with self._lock:
            if self._scales is None:
                self._scales = np.array([self._scale_of(column) for column in self.values])
            return self._scales

    def _scale_of(self, column: NDArray[np.float64]) -> float:
        sizes = np.diff(self.offsets)
        largest = float(np.abs(column).max()) or 1.0
        shares = column / largest  # whose squares are no more than a float holds
        means = np.add.reduceat(shares, self.offsets[:-1]) / sizes
        deviation = sqrt(float(np.square(shares - np.repeat(means, sizes)).mean()))
        if deviation < 1e-12:  # of rounding
            return 1.0
        exponent = frexp(deviation)[1] + frexp(largest)[1]
        return ldexp(1.0, min(max(1 - exponent, -1000), 1000))

    def varies(self, axis: int) -> bool:
        """Whether the feature differs within a segment; otherwise its weight changes nothing."""
        column, order = self.values[axis], self.order(axis)
        first, last = self.offsets[:-1], self.offsets[1:]
        return bool((column[first + order[first]] != column[first + order[last - 1]]).any())


class Problem:
    """N-best lists with a metric."""

    def __init__(self, nbest: NBest, metric: Metric):
        derived = nbest._derived
        self.columns: FeatureColumns = derived.get("columns") or derived.setdefault("columns", FeatureColumns(nbest))
        self.objective = Objective(nbest, metric)

    def point(self, weights: NDArray[np.float64], remembered: bool = False) -> Point:
        """The point of these weights.

        :param remembered: many directions are searched from one point: keep its values for the next call
        """
        lists = self.columns
        last = lists.last  # another thread may replace it
        if remembered and last is not None and last[0] == weights.tobytes():
            _, values, chosen = last
        else:
            values, chosen = self.values_of(weights)
            if remembered:
                lists.last = weights.tobytes(), values, chosen
        row = self.objective.sum_of(chosen)
        return Point(weights, values, chosen, row, self.objective.merit(row))

    def values_of(self, weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The value of each hypothesis, and the best of each segment."""
        lists = self.columns
        values = np.empty(lists.values.shape[1])
        chosen = np.empty((1, len(lists.segments)), dtype=np.int64)
        _backend.chosen.winners(lists.values, lists.offsets, weights.reshape(1, -1), chosen, values)
        if not np.isfinite(values).all():
            raise WeightsError(f"these weights times the features are more than a float can hold: {weights.tolist()}")
        return values, chosen[0]

    def moved(
        self, point: Point, line: Line, step: float, weights: NDArray[np.float64], with_values: bool = False
    ) -> Point:
        """The point of weights on a line, without the values: most hypotheses are clearly not the best, and are left alone.

        Each value is a sum of products: rounding moves it by less than one part in 2 ** 53 for each operation, of the
        largest that it can be. Where that is finite, so are the values.

        :param with_values: with values that may be off by so much
        """
        operations = 4 * (len(weights) + 4)
        with np.errstate(over="ignore", invalid="ignore"):
            largest = np.abs(point.weights) + np.abs(step * line.direction)
            errors = operations * 2.0**-53 * (largest @ self.columns.extents()) + 2.0**-1000
            if point.errors is not None:
                errors += 1.01 * point.errors
        if not np.isfinite(errors).all():
            # what the other values are worth is not known, and they may be more than a float holds
            return self.point(weights)
        chosen = np.empty(len(self.columns.segments), dtype=np.int64)
        _backend.chosen.winners_near(
            self.columns.values,
            self.columns.offsets,
            weights,
            point.values,
            line.slope,
            step,
            errors,
            chosen,
        )
        row = self.objective.sum_of(chosen)
        merit = self.objective.merit(row)
        if not with_values:
            return Point(weights, point.values[:0], chosen, row, merit)
        values = line.slope * step
        values += point.values
        return Point(weights, values, chosen, row, merit, errors)

    def axis(self, axis: int, lower: float, upper: float) -> Line:
        direction = np.zeros(len(self.columns.values))
        direction[axis] = 1.0
        return Line(direction, self.columns.values[axis], self.columns.order(axis), lower, upper, axis)

    def line(self, direction: NDArray[np.float64], lower: float, upper: float) -> Line:
        used = np.flatnonzero(direction)
        if len(used) == 1 and direction[used[0]] == 1.0:
            return self.axis(int(used[0]), lower, upper)
        slope = np.zeros(self.columns.values.shape[1])
        with np.errstate(over="ignore", invalid="ignore"):
            for feature in used:
                slope += direction[feature] * self.columns.values[feature]
        if not np.isfinite(slope).all():
            raise WeightsError(f"the direction times the features is more than a float can hold: {direction.tolist()}")
        return Line(direction, slope, self.columns.sorted(slope), lower, upper, int(used[0]) if len(used) == 1 else -1)

    def surface(self, point: Point, line: Line) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """The ends of the intervals, and their sums of statistics."""
        xs, rows = surface(*self._line(point, line, self.objective), fits=self.objective.fits)
        return np.concatenate([[line.lower], xs, [line.upper]]), rows

    def best_interval(self, point: Point, line: Line, objective: Objective) -> Interval:
        """What the kernel finds without writing the surface down."""
        row = np.empty(objective.stats.shape[1], dtype=np.int64 if objective.fits else object)
        assert objective.formula is not None
        score, left, right, first, last = objective.formula.best_interval(*self._line(point, line, objective), row=row)
        return Interval(score, left, right, row, max(abs(first), abs(last)) or self.scale(point, line))

    def _line(self, point: Point, line: Line, objective: Objective) -> tuple[Any, ...]:
        """A line as the backend takes it."""
        lists = self.columns.offsets, point.chosen, objective.stats
        return point.values, line.slope, line.order, *lists, line.lower, line.upper

    def scale(self, point: Point, line: Line) -> float:
        """How far away a threshold might be, of a line that has none but 0."""
        begins = self.columns.offsets[:-1]
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
