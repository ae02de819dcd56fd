"""BLEU of texts against each of several references alone, with n-grams that are counted once."""

from __future__ import annotations

from collections import defaultdict
from functools import cache, cached_property

from .ngrams import count_ngrams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from .bleu import Formula

    Texts: TypeAlias = Callable[[], list[list[int]]]
    Occurrences: TypeAlias = defaultdict[tuple[int, ...], list[tuple[int, int]]]


class Pairs:
    """Texts of token ids with references, whose n-grams are counted when the first text is scored.

    :param hypotheses: a function that returns the texts
    :param references: a function that returns the references
    """

    def __init__(self, formula: Formula, hypotheses: Texts, references: Texts):
        self._formula = formula
        self._hypotheses = cache(hypotheses)
        self._references = cache(references)

    @cached_property
    def _occurrences(self) -> list[Occurrences]:
        """For each order, the references that contain an n-gram, and how often."""
        found: list[Occurrences] = [defaultdict(list) for _ in range(self._formula.order)]
        for number, reference in enumerate(self._references()):
            for n, occurrences in enumerate(found, 1):
                for ngram, count in count_ngrams(reference, n).items():
                    occurrences[ngram].append((number, count))
        return found

    def scores(self, place: int) -> list[float]:
        """Return the score of one text with each reference."""
        hypothesis = self._hypotheses()[place]
        references = self._references()
        order = self._formula.order
        totals = [max(0, len(hypothesis) - n) for n in range(order)]
        rows = [[len(hypothesis), len(reference), *[0] * order, *totals] for reference in references]
        for n, occurrences in enumerate(self._occurrences, 1):
            for ngram, count in count_ngrams(hypothesis, n).items():
                for number, most in occurrences.get(ngram, ()):
                    rows[number][1 + n] += min(count, most)
        return [self._formula.evaluate(row)[0] for row in rows]
