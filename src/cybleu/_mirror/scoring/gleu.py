"""Count segments of raw text for GLEU."""

from __future__ import annotations

from ..._definitions.gleu import gleu_counts
from ..tokens.texts import fill_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..text.raw_texts import RawTexts


def raw_gleu_rows(
    tokenizer: Any,
    hypotheses: RawTexts,
    references: RawTexts,
    sets: Any,
    owners: Any,
    min_len: int,
    max_len: int,
    start: int,
    stop: int,
    rows: Any,
) -> None:
    def row_of(line: str, others: list[str]) -> tuple[int, int]:
        return gleu_counts([[*map(tokenizer.tokens, others)]], [tokenizer.tokens(line)], min_len, max_len)

    fill_rows(row_of, hypotheses, references, sets, owners, start, stop, rows)
