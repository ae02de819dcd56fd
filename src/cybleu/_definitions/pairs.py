"""BLEU of each text against every other, with n-grams that are counted once."""

from __future__ import annotations

from functools import cached_property

from .ngrams import count_ngrams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from .bleu import Formula

    Texts: TypeAlias = Callable[[], list[list[int]]]
    Counted: TypeAlias = tuple[int, list[Counter[tuple[int, ...]]]]  # tokens, and n-grams of each order


class Pairs:
    """Texts of token ids that are scored against each other, and are counted when the first row is filled.

    :param references: a function that returns the texts
    :param hypotheses: None for the references themselves
    """

    def __init__(self, formula: Formula, references: Texts, hypotheses: Texts | None = None):
        self._formula, self._texts = formula, (references, hypotheses)

    @cached_property
    def _counted(self) -> tuple[list[Counted], list[Counted]]:
        """The references and the hypotheses."""
        references, hypotheses = self._texts
        counted = [*map(self._count, references())]
        return counted, counted if hypotheses is None else [*map(self._count, hypotheses())]

    def _count(self, text: list[int]) -> Counted:
        return len(text), [count_ngrams(text, n) for n in range(1, self._formula.order + 1)]

    def fill(self, place: int, scores: Any) -> None:
        """Write the scores of one hypothesis; among texts that are scored against each other, also those against it."""
        references, hypotheses = self._counted
        hypothesis = hypotheses[place]
        each_other = hypotheses is references
        for number in range(place if each_other else 0, len(references)):
            reference = references[number]
            scores[place, number] = self._score(hypothesis, reference)
            if each_other and number != place:
                scores[number, place] = self._score(reference, hypothesis)

    def _score(self, hypothesis: Counted, reference: Counted) -> float:
        length, counts = hypothesis
        reference_length, in_reference = reference
        matches = [
            sum([min(count, most[ngram]) for ngram, count in ngrams.items() if ngram in most])
            for ngrams, most in zip(counts, in_reference)
        ]
        totals = [max(0, length - n) for n in range(self._formula.order)]
        return self._formula.evaluate([length, reference_length, *matches, *totals])[0]
