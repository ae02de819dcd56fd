"""The statistics row of one segment, and which of its references' lengths counts."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence

from .. import _backend
from ..errors import OrderError, UnknownNameError

REFERENCE_LENGTHS = ("closest", "shortest", "average")
LARGEST_ORDER = 2**31 - 1


def check_max_order(max_order: object) -> None:
    if type(max_order) is not int or not 1 <= max_order <= LARGEST_ORDER:
        raise OrderError(f"max_order is {max_order!r}; it must be a whole number from 1 to {LARGEST_ORDER}")


def check_reference_length(reference_length: str) -> None:
    if reference_length not in REFERENCE_LENGTHS:
        raise UnknownNameError(
            f"unknown reference_length {reference_length!r}; use one of {', '.join(REFERENCE_LENGTHS)}"
        )


def lengths_to_choose_from(lengths: Sequence[int], reference_length: str) -> list[int]:
    """Ascending; where the hypothesis does not matter it is one."""
    if reference_length == "shortest":
        return [min(lengths)]
    if reference_length == "average":
        return [sum(lengths) // len(lengths)]  # truncated, as in Moses
    return sorted(set(lengths))


def segment_row(
    references: Collection[Collection[Hashable]],
    hypothesis: Collection[Hashable],
    max_order: int,
    reference_length: str = "closest",
) -> list[int]:
    """Hypothesis length, reference length, clipped matches of orders 1 to `max_order`, n-grams of those orders."""
    row = _backend.segment_counts(references, hypothesis, max_order)
    if row is None:
        row = _backend.any_segment_counts(references, hypothesis, max_order)
    if reference_length != "closest":
        row[1] = lengths_to_choose_from([len(reference) for reference in references], reference_length)[0]
    return row
