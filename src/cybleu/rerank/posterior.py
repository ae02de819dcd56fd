"""Posterior probabilities of the evidence, and pruning by them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._runtime.arrays import bincount, first_not_finite, floats_given, index, np, repeat
from .._runtime.numbers import check_whole
from .._runtime.sequences import by_position, is_array
from ..errors import ArrayValueError, LengthMismatchError
from .selection import owners_of
from .texts import TextLists

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def posterior_of(posterior: Any, scores: Any, scale: float, lists: TextLists) -> Floats:
    """Compute a probability for each text, scaled so that the largest of a segment is 1."""
    if posterior is not None and scores is not None:
        raise ArrayValueError("give posterior or scores, one of the two")
    if posterior is None and scores is None:
        return np.ones(len(lists.lengths))
    factor = floats_given(scale, "scale")
    if factor.ndim or not np.isfinite(factor):
        raise ArrayValueError(f"scale is {scale!r}; it must be a finite number")
    scale = float(factor)
    name = "posterior" if scores is None else "scores"
    values = _numbers(posterior if scores is None else scores, name, lists)
    filled = np.diff(lists.offsets) > 0
    if not len(values):
        return values
    if scores is not None:
        with np.errstate(over="ignore"):
            values = values * scale
        if not np.isfinite(values).all():
            raise ArrayValueError(f"scores times the scale {scale} are beyond the range of numbers")
    most = repeat(np.maximum.reduceat(values, index(lists.offsets[:-1][filled])), np.diff(lists.offsets)[filled])
    if scores is not None:
        with np.errstate(over="ignore"):  # a text that is so far below the best has the probability 0
            of_scores: Floats = np.exp(values - most)
        return of_scores
    wrong = (values < 0) | (most <= 0)
    if wrong.any():
        segment = lists.segment_of(wrong.argmax())
        raise ArrayValueError(f"the posterior of segment {segment} must be numbers from 0, of which one is above 0")
    of_largest: Floats = values / most
    return of_largest


def _numbers(values: Any, name: str, lists: TextLists) -> Floats:
    sizes = np.diff(lists.offsets)
    values = by_position(values)
    if not hasattr(type(values), "__len__"):
        raise LengthMismatchError(f"{name} is {values!r}; give a number for each text")
    if not is_array(values) and len(values) and all(map(_is_list, values)):
        given = [len(part) for part in values]
        if given != sizes.tolist():
            where = next(
                (i for i, pair in enumerate(zip(given, sizes)) if pair[0] != pair[1]), min(len(given), len(sizes))
            )
            raise LengthMismatchError(f"{name} does not have a number for each text: see segment {where}")
        parts = [floats_given(part, f"{name}[{number}]") for number, part in enumerate(values)]
        values = np.concatenate([part.reshape(-1) for part in parts])
    array = floats_given(values, name).reshape(-1)
    if len(array) != len(lists.lengths):
        raise LengthMismatchError(f"{name} has {len(array)} numbers for {len(lists.lengths)} texts")
    if (row := first_not_finite(array)) is not None:
        segment = lists.segment_of(row)
        raise ArrayValueError(f"{name} of text {row - lists.offsets[segment]} of segment {segment} is {array[row]}")
    return array


def _is_list(value: Any) -> bool:
    return hasattr(type(value), "__len__") and getattr(value, "ndim", 1) > 0


def most_probable(shares: Floats, lists: TextLists, prune: int | None) -> NDArray[np.bool_]:
    kept = np.ones(len(shares), dtype=bool)
    if prune is None:
        return kept
    check_whole(prune, "prune", 1, error=ArrayValueError)
    owners = owners_of(lists.offsets)
    order = np.lexsort((-shares, lists.lengths == 0, owners))
    kept[order] = np.arange(len(order), dtype=np.int64) - lists.offsets[:-1][owners] < prune
    left = bincount(owners[kept], shares[kept], minlength=len(lists.offsets) - 1)
    lacking = (left == 0) & (np.diff(lists.offsets) > 0)
    if lacking.any():
        raise ArrayValueError(
            f"the texts that prune={prune} keeps of segment {lacking.argmax()} have the probability 0"
        )
    return kept
