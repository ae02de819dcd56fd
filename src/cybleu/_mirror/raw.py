"""Raw text to the counts of segments, and to numbers of tokens."""

from __future__ import annotations

from array import array

from .._runtime.interrupts import look
from .raw_texts import RawTexts
from .segments import clipped_matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def raw_rows(
    tokenizer: Any,
    hypotheses: RawTexts,
    references: RawTexts,
    sets: Any,
    max_order: int,
    reference_length: str,
    start: int,
    stop: int,
    rows: Any,
) -> None:
    for position in range(start, stop):
        look()
        of_segment = references._lines[sets[position] : sets[position + 1]]
        row = raw_row(tokenizer, hypotheses._lines[position], of_segment, max_order, reference_length)
        for column, number in enumerate(row):
            rows[position, column] = number


def raw_sum(
    tokenizer: Any,
    hypotheses: RawTexts,
    references: RawTexts,
    sets: Any,
    max_order: int,
    reference_length: str,
    start: int,
    stop: int,
) -> tuple[list[int], list[int]]:
    totals = [0] * (2 + 2 * max_order)
    short = [0] * max_order
    for position in range(start, stop):
        of_segment = references._lines[sets[position] : sets[position + 1]]
        row = raw_row(tokenizer, hypotheses._lines[position], of_segment, max_order, reference_length)
        totals = [total + count for total, count in zip(totals, row)]
        short = [total + (count == 0) for total, count in zip(short, row[2 + max_order :])]
    return totals, short


def raw_row(
    tokenizer: Any, hypothesis: str | bytes, references: Sequence[str | bytes], max_order: int, reference_length: str
) -> list[int]:
    (tokens,) = map(tokenizer.tokens, RawTexts([hypothesis])._lines)
    others = list(map(tokenizer.tokens, RawTexts(references)._lines))
    pairs = [clipped_matches(others, tokens, n) for n in range(1, max_order + 1)]
    lengths = list(map(len, others))
    if reference_length != "closest-first":
        lengths.sort()
    if reference_length in ("closest", "closest-first"):
        length = min(lengths, key=lambda length: abs(length - len(tokens)))
    else:
        length = lengths[0] if reference_length == "shortest" else sum(lengths) // len(lengths)
    return [len(tokens), length, *[matched for matched, _ in pairs], *[total for _, total in pairs]]


class RawVocabulary:
    """See the class of this name in :mod:`cybleu._kernels`."""

    def __init__(self, tokenizer: Any):
        self.tokenizer = tokenizer
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, texts: RawTexts, ends: Any) -> bytes:
        for line in texts._lines:
            self.assign(self.tokenizer.tokens(line))
        return self.look_up(texts, 0, texts.count, ends)

    def look_up(self, texts: RawTexts, start: int, stop: int, ends: Any) -> bytes:
        found = array("i")
        for position in range(start, stop):
            look()
            found.extend([self._numbers.get(token, -1) for token in self.tokenizer.tokens(texts._lines[position])])
            ends[position - start] = len(found)
        return found.tobytes()

    def number(self, token: str) -> int:
        return self._numbers.get(token, -1)

    def tokens(self) -> list[str]:
        return list(self._numbers)

    def assign(self, tokens: list[str]) -> None:
        for token in tokens:
            self._numbers.setdefault(token, len(self._numbers))
