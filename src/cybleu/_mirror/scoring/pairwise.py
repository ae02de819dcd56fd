"""Each text of a collection against all others together."""

from __future__ import annotations

from collections import Counter
from itertools import chain

from ..._definitions.ngrams import count_ngrams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..tokens.texts import TokenTexts


def leave_one_out(texts: TokenTexts, max_order: int, stats: Any) -> None:
    """Write the statistics row of each text with all others as references; the reference length is not written."""
    counts_of_texts = []
    # the two largest counts of each n-gram in one text
    largest: dict[tuple[int, ...], list[int]] = {}
    for text in texts.texts:
        counts = [count_ngrams(text, n) for n in range(1, max_order + 1)]
        counts_of_texts.append(counts)
        for ngram, count in chain.from_iterable(map(Counter.items, counts)):
            largest[ngram] = sorted([*largest.get(ngram, [0, 0]), count])[1:]
    for position, (text, counts) in enumerate(zip(texts.texts, counts_of_texts)):
        stats[position, 0] = len(text)
        for n, ngrams in enumerate(counts):
            matched = 0
            for ngram, count in ngrams.items():
                second, first = largest[ngram]
                # excluding this text, the maximum is the other one of the two
                matched += min(count, second if count == first else first)
            stats[position, 2 + n] = matched
            stats[position, 2 + max_order + n] = sum(ngrams.values())
