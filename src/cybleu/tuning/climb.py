"""Minimum error rate training (Och 2003): climbing along the axes of the weights from many starts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import np
from .._runtime.parallel import PIECE, run
from ..errors import WeightsError
from ..nbest import NBest
from .line_search import NO_GAIN, Reached, Search
from .objective import summed
from .problem import Interval, Line, Point, Problem
from .results import Move, Restart, Tuning
from .space import checked_space, random_start

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .objective import Metric
    from .space import Weights


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
    :param threads: how many climbs run at the same time; None is one
    :param progress: show a progress bar (needs tqdm)
    :param trace: called with each climb when it ends
    :raises CybleuError: of the kind that fits: no hypothesis at all, all weights 0, a start out of its bounds

    >>> from cybleu.nbest import NBest
    >>> nbest = NBest([0, 2, 4], [[0.0, 2.0], [1.0, 0.0], [0.0, 0.0], [3.0, 1.0]], [[1.0], [0.0], [0.0], [1.0]], ["a", "b"])
    >>> print(tune(nbest, {"a": 1.0, "b": 0.0}, restarts=1))
    sum 1 -> 2
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
    axes = [int(axis) for axis in np.flatnonzero(free & (low < high)) if problem.columns.varies(int(axis))]
    climb = _Climb(problem, nbest.names, axes, extra if axes else 0, smoothing, low, high)
    reach = float(np.abs(vector).max())
    ends: list[tuple[Restart, Point] | None] = [None] * (restarts + 1)

    def work(first: int, last: int) -> None:
        for number in range(first, last):
            generator = np.random.default_rng([seed, number])
            weights = vector if number == 0 else random_start(generator, vector, free, low, high, reach)
            ends[number] = end = climb(number, weights, generator)
            if trace:
                trace(end[0])

    # The orders are made before the threads start; one climb is one piece of work.
    run(work, restarts + 1, PIECE * (restarts + 1), threads, progress, "climbs")
    climbs = [end for end in ends if end is not None]
    best = max(range(len(climbs)), key=lambda number: climbs[number][1].merit)
    point = climbs[best][1]
    chosen = np.full(len(nbest), -1, dtype=np.int64)
    chosen[problem.columns.segments] = nbest.index[point.chosen]
    return Tuning(
        weights=dict(zip(nbest.names, point.weights.tolist())),
        score=point.merit[0],
        start_score=climbs[0][0].start_score,
        stats=tuple(summed(nbest.stats, point.chosen).tolist()),
        chosen=chosen,
        restarts=tuple(restart for restart, _ in climbs),
        best=best,
        metric=problem.objective.name,
        scale=problem.objective.scale,
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
        at_optimum = False
        gains = [(inf, 0.0)] * (len(self.axes) + self.extra)
        # A smoothed score is of a line, and can rise for ever from line to line.
        while self.smoothing is None or len(moves) < 10 * len(weights):
            found = self._next(search, point, gains, generator)
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
            line_searches=search.count,
            at_optimum=at_optimum,
            scale=self.problem.objective.scale,
        )
        return restart, point

    def _next(
        self, search: Search, point: Point, gains: list[tuple[float, float]], generator: np.random.Generator
    ) -> tuple[Line, Reached] | None:
        """The best move from the point, None where no line has one.

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
                return None
            if searched := fresh.get(place):
                line, first = searched
                reached = search.best(point, line, first)
                gains[place] = NO_GAIN
                if reached is not None and reached.point is not point:
                    return line, reached
                continue
            line = self._line(place, point, generator)
            if not line.lower < line.upper:
                fresh[place], gains[place] = None, NO_GAIN
                continue
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
