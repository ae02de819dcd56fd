"""Lines of numbers, written."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def lines_of_numbers(rows: Any) -> str:
    """A line for each row: each number as its `repr`, and a blank."""
    return "".join("".join(f"{value!r} " for value in row) + "\n" for row in rows.tolist())


def lines_of_counts(rows: Any) -> str:
    """A line for each row: each whole number from 0, and a blank."""
    return "".join("".join(f"{value} " for value in row) + "\n" for row in rows.tolist())
