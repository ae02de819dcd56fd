"""Count segments of token ids."""

from __future__ import annotations

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
    for position in range(start, stop):
        owner = position if owners is None else owners[position]
        others = references.texts[sets[owner] : sets[owner + 1]]
        for column, number in enumerate(row_of_tokens(hypotheses.texts[position], others, max_order, rule)):
            rows[position, column] = number
