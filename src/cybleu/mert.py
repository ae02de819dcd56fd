"""Minimum error rate training: the weights of a linear model that score best on n-best lists (Och 2003).

Along a line through the space of weights the score of a corpus changes only where the best hypothesis of a segment does, so
:func:`line_search` finds the optimum on a line exactly. :func:`tune` climbs along the axes from many starts.

The best hypothesis of a segment is the one with the highest sum of weight * feature, summed in float64 from the first
feature on; of equal ones the first. A segment without hypotheses contributes nothing. A score counts only as the score of
weights: what a search predicts is computed again from the weights before it is returned.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import inf, sqrt
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from . import _backend
from ._arrays import in_place, np
from ._objective import Objective, weights_of
from ._parallel import PIECE, run
from .errors import (
    ArrayTypeError,
    ArrayValueError,
    EmptyCorpusError,
    FeatureError,
    InputFileError,
    WeightsError,
)
from .nbest import NBest
from .rank_tuning import Mira, kbmira, pro_pairs
from .textfiles import Lines

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._objective import Metric, Weights

__all__ = [
    "CrossValidation",
    "LineSearch",
    "Mira",
    "Move",
    "Restart",
    "Tuning",
    "cross_validate",
    "kbmira",
    "line_search",
    "pro_pairs",
    "random_search",
    "tune",
]

# Intervals that are tried when rounding keeps weights from reaching what was predicted.
TRIES = 64

NO_GAIN = (0.0, 0.0)


# ------------------------------------------------------------------------------------------------------------ results


@dataclass(frozen=True)
class LineSearch:
    """The optimum on a line.

    :param step: where it is: its weights are weights + step * direction
    :param score: of those weights, computed from them
    :param stats: the sum of the statistics of the hypotheses that they choose
    :param left: where the interval begins that has these statistics, and `right` where it ends; nan where the best is the
        point 0 itself, at which hypotheses tie
    :param start_score: of the weights that the search began with, nan where 0 is out of its range
    :param weights: at the optimum, by name
    :param surface: on request the error surface: where each interval begins, and its score

    >>> nbest = NBest([0, 2], [[0.0, 2.0], [1.0, 0.0]], [[1.0], [0.0]], ["a", "b"])
    >>> found = line_search(nbest, [1.0, 0.0], "b")
    >>> found.step, found.left, found.right, found.weights
    (0.5625, 0.5, inf, {'a': 1.0, 'b': 0.5625})
    """

    step: float
    score: float
    stats: tuple[float, ...]
    left: float
    right: float
    start_score: float
    weights: dict[str, float]
    surface: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None

    def __str__(self) -> str:
        return (
            f"{self.score:.6g} at {self.step:.6g}, in {self.left:.6g} to {self.right:.6g}, from {self.start_score:.6g}"
        )


@dataclass(frozen=True)
class Move:
    """One step of a climb.

    :param direction: the name of a feature, for its axis; or a random direction, a number for each feature
    :param step: how far along it
    :param score: after it, on the scale of the metric

    >>> nbest = NBest([0, 2], [[0.0, 2.0], [1.0, 0.0]], [[1.0], [0.0]], ["a", "b"])
    >>> tune(nbest, [1.0, 0.0], restarts=0).history
    (Move(direction='a', step=-1.125, score=1.0),)
    """

    direction: str
    step: float
    score: float

    def __str__(self) -> str:
        return f"{self.score:.6f}  {self.direction} {self.step:+.6g}"


@dataclass(frozen=True)
class Restart:
    """A climb from one start.

    :param number: 0 is the start that was given
    :param start_score: of the weights at the start
    :param score: of the weights at the end
    :param weights: at the end, by name
    :param moves: from the start to the end
    :param line_searches: how many it took
    :param at_optimum: no point on any of the free axes scores more

    >>> nbest = NBest([0, 2], [[0.0, 2.0], [1.0, 0.0]], [[1.0], [0.0]], ["a", "b"])
    >>> restart = tune(nbest, [1.0, 0.0], restarts=0).restarts[0]
    >>> restart.number, restart.at_optimum
    (0, True)
    """

    number: int
    start_score: float
    score: float
    weights: dict[str, float]
    moves: tuple[Move, ...]
    line_searches: int
    at_optimum: bool

    def __str__(self) -> str:
        return (
            f"{self.number:3} {self.start_score:.6f} -> {self.score:.6f}, {len(self.moves)} moves, "
            f"{self.line_searches} line searches"
        )


@dataclass(frozen=True)
class Tuning:
    """The result of :func:`tune`.

    :param weights: by name
    :param score: of these weights; that of the start is `start_score`
    :param stats: the sum of the statistics of the chosen hypotheses
    :param chosen: for each segment the index of its best hypothesis in the input, -1 where there is none
    :param restarts: the ends of all climbs, the first from the given start
    :param best: the number of the climb whose end this is
    :param metric: its name

    >>> nbest = NBest([0, 2, 2], [[0.0, 2.0], [1.0, 0.0]], [[1.0], [0.0]], ["a", "b"])
    >>> result = tune(nbest, [1.0, 0.0], restarts=0)
    >>> result.score, result.start_score, result.chosen
    (1.0, 0.0, array([ 0, -1]))
    """

    weights: dict[str, float]
    score: float
    start_score: float
    stats: tuple[float, ...]
    chosen: NDArray[np.int64]
    restarts: tuple[Restart, ...]
    best: int
    metric: str

    @property
    def history(self) -> tuple[Move, ...]:
        """The moves of the climb that ended here."""
        return self.restarts[self.best].moves

    @property
    def line_searches(self) -> int:
        """Of all climbs."""
        return sum(restart.line_searches for restart in self.restarts)

    def __str__(self) -> str:
        lines = [f"{name} {weight!r}" for name, weight in self.weights.items()]
        return "\n".join([f"{self.metric} {self.start_score:.6f} -> {self.score:.6f}", *lines])


@dataclass(frozen=True)
class CrossValidation:
    """Scores of segments that took no part in tuning.

    :param score: of all segments, each chosen by the weights tuned without its fold
    :param start_score: of all segments by the start weights
    :param folds: for each fold the tuning on the others
    :param held_out: for each fold its score by those weights

    >>> nbest = NBest([0, 2, 4], [[0.0], [1.0], [0.0], [2.0]], [[0.0], [1.0], [0.0], [1.0]], ["lm"])
    >>> validated = cross_validate(nbest, folds=[0, 1], start=[-1.0], restarts=0)
    >>> validated.score, validated.start_score, validated.held_out
    (2.0, 0.0, (1.0, 1.0))
    """

    score: float
    start_score: float
    folds: tuple[Tuning, ...]
    held_out: tuple[float, ...]

    def __str__(self) -> str:
        rows = [f"tuned {tuning.score:.6f}, held out {score:.6f}" for tuning, score in zip(self.folds, self.held_out)]
        return "\n".join([f"{self.start_score:.6f} -> {self.score:.6f}", *rows])


# ------------------------------------------------------------------------------------------------------- points and lines


@dataclass(frozen=True, eq=False)
class _Point:
    """Weights, the value of each hypothesis by them, the best of each segment, and what those are worth."""

    weights: NDArray[np.float64]
    values: NDArray[np.float64]
    chosen: NDArray[np.int64]
    row: NDArray[Any]
    merit: tuple[float, float]


@dataclass(frozen=True, eq=False)
class _Line:
    """A direction, the slopes of the hypotheses along it, their order, and the range of steps.

    :param axis: the feature that alone changes, or -1
    """

    direction: NDArray[np.float64]
    slope: NDArray[np.float64]
    order: NDArray[np.int32]
    lower: float
    upper: float
    axis: int


_Values = tuple[bytes, "NDArray[np.float64]", "NDArray[np.int64]"]


class _Lists:
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
        self.last: _Values | None = None
        self._lock = threading.RLock()  # a signal handler may search, too

    def order(self, axis: int) -> NDArray[np.int32]:
        with self._lock:
            if axis not in self._orders:
                self._orders[axis] = self.sorted(self.columns[axis])
            return self._orders[axis]

    def sorted(self, slope: NDArray[np.float64]) -> NDArray[np.int32]:
        order = np.empty(len(slope), dtype=np.int32)
        _backend.sort_lines(slope, self.offsets, order)
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


_known: WeakKeyDictionary[NBest, _Lists] = WeakKeyDictionary()


class _Problem:
    """N-best lists with a metric."""

    def __init__(self, nbest: NBest, metric: Metric):
        lists = _known.get(nbest)
        if lists is None:
            lists = _known.setdefault(nbest, _Lists(nbest))
        self.lists = lists
        self.objective = Objective(nbest, metric)

    def point(self, weights: NDArray[np.float64], remembered: bool = False) -> _Point:
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
        return _Point(weights, values, chosen, row, self.objective.merit(row))

    def _values(self, weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        lists = self.lists
        values = np.empty(lists.columns.shape[1])
        chosen = np.empty((1, len(lists.segments)), dtype=np.int64)
        _backend.winners(lists.columns, lists.offsets, weights.reshape(1, -1), chosen, values)
        if not np.isfinite(values).all():
            raise WeightsError(f"these weights times the features are more than a float can hold: {weights.tolist()}")
        return values, chosen[0]

    def moved(self, point: _Point, line: _Line, step: float, weights: NDArray[np.float64]) -> _Point:
        """The point of weights on a line, without the values: most hypotheses are clearly not the best, and are left alone.

        Each value is a sum of products: rounding moves it by less than one part in 2 ** 53 for each operation, of the
        largest that it can be.
        """
        largest = np.abs(point.weights) + np.abs(step * line.direction)
        operations = 4 * (len(weights) + 4)
        chosen = np.empty(len(self.lists.segments), dtype=np.int64)
        _backend.winners_near(
            self.lists.columns,
            self.lists.offsets,
            weights,
            point.values,
            line.slope,
            step,
            operations * 2.0**-53 * (largest @ self.lists.extents()) + 2.0**-1000,
            chosen,
        )
        row = self.objective.stats[chosen].sum(axis=0)
        return _Point(weights, point.values[:0], chosen, row, self.objective.merit(row))

    def axis(self, axis: int, lower: float, upper: float) -> _Line:
        direction = np.zeros(len(self.lists.columns))
        direction[axis] = 1.0
        return _Line(direction, self.lists.columns[axis], self.lists.order(axis), lower, upper, axis)

    def line(self, direction: NDArray[np.float64], lower: float, upper: float) -> _Line:
        used = np.flatnonzero(direction)
        if len(used) == 1 and direction[used[0]] == 1.0:
            return self.axis(int(used[0]), lower, upper)
        slope = np.zeros(self.lists.columns.shape[1])
        with np.errstate(over="ignore", invalid="ignore"):
            for feature in used:
                slope += direction[feature] * self.lists.columns[feature]
        if not np.isfinite(slope).all():
            raise WeightsError(f"the direction times the features is more than a float can hold: {direction.tolist()}")
        return _Line(direction, slope, self.lists.sorted(slope), lower, upper, int(used[0]) if len(used) == 1 else -1)

    def surface(self, point: _Point, line: _Line) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """The ends of the intervals, and their sums of statistics."""
        xs, rows = _backend.surface(
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

    def best_interval(self, point: _Point, line: _Line, objective: Objective) -> _Interval:
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
        found = _backend.best_interval(*arguments, objective.definition, row)
        if found is None:
            found = _backend.any_best_interval(*arguments, objective.general, row)
        assert found is not None
        score, left, right, first, last = found
        return _Interval(score, left, right, row, max(abs(first), abs(last)) or self.scale(point, line))

    def scale(self, point: _Point, line: _Line) -> float:
        """How far away a threshold might be, of a line that has none but 0."""
        values, slopes = (
            float((np.maximum.reduceat(array, begins) - np.minimum.reduceat(array, begins)).max())
            for begins in [self.lists.offsets[:-1]]
            for array in (point.values, line.slope)
        )
        return (values or 1.0) / (slopes or 1.0)


@dataclass(frozen=True, eq=False)
class _Interval:
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
class _Reached:
    point: _Point
    step: float
    left: float
    right: float


class _Search:
    """Looks for the best point on a line from a point on it.

    :param goes_on: whether there will be searches from the point found
    """

    def __init__(self, problem: _Problem, smoothing: tuple[str, int] | None, low: Any, high: Any, goes_on: bool):
        self.problem = problem
        self.goes_on = goes_on
        self.smoothing = smoothing
        self.low, self.high = low, high

    def first(self, point: _Point, line: _Line) -> tuple[tuple[float, float], _Interval]:
        """The best interval and its merit, which with smoothing is the gain in the smoothed score."""
        objective = self.problem.objective
        if objective.definition is None or self.smoothing:
            return next(self._ranked(point, line))
        interval = self.problem.best_interval(point, line, objective)
        if interval.score > 0 or objective.plateau is None:
            return (interval.score, 0.0), interval
        interval = self.problem.best_interval(point, line, objective.plateau)
        return (0.0, interval.score), interval

    def gain(self, point: _Point, merit: tuple[float, float]) -> tuple[float, float]:
        if self.smoothing:
            return merit
        return merit[0] - point.merit[0], merit[1] - point.merit[1]

    def best(
        self, point: _Point, line: _Line, first: tuple[tuple[float, float], _Interval] | None = None
    ) -> _Reached | None:
        """The best point on the line by weights that were tried: the point itself where none is better.

        None where the point is not in the range of the line and no other can be reached, or where hypotheses tie at the
        point and none is better.
        """
        own = point.merit if line.lower <= 0 <= line.upper and point.weights.any() else (-inf, -inf)
        found: _Reached | None = None
        for merit, interval in chain([first or self.first(point, line)], self._ranked(point, line)):
            if self.smoothing:
                if merit <= NO_GAIN:
                    break
            elif merit <= (found.point.merit if found else own):
                if found is None and interval.left <= 0 <= interval.right and _agree(point.row, interval.row):
                    return _Reached(point, 0.0, interval.left, interval.right)
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

    def _reach(self, point: _Point, line: _Line, interval: _Interval, step: float) -> _Reached | None:
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
        return _Reached(reached, step, interval.left, interval.right)

    def _ranked(self, point: _Point, line: _Line) -> Iterator[tuple[tuple[float, float], _Interval]]:
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
            interval = _Interval(float(scores[place]), float(left[place]), float(right[place]), rows[place], scale)
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
    """The best point on the line of weights + x * direction, for x from `lower` to `upper`.

    Among equal scores it stays at 0, else it takes the interval that holds 0, else the widest, else the nearest to 0; there it
    goes to the middle, or beyond the last threshold by an eighth of the largest one. Points at which hypotheses tie, the
    thresholds themselves, are not searched, except 0.

    :param nbest: a list of which at least one segment has a hypothesis
    :param weights: by name, or one for each feature
    :param direction: the name of a feature; or a vector, like weights
    :param lower: the first x, which may be -inf
    :param upper: the last x, which may be inf
    :param metric: a name in :data:`cybleu.variants.VARIANTS` or a variant, scored as a corpus; or a function of the sum of the
        statistics. By default `nbest.score`, else the sum of a single float column, else ``moses``: BLEU from 0 to 1
    :param surface: also give the error surface
    :raises CybleuError: of the kind that fits: no hypothesis at all, weights that are not finite or do not fit

    >>> nbest = NBest([0, 2, 4], [[0.0, 2.0], [1.0, 0.0], [0.0, 0.0], [3.0, 1.0]], [[1.0], [0.0], [0.0], [1.0]], ["a", "b"])
    >>> print(line_search(nbest, {"a": 1.0, "b": 0.0}, "b"))
    2 at 0.875, in 0.5 to inf, from 1
    """
    problem = _Problem(nbest, metric)
    vector = weights_of(nbest.names, weights, "weights")
    if isinstance(direction, str):
        if direction not in nbest.names:
            raise FeatureError(f"there is no feature {direction!r}; there are {', '.join(nbest.names)}")
        towards = np.zeros(len(vector))
        towards[nbest.names.index(direction)] = 1.0
    else:
        towards = weights_of(nbest.names, direction, "direction")
    lower, upper = float(lower), float(upper)
    if not lower <= upper or lower == inf or upper == -inf:
        raise WeightsError(f"the range of steps is from {lower} to {upper}; the first must not be above the second")
    start = problem.point(vector, remembered=True)
    found: _Reached | None = None
    on_request = None
    if lower < upper:
        line = problem.line(towards, lower, upper)
        found = _Search(problem, None, -inf, inf, False).best(start, line)
        if surface:
            ends, rows = problem.surface(start, line)
            on_request = ends[:-1], problem.objective.scores(rows)
    if found is None:
        step = min(max(0.0, lower), upper)
        found = _Reached(problem.point(vector + step * towards) if step else start, step, np.nan, np.nan)
    return LineSearch(
        step=found.step,
        score=found.point.merit[0],
        stats=tuple(nbest.stats[found.point.chosen].sum(axis=0).tolist()),
        left=found.left,
        right=found.right,
        start_score=start.merit[0] if lower <= 0 <= upper else np.nan,
        weights=_named(nbest, found.point.weights),
        surface=on_request,
    )


# ----------------------------------------------------------------------------------------------------------------- tune


def tune(
    nbest: NBest,
    start: Weights | None = None,
    restarts: int = 20,
    directions: str | int = "axes",
    bounds: Mapping[str, tuple[float, float]] | None = None,
    fixed: Mapping[str, float] | Collection[str] = (),
    smoothing: tuple[str, int] | None = None,
    metric: Metric = None,
    seed: int = 0,
    threads: int | None = None,
    progress: bool = False,
    *,
    trace: Callable[[Restart], Any] | None = None,
) -> Tuning:
    """The weights that score best, by climbing along the axes from the start and from random weights.

    A climb searches all directions exactly, moves to the best point of them, and goes on until no direction has a better
    one. The same seed gives the same result, whatever the number of threads.

    :param nbest: a list of which at least one segment has a hypothesis
    :param start: by name, or one for each feature; by default all are 1
    :param restarts: climbs from random weights, after the one from the start. They are drawn uniformly between the bounds;
        where there is none, up to the largest absolute weight of the start
    :param directions: ``axes``, or how many random directions to search beside the axes each time
    :param bounds: the smallest and the largest weight of a feature; either may be infinite
    :param fixed: features whose weights stay as in the start, or by name what they are
    :param smoothing: ``("min", width)`` or ``("average", width)``: judge an interval by its `width` neighbours on each side
        too, for weights that hold on other text (Cer, Jurafsky and Manning 2008)
    :param metric: as for :func:`line_search`
    :param seed: a whole number from 0
    :param threads: climbs at the same time; None is one
    :param progress: show a progress bar (needs tqdm)
    :param trace: called with each climb when it ends
    :raises CybleuError: of the kind that fits: no hypothesis at all, all weights 0, a start out of its bounds

    >>> nbest = NBest([0, 2, 4], [[0.0, 2.0], [1.0, 0.0], [0.0, 0.0], [3.0, 1.0]], [[1.0], [0.0], [0.0], [1.0]], ["a", "b"])
    >>> print(tune(nbest, {"a": 1.0, "b": 0.0}, restarts=1))
    sum 1.000000 -> 2.000000
    a 1.0
    b 0.875
    """
    problem = _Problem(nbest, metric)
    low, high, free, vector = checked_space(nbest.names, start, bounds, fixed)
    if type(restarts) is not int or restarts < 0:
        raise WeightsError(f"restarts is {restarts!r}; it must be a whole number from 0")
    if type(seed) is not int or seed < 0:
        raise WeightsError(f"seed is {seed!r}; it must be a whole number from 0")
    extra = 0 if directions == "axes" else directions
    if type(extra) is not int or extra < 0:
        raise WeightsError(f"directions is {directions!r}; it must be 'axes' or a number of random directions")
    if smoothing is not None:
        how, width = smoothing
        if how not in ("min", "average") or type(width) is not int or width < 0:
            raise WeightsError(f"smoothing is {smoothing!r}; it must be ('min', width) or ('average', width)")
    axes = [int(axis) for axis in np.flatnonzero(free & (low < high)) if problem.lists.varies(int(axis))]
    climb = _Climb(problem, nbest.names, axes, extra if axes else 0, smoothing, low, high)
    reach = float(np.abs(vector).max())
    ends: list[tuple[Restart, _Point] | None] = [None] * (restarts + 1)

    def work(first: int, last: int) -> None:
        for number in range(first, last):
            generator = np.random.default_rng([seed, number])
            weights = vector if number == 0 else _random_weights(generator, vector, free, low, high, reach)
            ends[number] = end = climb(number, weights, generator)
            if trace:
                trace(end[0])

    # The orders are made before the threads start; one climb is one piece of work.
    run(work, restarts + 1, PIECE * (restarts + 1), threads, progress, "climbs")
    climbs = [end for end in ends if end is not None]
    best = max(range(len(climbs)), key=lambda number: climbs[number][1].merit)
    point = climbs[best][1]
    chosen = np.full(len(nbest), -1, dtype=np.int64)
    chosen[problem.lists.segments] = nbest.index[point.chosen]
    return Tuning(
        weights=_named(nbest, point.weights),
        score=point.merit[0],
        start_score=climbs[0][0].start_score,
        stats=tuple(nbest.stats[point.chosen].sum(axis=0).tolist()),
        chosen=chosen,
        restarts=tuple(restart for restart, _ in climbs),
        best=best,
        metric=problem.objective.name,
    )


@dataclass(frozen=True, eq=False)
class _Climb:
    problem: _Problem
    names: tuple[str, ...]
    axes: list[int]
    extra: int
    smoothing: tuple[str, int] | None
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def __call__(
        self, number: int, weights: NDArray[np.float64], generator: np.random.Generator
    ) -> tuple[Restart, _Point]:
        search = _Search(self.problem, self.smoothing, self.low, self.high, True)
        start = point = self.problem.point(weights)
        moves: list[Move] = []
        searches = 0
        at_optimum = False
        gains = [(inf, 0.0)] * (len(self.axes) + self.extra)
        # A smoothed score is of a line, and can rise for ever from line to line.
        while self.smoothing is None or len(moves) < 10 * len(weights):
            searches, found = self._next(search, point, gains, generator, searches)
            if found is None:
                at_optimum = True
                break
            line, reached = found
            point = reached.point
            name = self.names[line.axis] if line.axis >= 0 else "random"
            moves.append(Move(name, reached.step, point.merit[0]))
        restart = Restart(
            number=number,
            start_score=start.merit[0],
            score=point.merit[0],
            weights=dict(zip(self.names, point.weights.tolist())),
            moves=tuple(moves),
            line_searches=searches,
            at_optimum=at_optimum,
        )
        return restart, point

    def _next(
        self,
        search: _Search,
        point: _Point,
        gains: list[tuple[float, float]],
        generator: np.random.Generator,
        searches: int,
    ) -> tuple[int, tuple[_Line, _Reached] | None]:
        """The best move from the point, None where no line has one; and the number of line searches so far.

        What a line gained when it was searched last, from another point, says which lines to search first. Those that
        promise less than the best of the others has are left for later; all are searched before there is no move.
        """
        fresh: dict[int, tuple[_Line, tuple[tuple[float, float], _Interval]] | None] = {}
        gains[len(self.axes) :] = [(inf, 0.0)] * self.extra
        while True:
            place = max(range(len(gains)), key=lambda place: (gains[place], place in fresh, -place), default=-1)
            if place in fresh and gains[place] <= NO_GAIN:
                place = next((place for place in range(len(gains)) if place not in fresh), -1)
            if place < 0:
                return searches, None
            if searched := fresh.get(place):
                line, first = searched
                reached = search.best(point, line, first)
                gains[place] = NO_GAIN
                if reached is not None and reached.point is not point:
                    return searches, (line, reached)
                continue
            line = self._line(place, point, generator)
            if not line.lower < line.upper:
                fresh[place], gains[place] = None, NO_GAIN
                continue
            searches += 1
            first = search.first(point, line)
            fresh[place] = line, first
            gains[place] = search.gain(point, first[0])

    def _line(self, place: int, point: _Point, generator: np.random.Generator) -> _Line:
        """An axis, or a random direction."""
        below, above = self.low - point.weights, self.high - point.weights
        if place < len(self.axes):
            axis = self.axes[place]
            return self.problem.axis(axis, float(below[axis]), float(above[axis]))
        direction = np.zeros(len(below))
        direction[self.axes] = generator.standard_normal(len(self.axes))
        moving = np.flatnonzero(direction)
        ends = np.array([below[moving], above[moving]]) / direction[moving]
        return self.problem.line(direction, float(ends.min(axis=0).max()), float(ends.max(axis=0).min()))


def _random_weights(
    generator: np.random.Generator, vector: Any, free: Any, low: Any, high: Any, reach: float
) -> NDArray[np.float64]:
    bottom = np.where(np.isfinite(low), low, np.minimum(-reach, high - reach))
    top = np.where(np.isfinite(high), high, np.maximum(reach, low + reach))
    drawn = bottom + generator.random(len(vector)) * (top - bottom)
    weights: NDArray[np.float64] = np.where(free, np.minimum(np.maximum(drawn, low), high), vector)
    return weights if weights.any() else vector


def checked_space(
    names: Sequence[str],
    start: Weights | None,
    bounds: Mapping[str, tuple[float, float]] | None,
    fixed: Mapping[str, float] | Collection[str],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64]]:
    """The smallest and the largest weights, which of them are free, and the start."""
    low, high = np.full(len(names), -inf), np.full(len(names), inf)
    vector = np.ones(len(names)) if start is None else weights_of(names, start, "start")
    free = np.ones(len(names), dtype=bool)
    for name in [*(bounds or {}), *([fixed] if isinstance(fixed, str) else fixed)]:
        if name not in names:
            raise FeatureError(f"there is no feature {name!r}; there are {', '.join(names)}")
    for name, (smallest, largest) in (bounds or {}).items():
        place = names.index(name)
        low[place], high[place] = smallest, largest
        if not smallest <= largest or smallest == inf or largest == -inf:
            raise WeightsError(
                f"the bounds of {name!r} are {smallest} and {largest}; the first must not be above the second"
            )
        if start is None:
            vector[place] = min(max(1.0, smallest), largest)
    for name in [fixed] if isinstance(fixed, str) else fixed:
        place = names.index(name)
        if isinstance(fixed, Mapping):
            vector[place] = float(fixed[name])
        free[place] = False
    for name, weight, smallest, largest in zip(names, vector, low, high):
        if not np.isfinite(weight):
            raise WeightsError(f"the weight of {name!r} is {weight}; it must be finite")
        if not smallest <= weight <= largest:
            raise WeightsError(f"the start weight of {name!r} is {weight}, out of its bounds {smallest} to {largest}")
    if not vector.any():
        raise WeightsError("all start weights are 0, by which all hypotheses are equal; give at least one that is not")
    low[~free] = high[~free] = vector[~free]
    return low, high, free, vector


def _named(nbest: NBest, weights: NDArray[np.float64]) -> dict[str, float]:
    return dict(zip(nbest.names, weights.tolist()))


# ------------------------------------------------------------------------------------------ many weights; held-out folds


def random_search(
    nbest: NBest, weights: Any, metric: Metric = None, threads: int | None = None, progress: bool = False
) -> NDArray[np.float64]:
    """The score of each of many weight vectors, in one pass over the hypotheses.

    :param nbest: a list of which at least one segment has a hypothesis
    :param weights: finite numbers `(R, F)`
    :param metric: as for :func:`line_search`
    :param threads: that work at the same time; None is one
    :param progress: show a progress bar (needs tqdm)
    :return: float64 `(R,)`, on the scale of the metric
    :raises CybleuError: of the kind that fits: no hypothesis at all, weights that are not finite or do not fit

    >>> nbest = NBest([0, 2, 4], [[0.0, 2.0], [1.0, 0.0], [0.0, 0.0], [3.0, 1.0]], [[1.0], [0.0], [0.0], [1.0]])
    >>> random_search(nbest, [[1.0, 0.0], [1.0, 1.0]])
    array([1., 2.])
    """
    problem = _Problem(nbest, metric)
    vectors = in_place(np.asarray(weights), np.float64)
    if vectors.ndim != 2 or vectors.shape[1] != len(nbest.names):
        raise ArrayTypeError(
            f"weights has the shape {vectors.shape}; it must have a row of {len(nbest.names)} numbers for each vector"
        )
    if not np.isfinite(vectors).all():
        place = int(np.isfinite(vectors).all(axis=1).argmin())
        raise WeightsError(f"weights[{place}] holds numbers that are not finite: {vectors[place].tolist()}")
    rows = np.empty((len(vectors), problem.objective.stats.shape[1]), dtype=problem.objective.stats.dtype)

    def work(first: int, last: int) -> None:
        for begin in range(first, last, 64):
            block = vectors[begin : min(begin + 64, last)]
            chosen = np.empty((len(block), len(problem.lists.segments)), dtype=np.int64)
            _backend.winners(problem.lists.columns, problem.lists.offsets, block, chosen)
            for place, best in enumerate(chosen):
                rows[begin + place] = problem.objective.stats[best].sum(axis=0)

    run(work, len(vectors), vectors.size * len(nbest.features) // 8, threads, progress, "weights")
    return problem.objective.scores(rows)


def random_weights(
    names: Sequence[str],
    count: int,
    bounds: Mapping[str, tuple[float, float]],
    first: Weights | None,
    seed: int,
) -> NDArray[np.float64]:
    """Weights drawn evenly between bounds, by default from -1 to 1, after the first, which may be given."""
    low, high, _, _ = checked_space(names, None, bounds, ())
    low = np.where(np.isfinite(low), low, np.minimum(-1.0, high - 1.0))
    high = np.where(np.isfinite(high), high, np.maximum(1.0, low + 1.0))
    vectors = low + np.random.default_rng([seed]).random((count, len(names))) * (high - low)
    if first is not None:
        vectors[0] = weights_of(names, first, "start")
    return vectors


def read_table(path: str, names: Sequence[str]) -> NDArray[np.float64]:
    """Weight vectors from a file with a line of numbers for each.

    :raises InputFileError: a line is not such; the message names file and line
    """
    rows = []
    with Lines(path) as file:
        for number, line in enumerate(file, 1):
            try:
                row = [float(word) for word in line.split()]
            except ValueError:
                row = []
            if len(row) != len(names):
                raise InputFileError(f"{path}, line {number}: there must be {len(names)} numbers, one for each feature")
            rows.append(row)
    if not rows:
        raise InputFileError(f"{path} has no line of weights")
    return np.array(rows)


def cross_validate(
    nbest: NBest, folds: int | Sequence[int] = 5, *, metric: Metric = None, seed: int = 0, **options: Any
) -> CrossValidation:
    """Tune without each fold of the segments in turn, and score the fold by the weights found.

    :param nbest: a list of which at least one segment has a hypothesis
    :param folds: how many, into which segments are drawn by the seed; or for each segment the number of its fold
    :param metric: as for :func:`line_search`
    :param seed: of the folds and of :func:`tune`
    :param options: of :func:`tune`
    :raises CybleuError: of the kind that fits: fewer than two folds, or more than there are segments

    >>> nbest = NBest([0, 2, 4], [[0.0], [1.0], [0.0], [2.0]], [[0.0], [1.0], [0.0], [1.0]], ["lm"])
    >>> print(cross_validate(nbest, folds=2, start=[-1.0], restarts=0))
    0.000000 -> 2.000000
    tuned 1.000000, held out 1.000000
    tuned 1.000000, held out 1.000000
    """
    numbers = _fold_of_segments(nbest, folds, seed)
    tunings, held_out = [], []
    row: Any = 0
    start_row: Any = 0
    start = checked_space(nbest.names, options.get("start"), options.get("bounds"), options.get("fixed", ()))[3]
    for fold in range(int(numbers.max()) + 1):
        tuning = tune(_part(nbest, np.flatnonzero(numbers != fold)), metric=metric, seed=seed, **options)
        rest = _Problem(_part(nbest, np.flatnonzero(numbers == fold)), metric)
        point = rest.point(weights_of(nbest.names, tuning.weights, "weights"))
        tunings.append(tuning)
        held_out.append(point.merit[0])
        row = row + point.row
        start_row = start_row + rest.point(start).row
    objective = Objective(nbest, metric)
    return CrossValidation(objective.score(row), objective.score(start_row), tuple(tunings), tuple(held_out))


def _fold_of_segments(nbest: NBest, folds: int | Sequence[int], seed: int) -> NDArray[np.int64]:
    present = np.flatnonzero(np.diff(nbest.offsets) > 0)
    if isinstance(folds, int):
        if not 2 <= folds <= len(present):
            raise ArrayValueError(f"folds is {folds}; it must be from 2 to the number of segments, {len(present)}")
        numbers = np.zeros(len(nbest), dtype=np.int64)
        numbers[np.random.default_rng([seed]).permutation(present)] = np.arange(len(present)) % folds
        return numbers
    numbers = np.array(folds, dtype=np.int64)
    if numbers.shape != (len(nbest),):
        raise ArrayTypeError(f"folds has the shape {numbers.shape}; give a fold for each of the {len(nbest)} segments")
    used = set(numbers[present].tolist())
    if len(used) < 2 or used != set(range(max(used) + 1)):
        raise ArrayValueError(f"folds must be numbered from 0 without a gap, at least two; they are {sorted(used)}")
    return numbers


def _part(nbest: NBest, segments: NDArray[np.int64]) -> NBest:
    sizes = np.diff(nbest.offsets)[segments]
    rows = np.concatenate([np.arange(*nbest.offsets[segment : segment + 2]) for segment in segments])
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return NBest(offsets, nbest.features[rows], nbest.stats[rows], nbest.names, score=nbest.score)
