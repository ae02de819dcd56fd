"""Features of lines. All lines are declined and parsed by the general reader."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Fields:
    """See the class of this name in :mod:`cybleu._kernels`. Every line is declined."""

    def __init__(self, labels: list[bytes], sparse: str) -> None:
        self._columns: dict[str, int] = {}  # of sparse features

    def names(self) -> tuple[str, ...]:
        return tuple(self._columns)

    def column(self, name: str) -> int:
        return self._columns.setdefault(name, len(self._columns))

    def read(self, block: bytes, start: int, row: int, *arrays: Any) -> tuple[int, int]:
        return row, start
