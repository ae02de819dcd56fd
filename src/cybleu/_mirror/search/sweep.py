"""Find the best interval of a line by scoring all intervals."""

from __future__ import annotations

from ..._runtime.arrays import np
from .envelope import changes, intervals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray


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
    short = [0] * definition.order
    at_lower, found = changes(base, slope, order, offsets, stats, lower, upper)
    left, right, rows = zip(*intervals(at_lower, found, lower, upper))
    scores = [definition.evaluate(row, short)[0] for row in rows]
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
