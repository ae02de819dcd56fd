"""The error surface along a line of weights (Och 2003): thresholds, the sums between them, and the best interval."""

from __future__ import annotations

from .._runtime.arrays import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from .bleu import Formula

#: The winner of a segment changes at x from one row to another.
CROSSING = np.dtype([("x", np.float64), ("before", np.int32), ("after", np.int32)])


def sums_between(starts: Any, found: Any, stats: Any) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Compute the error surface: ascending thresholds and the summed statistics between them.

    :param starts: with `found`, the result of the kernel `crossings`
    """
    changes = stats[found["after"]] - stats[found["before"]]
    rows = np.cumsum(np.concatenate([stats[starts], changes]), axis=0)[len(starts) - 1 :]
    xs = found["x"]
    last = np.append(xs[1:] != xs[:-1], True)[: len(xs)]  # of the changes at one x
    xs = xs[last]
    rows = rows[np.append(True, last)]
    changed = (rows[1:] != rows[:-1]).any(axis=1)
    return xs[changed], rows[np.append(True, changed)]


def best_interval(
    starts: Any, found: Any, stats: Any, lower: float, upper: float, formula: Formula
) -> tuple[float, float, float, float, Any]:
    """Return what the kernel of this name does, and the summed statistics of the interval.

    Ties are broken by the order of :func:`best_first`.

    :param starts: with `found`, the result of the kernel `crossings`
    """
    xs, rows = sums_between(starts, found, stats)
    left = np.append(lower, xs)
    right = np.append(xs, upper)
    scores = np.array([formula.evaluate(row)[0] for row in rows.tolist()])
    best = best_first(left, right, scores)[0]
    changing = (stats[found["after"]] != stats[found["before"]]).any(axis=1)
    farthest = float(np.abs(found["x"][changing]).max(initial=0.0))
    return float(scores[best]), float(left[best]), float(right[best]), farthest, rows[best]


def best_first(left: NDArray[np.float64], right: NDArray[np.float64], *merits: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the indices of the intervals, best first.

    Ties go to the interval that contains 0, then to the wider one, then to the one closer to 0, then to the first.

    :param merits: sort keys, the most important first
    """
    with np.errstate(over="ignore"):  # a width may be infinite
        widths = right - left
    elsewhere = (left > 0) | (right < 0)
    return np.lexsort([np.maximum(left, -right), -widths, elsewhere, *(-merit for merit in reversed(merits))])
