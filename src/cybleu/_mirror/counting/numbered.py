"""Count segments of raw text and of token ids."""

from __future__ import annotations

from ..._definitions.ngrams import clipped_matches, count_ngrams, reference_length
from ..text.raw_texts import RawTexts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from ..tokens.texts import TokenTexts

    RowOf = Callable[[Any, list[Any]], Iterable[float]]  # the row of a hypothesis and its references


class Segments:
    """See the class of this name in :mod:`cybleu._kernels`."""

    def __init__(
        self,
        tokenizer: Any,
        hypotheses: RawTexts | TokenTexts,
        references: RawTexts | TokenTexts,
        sets: Any,
        owners: Any = None,
    ):
        self._tokens: Callable[[Any], list[Any]] = list if tokenizer is None else tokenizer.tokens
        self._hypotheses: list[Any] = hypotheses.texts
        self._references: list[Any] = references.texts
        self._sets = sets
        self._owners = owners

    def fill(self, row_of: RowOf, start: int, stop: int, rows: Any) -> None:
        """Write the rows of the segments from a first one to before another one, by the tokens of their texts."""

        def row_of_tokens(hypothesis: Any, references: list[Any]) -> Iterable[float]:
            return row_of(self._tokens(hypothesis), [*map(self._tokens, references)])

        self.fill_by_texts(row_of_tokens, start, stop, rows)

    def fill_by_texts(self, row_of: RowOf, start: int, stop: int, rows: Any) -> None:
        """Write the rows by the texts themselves."""
        for number in range(start, stop):
            owner = number if self._owners is None else self._owners[number]
            references = self._references[self._sets[owner] : self._sets[owner + 1]]
            for column, value in enumerate(row_of(self._hypotheses[number], references)):
                rows[number, column] = value


def numbered_rows(segments: Segments, max_order: int, rule: str, start: int, stop: int, rows: Any) -> None:
    def row_of(tokens: list[Any], references: list[list[Any]]) -> list[int]:
        return _row(tokens, references, max_order, rule)

    segments.fill(row_of, start, stop, rows)


def raw_row(tokenizer: Any, lines: Sequence[str | bytes], max_order: int) -> list[int]:
    tokens, *references = map(tokenizer.tokens, RawTexts(lines).texts)
    return _row(tokens, references, max_order, "closest")


def _row(tokens: list[Any], references: list[list[Any]], max_order: int, rule: str) -> list[int]:
    """Return the statistics row of a hypothesis with its references."""
    matches = []
    totals = []
    for n in range(1, max_order + 1):
        in_references = [count_ngrams(reference, n) for reference in references]
        matches.append(clipped_matches(count_ngrams(tokens, n), in_references))
        totals.append(max(len(tokens) - n + 1, 0))
    length = reference_length(list(map(len, references)), len(tokens), rule)
    return [len(tokens), length, *matches, *totals]
