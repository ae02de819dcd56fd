"""NIST (Doddington 2002): information-weighted n-gram matches, summed as in NLTK."""

from __future__ import annotations

import math
from collections import Counter

from ..errors import NoReferencesError, ShortTextsError
from .ngrams import count_ngrams, ngrams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

# Doddington (2002), equation 3: a hypothesis of two thirds of the length of the references has a penalty of one half.
BETA = math.log(0.5) / math.log(1.5) ** 2


def information_of(texts: Iterable[Sequence[Any]], max_order: int) -> dict[tuple[Any, ...], float]:
    """Return the information weight of each n-gram of the texts, in bits."""
    words = 0
    frequencies: Counter[tuple[Any, ...]] = Counter()
    for text in texts:
        words += len(text)
        for order in range(1, max_order + 1):
            frequencies.update(ngrams(list(text), order))
    return {
        ngram: math.log((frequencies[ngram[:-1]] if len(ngram) > 1 else words) / frequency, 2)
        for ngram, frequency in frequencies.items()
    }


def length_penalty(reference_length: float, hypothesis_length: float) -> float:
    """Return the factor for hypotheses that are shorter than the references, from 0 to 1."""
    try:
        ratio = hypothesis_length / reference_length
    except ZeroDivisionError:  # NumPy's numbers divide by zero
        raise ShortTextsError(
            "the references have no token, and NIST divides by their length; give references with tokens"
        ) from None
    if 0 < ratio < 1:
        return math.exp(BETA * math.log(ratio) ** 2)
    return max(min(ratio, 1.0), 0.0)


def nist_of_corpus(
    list_of_references: Sequence[Sequence[Sequence[Any]]], hypotheses: Sequence[Sequence[Any]], max_order: int
) -> float:
    """Compute NIST of a corpus.

    The best reference is chosen for each segment and order, so the lengths are summed over orders, too.
    """
    texts = (reference for references in list_of_references for reference in references)
    weights = information_of(texts, max_order)
    precision = 0.0
    reference_length = hypothesis_length = 0
    for order in range(1, max_order + 1):
        information = 0.0
        total = 0
        for position, (references, hypothesis) in enumerate(zip(list_of_references, hypotheses)):
            counts = count_ngrams(list(hypothesis), order)
            matches = []
            for reference in references:
                shared = counts & count_ngrams(list(reference), order)
                matches.append((sum(weights[ngram] * count for ngram, count in shared.items()), len(reference)))
            if not matches:
                raise NoReferencesError(
                    f"list_of_references[{position}] is empty, or an iterator that has been read; give a list of at least one "
                    "reference"
                )
            # as in NLTK, of equal bits the longest reference
            bits, length = max(matches)
            information += bits
            total += sum(counts.values())
            reference_length += length
            hypothesis_length += len(hypothesis)
        if not total:
            advice = f"give n={order - 1} or less" if order > 1 else "give one that is not empty"
            raise ShortTextsError(f"no hypothesis has a {order}-gram; {advice}")
        precision += information / total
    return precision * length_penalty(reference_length, hypothesis_length)
