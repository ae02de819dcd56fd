"""MERT line search: how the best hypothesis of each segment changes along a line of weights (Och 2003).

On the line, hypothesis i has the value ``base[i] + x * slope[i]``; so the best ones of a segment form the upper
envelope of its lines, and the statistics of a corpus change only where an envelope passes from one line to the next.
"""

from __future__ import annotations

from itertools import pairwise
from math import inf

from ..._runtime.arrays import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from numpy.typing import NDArray

#: The winner of a segment changes at x from one row to another.
CROSSING = np.dtype([("x", np.float64), ("before", np.int32), ("after", np.int32)])


def crossings(
    base: Any,
    slope: Any,
    order: Any,
    offsets: Any,
    likely: Any,
    lower: float,
    upper: float,
    starts: Any,
    found: Any,
) -> int:
    """Find where the winners of segments change between two ends of a line; return the number of changes.

    :param order: the lines of each segment by ascending slope, as positions within the segment, int32
    :param likely: for each segment a hypothesis that probably wins; affects speed only
    :param starts: receives the row that wins at the lower end, for each segment
    :param found: receives the changes, sorted by x, those of equal x by segment
    """
    changes: list[tuple[float, int, int]] = []
    for segment, (first, last) in enumerate(pairwise(offsets.tolist())):
        lines = list(zip(base[first:last].tolist(), slope[first:last].tolist()))
        hull = _envelope(lines, order[first:last].tolist())
        while len(hull) > 1 and hull[1][0] <= lower:
            del hull[0]
        starts[segment] = first + hull[0][1]
        for (_, before), (left, after) in pairwise(hull):
            if left < upper:
                changes.append((left + 0.0, first + before, first + after))  # no negative zero
    changes.sort(key=lambda change: change[0])
    found[: len(changes)] = changes
    return len(changes)


def _envelope(lines: list[tuple[float, float]], order: Iterable[int]) -> list[tuple[float, int]]:
    """Return the lines of the upper envelope from left to right, each with its left end.

    Ties between equal lines go to the first, as in :meth:`FeatureRows.winners`.
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


def sums_between(starts: Any, found: Any, stats: Any) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Compute the error surface: ascending thresholds and the summed statistics between them.

    :param starts: with `found`, the result of :func:`crossings`
    """
    changes = stats[found["after"]] - stats[found["before"]]
    rows = np.cumsum(np.concatenate([stats[starts], changes]), axis=0)[len(starts) - 1 :]
    xs = found["x"]
    last = np.append(xs[1:] != xs[:-1], True)[: len(xs)]  # of the changes at one x
    xs, rows = xs[last], rows[np.append(True, last)]
    changed = (rows[1:] != rows[:-1]).any(axis=1)
    return xs[changed], rows[np.append(True, changed)]


def best_interval(
    starts: Any, found: Any, stats: Any, lower: float, upper: float, definition: Any, best_row: Any
) -> tuple[float, float, float, float]:
    """Return the score, the left and right end of the best interval, and the largest distance of a threshold from 0.

    Ties are broken by the order of :func:`best_first`.

    :param starts: with `found`, the result of :func:`crossings`
    :param best_row: receives the summed statistics of the interval
    """
    xs, rows = sums_between(starts, found, stats)
    left, right = np.append(lower, xs), np.append(xs, upper)
    scores = np.array([definition.evaluate(row)[0] for row in rows.tolist()])
    best = best_first(left, right, scores)[0]
    best_row[:] = rows[best]
    changing = (stats[found["after"]] != stats[found["before"]]).any(axis=1)
    farthest = float(np.abs(found["x"][changing]).max(initial=0.0))
    return float(scores[best]), float(left[best]), float(right[best]), farthest


def best_first(left: NDArray[np.float64], right: NDArray[np.float64], *merits: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the indices of the intervals, best first.

    Ties go to the interval that contains 0, then to the wider one, then to the one closer to 0, then to the first.

    :param merits: sort keys, the most important first
    """
    with np.errstate(over="ignore"):  # a width may be infinite
        widths = right - left
    elsewhere = (left > 0) | (right < 0)
    return np.lexsort([np.maximum(left, -right), -widths, elsewhere, *(-merit for merit in reversed(merits))])
