"""NIST (Doddington 2002) with the information weights of a corpus: matches are clipped by all references of a segment."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

from ..._definitions.ngrams import count_ngrams
from ..._definitions.nist import information_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..counting.numbered import Segments
    from ..tokens.texts import TokenTexts


class NgramInformation:
    """See the class of this name in :mod:`cybleu._kernels`."""

    def __init__(self, corpus: TokenTexts, max_order: int, zero: int):
        self.corpus = corpus
        self._order = max_order
        self._information = information_of(corpus.texts, max_order)
        # mteval-v13a.pl takes the word "0" for none, so that a bigram that begins with it has the weight of a word
        bigrams = Counter(bigram for text in corpus.texts for bigram in pairwise(text) if bigram[0] == zero)
        if max_order > 1:
            words = sum(map(len, corpus.texts))
            self._information |= {bigram: math.log(words / count, 2) for bigram, count in bigrams.items()}

    def fill_rows(self, segments: Segments, start: int, stop: int, rows: Any) -> None:
        segments.fill(self._row, start, stop, rows)

    def _row(self, hypothesis: list[int], references: list[list[int]]) -> list[float]:
        information = []
        totals = []
        for order in range(1, self._order + 1):
            most: Counter[Any] = Counter()
            for reference in references:
                most |= count_ngrams(reference, order)
            total = 0.0
            for ngram, count in count_ngrams(hypothesis, order).items():
                total += self._information.get(ngram, 0.0) * min(count, most[ngram])
            information.append(total)
            totals.append(max(len(hypothesis) - order + 1, 0))
        return [sum(map(len, references)) / len(references), *information, *totals]

    def weight(self, ngram: Any) -> float:
        return self._information.get(tuple(ngram), 0.0)
