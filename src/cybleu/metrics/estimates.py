"""Fast approximate BLEU of many rows, in a few passes of NumPy.

If millions of scores are compared with a threshold, only those near it must be exact.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Estimate = Callable[[NDArray[np.float64]], NDArray[np.float64]]

#: The largest relative error of an estimate. About ten roundings contribute only a thousandth of it.
ERROR = 1e-9
MOST_ORDERS = 16  # products of this many counts are finite


def estimate(rules: Any) -> Estimate | None:
    """Return a function from sums `(..., columns, n)` to estimates `(..., n)`, NaN if smoothing applies; or None.

    :param rules: a :class:`cybleu.metrics.bleu.Rules`
    """
    order = rules.order
    known = rules.mean in ("exact", "logs", "fractions", "shares") and not rules.smoothing.startswith("add")
    if not known or rules.weights is not None or rules.short_segments_count or order > MOST_ORDERS:
        return None

    def nearly(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        lengths, wanted = sums[..., 0, :], sums[..., 1, :]
        product, totals = sums[..., 2, :].copy(), sums[..., 2 + order, :].copy()
        for n in range(1, order):
            product *= sums[..., 2 + n, :]
            totals *= sums[..., 2 + order + n, :]
        with np.errstate(all="ignore"):
            product /= totals
            product[~(product > 0)] = np.nan
            scores: NDArray[np.float64] = np.sqrt(np.sqrt(product)) if order == 4 else product ** (1 / order)
            if rules.penalty != "none":
                if rules.penalty_adds:
                    wanted = wanted + rules.penalty_adds
                scores *= np.exp(np.minimum(1 - wanted / lengths, 0))
        scores *= rules.scale
        return scores

    return nearly
