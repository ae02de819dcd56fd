"""Validate rows of any metric. Requires NumPy for arrays only."""

from __future__ import annotations

from typing import Any

from .._runtime.lazy_arrays import Integers, array_given, in_place, np
from .._runtime.sequences import check_unmasked
from ..errors import StatisticsError

OF_ANOTHER_METRIC = "if another metric counted the rows, pass that metric"


def one_or_more(rows: Any) -> list[Any]:
    """The rows in their order; a single row may be passed without a list.

    :raises StatisticsError: these are no rows
    :raises ArrayValueError: entries are masked
    """
    check_unmasked(rows, "rows")
    if not hasattr(rows, "__iter__"):
        raise StatisticsError(f"statistics are a row of whole numbers, or rows, and this is a {type(rows).__name__}")
    entries = list(rows)
    return entries if entries and hasattr(entries[0], "__len__") else [entries]


def whole_numbers(values: Any, name: str, least: int | None = None) -> list[int]:
    """Whole numbers of any type as ints, none of them rounded.

    :param least: the least that is allowed
    :raises StatisticsError: these are not such numbers
    """
    if type(values) is list and set(map(type, values)) == {int} and (least is None or min(values) >= least):
        return values
    check_unmasked(values, name)
    try:
        entries = list(values)
        numbers = [int(value) for value in entries]
        # Unequal where `int` has rounded a fraction.
        valid = numbers == entries and (least is None or min(numbers, default=least) >= least)
    except (TypeError, ValueError, OverflowError):
        valid = False
    if not valid:
        which = "" if least is None else f" from {least}"
        raise StatisticsError(f"{name} are whole numbers{which}, and these are not: {values!r}")
    return numbers


def whole_array(rows: Any, name: str) -> Integers:
    """Rows as the backends read them.

    :raises StatisticsError: the numbers are not integers, or int64 does not hold them
    """
    table = array_given(rows, name)
    if table.dtype.kind not in "iu" and table.size:
        raise StatisticsError(f"{name} has dtype {table.dtype}; give integers; {OF_ANOTHER_METRIC}")
    if table.dtype == np.uint64 and table.size and table.max() > np.iinfo(np.int64).max:
        raise StatisticsError(f"{name} has numbers above {np.iinfo(np.int64).max}")
    return in_place(table, np.int64)


def row_at(rows: Any, position: int) -> list[int]:
    """A row of an array or of a view."""
    return [int(rows[position, column]) for column in range(rows.shape[1])]
