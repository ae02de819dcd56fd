"""Count segments of token ids."""

from __future__ import annotations

from ..tokens.texts import fill_rows
from .raw_segments import row_of_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def id_rows(*corpus_and_rows: Any) -> None:
    *corpus, max_order, rule, start, stop, rows = corpus_and_rows
    fill_rows(lambda tokens, others: row_of_tokens(tokens, others, max_order, rule), *corpus, start, stop, rows)
