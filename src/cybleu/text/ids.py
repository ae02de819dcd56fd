"""Token ids: arrays of them as batches, ids with a meaning of their own, numbers that are given to tokens, and owners of texts."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, pairwise, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from .._backend import RawTexts, RawVocabulary, Tokenizer, number_tokens, read_arrays
from .._runtime.lazy_arrays import Integers, array_given, array_of, in_place, np
from .._runtime.numbers import check_whole, counted
from .._runtime.sequences import LISTS, by_position
from ..errors import ArrayValueError, LengthMismatchError, MixedTokensError, NoReferencesError, SequenceTypeError
from .batches import AnySets, Batch, Place, Sets, TokenIds, TokenLists
from .segments import refuse_unhashable

if TYPE_CHECKING:
    from .batches import Ids
    from .ragged import Ragged

OF_ONE_SEGMENT = "as in bleu([hypothesis], [[r1, r2]])"
CPU_DEVICES = (1, 3)  # of DLPack: ordinary and page-locked memory


def integers(value: Any, name: str, dimensions: Sequence[int]) -> Ids:
    """The array, without a copy where it is int32 or int64 and contiguous. One without entries may have any dtype."""
    # Asked before the conversion, which fails in another way in each library, or copies from the device.
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
    return in_place(array)


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
    width = array.shape[1]
    begins = np.arange(0, array.size, width, dtype=np.int64)
    return TokenIds(array.reshape(-1), begins, begins + width)


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
    found = read_arrays(list(entries), np.ndarray, several)
    if found is None:
        return None
    ids, begins, ends, bounds = [np.frombuffer(numbers, dtype=np.int64) for numbers in found]
    return Sets(TokenIds(ids, begins, ends), bounds)


def ids_of_lists(texts: Sequence[Any], place: Place) -> TokenIds:
    """Texts of which one at least is an array.

    :param place: of the texts, for messages
    """
    arrays = [integers(text, place.of(number), (1,)) for number, text in enumerate(texts)]
    return ids_of_lengths(np.concatenate(arrays), np.array(list(map(len, arrays)), dtype=np.int64))


def ids_of_lengths(ids: Any, lengths: Integers) -> TokenIds:
    """Texts that follow one another."""
    ends = lengths.cumsum(dtype=np.int64)
    return TokenIds(ids, ends - lengths, ends)


def check_none_empty(texts: TokenIds, segments: int) -> None:
    """:raises NoReferencesError: one of several references in an array is empty, so that it is not clear whether it is one"""
    per_set = texts.size // max(1, segments)
    empty = (texts.begins == texts.ends).nonzero()[0]
    if per_set > 1 and len(empty) and texts.ids.size:
        raise NoReferencesError(
            f"references[{empty[0] // per_set}, {empty[0] % per_set}] is empty; "
            "where segments have different numbers of references, give a list of 2-D arrays"
        )


# --------------------------------------------------------------------------------------------------- numbers for tokens


def number_texts(texts: Batch, tokenizer: Tokenizer | None = None) -> tuple[TokenIds, Any]:
    """Texts in numbers, and the vocabulary that other texts are numbered by: None if the tokens are ids, which stay as they are.

    :param tokenizer: of raw text
    """
    if isinstance(texts, RawTexts):
        assert tokenizer is not None
        words = RawVocabulary(tokenizer)
        return word_ids(texts, words, adds=True), words
    if isinstance(texts, TokenIds):
        return texts, None
    ids = ids_of_tokens(texts)
    if ids is not None and len(ids.ids):
        return ids, None
    with _errors_with_places(texts):
        tokens = dict.fromkeys(chain.from_iterable(texts.texts))
    vocabulary = dict(zip(tokens, range(len(tokens))))
    return _encoded(texts, vocabulary), vocabulary


def number_others(texts: Batch, vocabulary: Any) -> TokenIds:
    """Other texts in the numbers that a vocabulary of :func:`number_texts` has; -1 for other tokens."""
    if isinstance(texts, RawTexts):
        return word_ids(texts, vocabulary, adds=False)
    if isinstance(texts, TokenIds):
        if not vocabulary:  # the references are ids, too, or have no tokens
            return texts
    elif vocabulary is None:
        return only_ids(texts)
    elif not (_hold_integers(texts) and vocabulary and all(map(_is_string, vocabulary))):
        return _encoded(texts, vocabulary)
    raise MixedTokensError(
        "the hypotheses are token ids, and the references hold other tokens; give both as ids or both as tokens"
    )


def _hold_integers(lists: TokenLists) -> bool:
    """Whether there are tokens, and all are integers."""
    types = lists.types()
    return len(types) > 0 and all(map(_is_integer_type, types))


def _is_string(token: Hashable) -> bool:
    """Whether a token can be equal to no integer; other objects may be."""
    return isinstance(token, (str, bytes))


def number_together(first: Batch, second: Batch) -> tuple[TokenIds, TokenIds]:
    """Two lists of texts in the same numbers; twice the same result if they are the same object.

    All tokens of the second one that the first one does not have are -1, even different ones, unless tokens are ids.

    :param first: tokens or ids
    """
    if second is first and isinstance(first, TokenLists):
        first.types()  # an error if one is an array
        with _errors_with_places(first):
            lengths = _lengths(first)
            tokens = list(chain.from_iterable(first.texts))
            ids = np.empty(len(tokens), dtype=np.int32)
            # unless another thread changed a list between the two
            if len(tokens) == lengths.sum() and number_tokens(tokens, ids) is not None:
                found = ids_of_lengths(ids, lengths)
                return found, found
    numbered, vocabulary = number_texts(first)
    return numbered, numbered if second is first else number_others(second, vocabulary)


def word_ids(texts: RawTexts, words: RawVocabulary, adds: bool) -> TokenIds:
    """Raw texts as numbers of words. Does not require NumPy.

    :param adds: give numbers to words that have none, which are -1 otherwise
    """
    bounds: Any = memoryview(bytearray(8 * texts.size + 8)).cast("q")
    ends = bounds[1:]
    ids: Any = memoryview(words.numbers(texts, ends, adds)).cast("i")
    return TokenIds(ids, bounds[:-1], ends)


def _encoded(lists: TokenLists, vocabulary: dict[Hashable, int]) -> TokenIds:
    lengths = _lengths(lists)
    # Consumed below, so that an error of a token's hash gets its place there.
    numbers = map(vocabulary.get, chain.from_iterable(lists.texts), repeat(-1))
    with _errors_with_places(lists):
        return ids_of_lengths(array_of(numbers, np.int32, int(lengths.sum())), lengths)


def ids_of_tokens(lists: TokenLists) -> TokenIds | None:
    """Lists of ints in place of which arrays can be read; None if a token is something else."""
    lengths = _lengths(lists)
    if not all(map(_is_integer_type, lists.types())):
        return None
    try:
        ids = array_of(chain.from_iterable(lists.texts), np.int64, int(lengths.sum()))
    except OverflowError:  # such ints are counted as tokens
        return None
    return ids_of_lengths(ids, lengths)


def only_ids(lists: TokenLists, reason: str = "") -> TokenIds:
    """Lists of ints in place of which arrays can be read.

    :param reason: why they must be, for the message
    :raises MixedTokensError: a token is something else; the message says where
    """
    ids = ids_of_tokens(lists)
    if ids is not None:
        return ids
    for number, text in enumerate(lists.texts):
        for position, token in enumerate(text):
            if not _is_integer_type(type(token)) or not -(2**63) <= token < 2**63:  # type: ignore[operator]
                raise MixedTokensError(
                    f"{reason}token {position} of {lists.place.of(number)} is {token!r:.80}, and the references hold token ids, "
                    "integers that fit int64; give both as ids or both as tokens"
                )
    raise MixedTokensError("the hypotheses changed while they were read")


@contextmanager
def _errors_with_places(lists: TokenLists) -> Iterator[None]:
    """Turn a TypeError while tokens are hashed into an error that says where.

    :raises UnhashableTokenError: a token cannot be hashed
    :raises SequenceTypeError: hashing a token replaced a text by something else
    """
    try:
        yield
    except TypeError:
        for number, text in enumerate(lists.texts):
            if not hasattr(text, "__iter__"):
                raise SequenceTypeError(
                    f"{lists.place.of(number)} became a {type(text).__name__} while it was read"
                ) from None
            refuse_unhashable(text, lists.place.of(number))
        raise


def _lengths(lists: TokenLists) -> Integers:
    with _errors_with_places(lists):
        return array_of(map(len, lists.texts), np.int64, lists.size)


def _is_integer_type(kind: type) -> bool:
    return kind is int or kind is bool or issubclass(kind, (np.integer, np.bool_))


# ------------------------------------------------------------------------------------------------- what goes with texts


def owners_given(owner: Any, sets: AnySets, count: int) -> Integers | None:
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


def positions(value: Any, name: str, most: int, shape: Sequence[int], what: str) -> Integers:
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
