"""N-grams that match, order by order: marks of tokens, lists of n-grams, and counts of words.

If an output has an n-gram more often than a reference, BLEU defines how many occurrences match, but not which. Here those that
are part of a longer match come first, then the earlier ones; the others are clipped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from .figures import NGram, salience

if TYPE_CHECKING:
    from .texts import Texts

LISTED = 10  # n-grams of each order that are listed
CLIPPED = 5  # added to the mark of a token that a reference has, but that the output has too often

Gram: TypeAlias = tuple[Any, ...]
Pair: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]  # the outputs of two systems
Lists: TypeAlias = tuple[tuple[NGram, ...], ...]  # the n-grams of each order


@dataclass(frozen=True)
class NGrams:
    """The n-grams of all texts up to a largest order.

    :param marks: for each output and each segment a digit for each token: the length of the longest match that contains
        the token, and :data:`CLIPPED` more if the token is clipped
    :param over: for each output the n-grams of each order that it has too often
    :param under: for each output the n-grams of each order that it does not have often enough
    :param differences: for each pair the n-grams that match more often in the first system, and those in the second one
    :param words: of each token, as an n-gram of order 1: how often all references have it, how often it could match, how often
        each output has it, and how often it matches in each output
    """

    marks: list[list[bytearray]]
    over: list[Lists]
    under: list[Lists]
    differences: dict[Pair, tuple[Lists, Lists]]
    words: tuple[Counter[Gram], Counter[Gram], list[Counter[Gram]], list[Counter[Gram]]]


def ngrams(tokens: Sequence[Any], n: int) -> list[Gram]:
    """Return the n-grams of a text in their order."""
    return list(zip(*(tokens[start:] for start in range(n))))


def find_ngrams(texts: Texts, most: int, pairs: Iterable[Pair]) -> NGrams:
    """Count the n-grams of all texts, the longest first, and find those that matter.

    :param most: the largest order
    :param pairs: the outputs of the two systems of each pair to compare; the mean of the outputs of a system is used
    """
    outputs = [output.tokens for output in texts.outputs]
    marks = [[bytearray(len(tokens)) for tokens in output] for output in outputs]
    # whether the n-gram that begins at a token is part of a longer match
    inside = [[bytearray(len(tokens) + 1) for tokens in output] for output in outputs]
    over: list[Lists] = [()] * len(outputs)
    under = list(over)
    differences: dict[Pair, tuple[Lists, Lists]] = dict.fromkeys(pairs, ((), ()))
    for n in range(most, 0, -1):
        wanted: Counter[Gram] = Counter()
        confirmed: list[Counter[Gram]] = [Counter() for _ in outputs]
        for segment, references in enumerate(texts.reference_tokens):
            allowed = Counter(ngrams(references[0], n))
            for other in references[1:]:
                allowed |= Counter(ngrams(other, n))
            wanted.update(allowed)
            for output, counts in enumerate(confirmed):
                grams = ngrams(outputs[output][segment], n)
                if not allowed.keys().isdisjoint(grams):
                    counts.update(_match(grams, n, allowed, marks[output][segment], inside[output][segment]))
        for output, counts in enumerate(confirmed):
            over[output] = (_misses(_counted(outputs[output], n), counts), *over[output])
            under[output] = (_misses(wanted, counts), *under[output])
        for (ones, others), (better, worse) in differences.items():
            first, second = (_mean([confirmed[output] for output in side]) for side in (ones, others))
            fewer = [NGram(found.tokens, found.second, found.first) for found in _more(second, first)]
            differences[ones, others] = (_more(first, second), *better), (tuple(fewer), *worse)
    frequency = _counted(chain.from_iterable(texts.reference_tokens), 1)
    return NGrams(
        marks, over, under, differences, (frequency, wanted, [_counted(one, 1) for one in outputs], confirmed)
    )


def _counted(texts: Iterable[Sequence[Any]], n: int) -> Counter[Gram]:
    return Counter(chain.from_iterable(ngrams(tokens, n) for tokens in texts))


def _match(grams: list[Gram], n: int, allowed: Mapping[Gram, int], marks: bytearray, inside: bytearray) -> list[Gram]:
    """Return the n-grams of a segment that match, and mark their tokens.

    :param allowed: how often each n-gram may match
    :param marks: of the tokens, changed in place
    :param inside: for each n-gram whether it is part of a longer match; changed in place, for those that are one token shorter
    """
    places = [place for place, gram in enumerate(grams) if gram in allowed]
    if any(inside):
        places.sort(key=inside.__getitem__, reverse=True)  # which keeps the order of equal ones
        inside[:] = bytes(len(inside))
    left = dict(allowed)
    matched = []
    for place in places:
        gram = grams[place]
        if left[gram]:
            left[gram] -= 1
            matched.append(gram)
            inside[place] = inside[place + 1] = 1
            for token in range(place, place + n):
                marks[token] = marks[token] or n
        elif n == 1:
            marks[place] += CLIPPED
    return matched


def _mean(counts: list[Counter[Gram]]) -> Mapping[Gram, float]:
    if len(counts) == 1:
        return counts[0]
    total: Counter[Gram] = sum(counts, Counter())
    return {gram: count / len(counts) for gram, count in total.items()}


def _misses(counts: Mapping[Gram, int], confirmed: Mapping[Gram, int]) -> tuple[NGram, ...]:
    """List the n-grams that do not match, with the number of occurrences that do not match, and of those that do."""
    frequent = ((gram, count, confirmed.get(gram, 0)) for gram, count in counts.items() if count > 1)
    return _listed((gram, count - matches, matches) for gram, count, matches in frequent)


def _more(first: Mapping[Gram, float], second: Mapping[Gram, float]) -> tuple[NGram, ...]:
    """List the n-grams that match more often in the first system, with both numbers."""
    frequent = ((gram, count, second.get(gram, 0)) for gram, count in first.items() if count > 1)
    return _listed((gram, count, other) for gram, count, other in frequent if count > other)


def _listed(counted: Iterable[tuple[Gram, float, float]]) -> tuple[NGram, ...]:
    """Return the n-grams with the largest salience; among equals the largest count, then the first. None that was seen once."""
    found = (item for item in counted if item[1] > 1)
    best = nsmallest(LISTED, found, key=lambda item: (-salience(item[1], item[2]), -item[1]))
    return tuple(NGram(tuple(map(str, gram)), first, second) for gram, first, second in best)
