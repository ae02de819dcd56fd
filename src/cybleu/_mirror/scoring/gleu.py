"""Count segments for GLEU."""

from __future__ import annotations

from ..._definitions.gleu import gleu_counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..counting.numbered import Segments


def numbered_gleu_rows(segments: Segments, min_len: int, max_len: int, start: int, stop: int, rows: Any) -> None:
    def row_of(tokens: list[Any], references: list[list[Any]]) -> tuple[int, int]:
        return gleu_counts([references], [tokens], min_len, max_len)

    segments.fill(row_of, start, stop, rows)
