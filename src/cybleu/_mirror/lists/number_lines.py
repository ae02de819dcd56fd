"""Format lines of numbers."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def lines_of_numbers(
    rows: Any, indptr: Any = None, columns: Any = None, values: Any = None, names: tuple[str, ...] = ()
) -> str:
    """Format a line for each row: the `repr` of each number, then named values such as ``pp_a=1.0``, blank-separated.

    :param indptr: the start of each row's named values, and the end of the last row's
    :param columns: for each value the index of its name
    """
    lines = ["".join(f"{value!r} " for value in row) for row in rows.tolist()]
    if indptr is not None:
        for row, (begin, end) in enumerate(zip(indptr[:-1].tolist(), indptr[1:].tolist())):
            pairs = zip(columns[begin:end].tolist(), values[begin:end].tolist())
            lines[row] += "".join([f"{names[column]}={value!r} " for column, value in pairs])
    return "".join([f"{line}\n" for line in lines])


def lines_of_counts(rows: Any) -> str:
    """Format a line for each row of non-negative integers, each followed by a blank."""
    return "".join("".join(f"{value} " for value in row) + "\n" for row in rows.tolist())
