"""Check rows of statistics, and add them up. Needs no NumPy, except for arrays.

A row of BLEU is hypothesis length, reference length, clipped matches of orders 1 to N, n-grams of those orders.
"""

from __future__ import annotations

from array import array
from collections import namedtuple
from functools import reduce
from operator import add

from .. import _backend
from .._runtime.lazy_arrays import array_given, floats_given, in_place, np
from .._runtime.numbers import finite_numbers
from .._runtime.sequences import check_unmasked
from ..errors import StatisticsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from numpy.typing import NDArray

    from .base import Metric


def one_or_more(rows: Any) -> list[Any]:
    """The rows in their order; a single row may be passed without a list.

    :raises StatisticsError: these are no rows
    :raises ArrayValueError: entries are masked
    """
    check_unmasked(rows, "rows")
    try:
        given = list(rows)
    except TypeError:
        raise StatisticsError(
            f"statistics are a row of whole numbers, or rows of them, and this is a {type(rows).__name__}"
        ) from None
    return given if given and hasattr(given[0], "__len__") else [given]


def has_rows(rows: Any) -> bool:
    """Whether this is anything but an empty list or array."""
    return not (hasattr(rows, "__len__") and getattr(rows, "ndim", 1) != 0 and not len(rows))


def whole_numbers(values: Any, name: str, least: int | None = None) -> list[int]:
    """Whole numbers of any type as ints, none of them rounded.

    :param least: the least that is allowed
    :raises StatisticsError: these are not such numbers
    """
    check_unmasked(values, name)
    which = "" if least is None else f" from {least}"
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
    if least is not None and numbers and min(numbers) < least:
        raise StatisticsError(f"{name} are whole numbers{which}, and these are not: {numbers}")
    return numbers


def checked_row(row: Any, metric: Metric, least: int | None = None) -> list[Any]:
    """A row of a metric.

    :param least: the least whole number that is allowed
    :raises StatisticsError: it is not one
    """
    numbers: Any
    if metric.dtype == "float64":
        numbers = finite_numbers(row, f"the numbers of {metric.name}")
        if numbers is None:
            raise StatisticsError(f"a row of {metric.name} has finite numbers, and this is {row!r}")
    else:
        numbers = whole_numbers(row, f"the counts of {metric.name}", least)
    if len(numbers) != len(metric.columns):
        raise StatisticsError(f"a row of {metric.name} has {len(metric.columns)} entries, and this one {len(numbers)}")
    return list(numbers)


def checked_rows(rows: Any, metric: Metric) -> NDArray[Any]:
    """Rows of a metric as an array.

    :raises StatisticsError: they are not rows of the metric
    """
    table: NDArray[Any] = floats_given(rows, "rows") if metric.dtype == "float64" else whole_array(rows, "rows")
    if table.ndim != 2 or table.shape[1] != len(metric.columns):
        raise StatisticsError(
            f"rows have the shape {table.shape}; rows of {metric.name} have {len(metric.columns)} entries"
        )
    return table


def added_up(rows: Any, metric: Metric) -> list[Any]:
    """The sum of a row or rows of a metric, from the first to the last."""
    if isinstance(rows, memoryview) and rows.ndim == 2:  # of a counter, without NumPy
        width = len(metric.columns)
        numbers = rows.cast("B").cast(rows.format)  # type: ignore[call-overload]
        columns = [numbers[column::width] for column in range(width)]
        return [sum(column) if metric.dtype == "int64" else reduce(add, column) for column in columns]
    if metric.dtype == "float64" and type(rows) is not list:
        rows = np.atleast_2d(floats_given(rows, "rows"))
    if getattr(rows, "ndim", None) == 2:
        summed: list[Any] = checked_rows(rows, metric).sum(axis=0, dtype=object).tolist()
        return summed
    table = [checked_row(row, metric) for row in one_or_more(rows)]
    return [reduce(add, column) for column in zip([0] * len(metric.columns), *table)]


def whole_array(rows: Any, name: str) -> NDArray[np.int64]:
    """Rows as the backends read them.

    :raises StatisticsError: the numbers are not integers, or int64 does not hold them
    """
    given = array_given(rows, name)
    if given.dtype.kind not in "iu" and given.size:
        raise StatisticsError(f"{name} has dtype {given.dtype}; statistics are integers, preferably int64")
    if given.dtype == np.uint64 and given.size and given.max() > np.iinfo(np.int64).max:
        raise StatisticsError(f"{name} has numbers above {np.iinfo(np.int64).max}")
    return in_place(given, np.int64)


def scores_by(kernel: Any, rows: NDArray[Any], evaluate: Callable[[Any], float]) -> NDArray[np.float64]:
    """Score rows by the kernel, and by a function where it declines."""
    scores = np.empty(len(rows))

    def one(position: int) -> None:
        scores[position] = evaluate(rows[position].tolist())

    _backend.go_on(lambda start: kernel.score_rows(rows, start, scores), 0, len(rows), one)
    return scores


# ------------------------------------------------------------------------------------------------------- rows of BLEU


