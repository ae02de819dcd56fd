"""Validate the arrays and names of an n-best list."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .._files.text import shown
from .._runtime.arrays import Array, Floats, Integers, array_given, first_not_finite, floats_given, np
from .._runtime.numbers import counted
from ..errors import ArrayValueError, FeatureError, LengthMismatchError, StatisticsError
from ..text.ids import integers
from .features import SparseFeatures, check_apart, owner_of, owners_of, sparse_given

# Below the int64 limit, because searches add differences to such a sum, and some metrics add 1 to a count.
LARGEST_SUM = 2**62


@dataclass(frozen=True, eq=False)
class Places:
    """Where the hypotheses of a list are, for messages."""

    offsets: Integers
    ids: Integers

    def name(self, row: int) -> str:
        segment = owner_of(self.offsets, row)
        return f"hypothesis {row - self.offsets[segment]} of segment {self.ids[segment]}"

    def not_finite(self, feature: str, row: int, value: float) -> FeatureError:
        return FeatureError(f"feature {shown(feature)} of {self.name(row)} is {value}; features are finite numbers")

    def check_finite(self, values: Floats, what: str) -> None:
        """Check statistics or scores.

        :param what: a value is, for the message
        """
        if not np.isfinite(values).all():
            place = tuple(np.argwhere(~np.isfinite(values))[0])
            raise StatisticsError(f"the {what} of {self.name(place[0])} is {values[place]}; it must be finite")


# ------------------------------------------------------------------------------------------------------------- arrays
# These functions copy, so that what was validated cannot change afterwards.


def check_shape(array: Array, name: str, dimensions: int, count: int | None, what: str = "hypotheses") -> None:
    if array.ndim != dimensions:
        raise ArrayValueError(f"{name} has {array.ndim} dimensions; it must have {dimensions}")
    if count is not None and len(array) != count:
        raise LengthMismatchError(f"{name} has {len(array)} entries, but there are {count} {what}")


def checked_floats(values: Any, name: str, dimensions: int, count: int | None = None) -> Floats:
    array = floats_given(array_given(values, name, copy=True), name)
    check_shape(array, name, dimensions, count)
    return array


def checked_integers(values: Any, name: str, count: int | None, what: str) -> Integers:
    array = integers(values, name, (1,))
    check_shape(array, name, 1, count, what)
    if array.size and array.min() < 0:
        raise ArrayValueError(f"{name} holds {array.min()}; its numbers must be from 0")
    return array.astype(np.int64)


def checked_offsets(values: Any, name: str, total: int, of_what: str) -> Integers:
    offsets = checked_integers(values, name, None, "numbers")
    # slices, because an empty array has neither a first nor a last number
    ends = [*offsets[:1].tolist(), *offsets[-1:].tolist()]
    if ends != [0, total]:
        raise ArrayValueError(f"{name} must begin with 0 and end with the number of {of_what}, {total}, not {ends}")
    falls = offsets[1:] < offsets[:-1]
    if falls.any():
        position = int(falls.argmax())
        raise ArrayValueError(f"{name} falls from {offsets[position]} to {offsets[position + 1]} at {position + 1}")
    return offsets


def checked_stats(values: Any, places: Places, score: Any) -> Integers | Floats:
    """Check rows of statistics; see :class:`cybleu.nbest.NBest`."""
    array = array_given(values, "stats", copy=True)
    is_float = array.dtype.kind == "f"
    if array.dtype.kind not in "iuf" and array.size:
        raise ArrayValueError(f"stats has dtype {array.dtype}; it must be int64 for BLEU, or float64")
    # one number for each hypothesis is a column
    if array.ndim == 1 and (is_float or (array.size and score is not None)):
        array = array.reshape(-1, 1)
    check_shape(array, "stats", 2, int(places.offsets[-1]))
    if is_float:
        floats = floats_given(array, "stats")
        places.check_finite(floats, "statistic")
        return floats
    segments = len(places.ids)
    most = LARGEST_SUM // max(1, segments)  # so that code that adds a row of each segment need not check the sum
    wrong = ((array > most) | (array < -most)).any(axis=1)
    reason = (
        f"too large; the sum of one row from each of {counted(segments, 'segment')} must be at most 2 ** 62. "
        "Divide the numbers, or give them as floats"
    )
    rows = array.astype(np.int64, copy=False)
    if score is None:
        order = rows.shape[1] // 2 - 1
        if order < 1 or rows.shape[1] % 2:
            raise StatisticsError(
                f"stats has {rows.shape[1]} columns; BLEU's rows have 2 + 2 * orders: hypothesis length, reference "
                "length, matches, n-grams. For another metric give score="
            )
        if not wrong.any():
            wrong = (rows < 0).any(axis=1) | (rows[:, 2 : 2 + order] > rows[:, 2 + order :]).any(axis=1)
            reason = (
                "impossible; they must be whole numbers from 0: hypothesis length, reference length, matches, and "
                "n-grams, no fewer than matches. For another metric give score="
            )
    if wrong.any():
        row = int(wrong.argmax())
        raise StatisticsError(f"the statistics of {places.name(row)} are {reason}: {rows[row].tolist()}")
    return rows


def checked_texts(values: Sequence[str], places: Places) -> list[str]:
    texts = list(values)
    if len(texts) != places.offsets[-1]:
        raise LengthMismatchError(f"there are {len(texts)} texts, but {places.offsets[-1]} hypotheses")
    # a subclass of str could change what it says
    if set(map(type, texts)) - {str}:
        row = next(row for row, text in enumerate(texts) if type(text) is not str)
        raise ArrayValueError(f"the text of {places.name(row)} is a {type(texts[row]).__name__}, not a str")
    return texts


def checked_sparse(values: Any, dense: Sequence[str], places: Places) -> SparseFeatures:
    """Check sparse features.

    :param dense: the names of the dense features
    """
    sparse = sparse_given(values)
    names = feature_names(sparse.names, len(sparse.names))
    numbers = checked_floats(sparse.values, "sparse.values", 1)
    columns = checked_integers(sparse.columns, "sparse.columns", len(numbers), "values")
    indptr = checked_offsets(sparse.indptr, "sparse.indptr", len(numbers), "values")
    if len(indptr) != places.offsets[-1] + 1:
        raise LengthMismatchError(
            f"sparse.indptr has {len(indptr) - 1} hypotheses, but features has {places.offsets[-1]}"
        )
    check_apart(dense, names)
    if len(columns) and columns.max() >= len(names):
        raise ArrayValueError(f"sparse.columns holds {columns.max()}, but there are {len(names)} names")
    owners = owners_of(indptr)
    # kernels add up a hypothesis in this order, and expect each feature once
    falls = (columns[1:] <= columns[:-1]) & (owners[1:] == owners[:-1])
    if falls.any():
        raise ArrayValueError(f"sparse.columns of {places.name(owners[falls.argmax()])} are not strictly ascending")
    place = first_not_finite(numbers)
    if place is not None:
        raise places.not_finite(names[columns[place]], owners[place], numbers[place])
    return SparseFeatures(indptr, columns, numbers, names)


# -------------------------------------------------------------------------------------------------------------- names


def feature_names(names: Sequence[str] | None, count: int) -> tuple[str, ...]:
    """Check the names of features; None means ``f0``, ``f1`` ..."""
    if names is None:
        return tuple(f"f{column}" for column in range(count))
    if isinstance(names, str):
        raise FeatureError(f"names is the text {shown(names)}; it must be a list with a name for each feature")
    names = tuple(names)  # an iterator could be read only once
    if len(names) != count:
        raise FeatureError(f"there are {len(names)} names, but {count} features")
    for position, name in enumerate(names):
        if not isinstance(name, str) or not re.fullmatch(r"[^ \t\n]+", name):
            raise FeatureError(f"names[{position}] is {shown(name)}; a name is a text without blanks")
    if len(set(names)) != count:
        raise FeatureError(f"the name {shown(next(name for name in names if names.count(name) > 1))} appears twice")
    return names
