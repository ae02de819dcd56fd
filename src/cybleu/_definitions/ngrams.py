"""N-grams, clipped counts of them with the token semantics of NLTK, and lengths of references.

N-grams are tuples used as dict keys, so tokens match exactly as dict keys do. N-grams of the hypothesis are looked up
among those of the reference, as in NLTK, which matters if the equality of tokens is not symmetric.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice

from .._runtime.sequences import check_references, length_of, refuse_unhashable
from ..errors import NoReferencesError, OneShotReferencesError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterator, Sequence
    from typing import Any, TypeAlias

    Tokens: TypeAlias = Collection[Hashable]
    NGram: TypeAlias = tuple[Hashable, ...]


AT_ONCE = 100_000  # n-grams counted between two moments at which Python can handle Ctrl-C


def ngrams(tokens: Sequence[Any], n: int) -> Iterator[tuple[Any, ...]]:
    """The n-grams of a list or a tuple, from the first to the last."""
    return zip(*[tokens[start:] for start in range(min(n, len(tokens) + 1))])


def count_ngrams(tokens: Sequence[Any], n: int) -> Counter[tuple[Any, ...]]:
    """Count the n-grams of a list or a tuple, in order of first occurrence.

    Order 0 has an empty n-gram before each token and at the end.
    """
    if n == 0:
        return Counter({(): len(tokens) + 1})
    counts: Counter[tuple[Any, ...]] = Counter()
    found = ngrams(tokens, n)
    for _ in range(0, len(tokens), AT_ONCE):
        counts.update(islice(found, AT_ONCE))
    return counts


def _counted(tokens: Tokens, length: int, n: int, name: str) -> Counter[NGram]:
    if length < n:
        return Counter()
    items = list(tokens)  # not a tuple: up to CPython 3.11 one can crash if a finalizer changes `tokens` meanwhile
    try:
        return count_ngrams(items, n)
    except TypeError:
        refuse_unhashable(items, name)
        raise


def clipped_matches(references: Collection[Tokens], hypothesis: Tokens, n: int) -> tuple[int, int]:
    """Return the clipped matches of order n and the number of n-grams of the hypothesis.

    The count of each n-gram of the hypothesis is clipped to its maximum count in any one reference
    (Papineni et al. 2002, section 2.1).
    """
    counts = _counted(hypothesis, length_of(hypothesis, "the hypothesis"), n, "the hypothesis")
    best = [0] * len(counts)
    check_references(references)
    number = -1
    for number, reference in enumerate(references):
        name = f"reference {number}"
        in_reference = _counted(reference, length_of(reference, name), n, name)
        best = [max(most, in_reference.get(ngram, 0)) for ngram, most in zip(counts, best)]
    if number < 0 and counts:
        raise NoReferencesError("there is no reference for the hypothesis; give at least one")
    return sum([min(count, most) for count, most in zip(counts.values(), best)]), sum(counts.values())


def lengths_to_choose_from(lengths: Sequence[int], rule: str) -> list[int]:
    """Return the lengths of which :func:`closest` chooses by a rule; where the hypothesis does not matter it is one."""
    if rule == "closest-first":
        return list(lengths)
    if rule == "shortest":
        return [min(lengths)]
    if rule == "average":
        return [sum(lengths) // len(lengths)]  # truncated, as in Moses
    return sorted(set(lengths))


def closest(lengths: Sequence[int], length: int) -> int:
    """Return the first of the lengths that is closest to the one of a hypothesis."""
    return min(lengths, key=lambda one: abs(one - length))


def reference_length(lengths: Sequence[int], length: int, rule: str) -> int:
    """Return the length of a reference that counts for a hypothesis of this length."""
    return closest(lengths_to_choose_from(lengths, rule), length)


def closest_length(references: Collection[Tokens], hypothesis_length: int) -> int:
    """Return the reference length closest to the hypothesis length; ties go to the shorter one."""
    check_references(references)
    lengths = [length_of(reference, f"reference {number}") for number, reference in enumerate(references)]
    if not lengths:
        raise NoReferencesError("there is no reference for the hypothesis; give at least one")
    return closest(sorted(lengths), hypothesis_length)


def segment_counts(references: Collection[Tokens], hypothesis: Tokens, max_order: int) -> list[int]:
    """Return the statistics row of a segment: both lengths, clipped matches of orders 1 to max_order, n-gram counts."""
    length = length_of(hypothesis, "the hypothesis")
    if max_order > 0 and hasattr(type(references), "__next__"):
        clipped_matches(references, hypothesis, 1)  # errors of tokens, such as unhashable ones, are raised first
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
