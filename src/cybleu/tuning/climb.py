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
from ..nbest.container import check_nbest
from .line_search import NO_GAIN, Reached, Search
from .objective import summed
from .problem import Interval, Line, Point, Problem
from .results import Move, Restart, Tuning
from .searched import searched_list
from .space import checked_range, checked_space, perturbed_weights, random_start

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..nbest.weights import Weights
    from .objective import Metric

# Chosen by measurement: benchmarks/climbs.py. The first restarts begin at random, and the others near the best end.
RESTARTS, WIDE = 20, 13
# On small lists, climbs are cheap and end lower. So there are more of them; the wide ones move best first, and every
# second one begins between 0 and 1.
SMALL = 20_000  # hypotheses
SMALL_RESTARTS, SMALL_WIDE = 60, 39
# The climbs of each of the others: how far from the end before they begin, and whether relative to each weight.
PERTURBATIONS = ((0.1, False), (0.2, True))
# How many restarts begin at the same best end, so that threads can run them concurrently.
ROUND = 4


def tune(
    nbest: NBest,
    start: Weights | None = None,
    restarts: int | None = None,
    directions: str | int = "axes",
    bounds: Mapping[str, tuple[float, float]] | None = None,
    fixed: Mapping[str, float] | Collection[str] = (),
    smoothing: tuple[str, int] | None = None,
    metric: Metric = None,
    seed: int = 0,
    threads: int | None = None,
    progress: bool = False,
    *,
    start_range: tuple[float, float] | None = None,
    wide: int | None = None,
    moves: str | None = None,
    searched: Collection[str] = (),
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
        default all weights that are searched are 1
    :param restarts: how many restarts follow the climb from the start, at most 1,000,000. More restarts only append to
        those of fewer, so the score is never lower. By default 20, and on lists of fewer than 20,000 hypotheses 60 of
        another kind: 39 begin at random weights, every second of them between 0 and 1, and move best first
    :param directions: ``axes``, or the number of random directions to search where no axis has a better point
    :param bounds: the smallest and the largest weight of a feature; either may be infinite
    :param fixed: the names of features that keep their weights of the start; or fixed weights by name
    :param smoothing: ``("min", width)`` or ``("average", width)``: judge an interval by the lowest or the mean score of
        itself and `width` neighbours on each side, to find weights that are also good for other texts (Cer, Jurafsky
        and Manning 2008). The neighbours are those on the line that is searched. Each move raises the smoothed score on
        its line, and may lower the score itself: on a short list, that of the result can be below that of the start
    :param metric: as for :func:`line_search`
    :param seed: a whole number from 0
    :param threads: how many climbs run at the same time; None is one
    :param progress: show a progress bar (requires tqdm)
    :param start_range: the two numbers between which random weights are drawn, as far as their bounds allow. By default
        each weight is drawn between 0 and the largest absolute weight of the start, on the side of 0 where it is in the
        start, or on both sides if it is 0 there
    :param wide: the number of the first restarts, which begin at random weights; by default 13, or 39 of the 60 on
        small lists. If it equals `restarts`, all do
    :param moves: ``in turn``, the default, moves along one axis after the other. ``best first`` searches all axes
        before each move and moves along the best one, as Moses does; this takes more searches. The climb from the start
        always does so
    :param searched: the names of a few sparse features that are searched like dense ones; the others keep their weights
        of the start, or 0
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
    check_nbest(nbest)
    searched_nbest, start, fixed = searched_list(nbest, start, fixed, searched)
    problem = Problem(searched_nbest.nbest, metric)
    low, high, free, vector = checked_space(problem.nbest.names, start, bounds, fixed)
    small = restarts is None and len(nbest.features) < SMALL
    if restarts is None:
        restarts = SMALL_RESTARTS if small else RESTARTS
    if wide is None:
        wide = SMALL_WIDE if small else WIDE
    for name, number, most in (("restarts", restarts, MOST_REPEATS), ("wide", wide, None), ("seed", seed, None)):
        check_whole(number, name, 0, most, error=WeightsError)
    extra = 0 if directions == "axes" else directions
    if type(extra) is not int or not 0 <= extra <= MOST_REPEATS:
        raise WeightsError(
            f"directions is {directions!r}; it must be 'axes' or a number of random directions, at most {MOST_REPEATS}"
        )
    if moves not in (None, "in turn", "best first"):
        raise WeightsError(f"moves is {moves!r}; it must be 'in turn' or 'best first'")
    if smoothing is not None:
        how, width = smoothing if isinstance(smoothing, (tuple, list)) and len(smoothing) == 2 else ("", 0)
        if how not in ("min", "average") or type(width) is not int or width < 0:
            raise WeightsError(f"smoothing is {smoothing!r}; it must be ('min', width) or ('average', width)")
    names = searched_nbest.names
    ranges = [checked_range(start_range, vector, low, high, len(names))]
    if small and start_range is None:
        ranges.append(checked_range((0.0, 1.0), vector, low, high, len(names)))
    axes = [int(axis) for axis in np.flatnonzero(free & (low < high)) if problem.axes.varies(int(axis))]
    climb = _Climb(problem, names, axes, extra if axes else 0, smoothing, low, high, moves == "best first")
    wide_first = moves == "best first" or (small and moves is None)
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
                        end = climb.once(number, problem.point(weights), generator, wide_first or number == 0)
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
    start_score = climbs[0][0].start_score
    if problem.nbest is not nbest:  # sums in another order may break ties differently
        problem = Problem(nbest, metric)
        point = problem.point(searched_nbest.whole(point.weights))
        start_score = problem.score(searched_nbest.whole(vector))
    chosen = np.full(len(nbest), -1, dtype=np.int64)
    chosen[problem.axes.present] = nbest.index[point.chosen]
    return Tuning(
        weights=problem.by_name(point.weights),
        score=point.merit[0],
        start_score=start_score,
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
    names: tuple[str, ...]
    axes: list[int]
    extra: int
    smoothing: tuple[str, int] | None
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    best_first: bool

    def once(
        self, number: int, start: Point, generator: np.random.Generator, best_first: bool
    ) -> tuple[Restart, Point]:
        """Run one climb from a point."""
        moves: list[Move] = []
        point, searches, at_optimum = self._end(start, moves, generator, best_first)
        return self._restart(number, None, start, point, moves, searches, at_optimum), point

    def around(self, number: int, origin: int, start: Point, generator: np.random.Generator) -> tuple[Restart, Point]:
        """Climb repeatedly from near the end of another restart; an end that is not lower is the next origin."""
        point, moves, searches, at_optimum = start, list[Move](), 0, True
        for size, relative in PERTURBATIONS:
            near = self._near(point, size, relative, generator)
            if near is None:
                continue
            taken = [Move("perturbed", 0.0, near.merit[0])]
            end, count, optimum = self._end(near, taken, generator, self.best_first)
            searches += count
            if end.merit >= point.merit:
                point, at_optimum = end, optimum
                moves += taken
        return self._restart(number, origin, start, point, moves, searches, at_optimum), point

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
        at_optimum: bool,
    ) -> Restart:
        return Restart(
            number=number,
            start_score=start.merit[0],
            score=end.merit[0],
            weights=dict(zip(self.names, end.weights.tolist())),
            moves=tuple(moves),
            line_searches=searches,
            at_optimum=at_optimum,
            scale=self.problem.objective.scale,
            origin=origin,
        )

    def _end(
        self, point: Point, moves: list[Move], generator: np.random.Generator, best_first: bool
    ) -> tuple[Point, int, bool]:
        """Climb to the end, and append the moves.

        Returns the end, the number of searches, and whether no axis has a better point.
        """
        search = Search(self.problem, self.smoothing, self.low, self.high, True, not best_first)
        # The smoothed score depends on the line, so moves could raise it forever.
        most = inf if self.smoothing is None else 10 * len(self.names)
        steps = self._best_first(search, generator) if best_first else self._in_turn(search, generator)
        made = 0
        while made < most:
            found = steps(point)
            if found is None:
                return point, search.count, True
            line, reached = found
            point = reached.point
            moves.append(Move(self.names[line.axis] if line.axis >= 0 else "random", reached.step, point.merit[0]))
            made += 1
        return point, search.count, False

    def _in_turn(self, search: Search, generator: np.random.Generator) -> _Steps:
        """Return a function that moves along one line after the other, or returns None when no line has a move.

        Values are updated from move to move, which takes a third of the time. After a line without a move they are
        computed from the weights, and the line counts as not searched, so that the end is an optimum by exact values.
        """
        places = len(self.axes) + self.extra
        place = 0
        at_best = 0  # lines in a row without a move

        def step(point: Point) -> tuple[Line, Reached] | None:
            nonlocal place, at_best
            while True:
                if point.errors is not None and at_best >= min(1, places):
                    point = self.problem.point(point.weights)
                    at_best = 0
                if at_best >= places:
                    return None
                line = self._line(place, point, generator)
                place = (place + 1) % places
                at_best += 1
                reached = search.best(point, line) if line.lower < line.upper else None
                if reached is not None and reached.point is not point:
                    at_best = 0
                    return line, reached

        return step

    def _best_first(self, search: Search, generator: np.random.Generator) -> _Steps:
        """Return a function that makes the best move of all lines, or returns None when no line has a move.

        Lines are searched in the order of their gains at an earlier point. Lines whose earlier gain is below the best
        gain found are postponed; all lines are searched before the climb ends.
        """
        gains = [(inf, 0.0)] * (len(self.axes) + self.extra)

        def step(point: Point) -> tuple[Line, Reached] | None:
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

        return step

    def _line(self, place: int, point: Point, generator: np.random.Generator) -> Line:
        """Return an axis, or a random direction."""
        with np.errstate(over="ignore"):
            below, above = self.low - point.weights, self.high - point.weights
        if place < len(self.axes):
            axis = self.axes[place]
            return self.problem.axis(axis, float(below[axis]), float(above[axis]))
        direction = np.zeros(len(below))
        scales = self.problem.axes.scales()[self.axes]
        direction[self.axes] = generator.standard_normal(len(self.axes)) * scales
        moving = np.flatnonzero(direction)
        with np.errstate(over="ignore"):  # a bound that overflows does not limit
            ends = np.array([below[moving], above[moving]]) / direction[moving]
        return self.problem.line(direction, float(ends.min(axis=0).max()), float(ends.max(axis=0).min()))


_Steps = Callable[[Point], "tuple[Line, Reached] | None"]
