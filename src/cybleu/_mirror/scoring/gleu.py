"""Count segments of raw text for GLEU."""

from __future__ import annotations

from ..._definitions.gleu import gleu_counts
from ..tokens.texts import fill_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def raw_gleu_rows(tokenizer: Any, *corpus_and_rows: Any) -> None:
    *corpus, min_len, max_len, start, stop, rows = corpus_and_rows

    def row_of(line: str, others: list[str]) -> tuple[int, int]:
        return gleu_counts([[*map(tokenizer.tokens, others)]], [tokenizer.tokens(line)], min_len, max_len)

    fill_rows(row_of, *corpus, start, stop, rows)
