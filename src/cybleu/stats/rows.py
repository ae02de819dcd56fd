"""Validate and sum statistics rows.

A row is hypothesis length, reference length, clipped matches of orders 1 to N, n-grams of those orders.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _backend
from .._runtime.lazy_arrays import array_given, in_place, np
from .._runtime.sequences import refuse_masked
from ..errors import StatisticsError

if TYPE_CHECKING:
    from numpy.typing import NDArray


def column_names(order: int) -> tuple[str, ...]:
    """The names of the columns of a row, for tables."""
    orders = range(1, order + 1)
    return ("hyp_len", "ref_len", *(f"match_{n}" for n in orders), *(f"total_{n}" for n in orders))


def sums_of_lists(stats: Any) -> tuple[list[int], list[int], int]:
    """The sum, the segments without an n-gram by order, and the first row with more n-grams than its length allows, or -1."""
    rows = [checked_row(row) for row in one_or_more(stats)]
    size = len(rows[0])
    if any(len(row) != size for row in rows):
        raise StatisticsError("the rows have different lengths; all must have 2 + 2 * orders entries")
    order = (size - 2) // 2
    too_many = (
        position
        for position, row in enumerate(rows)
        if any(row[2 + order + n] > max(0, row[0] - n) for n in range(order))
    )
    return (
        [sum(column) for column in zip(*rows)],
        [sum(row[2 + order + n] == 0 for row in rows) for n in range(order)],
        next(too_many, -1),
    )


def one_or_more(stats: Any) -> list[Any]:
    """The rows in their order; a single row may be passed without a list.

    :raises StatisticsError: these are no rows
    :raises ArrayValueError: entries are masked
    """
    refuse_masked(stats, "stats")
    try:
        given = list(stats)
    except TypeError:
        raise StatisticsError(
            f"statistics are a row of whole numbers, or rows of them, and this is a {type(stats).__name__}"
        ) from None
    return given if given and hasattr(given[0], "__len__") else [given]


def checked_row(values: Any, name: str = "a row") -> list[int]:
    """A row as ints.

    :raises StatisticsError: it is not a row of statistics
    """
    row = counts_given(values, "statistics")
    order = order_of(len(row))
    if any(matched > total for matched, total in zip(row[2 : 2 + order], row[2 + order :])):
        raise StatisticsError(f"{name} has more matches than n-grams of an order: {row}")
    return row


def counts_given(values: Any, name: str) -> list[int]:
    """Whole numbers from 0 of any type as ints.

    :raises StatisticsError: these are not such numbers
    """
    numbers = whole_numbers(values, name, " from 0")
    if numbers and min(numbers) < 0:
        raise StatisticsError(f"{name} are whole numbers from 0, and these are not: {numbers}")
    return numbers


def whole_numbers(values: Any, name: str, which: str = "") -> list[int]:
    """Whole numbers of any type as ints, none of them rounded.

    :param which: of them, for the message
    :raises StatisticsError: these are not such numbers
    """
    refuse_masked(values, name)
    try:
        given = list(values)
    except TypeError:
        raise StatisticsError(f"{name} are a list of whole numbers{which}, and this is {values!r}") from None
    try:
        numbers = [int(value) for value in given]
    except (TypeError, ValueError, OverflowError):
        numbers = []
    if len(numbers) != len(given) or any(number != value for number, value in zip(numbers, given)):
        raise StatisticsError(f"{name} are whole numbers{which}, and these are not: {given}")
    return numbers


def order_of(size: int) -> int:
    if size < 4 or size % 2:
        raise StatisticsError(
            f"a row has {size} entries; it must have 2 + 2 * orders: hypothesis length, reference length, matches, n-grams"
        )
    return (size - 2) // 2


def whole_array(stats: Any, name: str) -> NDArray[np.int64]:
    """The array as the backends read it.

    :raises StatisticsError: the numbers are not integers, or int64 does not hold them
    """
    array = array_given(stats, name)
    if array.dtype.kind not in "iu" and array.size:
        raise StatisticsError(f"{name} has dtype {array.dtype}; statistics are integers, preferably int64")
    if array.dtype == np.uint64 and array.size and array.max() > np.iinfo(np.int64).max:
        raise StatisticsError(f"{name} has numbers above {np.iinfo(np.int64).max}")
    return in_place(array, np.int64)


def checked_array(stats: Any, name: str) -> tuple[NDArray[np.int64], int]:
    """The same for rows of BLEU, or one, and the number of n-gram orders."""
    array = whole_array(stats, name)
    if array.ndim not in (1, 2):
        raise StatisticsError(f"{name} has {array.ndim} dimensions; it must be one row or rows")
    return array, order_of(array.shape[-1])


def check_row(row: list[int], name: str) -> None:
    """:raises StatisticsError: it is not a row of statistics"""
    checked_row(row, name)


def sums(rows: NDArray[np.int64], order: int) -> tuple[list[int], list[int], int]:
    """As :func:`sums_of_lists`, for an array."""
    totals = np.zeros(2 + 2 * order, dtype=np.int64)
    short = np.zeros(order, dtype=np.int64)
    impossible, too_many, largest = _backend.chosen.sum_rows(rows, totals, short)
    if impossible >= 0:
        check_row(rows[impossible].tolist(), f"row {impossible}")
    if largest * len(rows) > np.iinfo(np.int64).max:
        return rows.sum(axis=0, dtype=object).tolist(), short.tolist(), too_many
    return totals.tolist(), short.tolist(), too_many
