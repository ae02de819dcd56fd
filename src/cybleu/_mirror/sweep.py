"""The best interval of a line: all of them are scored."""

from __future__ import annotations

from .envelope import changes, intervals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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
    """Score, left and right end of the best interval, and the smallest and the largest threshold.

    Of equal scores it is the interval that holds 0, else the wider, else the one nearer to 0, else the first.

    :param best_row: receives the sum of the statistics there
    """
    short = [0] * definition.order
    at_lower, found = changes(base, slope, order, offsets, stats, lower, upper)
    scored = [
        (definition.evaluate(row, short)[0], left, right, row)
        for left, right, row in intervals(at_lower, found, lower, upper)
    ]
    score, left, right, row = max(scored, key=_merit)
    best_row[:] = row
    first, last = (found[0][0], found[-1][0]) if found else (0.0, 0.0)
    return score, left, right, first, last


def _merit(scored: tuple[float, float, float, Any]) -> tuple[float, bool, float, float]:
    score, left, right, _ = scored
    return score, left <= 0 <= right, right - left, -max(left, -right)
