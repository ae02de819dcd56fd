"""Longest common subsequences and Levenshtein distances of lists of ids, and ROUGE-L and the word error rate by them.

A column of the table of an alignment is an int with a bit for each word of the first text (Hyyro 2003 and 2004).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import chain

from ..._definitions.ngrams import count_ngrams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from ..tokens.texts import TokenTexts
    from .numbered import Segments

    Words = Sequence[Any]  # ids, or strings


def edit_distance_rows(segments: Segments, start: int, stop: int, rows: Any) -> None:
    segments.fill(_lowest_rate, start, stop, rows)


def _lowest_rate(hypothesis: Words, references: Sequence[Words]) -> tuple[int, int]:
    """The edits and the words of the reference with the lowest rate."""
    found = [(edit_distance(hypothesis, reference), len(reference)) for reference in references]
    return min(found, key=lambda pair: pair[0] / max(pair[1], 1))


def rouge_rows(segments: Segments, kinds: Any, start: int, stop: int, rows: Any) -> None:
    def row_of(hypothesis: Words, references: Sequence[Words]) -> list[float]:
        lines, *others = [_lines(text, hypothesis[0]) if -1 in kinds else [text] for text in (hypothesis, *references)]
        values: list[float] = []
        for kind in kinds:
            best = max([_shares_of(kind, lines, other) for other in others], key=lambda shares: shares[2])
            values += [*best, 1.0]
        return values

    segments.fill(row_of, start, stop, rows)


def _lines(words: Words, mark: Any) -> list[list[Any]]:
    """The lines of a text, each of which begins with a mark."""
    lines: list[list[Any]] = []
    for word in words:
        if word == mark:
            lines.append([])
        else:
            lines[-1].append(word)
    return lines


def _shares_of(kind: int, lines: Sequence[Words], others: Sequence[Words]) -> tuple[float, float, float]:
    """Precision, recall and F-measure of a kind of ROUGE."""
    words = [*chain.from_iterable(lines)]
    wanted = [*chain.from_iterable(others)]
    if kind < 0:
        return _shares(_union_matches(others, lines), len(words), len(wanted))
    if kind == 0:
        return _shares(common_length(words, wanted), len(words), len(wanted))
    matches = count_ngrams(words, kind) & count_ngrams(wanted, kind)
    return _shares(sum(matches.values()), len(words) - kind + 1, len(wanted) - kind + 1)


class Alignments:
    """See the class of this name in :mod:`cybleu._kernels`."""

    def __init__(self, texts: TokenTexts, others: TokenTexts, order: Any):
        self._texts = texts.texts
        self._others = others.texts

    def fill(self, are_rates: bool, start: int, stop: int, scores: Any) -> None:
        for number in range(start, stop):
            text = self._texts[number]
            for place, other in enumerate(self._others):
                if are_rates:
                    scores[number, place] = edit_distance(text, other) / max(len(other), 1)
                else:
                    scores[number, place] = _shares(common_length(text, other), len(text), len(other))[2]


def _shares(matches: int, size: int, wanted: int) -> tuple[float, float, float]:
    """Precision, recall and F-measure."""
    precision = matches / max(size, 1)
    recall = matches / max(wanted, 1)
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both > 0 else 0.0


def _masks(words: Words) -> dict[Any, int]:
    """For each word the bits of its positions."""
    masks: dict[Any, int] = defaultdict(int)
    for position, word in enumerate(words):
        masks[word] |= 1 << position
    return masks


def _columns(words: Words, others: Words) -> Iterator[int]:
    """For each of the other words the positions at which the longest common subsequence grows by a word."""
    masks = _masks(words)
    every = (1 << len(words)) - 1
    column = every
    for other in others:
        matches = column & masks.get(other, 0)
        column = (column + matches | column - matches) & every
        yield every ^ column


def common_length(words: Words, others: Words) -> int:
    """The length of the longest common subsequence."""
    columns = [0, *_columns(words, others)]
    return columns[-1].bit_count()


def edit_distance(words: Words, others: Words) -> int:
    """The fewest insertions, deletions and substitutions of words that turn one text into the other."""
    if not words:
        return len(others)
    masks = _masks(words)
    every = (1 << len(words)) - 1
    last = 1 << len(words) - 1
    raised = every
    lowered = 0
    edits = len(words)
    for other in others:
        matches = masks.get(other, 0)
        diagonal = ((matches & raised) + raised ^ raised | matches | lowered) & every
        right = lowered | every ^ (diagonal | raised)
        left = diagonal & raised
        edits += bool(right & last) - bool(left & last)
        right = right << 1 & every | 1
        raised = left << 1 & every | every ^ (diagonal | right)
        lowered = right & diagonal
    return edits


def _union_matches(lines: Sequence[Words], others: Sequence[Words]) -> int:
    """The matches of the lines of a reference with those of a hypothesis, each word of which counts once."""
    left = Counter(chain.from_iterable(others))
    matches = 0
    for line in lines:
        places = sorted({place for other in others for place in _common_places(line, other)})
        for place in places:
            if left[line[place]] > 0:
                left[line[place]] -= 1
                matches += 1
    return matches


def _common_places(line: Words, other: Words) -> Iterator[int]:
    """The places of the longest common subsequence in a line, as the walk of Google's rouge_score finds them."""
    columns = [*_columns(line, other)]
    i = len(line) - 1
    j = len(other) - 1
    while i >= 0 and j >= 0:
        if line[i] == other[j]:
            yield i
            i -= 1
            j -= 1
        elif columns[j] >> i & 1:
            j -= 1
        else:
            i -= 1
