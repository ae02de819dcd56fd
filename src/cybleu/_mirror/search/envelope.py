"""MERT line search: how the best hypothesis of each segment changes along a line of weights (Och 2003).

On the line, hypothesis i has the value ``base[i] + x * slope[i]``; so the best ones of a segment form the upper
envelope of its lines, and the statistics of a corpus change only where an envelope passes from one line to the next.
"""

from __future__ import annotations

from itertools import groupby, pairwise
from math import inf

from ..._runtime.arrays import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from numpy.typing import NDArray

    Interval = tuple[float, float, Sequence[float]]
    Change = tuple[float, list[float]]


def surface(
    base: Any,
    slope: Any,
    order: Any,
    offsets: Any,
    likely: Any,
    stats: Any,
    lower: float,
    upper: float,
    empty: Callable[..., Any],
) -> tuple[Any, Any]:
    """Compute the error surface between two ends: ascending thresholds and the summed statistics between them.

    :param order: the lines of each segment by ascending slope, as positions within the segment, int32
    :param likely: for each segment a hypothesis that probably wins; affects speed only
    :param empty: function that creates an array from a shape and a dtype
    """
    stretches = list(intervals(*changes(base, slope, order, offsets, stats, lower, upper), lower, upper))
    thresholds = empty(len(stretches) - 1, "float64")
    sums = empty((len(stretches), stats.shape[1]), str(stats.dtype))
    for position, (left, _, row) in enumerate(stretches):
        if position:
            thresholds[position - 1] = left
        sums[position] = row
    return thresholds, sums


def intervals(row: list[float], found: list[Change], lower: float, upper: float) -> Iterator[Interval]:
    """Yield the left end, the right end and the summed statistics of each interval of the line.

    :param row: the sum at the lower end
    :param found: the result of :func:`changes`
    """
    left = lower
    for x, group in groupby(found, key=lambda change: change[0]):
        after = row
        for _, difference in group:
            after = [number + change for number, change in zip(after, difference)]
        if after != row:
            yield left, x, row
            left, row = x, after
    yield left, upper, row


def changes(
    base: Any, slope: Any, order: Any, offsets: Any, stats: Any, lower: float, upper: float
) -> tuple[list[float], list[Change]]:
    """Return the summed statistics at the lower end, and the points and amounts of their changes, in order."""
    total: list[float] = [0] * stats.shape[1]
    found: list[Change] = []
    for first, last in pairwise(offsets.tolist()):
        lines = list(zip(base[first:last].tolist(), slope[first:last].tolist()))
        hull = [(left, line) for left, line in _envelope(lines, order[first:last].tolist()) if left < upper]
        while len(hull) > 1 and hull[1][0] <= lower:
            del hull[0]
        if not hull:
            raise ValueError("a segment has no hypothesis")
        row = stats[first + hull[0][1]].tolist()
        total = [number + more for number, more in zip(total, row)]
        for left, line in hull[1:]:
            after = stats[first + line].tolist()
            if after != row:
                found.append((left + 0.0, [new - old for new, old in zip(after, row)]))  # no negative zero
                row = after
    return total, sorted(found, key=lambda change: change[0])


def _envelope(lines: list[tuple[float, float]], order: Iterable[int]) -> list[tuple[float, int]]:
    """Return the lines of the upper envelope from left to right, each with its left end.

    Ties between equal lines go to the first, as in :func:`winners`.
    """
    hull: list[tuple[float, int]] = []
    for line in order:
        base, slope = lines[line]
        if hull and lines[hull[-1][1]][1] == slope:
            if lines[hull[-1][1]][0] >= base:
                continue
            hull.pop()
        left = -inf
        while hull:
            begin, top = hull[-1]
            left = (lines[top][0] - base) / (slope - lines[top][1])
            if left > begin:
                break
            hull.pop()
        hull.append((left if hull else -inf, line))
    return hull


def best_interval(
    base: Any,
    slope: Any,
    order: Any,
    offsets: Any,
    likely: Any,
    stats: Any,
    lower: float,
    upper: float,
    definition: Any,
    best_row: Any,
) -> tuple[float, float, float, float, float]:
    """Return the score, left and right end of the best interval, and the smallest and the largest threshold.

    Ties are broken by the order of :func:`best_first`.

    :param best_row: receives the summed statistics of the interval
    """
    at_lower, found = changes(base, slope, order, offsets, stats, lower, upper)
    left, right, rows = zip(*intervals(at_lower, found, lower, upper))
    scores = [definition.evaluate(row)[0] for row in rows]
    best = best_first(np.array(left), np.array(right), np.array(scores))[0]
    best_row[:] = rows[best]
    first, last = (found[0][0], found[-1][0]) if found else (0.0, 0.0)
    return scores[best], left[best], right[best], first, last


def best_first(left: NDArray[np.float64], right: NDArray[np.float64], *merits: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the indices of the intervals, best first.

    Ties go to the interval that contains 0, then to the wider one, then to the one closer to 0, then to the first.

    :param merits: sort keys, the most important first
    """
    with np.errstate(over="ignore"):  # a width may be infinite
        widths = right - left
    elsewhere = (left > 0) | (right < 0)
    return np.lexsort([np.maximum(left, -right), -widths, elsewhere, *(-merit for merit in reversed(merits))])
