"""The counts of one segment or one corpus of token lists, and which of the references' lengths counts. Needs no NumPy."""

from __future__ import annotations

from .. import _backend, _mirror
from .._runtime.numbers import is_one_of
from .._runtime.sequences import plain_segment, plain_segments, refuse_arrays
from ..errors import OrderError, UnhashableTokenError, UnknownNameError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
    from typing import Any

REFERENCE_LENGTHS = ("closest", "closest-first", "shortest", "average")
LARGEST_ORDER = 2**31 - 1


def check_max_order(max_order: object) -> None:
    if type(max_order) is not int or not 1 <= max_order <= LARGEST_ORDER:
        raise OrderError(f"max_order is {max_order!r}; it must be a whole number from 1 to {LARGEST_ORDER}")


def checked_ngrams(ignore: Iterable[tuple[Hashable, ...]]) -> tuple[tuple[Hashable, ...], ...]:
    """The n-grams that are left out.

    :raises UnknownNameError: one is not a tuple of tokens
    :raises UnhashableTokenError: a token cannot be hashed
    """
    try:
        ngrams = tuple(ignore)
    except TypeError:
        raise UnknownNameError(f"ignore is {ignore!r}; give a list of n-grams, each a tuple of tokens") from None
    for ngram in ngrams:
        if not isinstance(ngram, tuple) or not ngram:
            raise UnknownNameError(f"ignore holds {ngram!r}; an n-gram is a tuple of at least one token")
        try:
            hash(ngram)
        except TypeError as error:
            raise UnhashableTokenError(f"ignore holds {ngram!r}: {error}") from None
    return ngrams


def check_counting(max_order: object, reference_length: str) -> None:
    check_max_order(max_order)
    if not is_one_of(reference_length, REFERENCE_LENGTHS):
        raise UnknownNameError(
            f"unknown reference_length {reference_length!r}; use one of {', '.join(REFERENCE_LENGTHS)}"
        )


def lengths_to_choose_from(lengths: Sequence[int], reference_length: str) -> list[int]:
    """The first that is closest to the hypothesis counts; where the hypothesis does not matter it is one."""
    if reference_length == "closest-first":
        return list(lengths)
    if reference_length == "shortest":
        return [min(lengths)]
    if reference_length == "average":
        return [sum(lengths) // len(lengths)]  # truncated, as in Moses
    return sorted(set(lengths))


def choose_length(lengths: Sequence[int], length: int, reference_length: str) -> int:
    """The length that counts for a hypothesis of this one."""
    return min(lengths_to_choose_from(lengths, reference_length), key=lambda one: abs(one - length))


def nltk_row(
    references: Collection[Collection[Hashable]], hypothesis: Collection[Hashable], max_order: int
) -> list[int]:
    """Hypothesis length, reference length, clipped matches of orders 1 to `max_order`, n-grams of those orders.

    A str is a sequence of characters here, as in NLTK.
    """
    arguments = references, hypothesis, max_order
    return _backend.answered(_backend.chosen.segment_counts(*arguments), _mirror.segment_counts, *arguments)


def segment_row(
    references: Collection[Collection[Hashable]],
    hypothesis: Collection[Hashable],
    max_order: int,
    reference_length: str = "closest",
) -> list[int]:
    """The same, for a segment as the caller gave it: other sequences of tokens become lists, and texts are an error.

    The kernels decline everything that is not a list or tuple, so they are called first.
    """
    row = None if _is_mirror() else _backend.chosen.segment_counts(references, hypothesis, max_order)
    if row is None:
        references, hypothesis = plain_segment(references, hypothesis, tokenizes=True)
        row = nltk_row(references, hypothesis, max_order)
    if reference_length != "closest":
        row[1] = choose_length([len(reference) for reference in references], row[0], reference_length)
    return row


def row_of_lists(references: Sequence[Sequence[Hashable]], hypothesis: Sequence[Hashable], max_order: int) -> list[int]:
    """The row of a segment of parsed token lists that a kernel declined, for tokens of the caller's own types."""
    for number, text in enumerate(references):
        refuse_arrays(text, f"reference {number}")
    refuse_arrays(hypothesis, "the hypothesis")
    return nltk_row(references, hypothesis, max_order)


def clipped_matches(
    references: Collection[Collection[Hashable]], hypothesis: Collection[Hashable], n: int
) -> tuple[int, int]:
    """The clipped matches of order n, and the n-grams of the hypothesis."""
    arguments = references, hypothesis, n
    return _backend.answered(_backend.chosen.clipped_matches(*arguments), _mirror.clipped_matches, *arguments)


def corpus_row(
    list_of_references: Sequence[Collection[Collection[Hashable]]],
    hypotheses: Sequence[Collection[Hashable]],
    max_order: int,
) -> tuple[list[int], list[int]]:
    """The sum of the segments' rows, and for each order how many segments are too short to have an n-gram of it."""
    found = None if _is_mirror() else _backend.chosen.corpus_counts(list_of_references, hypotheses, max_order)
    if found is None:
        arguments = *plain_segments(list_of_references, hypotheses), max_order
        found = _backend.answered(_backend.chosen.corpus_counts(*arguments), _mirror.corpus_counts, *arguments)
    return found


def _is_mirror() -> bool:
    return _backend.BACKEND == "python"  # which counts whatever can be counted


def fill_rows(
    list_of_references: Any,
    hypotheses: Any,
    max_order: int,
    start: int,
    stop: int,
    rows: Any,
    general: Callable[[int], Any],
) -> None:
    """Write the rows of the segments from `start` to before `stop`; `general` writes that of one that is declined."""

    def work(position: int) -> int:
        if _is_mirror():
            return position
        return _backend.chosen.segment_rows(list_of_references, hypotheses, max_order, position, stop, rows)

    _backend.go_on(work, start, stop, general)
