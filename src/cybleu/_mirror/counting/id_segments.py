"""Count segments of token ids."""

from __future__ import annotations

from ..tokens.texts import segments
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
    for number, hypothesis, others in segments(hypotheses, references, sets, owners, start, stop):
        for column, count in enumerate(row_of_tokens(hypothesis, others, max_order, rule)):
            rows[number, column] = count
