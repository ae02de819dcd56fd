"""Lines of numbers, written."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def lines_of_numbers(
    rows: Any, indptr: Any = None, columns: Any = None, values: Any = None, names: tuple[str, ...] = ()
) -> str:
    """A line for each row: each number as its `repr`, and a blank; then its values with names, such as ``pp_a=1.0``.

    :param indptr: for each row where its values begin among these, and then where those of the last one end
    :param columns: for each value which of the names it has
    """
    lines = ["".join(f"{value!r} " for value in row) for row in rows.tolist()]
    if indptr is not None:
        for row, (begin, end) in enumerate(zip(indptr[:-1].tolist(), indptr[1:].tolist())):
            pairs = zip(columns[begin:end].tolist(), values[begin:end].tolist())
            lines[row] += "".join([f"{names[column]}={value!r} " for column, value in pairs])
    return "".join([f"{line}\n" for line in lines])


def lines_of_counts(rows: Any) -> str:
    """A line for each row: each whole number from 0, and a blank."""
    return "".join("".join(f"{value} " for value in row) + "\n" for row in rows.tolist())
