"""Prepared reference sets: the maximum count of every n-gram in any one reference of the set."""

from __future__ import annotations

from array import array
from itertools import pairwise

from .segments import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    NGram = tuple[int, ...]


class PreparedReferences:
    """See the class of this name in :mod:`cybleu._kernels`."""

    def __init__(
        self,
        ids: Any,
        begins: Any,
        ends: Any,
        sets: Any,
        lengths: Any,
        length_sets: Any,
        max_order: int,
        unknown: int | None,
        ignored: Any,
    ):
        self._max_order = max_order
        self._lengths = [lengths[i:j].tolist() for i, j in zip(length_sets[:-1].tolist(), length_sets[1:].tolist())]
        self._best: list[dict[NGram, int]] = []
        for first, last in zip(sets[:-1].tolist(), sets[1:].tolist()):
            best: dict[NGram, int] = {}
            for begin, end in zip(begins[first:last].tolist(), ends[first:last].tolist()):
                tokens = ids[begin:end].tolist()
                for n in range(1, max_order + 1):
                    for ngram, count in counted(tokens, n).items():
                        if unknown not in ngram and best.get(ngram, 0) < count:
                            best[ngram] = count
            self._best.append(best)
        self._ignored: set[NGram] = set()
        if ignored is not None:
            flat, offsets = ignored[0].tolist(), ignored[1].tolist()
            self._ignored = {tuple(flat[i:j]) for i, j in pairwise(offsets)}

    def count_rows(self, ids: Any, begins: Any, ends: Any, owners: Any, start: int, stop: int, stats: Any) -> None:
        for position in range(start, stop):
            tokens = ids[int(begins[position]) : int(ends[position])].tolist()
            for column, number in enumerate(self._row(tokens, int(owners[position]))):
                stats[position, column] = number

    def count_raw_rows(self, words: Any, texts: Any, owners: Any, start: int, stop: int, stats: Any) -> None:
        for position in range(start, stop):
            tokens = array("i", words.look_up(texts, position, position + 1, [0])).tolist()
            for column, number in enumerate(self._row(tokens, int(owners[position]))):
                stats[position, column] = number

    def _row(self, tokens: list[int], owner: int) -> list[int]:
        best = self._best[owner]
        matches, totals = [], []
        for n in range(1, self._max_order + 1):
            counts = counted(tokens, n)
            for ngram in self._ignored.intersection(counts):
                del counts[ngram]
            matches.append(sum([min(count, best[ngram]) for ngram, count in counts.items() if ngram in best]))
            totals.append(sum(counts.values()))
        closest = min(self._lengths[owner], key=lambda length: abs(length - len(tokens)))
        return [len(tokens), closest, *matches, *totals]


def trim(ids: Any, begins: Any, ends: Any, pad: int | None, eos: int | None) -> None:
    """Strip the padding around each text, and truncate it before the first `eos`."""
    for position in range(len(begins)):
        begin, end = int(begins[position]), int(ends[position])
        text = ids[begin:end].tolist()
        leading = next((i for i, token in enumerate(text) if token != pad), len(text)) if pad is not None else 0
        text = text[leading:]
        if eos is not None and eos in text:
            text = text[: text.index(eos)]
        while pad is not None and text and text[-1] == pad:
            text.pop()
        begins[position], ends[position] = begin + leading, begin + leading + len(text)
