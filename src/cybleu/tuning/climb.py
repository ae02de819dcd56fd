"""Minimum error rate training (Och 2003): climbs along the axes of the weights with multiple restarts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle, pairwise
from math import inf, sqrt
from typing import Any

from .._files.text import listed, shown
from .._runtime.arrays import Floats, floats_given, np
from .._runtime.numbers import MOST_REPEATS, check_whole
from .._runtime.parallel import bar, checked_threads, in_order
from ..errors import FeatureError, WeightsError
from ..nbest import NBest
from ..nbest.features import Weights
from ..nbest.weights import numbers_by_name
from .line_search import Surface
from .problem import Metric, Point, Problem, summed
from .results import Move, Restart, Tuning

# Chosen by measurement. The first restarts begin at random, and the others near the best end.
RESTARTS = 20
WIDE = 13
# On small lists, climbs are cheap and end lower. So there are more of them; the wide ones move best first, and every
# second one begins between 0 and 1.
SMALL = 20_000  # hypotheses
SMALL_RESTARTS = 60
SMALL_WIDE = 39
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
    point on each, and ends when no axis improves the score. The first restarts climb from random weights. Each later
    restart begins at the best end so far. Twice, it moves all weights a little at random and climbs; the second time,
    it begins at the better of the two ends (iterated local search, Lourenço, Martin and Stützle 2003). The same seed
    gives the same result with any number of threads.

    :param nbest: a list of which at least one segment has a hypothesis
    :param start: the weights by name, for every dense feature and any of the sparse ones, or one number for each
        feature. By default 1 for dense features and 0 for sparse ones. The weights of sparse features do not change
    :param restarts: the number of restarts after the climb from the start, at most 1,000,000. A larger number repeats
        the same restarts and adds others, so the score is never lower. By default 20. Lists of fewer than 20,000
        hypotheses have 60 restarts of another kind by default: 39 begin at random weights, every second of them between
        0 and 1, and move along the best axis first
    :param bounds: the smallest and the largest weight of a feature; either may be infinite
    :param fixed: the names of features that keep their start weights; or fixed weights by name
    :param metric: see :func:`line_search`
    :param seed: a whole number from 0
    :param threads: the number of climbs that run concurrently, by default one
    :param progress: show a progress bar (requires tqdm)
    :param trace: called with each :class:`Restart`, in order, when it ends
    :return: the weights by name, their score and the start score, on the scale of the metric, and all climbs
    :raises CybleuError: the list has no hypothesis, all weights are 0, or the start is outside
        its bounds

    >>> from cybleu.nbest import NBest
    >>> nbest = NBest([0, 2, 4], [[0.0, 2.0], [1.0, 0.0], [0.0, 0.0], [3.0, 1.0]], [[1.0], [0.0], [0.0], [1.0]], ["a", "b"])
    >>> print(tune(nbest, {"a": 1.0, "b": 0.0}, restarts=1))
    sum 1 -> 2
    a 1.0
    b 0.875
    """
    problem = Problem(nbest, metric)
    low, high, vector = _checked_space(problem, start, bounds, fixed)
    dense = len(nbest.names)
    kept = vector[dense:]
    if nbest.sparse is not None:
        problem = problem.with_sum(kept)
        weight = float(kept.any())  # of the sum, so that all weights are 0 where they would be without it
        low, high, vector = (np.append(numbers[:dense], weight) for numbers in (low, high, vector))
    small = restarts is None and len(nbest.features) < SMALL
    if restarts is None:
        restarts = SMALL_RESTARTS if small else RESTARTS
    check_whole(restarts, "restarts", 0, MOST_REPEATS, error=WeightsError)
    check_whole(seed, "seed", 0, error=WeightsError)
    threads = checked_threads(threads)
    wide = min(restarts, SMALL_WIDE if small else WIDE)
    # The weight of a feature that is equal within each segment changes nothing. Columns are computed here, before threads
    # start.
    spreads = problem.axes.spreads
    axes = [axis for axis in np.flatnonzero(low < high).tolist() if spreads(problem.axes.column(axis)[0]).any()]
    best = 0  # the number of the best restart so far, the first of equal ones
    ends: list[tuple[Restart, Point]] = []

    def run(number: int, origin: int | None) -> tuple[Restart, Point]:
        """Run a restart, and return it with its end.

        :param origin: the number of the restart at whose end this one begins, or None
        """
        # one for each restart, so that a restart does not depend on the others or on threads
        generator = np.random.default_rng([seed, number])
        climb = _Climb(problem, axes, low, high)
        if origin is not None:
            _, begin = ends[origin]
            end = climb.around(begin, generator)
        else:
            drawn = (0.0, 1.0) if small and number % 2 else None
            begin = problem.point(_random_start(generator, vector, low, high, dense, drawn) if number else vector)
            # the given start is often good: its climb is worth more searches
            end = climb.best_first(begin) if small or number == 0 else climb.in_turn(begin)
        restart = Restart(
            weights=dict(zip(nbest.names, end.weights.tolist())),
            score=end.merit[0],
            start_score=begin.merit[0],
            metric=problem.objective.name,
            scale=problem.objective.scale,
            number=number,
            moves=tuple(climb.moves),
            line_searches=climb.searches,
            origin=origin,
        )
        return restart, end

    # first all that begin at the start or at random, then some at a time, which begin at the best end before them
    firsts = [0, *range(wide + 1, restarts + 1, ROUND)]
    with bar(restarts + 1, progress, " climbs") as advance:
        for first, following in pairwise([*firsts, restarts + 1]):
            origin = best if first else None
            for restart, point in in_order(partial(run, origin=origin), range(first, following), threads):
                ends.append((restart, point))
                if point.merit > ends[best][1].merit:
                    best = restart.number
                if trace:
                    trace(restart)
                advance(1)
    restart, point = ends[best]
    chosen = np.full(len(nbest), -1, dtype=np.int64)
    chosen[problem.axes.present] = nbest.index[point.chosen]
    return Tuning(
        weights=restart.weights | dict(zip(nbest.all_names[dense:], kept.tolist())),
        score=restart.score,
        start_score=ends[0][0].start_score,
        metric=restart.metric,
        scale=restart.scale,
        stats=tuple(summed(nbest.stats, point.chosen).tolist()),
        chosen=chosen,
        restarts=tuple(restart for restart, _ in ends),
        best=best,
    )


