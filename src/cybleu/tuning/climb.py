"""Minimum error rate training: the weights of a linear model that score best on n-best lists (Och 2003).

Along a line through the space of weights the score of a corpus changes only where the best hypothesis of a segment does, so
:func:`line_search` finds the optimum on a line exactly. :func:`tune` climbs along the axes from many starts.

The best hypothesis of a segment is the one with the highest sum of weight * feature, summed in float64 from the first
feature on; of equal ones the first. A segment without hypotheses contributes nothing. A score counts only as the score of
weights: what a search predicts is computed again from the weights before it is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

from .. import _backend
from .._runtime.arrays import in_place, np
from .line_search import NO_GAIN, Interval, Line, Point, Problem, Reached, Search
from .objective import Objective, weights_of
from .._runtime.parallel import PIECE, run
from ..errors import (
    ArrayTypeError,
    ArrayValueError,
    FeatureError,
    InputFileError,
    WeightsError,
)
from ..nbest.container import NBest
from .pairs import Mira, kbmira, pro_pairs
from .._files.text import Lines

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .objective import Metric, Weights

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


# ---------------------------------------------------------------------------------------------------------- line search


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
    :param metric: a name in :data:`cybleu.metrics.VARIANTS` or a variant, scored as a corpus; or a function of the sum of the
        statistics. By default `nbest.score`, else the sum of a single float column, else ``moses``: BLEU from 0 to 1
    :param surface: also give the error surface
    :raises CybleuError: of the kind that fits: no hypothesis at all, weights that are not finite or do not fit

    >>> nbest = NBest([0, 2, 4], [[0.0, 2.0], [1.0, 0.0], [0.0, 0.0], [3.0, 1.0]], [[1.0], [0.0], [0.0], [1.0]], ["a", "b"])
    >>> print(line_search(nbest, {"a": 1.0, "b": 0.0}, "b"))
    2 at 0.875, in 0.5 to inf, from 1
    """
    problem = Problem(nbest, metric)
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
    found: Reached | None = None
    on_request = None
    if lower < upper:
        line = problem.line(towards, lower, upper)
        found = Search(problem, None, -inf, inf, False).best(start, line)
        if surface:
            ends, rows = problem.surface(start, line)
            on_request = ends[:-1], problem.objective.scores(rows)
    if found is None:
        step = min(max(0.0, lower), upper)
        found = Reached(problem.point(vector + step * towards) if step else start, step, np.nan, np.nan)
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
    problem = Problem(nbest, metric)
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
    ends: list[tuple[Restart, Point] | None] = [None] * (restarts + 1)

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
    problem: Problem
    names: tuple[str, ...]
    axes: list[int]
    extra: int
    smoothing: tuple[str, int] | None
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def __call__(
        self, number: int, weights: NDArray[np.float64], generator: np.random.Generator
    ) -> tuple[Restart, Point]:
        search = Search(self.problem, self.smoothing, self.low, self.high, True)
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
        search: Search,
        point: Point,
        gains: list[tuple[float, float]],
        generator: np.random.Generator,
        searches: int,
    ) -> tuple[int, tuple[Line, Reached] | None]:
        """The best move from the point, None where no line has one; and the number of line searches so far.

        What a line gained when it was searched last, from another point, says which lines to search first. Those that
        promise less than the best of the others has are left for later; all are searched before there is no move.
        """
        fresh: dict[int, tuple[Line, tuple[tuple[float, float], Interval]] | None] = {}
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

    def _line(self, place: int, point: Point, generator: np.random.Generator) -> Line:
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
    problem = Problem(nbest, metric)
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
            _backend.chosen.winners(problem.lists.columns, problem.lists.offsets, block, chosen)
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
        rest = Problem(_part(nbest, np.flatnonzero(numbers == fold)), metric)
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
