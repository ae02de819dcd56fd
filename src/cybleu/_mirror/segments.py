"""Clipped n-gram counts by tuples in dicts, with the token semantics of NLTK.

An n-gram is the tuple of its tokens and a key of a dict, so that tokens match as dict keys do, however odd their
equality is. The hypothesis's n-grams look up those of a reference, as in NLTK: where equality is not symmetric it matters.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice

from .._runtime.interrupts import PIECE, look
from ..errors import NoReferencesError, OneShotReferencesError, SequenceTypeError, UnhashableTokenError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Sequence
    from typing import Any, TypeAlias

    Tokens: TypeAlias = Collection[Hashable]
    NGram: TypeAlias = tuple[Hashable, ...]


def length_of(sequence: Tokens, name: str) -> int:
    """``len(sequence)``, with an error that names what has none."""
    if not hasattr(type(sequence), "__len__"):
        raise SequenceTypeError(
            f"{name} must be a list of tokens or another sequence that has a length and can be read again, "
            f"not {type(sequence).__name__}; turn it into a list first"
        )
    return len(sequence)


def ngram_counts(tokens: Tokens, length: int, n: int, name: str) -> Counter[NGram]:
    """The n-grams of a sequence with their counts, in the order in which they first occur."""
    if length < n:
        return Counter()
    items = list(tokens)  # not a tuple: up to CPython 3.11 one can crash if a finalizer changes `tokens` meanwhile
    if n == 0:
        return Counter({(): len(items) + 1})
    try:
        return counted(items, n)
    except TypeError:
        for position, token in enumerate(items):
            if type(token).__hash__ is None:
                raise UnhashableTokenError(
                    f"token {position} of {name} is a {type(token).__name__}, which cannot be hashed and so not be "
                    "counted; use a str, a number or a tuple for it (is the text nested one level too deep?)"
                ) from None
        raise


def counted(items: list[Any], n: int) -> Counter[Any]:
    """The n-grams of a list with their counts, with looks for an interrupt in between."""
    ngrams = zip(*[items[i:] for i in range(n)])
    if len(items) <= PIECE:
        return Counter(ngrams)
    counts: Counter[Any] = Counter()
    for _ in range(0, len(items), PIECE):
        look()
        counts.update(islice(ngrams, PIECE))
    return counts


def clipped_matches(references: Collection[Tokens], hypothesis: Tokens, n: int) -> tuple[int, int]:
    """The clipped matches of order n and the number of n-grams of the hypothesis.

    Each n-gram counts as often as it is in the hypothesis, at most as often as in the reference that has it most often
    (Papineni et al. 2002, section 2.1).
    """
    counts = ngram_counts(hypothesis, length_of(hypothesis, "the hypothesis"), n, "the hypothesis")
    best = [0] * len(counts)
    number = -1
    for number, reference in enumerate(references):
        name = f"reference {number}"
        in_reference = ngram_counts(reference, length_of(reference, name), n, name)
        best = [max(most, in_reference.get(ngram, 0)) for ngram, most in zip(counts, best)]
    if number < 0 and counts:
        raise NoReferencesError("there is no reference for the hypothesis; give at least one")
    return sum([min(count, most) for count, most in zip(counts.values(), best)]), sum(counts.values())


def closest_length(references: Collection[Tokens], hypothesis_length: int) -> int:
    """The reference length nearest to the hypothesis length, the shorter of two that are equally near."""
    lengths = [length_of(reference, f"reference {number}") for number, reference in enumerate(references)]
    if not lengths:
        raise NoReferencesError("there is no reference for the hypothesis; give at least one")
    return min(lengths, key=lambda length: (abs(length - hypothesis_length), length))


def segment_counts(references: Collection[Tokens], hypothesis: Tokens, max_order: int) -> list[int]:
    """The statistics row of a segment: both lengths, clipped matches of orders 1 to max_order, n-grams of them."""
    length = length_of(hypothesis, "the hypothesis")
    if max_order > 0 and hasattr(type(references), "__next__"):
        clipped_matches(references, hypothesis, 1)  # an error of a token comes first
        raise OneShotReferencesError(
            f"the references are a {type(references).__name__}, which can be read only once, but they are read for "
            "every n-gram order; turn them into a list first"
        )
    matches = []
    totals = []
    for n in range(1, max_order + 1):
        matched, total = clipped_matches(references, hypothesis, n)
        matches.append(matched)
        totals.append(total)
    return [length, closest_length(references, length), *matches, *totals]


def corpus_counts(
    list_of_references: Sequence[Collection[Tokens]], hypotheses: Sequence[Tokens], max_order: int
) -> tuple[list[int], list[int]]:
    """The sum of the segments' rows, and for each order how many segments are too short to have an n-gram of it."""
    row = [0] * (2 + 2 * max_order)
    short = [0] * max_order
    for references, hypothesis in zip(list_of_references, hypotheses):
        counts = segment_counts(references, hypothesis, max_order)
        row = [total + count for total, count in zip(row, counts)]
        short = [total + (count == 0) for total, count in zip(short, counts[2 + max_order :])]
    return row, short


def segment_rows(
    list_of_references: Sequence[Collection[Tokens]],
    hypotheses: Sequence[Tokens],
    max_order: int,
    start: int,
    stop: int,
    stats: Any,
) -> int:
    """Write the statistics rows of the segments from `start` to before `stop`, which is returned."""
    for position in range(start, stop):
        stats[position] = segment_counts(list_of_references[position], hypotheses[position], max_order)
    return stop
