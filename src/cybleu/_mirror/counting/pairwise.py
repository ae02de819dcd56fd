"""Each text of a collection against every other, or against all others together."""

from __future__ import annotations

import math
from collections import Counter
from itertools import chain

from .segments import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..scoring.definitions import Definition
    from ..tokens.texts import TokenTexts


def ngrams_of(tokens: list[int], max_order: int) -> list[Counter[tuple[int, ...]]]:
    return [counted(tokens, n) for n in range(1, max_order + 1)]


class PairwiseTexts:
    """See the class of this name in :mod:`cybleu._kernels`."""

    def __init__(self, definition: Definition, references: TokenTexts, hypotheses: TokenTexts | None = None):
        self._definition, self._order = definition, definition.order
        self._references = self._counted(references)
        self._hypotheses = self._references if hypotheses is None else self._counted(hypotheses)

    def _counted(self, texts: TokenTexts) -> list[tuple[int, list[Counter[tuple[int, ...]]]]]:
        return [(len(text), ngrams_of(text, self._order)) for text in texts.texts]

    def fill(self, start: int, stop: int, scores: Any) -> None:
        for i in range(start, stop):
            for j, reference in enumerate(self._references):
                scores[i, j] = self._score(self._hypotheses[i], reference)

    def _score(self, hypothesis: Any, reference: Any) -> float:
        (length, counts), (reference_length, in_reference) = hypothesis, reference
        matches = [
            sum([min(count, most[ngram]) for ngram, count in ngrams.items() if ngram in most])
            for ngrams, most in zip(counts, in_reference)
        ]
        totals = [max(0, length - n) for n in range(self._order)]
        try:
            return self._definition.evaluate([length, reference_length, *matches, *totals])[0]
        except (ArithmeticError, ValueError):
            return math.nan  # the caller raises the error, which names the pair


def leave_one_out(texts: TokenTexts, max_order: int, stats: Any) -> None:
    """Write the statistics row of each text with all others as references; the reference length is not written."""
    counts = [ngrams_of(text, max_order) for text in texts.texts]
    # the two largest counts of each n-gram in one text
    largest: dict[tuple[int, ...], list[int]] = {}
    for ngram, count in chain.from_iterable(ngrams.items() for orders in counts for ngrams in orders):
        largest[ngram] = sorted([*largest.get(ngram, [0, 0]), count])[1:]
    for position, (text, orders) in enumerate(zip(texts.texts, counts)):
        stats[position, 0] = len(text)
        for n, ngrams in enumerate(orders):
            matched = 0
            for ngram, count in ngrams.items():
                second, first = largest[ngram]
                # excluding this text, the maximum is the other one of the two
                matched += min(count, second if count == first else first)
            stats[position, 2 + n] = matched
            stats[position, 2 + max_order + n] = sum(ngrams.values())
