"""Posterior probabilities of the evidence, and pruning by them."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import bincount, first_not_finite, floats_given, np
from .._runtime.numbers import check_whole
from .._runtime.sequences import by_position, is_array
from ..errors import ArrayValueError, LengthMismatchError
from ..nbest.sparse import owner_of, owners_of
from .selection import highest
from .texts import TextLists

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def posterior_of(posterior: Any, scores: Any, scale: float, lists: TextLists) -> Floats:
    """Compute a probability for each text, scaled so that the largest of a segment is 1."""
    if posterior is not None and scores is not None:
        raise ArrayValueError("give either posterior or scores")
    if posterior is None and scores is None:
        return np.ones(len(lists.empty))
    factor = floats_given(scale, "scale")
    if factor.ndim or not np.isfinite(factor):
        raise ArrayValueError(f"scale is {scale!r}; it must be a finite number")
    if scores is None:
        values = _numbers(posterior, "posterior", lists)
        most = highest(values, lists.offsets)
        wrong = (values < 0) | (most <= 0)
        if wrong.any():
            segment = owner_of(lists.offsets, wrong.argmax())
            raise ArrayValueError(f"the posterior of segment {segment} must be numbers from 0, at least one above 0")
        shares: Floats = values / most
        return shares
    with np.errstate(over="ignore"):  # a text that is far below the best has the probability 0
        values = _numbers(scores, "scores", lists) * factor
        if not np.isfinite(values).all():
            raise ArrayValueError(f"scores times the scale {scale} are beyond the range of numbers")
        shares = np.exp(values - highest(values, lists.offsets))
    return shares


def _numbers(values: Any, name: str, lists: TextLists) -> Floats:
    """Flatten a number for each text, given for all texts or as a sequence for each segment."""
    values = by_position(values)
    if not hasattr(type(values), "__len__"):
        raise LengthMismatchError(f"{name} is {values!r}; give a number for each text")
    if not is_array(values) and any(getattr(part, "ndim", hasattr(type(part), "__len__")) for part in values):
        parts = [floats_given(part, f"{name}[{number}]").reshape(-1) for number, part in enumerate(values)]
        for number, (given, size) in enumerate(zip_longest(map(len, parts), np.diff(lists.offsets).tolist())):
            if given != size:
                raise LengthMismatchError(f"{name} does not have a number for each text: see segment {number}")
        values = np.concatenate(parts)
    array = floats_given(values, name).reshape(-1)
    if len(array) != len(lists.empty):
        raise LengthMismatchError(f"{name} has {len(array)} numbers for {len(lists.empty)} texts")
    if (row := first_not_finite(array)) is not None:
        segment = owner_of(lists.offsets, row)
        raise ArrayValueError(f"{name} of text {row - lists.offsets[segment]} of segment {segment} is {array[row]}")
    return array


def most_probable(shares: Floats, lists: TextLists, prune: int | None) -> NDArray[np.bool_]:
    kept = np.ones(len(shares), dtype=bool)
    if prune is None:
        return kept
    check_whole(prune, "prune", 1, error=ArrayValueError)
    owners = owners_of(lists.offsets)
    order = np.lexsort((-shares, lists.empty, owners))
    kept[order] = np.arange(len(order), dtype=np.int64) - lists.offsets[:-1][owners] < prune
    left = bincount(owners[kept], shares[kept], minlength=len(lists.offsets) - 1)
    lacking = (left == 0) & (np.diff(lists.offsets) > 0)
    if lacking.any():
        raise ArrayValueError(
            f"the texts that prune={prune} keeps of segment {lacking.argmax()} have the probability 0"
        )
    return kept
