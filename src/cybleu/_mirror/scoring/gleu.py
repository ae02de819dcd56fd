"""Count segments of raw text for GLEU."""

from __future__ import annotations

from ..._definitions.gleu import gleu_counts
from ..tokens.texts import segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def raw_gleu_rows(tokenizer: Any, *corpus_and_rows: Any) -> None:
    hypotheses, references, sets, owners, min_len, max_len, start, stop, rows = corpus_and_rows
    for number, hypothesis, others in segments(hypotheses, references, sets, owners, start, stop):
        tokens = [[tokenizer.tokens(line) for line in others]]
        rows[number, 0], rows[number, 1] = gleu_counts(tokens, [tokenizer.tokens(hypothesis)], min_len, max_len)
