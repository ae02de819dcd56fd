"""Validate rows of BLEU and add them up. Requires NumPy for arrays only.

A row is hypothesis length, reference length, clipped matches of orders 1 to N, n-grams of those orders. A segment of
`length` tokens has `max(length - n + 1, 0)` n-grams of order n; only NLTK counts an n-gram where that is 0.
"""

from __future__ import annotations

from array import array
from itertools import chain
from typing import TYPE_CHECKING, Any

from .._backend import sum_rows
from .._runtime.lazy_arrays import np
from ..errors import StatisticsError
from .operations import OF_ANOTHER_METRIC, in_two_dimensions, one_or_more, row_at, whole_array, whole_numbers

if TYPE_CHECKING:
    from .base import Counter
    from .bleu import Bleu


def order_of(width: int) -> int:
    """Return the number of n-gram orders in a row of this many numbers.

    :raises StatisticsError: rows of BLEU do not have so many
    """
    if width < 4 or width % 2:
        raise StatisticsError(f"a row has {width} entries, but a row of BLEU has 2 + 2 * orders; {OF_ANOTHER_METRIC}")
    return (width - 2) // 2


def bleu_row(values: Any, name: str = "a row") -> list[int]:
    """Return a row of any number of orders as ints.

    :raises StatisticsError: it is not valid
    """
    row = whole_numbers(values, "statistics", 0)
    order = order_of(len(row))
    if any(matched > total for matched, total in zip(row[2 : 2 + order], row[2 + order :])):
        raise StatisticsError(f"{name} has more matches than n-grams of an order: {row}; {OF_ANOTHER_METRIC}")
    return row


def as_table(rows: Any) -> Any:
    """Return rows, or one, in two dimensions as the backends read them: an array, or a view of integers.

    :param rows: a row or rows: lists, an array, or a view of two dimensions
    :raises StatisticsError: these are no rows
    """
    if isinstance(rows, memoryview) and rows.ndim == 2:
        return rows
    if hasattr(rows, "ndim") or hasattr(rows, "columns"):  # iterating over a frame of Polars gives its columns
        if type(rows) is np.ndarray and rows.ndim == 2 and rows.dtype == np.int64 and rows.flags.carray:
            return rows  # as `cybleu.rows` returns them
        return in_two_dimensions(whole_array(rows, "rows"))
    lists = [bleu_row(row) for row in one_or_more(rows)]
    width = len(lists[0])
    if any(len(row) != width for row in lists):
        raise StatisticsError("the rows have different lengths; all must have 2 + 2 * orders entries")
    try:
        numbers = array("q", chain.from_iterable(lists))
    except OverflowError:
        raise StatisticsError(f"statistics fit int64, and these do not: {max(lists, key=max)}") from None
    return memoryview(numbers).cast("B").cast("q", (len(lists), width))


def checked_bleu_row(metric: Bleu, row: Any) -> list[int]:
    """Return a row as ints.

    :raises StatisticsError: it is not valid
    """
    numbers = bleu_row(row)
    if not metric.definition.short_segments_count and numbers != without_short_orders(numbers):
        _refuse(metric, numbers)
    return numbers


def sum_of_bleu_rows(metric: Bleu, rows: Any, of_sums: bool = False) -> list[int]:
    """Validate rows and add them up.

    NLTK's BLEU counts one n-gram of an order that a segment is too short for. Rows that another definition has counted
    have none there, which is added to their sum.

    :param rows: see :func:`as_table`
    :param of_sums: the rows can be sums, so that a row of zeros is the sum of no segments
    :raises StatisticsError: a row is not valid
    """
    table = as_table(rows)
    width = table.shape[1]
    order = order_of(width)
    totals = array("q", bytes(8 * width))
    too_short = array("q", bytes(8 * order))
    invalid, counted_by_nltk, largest, empty = sum_rows(table, totals, too_short)
    if invalid >= 0:
        bleu_row(row_at(table, invalid), f"row {invalid}")
    if counted_by_nltk >= 0 and not metric.definition.short_segments_count:
        _refuse(metric, row_at(table, counted_by_nltk))
    row = totals.tolist()
    # The kernel adds up in 64 bits, so sums that may not fit are made of Python's ints.
    if largest * len(table) >= 2**63:
        row = [sum(column) for column in zip(*table.tolist())]
    if metric.definition.short_segments_count:
        of_no_segments = empty if of_sums else 0
        for n, count in enumerate(too_short):
            row[2 + order + n] += count - of_no_segments
    return row


def _refuse(metric: Bleu, row: list[int]) -> None:
    raise StatisticsError(
        f"the row {row} has too many n-grams for its length: NLTK's BLEU counted it; count the texts for {metric.name}"
    )


def counter_of_nltk(count: Counter) -> Counter:
    """Return a function that writes rows of NLTK.

    :param count: writes rows without n-grams of orders that a segment is too short for
    """

    def count_short(start: int, stop: int, rows: Any) -> None:
        count(start, stop, rows)
        pad(rows[start:stop])

    return count_short


def pad(rows: Any) -> None:
    """Write an n-gram of each order that has none, as NLTK counts it.

    :param rows: an array or a view
    """
    number, width = rows.shape
    first = 2 + order_of(width)
    if hasattr(rows, "dtype"):
        np.maximum(rows[:, first:], 1, out=rows[:, first:])
        return
    for position in range(number):
        if not rows[position, width - 1]:  # few segments are too short for the largest order
            for column in range(first, width):
                rows[position, column] = rows[position, column] or 1


def without_short_orders(row: list[int]) -> list[int]:
    """Return the row of a segment without the n-grams that NLTK counts of orders that the segment is too short for."""
    order = order_of(len(row))
    totals = [min(total, max(row[0] - n, 0)) for n, total in enumerate(row[2 + order :])]
    return [*row[: 2 + order], *totals]
