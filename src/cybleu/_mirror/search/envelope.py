"""MERT line search: how the best hypothesis of each segment changes along a line of weights (Och 2003).

On the line, hypothesis i has the value ``base[i] + x * slope[i]``; so the best ones of a segment form the upper
envelope of its lines, and the statistics of a corpus change only where an envelope passes from one line to the next.
"""

from __future__ import annotations

from itertools import pairwise
from math import inf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


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
        # lines that are best only left of the lower end
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
            # where the line crosses the best one so far, which has a smaller slope
            left = (lines[top][0] - base) / (slope - lines[top][1])
            if left > begin:
                break
            hull.pop()
        hull.append((left if hull else -inf, line))
    return hull
