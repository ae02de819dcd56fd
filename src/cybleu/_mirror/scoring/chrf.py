"""chrF by substrings counted in dicts (Popović 2015, 2017), following the rules of sacreBLEU."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from string import punctuation

from ..._definitions.chrf import f_score
from ..._definitions.ngrams import count_ngrams, matches_with
from ..declined import no_result, start_of_rows
from ..text.raw_texts import RawTexts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from ..counting.numbered import Segments

_WITHOUT_SEPARATORS = re.compile(r"[^\S\x1c-\x1f]+")


class CharacterF:
    """See the class of this name in :mod:`cybleu._kernels`."""

    def __init__(self, char_order: int, word_order: int, beta: float, space: str, epsilon: bool):
        self.order = char_order + word_order
        self._char_order = char_order
        self._word_order = word_order
        self._beta = beta
        self._space = space
        self._epsilon = epsilon

    def ngrams(self, text: str) -> list[Counter[Any]]:
        """Count the n-grams of each order, character orders first."""
        of_characters = text if self._space == "kept" else "".join(pieces(text, self._space == "dropped"))
        counts: list[Counter[Any]] = []
        for n in range(1, self._char_order + 1):
            counts.append(Counter([of_characters[i : i + n] for i in range(len(of_characters) - n + 1)]))
        words = words_of(pieces(text, self._space != "dropped but separators")) if self._word_order else []
        return counts + [count_ngrams(words, n) for n in range(1, self._word_order + 1)]

    def matched(self, hypothesis: list[Counter[Any]], reference: list[Counter[Any]]) -> list[int]:
        """Return the row of a hypothesis and one reference."""
        row: list[int] = []
        for ours, theirs in zip(hypothesis, reference):
            # sacreBLEU does not count the hypothesis where the reference is too short
            row += [sum(ours.values()) if theirs else 0, sum(theirs.values()), matches_with(ours, theirs)]
        return row

    def row(self, hypothesis: str, references: Sequence[str]) -> list[int]:
        """Return the row of the reference with the best score."""
        return self._best(hypothesis, map(self.ngrams, references))

    def _best(self, hypothesis: str, references: Iterable[list[Counter[Any]]]) -> list[int]:
        ours = self.ngrams(hypothesis)
        rows = [self.matched(ours, theirs) for theirs in references]
        return max(rows, key=self.score_of)  # the first of several maxima

    def rows(self, segments: Segments, start: int, stop: int, rows: Any) -> None:
        @lru_cache(maxsize=1)  # hypotheses of one set often follow each other
        def counted(*references: str) -> list[list[Counter[Any]]]:
            return [*map(self.ngrams, references)]

        def row_of(hypothesis: str, references: list[str]) -> list[int]:
            return self._best(hypothesis, counted(*references))

        segments.fill_by_texts(row_of, start, stop, rows)

    # The metric has the formula.
    evaluate = no_result
    score_rows = start_of_rows

    def score_of(self, row: Sequence[int]) -> float:
        return f_score(row, self._beta, self._epsilon)


def pieces(text: str, separators: bool) -> list[str]:
    """Split at white space.

    :param separators: treat U+001C to U+001F as white space, as `str.split` does
    """
    return text.split() if separators else [piece for piece in _WITHOUT_SEPARATORS.split(text) if piece]


def words_of(pieces: list[str]) -> list[str]:
    """Split off one punctuation mark from each word: the last character, or else the first."""
    words: list[str] = []
    for piece in pieces:
        if len(piece) > 1 and piece[-1] in punctuation:
            words += [piece[:-1], piece[-1]]
        elif len(piece) > 1 and piece[0] in punctuation:
            words += [piece[0], piece[1:]]
        else:
            words.append(piece)
    return words


class CharacterTexts:
    """See the class of this name in :mod:`cybleu._kernels`."""

    def __init__(self, measure: CharacterF, references: RawTexts, hypotheses: RawTexts | None = None):
        self._measure = measure
        self._references = [measure.ngrams(line) for line in references.texts]
        self._hypotheses = (
            self._references if hypotheses is None else [measure.ngrams(line) for line in hypotheses.texts]
        )

    def fill(self, start: int, stop: int, scores: Any) -> None:
        for position in range(start, stop):
            for number, reference in enumerate(self._references):
                row = self._measure.matched(self._hypotheses[position], reference)
                scores[position, number] = self._measure.score_of(row)
