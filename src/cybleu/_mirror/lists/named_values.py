"""Named values, stored as columns and values. Lines are declined and parsed by the general reader."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class NamedValues:
    """Rows of named values. Names get columns in order of first occurrence, from 0.

    :ivar names: names of all columns
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self._numbers: dict[str, int] = {}
        self._ends = [0]
        self._found: list[tuple[int, float]] = []

    @property
    def rows(self) -> int:
        """Return the number of rows not yet taken."""
        return len(self._ends) - 1

    @property
    def count(self) -> int:
        """Return the number of values in these rows."""
        return len(self._found)

    def add(self, row: list[tuple[str, float]]) -> None:
        """Add a row of distinct names and their values."""
        for name, _ in row:
            if name not in self._numbers:
                self._numbers[name] = len(self.names)
                self.names.append(name)
        if len({name for name, _ in row}) < len(row):
            raise ValueError("a name is there twice")
        self._found += sorted((self._numbers[name], value) for name, value in row)
        self._ends.append(len(self._found))

    def take(self, indptr: Any, columns: Any, values: Any) -> None:
        """Move the rows into compressed sparse row arrays, with ascending columns."""
        if len(indptr) != self.rows + 1 or not len(columns) == len(values) == self.count:
            raise ValueError("the arrays do not fit the rows")
        indptr[:] = self._ends
        columns[:] = [column for column, _ in self._found]
        values[:] = [value for _, value in self._found]
        self._ends, self._found = [0], []


def read_rows(block: bytes, start: int, rows: Any, row: int, stop: int, named: Any = None) -> tuple[int, int]:
    """See the function of this name in :mod:`cybleu._kernels`. Every line is declined."""
    return row, start
