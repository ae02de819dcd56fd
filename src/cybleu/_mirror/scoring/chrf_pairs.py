"""Pairwise chrF of hypotheses and references."""

from __future__ import annotations

from ..._runtime.interrupts import look
from ..text.raw_texts import RawTexts
from .chrf import CharacterF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class CharacterTexts:
    """See the class of this name in :mod:`cybleu._kernels`."""

    def __init__(self, measure: CharacterF, references: RawTexts, hypotheses: RawTexts | None = None):
        self._measure = measure
        self._references = [measure.ngrams(line) for line in references._lines]
        self._hypotheses = (
            self._references if hypotheses is None else [measure.ngrams(line) for line in hypotheses._lines]
        )

    def fill(self, start: int, stop: int, scores: Any) -> None:
        for position in range(start, stop):
            for number, reference in enumerate(self._references):
                look()
                row = self._measure.matched(self._hypotheses[position], reference)
                scores[position, number] = self._measure.score(row)
