"""Minimum error rate training (Och 2003): climbing along the axes of the weights from many starts."""

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
from ..errors import FeatureError, WeightsError
from ..nbest import NBest
from ..nbest.container import check_nbest
from .held import held_by
from .line_search import NO_GAIN, Reached, Search
from .model import Model
from .objective import summed
from .problem import Interval, Line, Point, Problem
from .results import Move, Restart, Tuning
from .space import checked_range, checked_space, perturbed_weights, random_start

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .objective import Metric
    from .space import Weights

# Chosen by measurement: benchmarks/climbs.py. The first restarts look far and wide, and the rest around the best end.
WIDE = 13
# The climbs of each of the others: how far from the end before they begin, and whether relative to each weight.
PERTURBATIONS = ((0.1, False), (0.2, True))
# Restarts that begin at the best end of all before them, beside each other on as many threads.
ROUND = 4


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
    start_range: tuple[float, float] | None = None,
    wide: int | None = None,
    moves: str = "in turn",
    searched: Collection[str] = (),
    trace: Callable[[Restart], Any] | None = None,
) -> Tuning:
    """Find the weights that score best, by climbs along the axes from many starts.

    The first climb begins at the start. A climb searches one axis after the other exactly (Och 2003), moves to the best
    point of each, and ends if no axis has a better one. The first restarts climb from random weights. Each of the
    others begins at the best end so far. It moves all weights a little at random and climbs, twice, the second time
    from the better end (iterated local search, Lourenço, Martin and Stützle 2003). The same seed gives the same result
    with any number of threads.

    :param nbest: a list of which at least one segment has a hypothesis
    :param start: by name, for every dense feature and any of the sparse ones; or one number for each feature. By
        default all weights that are searched are 1
    :param restarts: how many restarts follow the climb from the start, at most 1,000,000. More restarts only add to
        those of fewer, so the score is never lower
    :param directions: ``axes``, or how many random directions to search where no axis leads on
    :param bounds: the smallest and the largest weight of a feature; either may be infinite
    :param fixed: the names of features whose weights stay as in the start; or fixed weights by name
    :param smoothing: ``("min", width)`` or ``("average", width)``: judge an interval by the lowest or the mean score of
        itself and `width` neighbours on each side, to find weights that are also good for other texts (Cer, Jurafsky
        and Manning 2008). The neighbours are those on the line that is searched. Each move raises the smoothed score on
        its line, and may lower the score itself: on a short list, that of the result can be below that of the start
    :param metric: as for :func:`line_search`
    :param seed: a whole number from 0
    :param threads: how many climbs run at the same time; None is one
    :param progress: show a progress bar (needs tqdm)
    :param start_range: the two numbers between which random weights are drawn, as far as their bounds allow. By default
        each weight is drawn between 0 and the largest absolute weight of the start, on the side of 0 where it is in the
        start, or on both sides if it is 0 there
    :param wide: how many restarts, the first ones, begin at random weights; by default 13. If it is `restarts`, all do
    :param moves: ``in turn`` moves along one axis after the other. ``best first`` searches all axes before each move
        and moves along the best one, as Moses does; this takes more searches. The climb from the start always does so
    :param searched: the names of a few sparse features that are searched like dense ones; the others keep their weights
        of the start, or 0
    :param trace: called with each :class:`Restart` when it ends
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
    given, held = nbest, None
    if nbest.sparse is not None:
        held, start, fixed = held_by(nbest, start, fixed, searched)
        nbest = held.nbest
    elif searched:
        raise FeatureError("searched names sparse features, and the list has none; all of its features are searched")
    problem = Problem(nbest, metric)
    low, high, free, vector = checked_space(nbest.names, start, bounds, fixed)
    wide = WIDE if wide is None else wide
    for name, number, most in (("restarts", restarts, MOST_REPEATS), ("wide", wide, None), ("seed", seed, None)):
        check_whole(number, name, 0, most, error=WeightsError)
    extra = 0 if directions == "axes" else directions
    if type(extra) is not int or not 0 <= extra <= MOST_REPEATS:
        raise WeightsError(
            f"directions is {directions!r}; it must be 'axes' or a number of random directions, at most {MOST_REPEATS}"
        )
    if moves not in ("in turn", "best first"):
        raise WeightsError(f"moves is {moves!r}; it must be 'in turn' or 'best first'")
    if smoothing is not None:
        how, width = smoothing if isinstance(smoothing, (tuple, list)) and len(smoothing) == 2 else ("", 0)
        if how not in ("min", "average") or type(width) is not int or width < 0:
            raise WeightsError(f"smoothing is {smoothing!r}; it must be ('min', width) or ('average', width)")
    names = nbest.names if held is None else held.names  # without that of a sum
    drawn = checked_range(start_range, vector, low, high, len(names))
    axes = [int(axis) for axis in np.flatnonzero(free & (low < high)) if problem.columns.varies(int(axis))]
    climb = _Climb(problem, names, axes, extra if axes else 0, smoothing, low, high, moves == "best first")
    alone = min(restarts, wide)
    ends: list[tuple[Restart, Point] | None] = [None] * (restarts + 1)
    lock = Lock()
    with bar(restarts + 1, progress, " climbs") as advance:

        def climb_on(first: int, last: int) -> None:
            """The restarts from `first` to before `last`, each a piece of work. The orders are made before the threads start."""
            origin, best = _best(ends) if first else (0, None)

            def work(start: int, stop: int) -> None:
                for number in range(first + start, first + stop):
                    generator = np.random.default_rng([seed, number])
                    if best is not None:
                        end = climb.around(number, origin, best, generator)
                    else:
                        weights = vector if number == 0 else random_start(generator, vector, free, low, high, drawn)
                        end = climb.once(number, problem.point(weights), generator)
                    ends[number] = end
                    if trace:
                        trace(end[0])
                    with lock:
                        advance(1)

            run(work, last - first, PIECE * (last - first), threads, False, "")

        climb_on(0, alone + 1)
        for first in range(alone + 1, restarts + 1, ROUND):
            climb_on(first, min(first + ROUND, restarts + 1))
    climbs = [end for end in ends if end is not None]
    found, point = _best(ends)
    weights, score, start_score, rows = point.weights, point.merit[0], climbs[0][0].start_score, point.chosen
    if held is not None:  # sums in another order may break a tie otherwise
        model = Model(given, metric)
        weights = held.whole(weights)
        rows = model.chosen(weights)
        score, start_score = model.score(weights), model.score(held.whole(vector))
        names = model.names
    chosen = np.full(len(nbest), -1, dtype=np.int64)
    chosen[problem.columns.segments] = nbest.index[rows]
    return Tuning(
        weights=dict(zip(names, weights.tolist())),
        score=score,
        start_score=start_score,
        stats=tuple(summed(nbest.stats, rows).tolist()),
        chosen=chosen,
        restarts=tuple(restart for restart, _ in climbs),
        best=found,
        metric=problem.objective.name,
        scale=problem.objective.scale,
    )


def _best(ends: list[tuple[Restart, Point] | None]) -> tuple[int, Point]:
    """The number and the end of the restart that ended best, the first of equal ones."""
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

    def once(self, number: int, start: Point, generator: np.random.Generator) -> tuple[Restart, Point]:
        """A climb from a point."""
        moves: list[Move] = []
        # the start is often a good one: its climb is worth more searches
        point, searches, at_optimum = self._end(start, moves, generator, self.best_first or number == 0)
        return self._restart(number, None, start, point, moves, searches, at_optimum), point

    def around(self, number: int, origin: int, start: Point, generator: np.random.Generator) -> tuple[Restart, Point]:
        """Climbs from near the end of another restart; each that ends no lower is where the next one begins."""
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
        scales = self.problem.columns.scales()
        weights = perturbed_weights(generator, point.weights, self.axes, scales, self.low, self.high, size, relative)
        try:
            return self.problem.point(weights) if weights.any() else None
        except WeightsError:  # more than a float holds
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
        """The end of a climb, how many searches it took, and whether no axis has a better point; its moves are added."""
        search = Search(self.problem, self.smoothing, self.low, self.high, True, not best_first)
        # A smoothed score is of a line, and can rise for ever from line to line.
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
        """From a point the move along the next line that has one, None where none has.

        One move follows another with values that are carried on, which takes a third of the time. Where a line has led
        nowhere they are computed from the weights, and that line counts as not searched: an end is one by exact values.
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
        """From a point the best move, None where no line has one.

        What a line gained when it was searched last, from another point, says which lines to search first. Those that
        promise less than the best of the others has are left for later; all are searched before there is no move.
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
        """An axis, or a random direction."""
        with np.errstate(over="ignore"):
            below, above = self.low - point.weights, self.high - point.weights
        if place < len(self.axes):
            axis = self.axes[place]
            return self.problem.axis(axis, float(below[axis]), float(above[axis]))
        direction = np.zeros(len(below))
        scales = self.problem.columns.scales()[self.axes]
        direction[self.axes] = generator.standard_normal(len(self.axes)) * scales
        moving = np.flatnonzero(direction)
        with np.errstate(over="ignore"):  # a bound so far away is none
            ends = np.array([below[moving], above[moving]]) / direction[moving]
        return self.problem.line(direction, float(ends.min(axis=0).max()), float(ends.max(axis=0).min()))


_Steps = Callable[[Point], "tuple[Line, Reached] | None"]
