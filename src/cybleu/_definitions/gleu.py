"""GLEU (Wu et al. 2016) on n-grams of all orders together, as in NLTK."""

from __future__ import annotations

from collections import Counter
from itertools import islice

from ..errors import OrderError

MOST_WITHOUT_ORDER = 256  # tokens, as in NLTK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any


def gleu_counts(
    list_of_references: Sequence[Iterable[Iterable[Any]]],
    hypotheses: Sequence[Iterable[Any]],
    min_len: int,
    max_len: int,
) -> tuple[int, int]:
    """Return the sums of matches and n-grams over the segments, using the reference with the largest ratio in each."""
    shared = ngrams = 0
    for references, hypothesis in zip(list_of_references, hypotheses):
        of_hypothesis = Counter(everygrams(hypothesis, min_len, max_len))
        best = (0, 0)
        for reference in references:
            of_reference = Counter(everygrams(reference, min_len, max_len))
            matched = sum((of_reference & of_hypothesis).values())
            most = max(sum(of_hypothesis.values()), sum(of_reference.values()))
            if most and (not best[1] or matched / most > best[0] / best[1]):
                best = matched, most
        shared += best[0]
        ngrams += best[1]
    return shared, ngrams


def everygrams(sequence: Iterable[Any], min_len: int, max_len: int) -> Iterator[tuple[Any, ...]]:
    """Return all n-grams of these orders; a `max_len` of -1 means the length of the sequence."""
    if max_len == -1:
        sequence = list(sequence)
        max_len = len(sequence)
        if max_len > MOST_WITHOUT_ORDER:
            raise OrderError(
                f"max_len is -1, all orders, for {max_len} tokens, whose n-grams are too many; give the largest order"
            )
    rest = iter(sequence)
    window = list(islice(rest, max_len))
    while window:
        for n in range(min_len, len(window) + 1):
            yield tuple(window[:n])
        window += islice(rest, 1)
        del window[0]
