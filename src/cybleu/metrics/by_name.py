"""Rows of statistics from columns, or sums of columns, that have the names of a metric's statistics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import StatisticsError
from ..stats.rows import whole_numbers
from .metric import Metric

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def rows_by_name(columns: Any, metric: Metric) -> NDArray[np.int64]:
    """Return rows from an object with columns or numbers by name.

    :raises StatisticsError: a column is missing, or holds something other than whole numbers that fit into int64
    """
    from .._runtime.arrays import np

    found = [_numbers(columns, name, metric.takes_fractions) for name in metric.columns]
    if len(set(map(len, found))) > 1:
        raise StatisticsError(f"the columns have different lengths: {', '.join(map(str, map(len, found)))}")
    return np.column_stack(found)


def _numbers(columns: Any, name: str, fractions: bool) -> NDArray[Any]:
    from .._runtime.arrays import array_given, floats_given, np

    try:
        values = columns[name]
    except Exception as error:
        has = ", ".join(map(repr, columns)) if isinstance(columns, Mapping) else type(columns).__name__
        raise StatisticsError(f"there is no column {name!r} in the columns: {has}") from error
    flat = array_given(values, name).reshape(-1)
    if fractions:
        return floats_given(flat, name)
    if flat.dtype.kind not in "iu":
        flat = np.array(whole_numbers(flat.tolist(), name, " from 0"), dtype=object)
    if len(flat) and not 0 <= int(flat.min()) <= int(flat.max()) < 2**63:
        raise StatisticsError(
            f"{name} holds {int(flat.min())} to {int(flat.max())}; statistics are from 0 and fit int64"
        )
    return flat.astype(np.int64)
