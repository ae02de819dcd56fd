"""The parts of BLEU: modified precision, closest reference length, brevity penalty."""

from __future__ import annotations

import math
import sys
from collections import Counter

from .. import bleu_score
from .._backend import answered, clipped_matches as matches_of_lists, segment_counts as counts_of_lists
from .._definitions.ngrams import clipped_matches, closest, count_ngrams
from ..errors import CybleuError, NoReferencesError, OneShotReferencesError, OrderError
from ..text.segments import check_references, length_of, refuse_unhashable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable
    from typing import Any, TypeAlias

    from .._definitions.ngrams import NGram
    from .fraction import Fraction

    Tokens: TypeAlias = Collection[Hashable]


def nltk_row(references: Collection[Tokens], hypothesis: Tokens, max_order: int) -> list[int]:
    """Hypothesis length, reference length, clipped matches of orders 1 to `max_order`, n-grams of those orders.

    A str is a sequence of characters here, as in NLTK.
    """
    found = counts_of_lists(references, hypothesis, max_order)
    return answered(found, segment_counts, references, hypothesis, max_order)


def segment_counts(references: Collection[Tokens], hypothesis: Tokens, max_order: int) -> list[int]:
    """Count a segment of any containers and tokens; see :func:`nltk_row`."""
    length = length_of(hypothesis, "the hypothesis")
    if max_order > 0 and hasattr(type(references), "__next__"):
        matches_and_total(references, hypothesis, 1)  # errors of tokens, such as unhashable ones, are raised first
        raise OneShotReferencesError(
            f"the references are a {type(references).__name__}, which can be read only once, but they are read for "
            "every n-gram order; turn them into a list first"
        )
    matches = []
    totals = []
    for n in range(1, max_order + 1):
        matched, total = matches_and_total(references, hypothesis, n)
        matches.append(matched)
        totals.append(total)
    return [length, closest_ref_length(references, length), *matches, *totals]


def matches_and_total(references: Collection[Tokens], hypothesis: Tokens, n: int) -> tuple[int, int]:
    """Return the clipped matches of order n and the number of n-grams of the hypothesis, for any containers and tokens."""
    counts = _ngrams_in(hypothesis, n, "the hypothesis")
    check_references(references)
    in_references = [_ngrams_in(reference, n, f"reference {number}") for number, reference in enumerate(references)]
    if not in_references and counts:
        raise NoReferencesError("there is no reference for the hypothesis; give at least one")
    matched = clipped_matches(counts, in_references)
    return matched, sum(counts.values())


def _ngrams_in(tokens: Tokens, n: int, name: str) -> Counter[NGram]:
    if length_of(tokens, name) < n:
        return Counter()
    # not a tuple: up to CPython 3.11 one can crash if a finalizer changes `tokens` meanwhile
    items = tokens if type(tokens) is list else list(tokens)
    try:
        return count_ngrams(items, n)
    except TypeError:
        refuse_unhashable(items, name)
        raise


def modified_precision(references: Collection[Tokens], hypothesis: Tokens, n: int) -> Fraction:
    """Compute the clipped n-gram precision of a hypothesis as a fraction (Papineni et al. 2002, section 2.1).

    :param references: one or more references, each a sequence of hashable tokens
    :param hypothesis: a sequence of hashable tokens
    :param n: the n-gram order. Order 0 counts empty n-grams, one more than the hypothesis has tokens
    :return: clipped matches / n-grams of the hypothesis, not reduced; 0/1 if the hypothesis is shorter than n
    :raises NoReferencesError: there is no reference, and the hypothesis has an n-gram
    :raises OrderError: n is negative or not a whole number

    >>> modified_precision([["the", "cat", "is", "on", "the", "mat"]], ["the", "the", "the", "cat"], 1)
    Fraction(3, 4)
    """
    if type(n) is not int or not 0 <= n <= sys.maxsize:
        references = list(references)
        n = _checked_order(n, hypothesis, *references)
    found = matches_of_lists(references, hypothesis, n)
    matched, total = answered(found, matches_and_total, references, hypothesis, n)
    return bleu_score.Fraction(matched, max(1, total))


def closest_ref_length(references: Iterable[Tokens], hyp_len: int) -> int:
    """Return the reference length that is closest to the length of a hypothesis; on a tie, the shorter one.

    :param references: one or more references; only their lengths matter
    :param hyp_len: the length of the hypothesis, in tokens
    :raises NoReferencesError: there is no reference

    >>> closest_ref_length([["a"] * 13, ["a"] * 11], 12)
    11
    """
    try:
        if type(references) is not list:
            references = list(references)
        lengths = sorted(map(len, references))
    except TypeError:
        check_references(references)
        for number, reference in enumerate(references):
            length_of(reference, f"reference {number}")
        raise
    if not lengths:
        raise NoReferencesError("there is no reference to take a length from; give at least one")
    return closest(lengths, hyp_len)


def brevity_penalty(closest_ref_len: float, hyp_len: float) -> float:
    """Compute the brevity penalty, the factor for hypotheses shorter than their references (Papineni et al. 2002, 2.3).

    :param closest_ref_len: the closest reference length, or its sum over a corpus, in tokens
    :param hyp_len: the length of the hypothesis, or its sum over a corpus, in tokens
    :return: the int 1 if the hypothesis is longer than the reference; the int 0 if the hypothesis is empty; otherwise
        exp(1 - reference / hypothesis)

    >>> brevity_penalty(13, 12)
    0.9200444146293233
    """
    if hyp_len > closest_ref_len:
        return 1
    if hyp_len == 0:
        return 0
    return math.exp(1 - closest_ref_len / hyp_len)


def _checked_order(n: Any, *sequences: Tokens) -> int:
    """Validate an n-gram order. As in NLTK, callers do this only if a sequence is long enough for the order."""
    try:
        if not any(length_of(sequence, "a text") >= n for sequence in sequences):
            return sys.maxsize
    except TypeError as error:
        if isinstance(error, CybleuError):
            raise
        raise OrderError(f"the n-gram order must be a whole number, not {type(n).__name__}") from None
    if n < 0 and hasattr(type(n), "__index__"):
        raise OrderError(f"the n-gram order must not be negative, but it is {n}")
    if not isinstance(n, int):
        raise OrderError(f"the n-gram order must be an int, not {n!r}")
    return min(int(n), sys.maxsize)
