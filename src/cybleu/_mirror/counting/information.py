"""NIST (Doddington 2002) with the information weights of a corpus: matches are clipped by all references of a segment."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

from ..._runtime.interrupts import look
from ..scoring.nist import information_of, ngrams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class NgramInformation:
    """See the class of this name in :mod:`cybleu._kernels`."""

    def __init__(self, tokens: Any, ends: Any, max_order: int, zero: int):
        texts = _texts(tokens, ends)
        self.max_order = max_order
        self._information = information_of(texts, max_order)
        bigrams = Counter(bigram for text in texts for bigram in pairwise(text) if bigram[0] == zero)
        if max_order > 1:
            self._information |= {bigram: math.log(len(tokens) / count, 2) for bigram, count in bigrams.items()}

    def fill_rows(
        self,
        hypotheses: Any,
        hypothesis_ends: Any,
        references: Any,
        reference_ends: Any,
        sets: Any,
        texts: Any,
        owners: Any,
        start: int,
        stop: int,
        rows: Any,
    ) -> None:
        every, everyone = _texts(hypotheses, hypothesis_ends), _texts(references, reference_ends)
        for number in range(start, stop):
            look()
            hypothesis, owner = every[texts[number]], owners[number]
            of_segment = everyone[sets[owner] : sets[owner + 1]]
            rows[number, 0] = sum(map(len, of_segment)) / len(of_segment)
            for order in range(1, self.max_order + 1):
                most: Counter[Any] = Counter()
                for reference in of_segment:
                    most |= Counter(ngrams(reference, order))
                total = 0.0
                for ngram, count in Counter(ngrams(hypothesis, order)).items():
                    total += self._information.get(ngram, 0.0) * min(count, most[ngram])
                rows[number, order] = total
                rows[number, self.max_order + order] = max(len(hypothesis) - order + 1, 0)

    def weight(self, ngram: Any) -> float:
        return self._information.get(tuple(ngram), 0.0)


def _texts(tokens: Any, ends: Any) -> list[list[int]]:
    return [list(tokens[begin:end]) for begin, end in pairwise((0, *ends))]
