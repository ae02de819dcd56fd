"""Count segments of token ids."""

from __future__ import annotations

from ..tokens.texts import segments
from .raw_segments import row_of_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def id_rows(*corpus_and_rows: Any) -> None:
    hypotheses, references, sets, owners, max_order, rule, start, stop, rows = corpus_and_rows
    for number, hypothesis, others in segments(hypotheses, references, sets, owners, start, stop):
        for column, count in enumerate(row_of_tokens(hypothesis, others, max_order, rule)):
            rows[number, column] = count