def _checked_space(
    problem: Problem,
    start: Weights | None,
    bounds: Mapping[str, tuple[float, float]] | None,
    fixed: Mapping[str, float] | Collection[str],
) -> tuple[Floats, Floats, Floats]:
    """Validate bounds and fixed weights; return the smallest and largest weights, and the start.

    They are equal for sparse features and those that are fixed.
    """
    dense = problem.nbest.names
    names = problem.nbest.all_names
    if not dense:
        raise FeatureError("all features of the list are sparse; tune their weights with kbmira or pro")
    # a str would be read as a list of letters
    if isinstance(fixed, str):
        fixed = [fixed]
    if not isinstance(fixed, Iterable) or not isinstance(bounds, (Mapping, type(None))):
        raise FeatureError("bounds must be by name, and fixed a list of names, or weights by name")
    vector = problem.start(start)
    low = np.full(len(names), -inf)
    high = np.full(len(names), inf)
    for given, known in ((bounds or (), dense), (fixed, names)):
        for name in given:
            if name not in known:
                raise FeatureError(f"there is no feature {shown(name)}; there are {listed(known)}")
    for name, ends in (bounds or {}).items():
        place = names.index(name)
        pair = floats_given(ends, f"the bounds of {shown(name)}")
        if pair.shape != (2,) or not pair[0] <= pair[1] or pair[0] == inf or pair[1] == -inf:
            raise WeightsError(
                f"the bounds of {shown(name)} are {' and '.join(map(str, np.ravel(ends).tolist()))}; give the smallest "
                "and the largest weight"
            )
        low[place], high[place] = pair
        if start is None:
            # the default start, moved into the bounds
            vector[place] = min(max(1.0, low[place]), high[place])
    if isinstance(fixed, Mapping):
        for name, weight in numbers_by_name(fixed, "fixed").items():
            vector[names.index(name)] = weight
    # only the first one
    for place in np.flatnonzero((vector < low) | (vector > high)).tolist():
        raise WeightsError(
            f"the start weight of {shown(names[place])} is {vector[place]}, out of its bounds {low[place]} to "
            f"{high[place]}"
        )
    if not vector.any():
        raise WeightsError("all start weights are 0, by which all hypotheses are equal; give at least one that is not")
    # line searches order hypotheses along each axis, which sparse features are too many for
    held = [*map(names.index, fixed), *range(len(dense), len(names))]
    low[held] = high[held] = vector[held]
    return low, high, vector


def _random_start(
    generator: np.random.Generator,
    vector: Any,
    low: Any,
    high: Any,
    count: int,
    ends: tuple[float, float] | None = None,
) -> Floats:
    """Draw random weights, by default from 0 to the largest absolute weight of the start.

    :param vector: the start; a weight of 0 is drawn on both sides of 0
    :param count: the number of dense features, the first ones
    :param ends: the range of all weights
    """
    largest = np.abs(vector[:count]).max() or 1.0
    smallest, most = ends or (np.where(vector > 0, 0.0, -largest), np.where(vector < 0, 0.0, largest))
    bottom = np.clip(smallest, low, high)
    top = np.clip(most, low, high)
    # bounds outside the range would clip it to a single number, so that there would be no choice
    lost = (bottom == top) & (low < high) & (smallest < most)
    with np.errstate(over="ignore"):
        lowest = np.where(np.isfinite(low), low, np.minimum(-largest, high - largest))
        highest = np.where(np.isfinite(high), high, np.maximum(largest, low + largest))
    bottom = np.where(lost, np.nan_to_num(lowest), bottom)
    top = np.where(lost, np.nan_to_num(highest), top)
    drawn = 2 * (bottom / 2 + generator.random(len(vector)) * (top / 2 - bottom / 2))  # the halves do not overflow
    weights: Floats = np.minimum(np.maximum(drawn, low), high)
    return weights if weights.any() else np.asarray(vector, dtype=np.float64)


