"""N-grams, clipped counts of them, and lengths of references.

N-grams are tuples used as dict keys, so tokens match exactly as dict keys do. N-grams of the hypothesis are looked up
among those of the reference, as in NLTK, which matters if the equality of tokens is not symmetric.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    NGram: TypeAlias = tuple[Hashable, ...]

# Each order takes time and memory of its own: also MOST_OF_A_KIND of `_kernels/counting/unit_ngrams.pxi`.
MOST_ORDERS = 64

AT_ONCE = 100_000  # n-grams counted between two moments at which Python can handle Ctrl-C


def ngrams(tokens: Sequence[Any], n: int) -> Iterator[tuple[Any, ...]]:
    """Yield the n-grams of a list or a tuple, from the first to the last."""
    return zip(*[tokens[start:] for start in range(min(n, len(tokens) + 1))])


def count_ngrams(tokens: Sequence[Any], n: int) -> Counter[tuple[Any, ...]]:
    """Count the n-grams of a list or a tuple, in order of first occurrence.

    Order 0 has an empty n-gram before each token and at the end.
    """
    if n == 0:
        return Counter({(): len(tokens) + 1})
    found = ngrams(tokens, n)
    if len(tokens) <= AT_ONCE:
        return Counter(found)
    counts: Counter[tuple[Any, ...]] = Counter()
    for _ in range(0, len(tokens), AT_ONCE):
        counts.update(islice(found, AT_ONCE))
    return counts


def matches_with(counts: Counter[Any], most: Mapping[Any, int]) -> int:
    """Return how many n-grams match, each at most as often as `most` has it."""
    return sum([min(count, most[ngram]) for ngram, count in counts.items() if ngram in most])


def clipped_matches(counts: Counter[NGram], in_references: Iterable[Counter[NGram]]) -> int:
    """Return how many n-grams match, each at most as often as it is in any one reference (Papineni et al. 2002, 2.1)."""
    best = [0] * len(counts)
    for in_reference in in_references:
        found = [in_reference.get(ngram, 0) for ngram in counts]
        best = list(map(max, best, found))
    return sum(map(min, counts.values(), best))


def closest(lengths: Iterable[int], length: int) -> int:
    """Return the first of the lengths that is closest to the one of a hypothesis."""
    return min(lengths, key=lambda one: abs(one - length))


def reference_length(lengths: Sequence[int], length: int, rule: str) -> int:
    """Return the length of a reference that counts for a hypothesis of this length, by a rule."""
    if rule == "shortest":
        return min(lengths)
    if rule == "average":
        return sum(lengths) // len(lengths)  # truncated, as in Moses
    return closest(lengths if rule == "closest-first" else sorted(lengths), length)
