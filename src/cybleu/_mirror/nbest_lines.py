"""Lines of n-best lists. Here the reader above the backends reads every one of them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class NBestLines:
    """See the class of this name in :mod:`cybleu._kernels`. Every line is declined."""

    def __init__(self, labels: tuple[bytes, ...], columns: tuple[int, ...], glued: bool):
        pass

    def read(self, block: bytes, start: int, row: int, *columns: Any) -> tuple[int, int]:
        return row, start