@dataclass(eq=False)
class _Climb:
    """A climb to the end, with its moves and the number of its line searches."""

    problem: Problem
    axes: list[int]
    low: Floats
    high: Floats
    moves: list[Move] = field(default_factory=list)
    searches: int = 0

    def around(self, point: Point, generator: np.random.Generator) -> Point:
        """Climb repeatedly from near a point; an end that is not lower is the next point."""
        for size, relative in PERTURBATIONS:
            weights = self._perturbed(generator, point.weights, size, relative)
            if not weights.any():
                continue
            try:
                near = self.problem.point(weights)
            except WeightsError:  # the weights overflowed
                continue
            before = len(self.moves)
            self.moves.append(Move("perturbed", 0.0, near.merit[0]))
            end = self.in_turn(near)
            # an equal end may lead further
            if end.merit >= point.merit:
                point = end
            else:
                del self.moves[before:]
        return point

    def _perturbed(self, generator: np.random.Generator, weights: Floats, size: float, relative: bool) -> Floats:
        """Perturb weights by normal noise. The effect of a weight is its multiple of :attr:`Axes.scales`.

        :param size: the standard deviation of the noise, relative to the root mean square of the effects
        :param relative: make the noise relative to the effect of each weight, and at least to a tenth of the largest
            effect
        """
        near = weights.copy()
        axes = self.axes
        noise = generator.standard_normal(len(axes))
        scales = self.problem.axes.scales[axes]
        if axes:
            with np.errstate(over="ignore", invalid="ignore", under="ignore"):
                effects = weights[axes] / scales
                largest = float(np.abs(effects).max()) or 1.0
                mean = largest * sqrt(float(np.square(effects / largest).mean())) or 1.0
                sizes = np.maximum(np.abs(effects), largest / 10) if relative else mean
                moved = (effects + size * sizes * noise) * scales
            # a weight that would overflow stays
            near[axes] = np.where(np.isfinite(moved), moved, weights[axes])
        bounded: Floats = np.minimum(np.maximum(near, self.low), self.high)
        return bounded

    def in_turn(self, point: Point) -> Point:
        """Move along one axis after the other, until no axis has a move, and return the end."""
        idle = 0
        for axis in cycle(self.axes):
            if idle == len(self.axes):
                break
            reached = self._surface(axis, point).best_point(self.low, self.high)
            idle += 1
            if reached is not None and reached.point is not point:
                point = reached.point
                idle = 0
                self.moves.append(Move(self.problem.nbest.names[axis], reached.step, point.merit[0]))
        return point

    def best_first(self, point: Point) -> Point:
        """Make the best move of all axes, until no axis has a move, and return the end.

        Axes are searched in the order of their gains at an earlier point. Axes whose earlier gain is below the best
        gain found are postponed; all axes are searched before the climb ends.
        """
        # what the score and the smoothed score rise by along each axis, from where it was searched last
        gains = dict.fromkeys(self.axes, (inf, 0.0))
        found: dict[int, Surface] = {}  # from this point
        while self.axes:
            # of equal gains those of this point first, then the first axis
            axis = max(self.axes, key=lambda axis: (gains[axis], axis in found, -axis))
            if axis in found and gains[axis] <= NO_GAIN:
                # no move is left of those that were searched
                axis = next((axis for axis in self.axes if axis not in found), -1)
                if axis < 0:
                    break
            if axis not in found:
                found[axis] = self._surface(axis, point)
                merit = found[axis].first.merit
                gains[axis] = merit[0] - point.merit[0], merit[1] - point.merit[1]
                continue
            reached = found[axis].best_point(self.low, self.high)
            gains[axis] = NO_GAIN
            if reached is not None and reached.point is not point:
                point = reached.point
                found.clear()
                self.moves.append(Move(self.problem.nbest.names[axis], reached.step, point.merit[0]))
        return point

    def _surface(self, axis: int, point: Point) -> Surface:
        """Search an axis within its bounds, which differ, and which the point is in."""
        with np.errstate(over="ignore"):
            below = float(self.low[axis] - point.weights[axis])
            above = float(self.high[axis] - point.weights[axis])
        self.searches += 1
        return Surface(self.problem, point, self.problem.axis(axis, below, above))
