"""Features of lines. All lines are declined and parsed by the general reader."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Fields:
    """See the class of this name in :mod:`cybleu._kernels`. Every line is declined."""

    def __init__(self, glued: bool = False) -> None:
        self._columns: dict[str, int] = {}  # of sparse features
        self._ends = [0]
        self._found: list[tuple[int, float]] = []

    def follow(self, label: bytes) -> None:
        pass

    @property
    def sparse_count(self) -> int:
        return len(self._columns)

    def sparse_names(self, first: int) -> list[str]:
        return list(self._columns)[first:]

    def add(self, row: list[tuple[str, float]]) -> None:
        if len({name for name, _ in row}) < len(row):
            raise ValueError("a name is there twice")
        self._found += sorted((self._columns.setdefault(name, len(self._columns)), value) for name, value in row)
        self._ends.append(len(self._found))

    @property
    def rows(self) -> int:
        return len(self._ends) - 1

    @property
    def count(self) -> int:
        return len(self._found)

    def take(self, indptr: Any, columns: Any, values: Any) -> None:
        if len(indptr) != self.rows + 1 or not len(columns) == len(values) == self.count:
            raise ValueError("the arrays do not fit the rows")
        indptr[:] = self._ends
        columns[:] = [column for column, _ in self._found]
        values[:] = [value for _, value in self._found]
        self._ends, self._found = [0], []

    def read(self, block: bytes, start: int, row: int, *columns: Any) -> tuple[int, int]:
        return row, start

    def read_rows(self, block: bytes, start: int, rows: Any, row: int, stop: int) -> tuple[int, int]:
        return row, start
