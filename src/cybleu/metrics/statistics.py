"""Check rows of statistics, and add them up. Needs no NumPy, except for arrays.

A row of BLEU is hypothesis length, reference length, clipped matches of orders 1 to N, n-grams of those orders.
"""

from __future__ import annotations

from array import array
from itertools import chain

from .._backend import go_on, sum_rows
from .._runtime.lazy_arrays import array_given, in_place, np
from .._runtime.sequences import check_unmasked
from ..errors import StatisticsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy.typing import NDArray

_OF_ANOTHER = "if another metric counted the rows, pass that metric"


def one_or_more(rows: Any) -> list[Any]:
    """The rows in their order; a single row may be passed without a list.

    :raises StatisticsError: these are no rows
    :raises ArrayValueError: entries are masked
    """
    check_unmasked(rows, "rows")
    if not hasattr(rows, "__iter__"):
        raise StatisticsError(f"statistics are a row of whole numbers, or rows, and this is a {type(rows).__name__}")
    given = list(rows)
    return given if given and hasattr(given[0], "__len__") else [given]


def has_rows(rows: Any) -> bool:
    """Whether this is anything but an empty list or array."""
    return not (hasattr(rows, "__len__") and getattr(rows, "ndim", 1) != 0 and not len(rows))


def whole_numbers(values: Any, name: str, least: int | None = None) -> list[int]:
    """Whole numbers of any type as ints, none of them rounded.

    :param least: the least that is allowed
    :raises StatisticsError: these are not such numbers
    """
    if type(values) is list and set(map(type, values)) == {int} and (least is None or min(values) >= least):
        return values
    check_unmasked(values, name)
    try:
        given = list(values)
        numbers = [int(value) for value in given]
        valid = numbers == given and (least is None or min(numbers, default=least) >= least)
    except (TypeError, ValueError, OverflowError):
        valid = False
    if not valid:
        which = "" if least is None else f" from {least}"
        raise StatisticsError(f"{name} are whole numbers{which}, and these are not: {values!r}")
    return numbers


def whole_array(rows: Any, name: str) -> NDArray[np.int64]:
    """Rows as the backends read them.

    :raises StatisticsError: the numbers are not integers, or int64 does not hold them
    """
    given = array_given(rows, name)
    if given.dtype.kind not in "iu" and given.size:
        raise StatisticsError(f"{name} has dtype {given.dtype}; give integers; {_OF_ANOTHER}")
    if given.dtype == np.uint64 and given.size and given.max() > np.iinfo(np.int64).max:
        raise StatisticsError(f"{name} has numbers above {np.iinfo(np.int64).max}")
    return in_place(given, np.int64)


def scores_by(kernel: Any, rows: Any, evaluate: Callable[[Any], float]) -> Any:
    """Score rows by the kernel, and by a function where it declines.

    :param rows: an array or a view, as the backends read them
    :return: an array of NumPy for an array
    """
    scores = np.empty(len(rows)) if hasattr(rows, "dtype") else array("d", bytes(8 * len(rows)))

    def one(position: int) -> None:
        scores[position] = evaluate(row_at(rows, position))

    go_on(lambda start: kernel.score_rows(rows, start, scores), 0, len(rows), one)
    return scores


def row_at(rows: Any, position: int) -> list[int]:
    """A row of an array or of a view."""
    return [int(rows[position, column]) for column in range(rows.shape[1])]


# ------------------------------------------------------------------------------------------------------- rows of BLEU


def order_of(size: int) -> int:
    """The number of orders in a row of BLEU."""
    if size < 4 or size % 2:
        raise StatisticsError(f"a row has {size} entries, but a row of BLEU has 2 + 2 * orders; {_OF_ANOTHER}")
    return (size - 2) // 2


def bleu_row(values: Any, name: str = "a row") -> list[int]:
    """A row of BLEU of any number of orders as ints.

    :raises StatisticsError: it is not one
    """
    row = whole_numbers(values, "statistics", 0)
    order = order_of(len(row))
    if any(matched > total for matched, total in zip(row[2 : 2 + order], row[2 + order :])):
        raise StatisticsError(f"{name} has more matches than n-grams of an order: {row}; {_OF_ANOTHER}")
    return row


def as_table(rows: Any) -> Any:
    """Rows of BLEU, or one, in two dimensions as the backends read them: an array, or a view of integers.

    :param rows: a row or rows: lists, an array, or a view of two dimensions
    :raises StatisticsError: these are no rows
    """
    if isinstance(rows, memoryview) and rows.ndim == 2:
        return rows
    if hasattr(rows, "ndim"):
        table = whole_array(rows, "rows")
        if table.ndim not in (1, 2):
            raise StatisticsError(f"rows has {table.ndim} dimensions; it must be one row or rows")
        order_of(table.shape[-1])
        return table.reshape(-1, table.shape[-1])
    lists = [bleu_row(row) for row in one_or_more(rows)]
    width = len(lists[0])
    if any(len(row) != width for row in lists):
        raise StatisticsError("the rows have different lengths; all must have 2 + 2 * orders entries")
    try:
        numbers = array("q", chain.from_iterable(lists))
    except OverflowError:
        raise StatisticsError(f"statistics fit int64, and these do not: {max(lists, key=max)}") from None
    return memoryview(numbers).cast("B").cast("q", (len(lists), width))


def total_of(rows: Any) -> tuple[list[int], list[int], int, list[int] | None]:
    """Add up rows of BLEU.

    :param rows: see :func:`as_table`
    :return: the sum; for each order, the number of rows without an n-gram of it; the number of rows of zeros; the first
        row with more n-grams than its length allows, or None
    :raises StatisticsError: a row is not valid
    """
    table = as_table(rows)
    width = table.shape[1]
    totals, short = array("q", bytes(8 * width)), array("q", bytes(8 * order_of(width)))
    impossible, too_many, largest, zeros = sum_rows(table, totals, short)
    if impossible >= 0:
        bleu_row(row_at(table, impossible), f"row {impossible}")
    total = totals.tolist()
    if largest * len(table) >= 2**63:
        total = [sum(column) for column in zip(*table.tolist())]
    return total, short.tolist(), zeros, None if too_many < 0 else row_at(table, too_many)
