"""Count segments of raw text."""

from __future__ import annotations

from ..._definitions.ngrams import clipped_matches, count_ngrams, reference_length
from ..text.raw_texts import RawTexts
from ..tokens.texts import fill_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def raw_rows(
    tokenizer: Any,
    hypotheses: RawTexts,
    references: RawTexts,
    sets: Any,
    owners: Any,
    max_order: int,
    rule: str,
    start: int,
    stop: int,
    rows: Any,
) -> None:
    def row_of(line: str, others: list[str]) -> list[int]:
        return _row(tokenizer, [line, *others], max_order, rule)

    fill_rows(row_of, hypotheses, references, sets, owners, start, stop, rows)


def raw_row(tokenizer: Any, lines: Sequence[str | bytes], max_order: int) -> list[int]:
    return _row(tokenizer, RawTexts(lines).texts, max_order, "closest")


def _row(tokenizer: Any, lines: Sequence[str], max_order: int, rule: str) -> list[int]:
    tokens, *references = map(tokenizer.tokens, lines)
    return row_of_tokens(tokens, references, max_order, rule)


def row_of_tokens(tokens: list[Any], references: list[list[Any]], max_order: int, rule: str) -> list[int]:
    """Return the statistics row of a hypothesis with its references."""
    matches = []
    totals = []
    for n in range(1, max_order + 1):
        in_references = [count_ngrams(reference, n) for reference in references]
        matches.append(clipped_matches(count_ngrams(tokens, n), in_references))
        totals.append(max(len(tokens) - n + 1, 0))
    length = reference_length(list(map(len, references)), len(tokens), rule)
    return [len(tokens), length, *matches, *totals]
