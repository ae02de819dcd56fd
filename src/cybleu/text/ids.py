"""Token ids: arrays of them as batches, ids with a meaning of their own, and the numbers that go with texts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from .._backend import read_arrays
from .._runtime.lazy_arrays import array_given, in_place, np
from .._runtime.numbers import check_whole
from .._runtime.scales import counted
from .._runtime.sequences import LISTS, by_position
from ..errors import ArrayValueError, LengthMismatchError, NoReferencesError
from .batches import Sets, TokenIds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .batches import AnySets, Ids, Place
    from .ragged import Ragged

OF_ONE_SEGMENT = "as in bleu([hypothesis], [[r1, r2]])"
CPU_DEVICES = (1, 3)  # of DLPack: ordinary and page-locked memory


def integers(value: Any, name: str, dimensions: Sequence[int]) -> Ids:
    """The array, without a copy where it is int32 or int64 and contiguous. One without entries may have any dtype."""
    if hasattr(value, "__dlpack_device__") and int(value.__dlpack_device__()[0]) not in CPU_DEVICES:
        raise ArrayValueError(
            f"{name} is an array on the device {getattr(value, 'device', 'other than the CPU')}; "
            "copy it to the CPU first, for example with .cpu()"
        )
    array = array_given(value, name)
    if array.size and array.dtype.kind not in "iu":
        raise ArrayValueError(f"{name} has dtype {array.dtype}; it must be integers, preferably int32 or int64")
    if array.ndim not in dimensions:
        raise ArrayValueError(
            f"{name} has {array.ndim} dimensions; it must have {' or '.join(str(number) for number in dimensions)}"
        )
    if array.dtype.kind == "u" and array.itemsize == 8 and array.size and array.max() > np.iinfo(np.int64).max:
        position = ", ".join(map(str, np.unravel_index(array.argmax(), array.shape)))
        raise ArrayValueError(f"{name} holds {array.max()} at position {position}, which does not fit int64")
    if array.dtype not in (np.int32, np.int64) or not array.dtype.isnative:
        array = array.astype(np.int64) if array.size else np.zeros(array.shape, np.int64)  # some dtypes have no cast
    ids: Ids = in_place(array)
    return ids


# -------------------------------------------------------------------------------------------------------- texts of ids


def sets_of_array(
    value: Any, name: str, lengths: Any, lengths_name: str = "lengths", dimensions: Sequence[int] = (2,)
) -> Sets:
    """The texts along the last axis of an array, of each the first `lengths[i]` tokens: one for each segment, or several by 3 dimensions."""
    array = integers(value, name, dimensions)
    *shape, width = array.shape
    begins = np.arange(math.prod(shape), dtype=np.int64) * width
    sizes = width if lengths is None else positions(lengths, lengths_name, width, shape, "texts").reshape(-1)
    per_set = math.prod(shape[1:])
    if per_set == 0:
        raise NoReferencesError(f"{name} has no reference for any segment: its shape is {array.shape}")
    bounds = np.arange(0, math.prod(shape) + 1, per_set, dtype=np.int64)
    return Sets(TokenIds(array.reshape(-1), begins, begins + sizes), bounds)


def ids_of_ragged(value: Ragged, name: str) -> TokenIds:
    """The texts of a ragged pair."""
    ids = integers(value.ids, f"the ids of {name}", (1,))
    offsets = integers(value.offsets, f"the offsets of {name}", (1,)).astype(np.int64, copy=True)
    falls = (offsets[1:] < offsets[:-1]).nonzero()[0]
    if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != len(ids) or len(falls):
        first = int(falls[0]) if len(falls) else 0
        raise ArrayValueError(
            f"the offsets of {name} must rise from 0 to the number of ids, {len(ids)}, and be one more than there are texts; "
            f"from {first} on they are {np.array2string(offsets[first:], separator=', ', threshold=6)}"
        )
    return TokenIds(ids, offsets[:-1].copy(), offsets[1:].copy())


def texts_of_array(array: Any) -> TokenIds | None:
    """The texts in the rows of an array that the kernels read as it is; None for any other one."""
    if type(array) is not np.ndarray or array.ndim != 2 or not array.size:
        return None
    dtype = array.dtype
    flags = array.flags
    if not (dtype.kind == "i" and dtype.itemsize >= 4 and dtype.isnative and flags.c_contiguous and flags.aligned):
        return None
    begins = np.arange(len(array), dtype=np.int64) * array.shape[1]
    return TokenIds(array.reshape(-1), begins, begins + array.shape[1])


def sets_of_arrays(entries: Sequence[Any], *, several: bool) -> Sets | None:
    """The texts in a list that has an array, or a list of arrays, for each segment. The backend reads NumPy's arrays.

    :param several: whether an entry may have several texts
    :return: None if entries are something else, or where :func:`integers` decides
    """
    first = entries[0] if entries else None
    if type(first) in LISTS and first:
        first = first[0]
    if not hasattr(first, "__array__"):
        return None
    counts = np.empty(len(entries), dtype=np.int64)
    found = read_arrays(list(entries), np.ndarray, counts)
    if found is None:
        return None
    ids, lengths, have_several = found
    if not ids or (have_several and not (several and counts.all())):
        return None
    texts = ids_of_lengths(np.frombuffer(ids, dtype=np.int64), np.frombuffer(lengths, dtype=np.int64))
    return Sets(texts, np.concatenate(([0], counts.cumsum())))


def ids_of_lists(texts: Sequence[Any], place: Place) -> TokenIds:
    """Texts of which one at least is an array.

    :param place: of the texts, for messages
    """
    arrays = [integers(text, place.of(number), (1,)) for number, text in enumerate(texts)]
    return ids_of_lengths(np.concatenate(arrays), np.array(list(map(len, arrays)), dtype=np.int64))


def ids_of_lengths(ids: Any, lengths: NDArray[np.int64]) -> TokenIds:
    """Texts that follow one another."""
    ends = lengths.cumsum(dtype=np.int64)
    return TokenIds(ids, ends - lengths, ends)


def check_none_empty(sets: AnySets) -> None:
    """:raises NoReferencesError: one of several references in an array is empty, so that it is not clear whether it is one"""
    texts = sets.texts
    per_set = texts.size // max(1, sets.size)
    assert isinstance(texts, TokenIds)
    empty = (texts.begins == texts.ends).nonzero()[0]
    if per_set > 1 and len(empty) and texts.ids.size:
        raise NoReferencesError(
            f"references[{empty[0] // per_set}, {empty[0] % per_set}] is empty; "
            "where segments have different numbers of references, give a list of 2-D arrays"
        )


# ------------------------------------------------------------------------------------------------- what goes with texts


def owners_given(owner: Any, sets: AnySets, count: int) -> NDArray[np.int64] | None:
    """For each of so many hypotheses the number of its set of references; None if hypothesis i has set i.

    :raises LengthMismatchError: there are not as many sets as hypotheses, and no owners
    """
    # A list of ints is checked much faster than an array of any kind.
    plain = type(owner) is list and len(owner) == count and set(map(type, owner)) == {int}
    if plain and min(owner) >= 0 and max(owner) < sets.size:
        return np.array(owner, dtype=np.int64)
    if owner is not None:
        return positions(owner, "owner", sets.size - 1, [count], "hypotheses")
    if count == sets.size:
        return None
    found = f"there are {counted(count, 'hypothesis', 'hypotheses')} and {counted(sets.size, 'set')} of references"
    if count == 1 and len(sets.bounds) == sets.bounds[-1] + 1:
        advice = f"if all are for one hypothesis, pass [references], {OF_ONE_SEGMENT}"
    elif count and sets.size and all(end - begin == count for begin, end in pairwise(sets.bounds)):
        advice = f"each has {counted(count, 'text')}, as sacreBLEU takes them; pass list(zip(*references))"
    else:
        advice = "give a set for each hypothesis; to use a set for several, pass owner= to rows or reward_scores"
    raise LengthMismatchError(f"{found}; {advice}")


def positions(value: Any, name: str, most: int, shape: Sequence[int], what: str) -> NDArray[np.int64]:
    """A copy of integers from 0 to `most` in an array of this shape, which no other thread can change."""
    array = integers(by_position(value), name, (len(shape),)).astype(np.int64, copy=True)
    if array.shape != tuple(shape):
        raise ArrayValueError(f"{name} has the shape {array.shape}; give one for each of the {what}: {tuple(shape)}")
    wrong = np.argwhere((array < 0) | (array > most)).tolist()
    if wrong:
        raise ArrayValueError(f"{name}{wrong[0]} is {array[tuple(wrong[0])]}, which is not from 0 to {most}")
    return array


UNKNOWN = -(2**63)  # what an unknown id of the references becomes; no hypothesis has it, and no special id is it


class SpecialIds(NamedTuple):
    """Ids with a meaning of their own; None where there is none."""

    pad_id: int | None = None
    eos_id: int | None = None
    unk_id: int | None = None

    def check(self) -> None:
        """:raises ArrayValueError: one is no id"""
        for name, value in zip(self._fields, self):
            if value is not None:
                check_whole(value, name, UNKNOWN + 1, 2**63 - 1, error=ArrayValueError)

    @property
    def given(self) -> bool:
        """Whether there is one, so that all tokens must be ids."""
        return any(value is not None for value in self)


NO_IDS = SpecialIds()
