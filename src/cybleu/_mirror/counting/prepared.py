"""Prepared reference sets: the maximum count of every n-gram in any one reference of the set."""

from __future__ import annotations

from itertools import pairwise

from ..._definitions.ngrams import count_ngrams, matches_with, reference_length

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..tokens.texts import TokenTexts

    NGram = tuple[int, ...]


class PreparedReferences:
    """See the class of this name in :mod:`cybleu._kernels`."""

    def __init__(self, texts: TokenTexts, sets: Any, max_order: int, rule: str):
        self._max_order = max_order
        self._rule = rule
        self._lengths: list[list[int]] = []
        self._best: list[dict[NGram, int]] = []
        for first, last in pairwise(sets.tolist()):
            self._lengths.append([len(tokens) for tokens in texts.texts[first:last]])
            best: dict[NGram, int] = {}
            for tokens in texts.texts[first:last]:
                for n in range(1, max_order + 1):
                    for ngram, count in count_ngrams(tokens, n).items():
                        if best.get(ngram, 0) < count:
                            best[ngram] = count
            self._best.append(best)

    def count_rows(self, texts: TokenTexts, owners: Any, start: int, stop: int, stats: Any) -> None:
        for position in range(start, stop):
            for column, number in enumerate(self._row(texts.texts[position], int(owners[position]))):
                stats[position, column] = number

    def _row(self, tokens: list[int], owner: int) -> list[int]:
        best = self._best[owner]
        matches = []
        totals = []
        for n in range(1, self._max_order + 1):
            counts = count_ngrams(tokens, n)
            matches.append(matches_with(counts, best))
            totals.append(sum(counts.values()))
        length = reference_length(self._lengths[owner], len(tokens), self._rule)
        return [len(tokens), length, *matches, *totals]


def trim(ids: Any, begins: Any, ends: Any, pad: int | None, eos: int | None) -> None:
    """Strip the padding around each text, and truncate it before the first `eos`."""
    for position in range(len(begins)):
        begin = int(begins[position])
        text = ids[begin : ends[position]].tolist()
        first = 0
        last = len(text)
        while pad is not None and first < last and text[first] == pad:
            first += 1
        if eos is not None and eos in text[first:]:
            last = text.index(eos, first)
        while pad is not None and first < last and text[last - 1] == pad:
            last -= 1
        begins[position] = begin + first
        ends[position] = begin + last
