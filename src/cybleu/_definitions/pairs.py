"""BLEU of each text against every other, with n-grams that are counted once."""

from __future__ import annotations

from .ngrams import count_ngrams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence
    from typing import Any, TypeAlias

    from .bleu import Formula

    Counted: TypeAlias = tuple[int, list[Counter[tuple[int, ...]]]]  # tokens, and n-grams of each order


class Pairs:
    """Texts of token ids that are scored against each other.

    :param hypotheses: None for the references themselves
    """

    def __init__(
        self, formula: Formula, references: Sequence[list[int]], hypotheses: Sequence[list[int]] | None = None
    ):
        self._formula = formula
        self._references = [*map(self._counted, references)]
        self._hypotheses = self._references if hypotheses is None else [*map(self._counted, hypotheses)]

    def _counted(self, text: list[int]) -> Counted:
        return len(text), [count_ngrams(text, n) for n in range(1, self._formula.order + 1)]

    def fill(self, place: int, scores: Any) -> None:
        """Write the scores of one hypothesis; among texts that are scored against each other, also those against it."""
        hypothesis = self._hypotheses[place]
        each_other = self._hypotheses is self._references
        for number in range(place if each_other else 0, len(self._references)):
            reference = self._references[number]
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
