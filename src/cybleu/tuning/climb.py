"""Minimum error rate training (Och 2003): climbs along the axes of the weights with multiple restarts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from math import inf
from threading import Lock
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import np
from .._runtime.numbers import check_whole
from .._runtime.parallel import PIECE, bar, run
from .._runtime.samples import MOST_REPEATS
from ..errors import WeightsError
from ..nbest import NBest
from .line_search import Reached, Search
from .objective import summed
from .problem import Interval, Line, Point, Problem
from .results import Move, Restart, Tuning
from .space import checked_space, perturbed_weights, random_start, start_range

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..nbest.weights import Weights
    from .objective import Metric

# Chosen by measurement. The first restarts begin at random, and the others near the best end.
RESTARTS, WIDE = 20, 13
# On small lists, climbs are cheap and end lower. So there are more of them; the wide ones move best first, and every
# second one begins between 0 and 1.
SMALL = 20_000  # hypotheses
SMALL_RESTARTS, SMALL_WIDE = 60, 39
# The climbs of each of the others: how far from the end before they begin, and whether relative to each weight.
PERTURBATIONS = ((0.1, False), (0.2, True))
NO_GAIN = (0.0, 0.0)
# How many restarts begin at the same best end, so that threads can run them concurrently.
ROUND = 4


def tune(
    nbest: NBest,
    start: Weights | None = None,
    restarts: int | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    fixed: Mapping[str, float] | Collection[str] = (),
    metric: Metric = None,
    seed: int = 0,
    threads: int | None = None,
    progress: bool = False,
    *,
    trace: Callable[[Restart], Any] | None = None,
) -> Tuning:
    """Tune weights by minimum error rate training: climbs along the axes with multiple restarts.

    The first climb begins at `start`. A climb searches one axis after the other exactly (Och 2003), moves to the best
    point of each, and ends when no axis has a better one. The first restarts climb from random weights. Each of the
    others begins at the best end so far. It moves all weights a little at random and climbs, twice, the second time
    from the better end (iterated local search, Lourenço, Martin and Stützle 2003). The same seed gives the same result
    with any number of threads.

    :param nbest: a list of which at least one segment has a hypothesis
    :param start: by name, for every dense feature and any of the sparse ones; or one number for each feature. By
        default 1 for dense features and 0 for sparse ones. The weights of sparse features do not change
    :param restarts: how many restarts follow the climb from the start, at most 1,000,000. More restarts only append to
        those of fewer, so the score is never lower. By default 20, and on lists of fewer than 20,000 hypotheses 60 of
        another kind: 39 begin at random weights, every second of them between 0 and 1, and move along the best axis
        first
    :param bounds: the smallest and the largest weight of a feature; either may be infinite
    :param fixed: the names of features that keep their weights of the start; or fixed weights by name
    :param metric: as for :func:`line_search`
    :param seed: a whole number from 0
    :param threads: how many climbs run at the same time; None is one
    :param progress: show a progress bar (requires tqdm)
    :param trace: called with each :class:`Restart` when it ends, by one thread at a time
    :return: the weights by name, their score and that of the start, on the scale of the metric, and all climbs
    :raises CybleuError: one of its subclasses: the list has no hypothesis, all weights are 0, or the start is outside
        its bounds

    >>> from cybleu.nbest import NBest
    >>> nbest = NBest([0, 2, 4], [[0.0, 2.0], [1.0, 0.0], [0.0, 0.0], [3.0, 1.0]], [[1.0], [0.0], [0.0], [1.0]], ["a", "b"])
    >>> print(tune(nbest, {"a": 1.0, "b": 0.0}, restarts=1))
    sum 1 -> 2
    a 1.0
    b 0.875
    """
    problem = Problem(nbest, metric)
    low, high, free, vector = checked_space(problem, start, bounds, fixed)
    problem.hold_sparse(vector)
    small = restarts is None and len(nbest.features) < SMALL
    if restarts is None:
        restarts = SMALL_RESTARTS if small else RESTARTS
    wide = SMALL_WIDE if small else WIDE
    check_whole(restarts, "restarts", 0, MOST_REPEATS, error=WeightsError)
    check_whole(seed, "seed", 0, error=WeightsError)
    ranges = [start_range(vector, low, high, len(nbest.names))]
    if small:
        ranges.append(start_range(vector, low, high, len(nbest.names), (0.0, 1.0)))
    axes = [axis for axis in np.flatnonzero(free & (low < high)).tolist() if problem.axes.varies(axis)]
    climb = _Climb(problem, axes, low, high)
    alone = min(restarts, wide)
    ends: list[tuple[Restart, Point] | None] = [None] * (restarts + 1)
    lock = Lock()
    with bar(restarts + 1, progress, " climbs") as advance:

        def climb_on(first: int, last: int) -> None:
            """Run the restarts from `first` to before `last`, one task each. Feature orders are computed before threads start."""
            origin, best = _best(ends) if first else (0, None)

            def work(start: int, stop: int) -> None:
                for number in range(first + start, first + stop):
                    generator = np.random.default_rng([seed, number])
                    if best is not None:
                        end = climb.around(number, origin, best, generator)
                    else:
                        weights = vector
                        if number:
                            weights = random_start(generator, vector, free, low, high, ranges[number % len(ranges)])
                        # the given start is often good: its climb is worth more searches
                        end = climb.once(number, problem.point(weights), small or number == 0)
                    ends[number] = end
                    with lock:
                        if trace:
                            trace(end[0])
                        advance(1)

            run(work, last - first, PIECE * (last - first), threads, False, "")

        climb_on(0, alone + 1)
        for first in range(alone + 1, restarts + 1, ROUND):
            climb_on(first, min(first + ROUND, restarts + 1))
    climbs = [end for end in ends if end is not None]
    found, point = _best(ends)
    chosen = np.full(len(nbest), -1, dtype=np.int64)
    chosen[problem.axes.present] = nbest.index[point.chosen]
    return Tuning(
        weights=problem.by_name(point.weights),
        score=point.merit[0],
        start_score=climbs[0][0].start_score,
        stats=tuple(summed(nbest.stats, point.chosen).tolist()),
        chosen=chosen,
        restarts=tuple(restart for restart, _ in climbs),
        best=found,
        metric=problem.objective.name,
        scale=problem.objective.scale,
    )


def _best(ends: list[tuple[Restart, Point] | None]) -> tuple[int, Point]:
    """Return the number and the end of the best restart, the first of equal ones."""
    points = [(number, end[1]) for number, end in enumerate(ends) if end is not None]
    return max(points, key=lambda found: found[1].merit)


@dataclass(frozen=True, eq=False)
class _Climb:
    problem: Problem
    axes: list[int]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def once(self, number: int, start: Point, best_first: bool) -> tuple[Restart, Point]:
        """Run one climb from a point."""
        moves: list[Move] = []
        point, searches = self._end(start, moves, best_first)
        return self._restart(number, None, start, point, moves, searches), point

    def around(self, number: int, origin: int, start: Point, generator: np.random.Generator) -> tuple[Restart, Point]:
        """Climb repeatedly from near the end of another restart; an end that is not lower is the next origin."""
        point, moves, searches = start, list[Move](), 0
        for size, relative in PERTURBATIONS:
            near = self._near(point, size, relative, generator)
            if near is None:
                continue
            taken = [Move("perturbed", 0.0, near.merit[0])]
            end, count = self._end(near, taken, best_first=False)
            searches += count
            if end.merit >= point.merit:
                point = end
                moves += taken
        return self._restart(number, origin, start, point, moves, searches), point

    def _near(self, point: Point, size: float, relative: bool, generator: np.random.Generator) -> Point | None:
        scales = self.problem.axes.scales()
        weights = perturbed_weights(generator, point.weights, self.axes, scales, self.low, self.high, size, relative)
        try:
            return self.problem.point(weights) if weights.any() else None
        except WeightsError:  # the weights overflowed
            return None

    def _restart(
        self,
        number: int,
        origin: int | None,
        start: Point,
        end: Point,
        moves: list[Move],
        searches: int,
    ) -> Restart:
        return Restart(
            number=number,
            start_score=start.merit[0],
            score=end.merit[0],
            weights=dict(zip(self.problem.nbest.names, end.weights.tolist())),
            moves=tuple(moves),
            line_searches=searches,
            scale=self.problem.objective.scale,
            origin=origin,
        )

    def _end(self, point: Point, moves: list[Move], best_first: bool) -> tuple[Point, int]:
        """Climb to the end, and append the moves. Returns the end and the number of searches."""
        search = Search(self.problem, self.low, self.high, goes_on=True)
        step = self._best_first(search) if best_first else self._in_turn(search)
        while (found := step(point)) is not None:
            line, reached = found
            point = reached.point
            moves.append(Move(self.problem.nbest.names[line.axis], reached.step, point.merit[0]))
        return point, search.count

    def _in_turn(self, search: Search) -> _Steps:
        """Return a function that moves along one axis after the other, or returns None when no axis has a move."""
        places = len(self.axes)
        place = 0

        def step(point: Point) -> tuple[Line, Reached] | None:
            nonlocal place
            for _ in range(places):
                line = self._line(place, point)
                place = (place + 1) % places
                reached = search.best(point, line) if line.lower < line.upper else None
                if reached is not None and reached.point is not point:
                    return line, reached
            return None

        return step

    def _best_first(self, search: Search) -> _Steps:
        """Return a function that makes the best move of all axes, or returns None when no axis has a move.

        Axes are searched in the order of their gains at an earlier point. Axes whose earlier gain is below the best
        gain found are postponed; all axes are searched before the climb ends.
        """
        gains = [(inf, 0.0)] * len(self.axes)

        def step(point: Point) -> tuple[Line, Reached] | None:
            fresh: dict[int, tuple[Line, tuple[tuple[float, float], Interval]] | None] = {}
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
                line = self._line(place, point)
                if not line.lower < line.upper:
                    fresh[place], gains[place] = None, NO_GAIN
                    continue
                first = search.first(point, line)
                fresh[place] = line, first
                gains[place] = first[0][0] - point.merit[0], first[0][1] - point.merit[1]

        return step

    def _line(self, place: int, point: Point) -> Line:
        axis = self.axes[place]
        with np.errstate(over="ignore"):
            below, above = self.low[axis] - point.weights[axis], self.high[axis] - point.weights[axis]
        return self.problem.axis(axis, float(below), float(above))


_Steps = Callable[[Point], "tuple[Line, Reached] | None"]
