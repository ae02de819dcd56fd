"""Line search by BLEU: where its best interval is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _backend, _mirror
from .._mirror.search.envelope import CROSSING as CROSSING
from .._mirror.search.envelope import best_first as best_first
from .._mirror.search.envelope import sums_between as sums_between

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .bleu import Bleu


def best_interval(
    metric: Bleu,
    starts: NDArray[np.int64],
    found: NDArray[Any],
    stats: NDArray[np.int64],
    lower: float,
    upper: float,
    row: NDArray[np.int64],
) -> tuple[float, float, float, float]:
    """Find the best interval of a line through the weights; see the function of this name in :mod:`cybleu._mirror`.

    :param row: receives the sum of the statistics in the best interval
    """
    definition, kernel = metric.definitions(len(row) // 2 - 1)
    best = _backend.chosen.best_interval(starts, found, stats, lower, upper, kernel, row)
    return _backend.answered(best, _mirror.best_interval, starts, found, stats, lower, upper, definition, row)
