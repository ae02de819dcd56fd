"""Count segments of token ids."""

from __future__ import annotations

from ..tokens.texts import fill_rows
from .raw_segments import row_of_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..tokens.texts import TokenTexts


def id_rows(
    hypotheses: TokenTexts,
    references: TokenTexts,
    sets: Any,
    owners: Any,
    max_order: int,
    rule: str,
    start: int,
    stop: int,
    rows: Any,
) -> None:
    def row_of(tokens: list[int], others: list[list[int]]) -> list[int]:
        return row_of_tokens(tokens, others, max_order, rule)

    fill_rows(row_of, hypotheses, references, sets, owners, start, stop, rows)