def column_names(order: int) -> tuple[str, ...]:
    """The names of the columns of a row of BLEU."""
    orders = range(1, order + 1)
    return ("hyp_len", "ref_len", *(f"match_{n}" for n in orders), *(f"total_{n}" for n in orders))


def order_of(size: int) -> int:
    """The number of orders in a row of BLEU."""
    if size < 4 or size % 2:
        raise StatisticsError(
            f"a row has {size} entries; it must have 2 + 2 * orders: hypothesis length, reference length, matches, n-grams"
        )
    return (size - 2) // 2


def bleu_row(values: Any, name: str = "a row") -> list[int]:
    """A row of BLEU of any number of orders as ints.

    :raises StatisticsError: it is not one
    """
    row = whole_numbers(values, "statistics", 0)
    order = order_of(len(row))
    if any(matched > total for matched, total in zip(row[2 : 2 + order], row[2 + order :])):
        raise StatisticsError(f"{name} has more matches than n-grams of an order: {row}")
    return row


def bleu_rows(rows: Any) -> tuple[NDArray[np.int64], int]:
    """Rows of BLEU, or one, as an array, and their number of orders."""
    table = whole_array(rows, "rows")
    if table.ndim not in (1, 2):
        raise StatisticsError(f"rows has {table.ndim} dimensions; it must be one row or rows")
    return table, order_of(table.shape[-1])


# The sum of rows of BLEU; for each order, the number of rows without an n-gram of it; the number of rows of zeros; the
# first row with more n-grams than its length allows, or None.
Sum = namedtuple("Sum", "row short zeros too_many")


def total_of(rows: Any) -> Sum:
    """Add up rows of BLEU.

    :param rows: a row or rows: lists, an array, or a view of two dimensions
    :raises StatisticsError: a row is not valid
    """
    if hasattr(rows, "dtype"):
        table, order = bleu_rows(rows)
        return _total_of_table(table.reshape(-1, 2 + 2 * order), order)
    if isinstance(rows, memoryview) and rows.ndim == 2 and _backend.BACKEND == "cython":
        return _total_of_table(rows, order_of(rows.shape[1]))  # type: ignore[index]
    lists = [bleu_row(row) for row in one_or_more(rows.tolist() if isinstance(rows, memoryview) else rows)]
    size = len(lists[0])
    if any(len(row) != size for row in lists):
        raise StatisticsError("the rows have different lengths; all must have 2 + 2 * orders entries")
    order = order_of(size)
    too_many = (row for row in lists if any(row[2 + order + n] > max(0, row[0] - n) for n in range(order)))
    short = [sum(row[2 + order + n] == 0 for row in lists) for n in range(order)]
    return Sum([sum(column) for column in zip(*lists)], short, sum(not any(row) for row in lists), next(too_many, None))


def _total_of_table(rows: Any, order: int) -> Sum:
    zeros = (lambda n: np.zeros(n, np.int64)) if hasattr(rows, "dtype") else (lambda n: array("q", bytes(8 * n)))
    totals, short = zeros(2 + 2 * order), zeros(order)
    impossible, too_many, largest, of_zeros = _backend.chosen.sum_rows(rows, totals, short)
    if impossible >= 0:
        bleu_row([rows[impossible, column] for column in range(2 + 2 * order)], f"row {impossible}")
    total = totals.tolist()
    if largest * len(rows) >= 2**63:
        total = [sum(int(rows[i, column]) for i in range(len(rows))) for column in range(2 + 2 * order)]
    first = None if too_many < 0 else [int(rows[too_many, column]) for column in range(2 + 2 * order)]
    return Sum(total, short.tolist(), of_zeros, first)


# ------------------------------------------------------------------------------------------------------------- by name


def rows_by_name(columns: Mapping[str, Any], metric: Metric) -> NDArray[Any]:
    """Return rows from a dict of columns or numbers by the names of the metric's columns.

    :raises StatisticsError: a column is missing, or holds something other than whole numbers that fit into int64
    """
    found = [_numbers(columns, name, metric) for name in metric.columns]
    if len(set(map(len, found))) > 1:
        raise StatisticsError(f"the columns have different lengths: {', '.join(map(str, map(len, found)))}")
    return np.column_stack(found)


def _numbers(columns: Mapping[str, Any], name: str, metric: Metric) -> NDArray[Any]:
    if name not in columns:
        raise StatisticsError(f"there is no column {name!r} in the columns: {', '.join(map(repr, columns))}")
    flat = array_given(columns[name], name).reshape(-1)
    if metric.dtype == "float64":
        return floats_given(flat, name)
    if flat.dtype.kind not in "iu":
        flat = np.array(whole_numbers(flat.tolist(), name, 0), dtype=object)
    if len(flat) and not 0 <= int(flat.min()) <= int(flat.max()) < 2**63:
        raise StatisticsError(
            f"{name} holds {int(flat.min())} to {int(flat.max())}; statistics are from 0 and fit int64"
        )
    return flat.astype(np.int64)
