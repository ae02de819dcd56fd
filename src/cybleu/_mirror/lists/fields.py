"""Features of lines. All lines are declined and parsed by the general reader."""

from __future__ import annotations

import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Fields:
    """See the class of this name in :mod:`cybleu._kernels`. Every line is declined."""

    def __init__(self, labels: list[bytes], sparse: str) -> None:
        self._columns: dict[str, int] = {}  # of sparse features
        self._ends = [0]
        self._found: list[tuple[int, float]] = []

    def sparse_names(self, first: int) -> list[str]:
        return list(self._columns)[first:]

    def add(self, row: list[tuple[str, float]]) -> None:
        self._found += sorted((self._columns.setdefault(name, len(self._columns)), value) for name, value in row)
        self._ends.append(len(self._found))

    def take(self) -> tuple[bytes, bytes]:
        ends = struct.pack(f"={len(self._ends)}q", *self._ends)
        entries = b"".join(struct.pack("=qd", column, value) for column, value in self._found)
        self._ends, self._found = [0], []
        return ends, entries

    def read(self, block: bytes, start: int, row: int, *columns: Any) -> tuple[int, int]:
        return row, start

    def read_rows(self, block: bytes, start: int, rows: Any, row: int) -> tuple[int, int]:
        return row, start
