"""Batches of texts in all the forms that the array face takes, checked and brought into one: ids one after the other.

A batch is a list of token lists, or token ids: a 2-D integer array, a ragged pair `(ids, offsets)`, a list of 1-D arrays.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import chain, count, islice, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _backend
from .._runtime.arrays import array_given, array_of, checked_output, in_place, np
from .._runtime.interrupts import PIECE, types_of
from .._runtime.scales import counted
from .._runtime.sequences import (
    REFERENCES,
    TEXTS,
    by_position,
    container_of,
    refuse_text,
    with_ids,
)
from ..errors import (
    ArrayTypeError,
    ArrayValueError,
    LengthMismatchError,
    MixedTokensError,
    NoReferencesError,
    SequenceTypeError,
    UnhashableTokenError,
)
from .columns import ReferenceColumns, TextColumn, lists_given, texts_given

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ids = NDArray[np.int32] | NDArray[np.int64]

CPU_DEVICES = (1, 3)  # of DLPack: ordinary and page-locked memory

# Tokens of these types are equal or not, whoever asks, and are what they seem.
PLAIN_TYPES = {str, bytes, int, float, bool, type(None)}


class Batch(NamedTuple):
    """Text i is `ids[begins[i]:ends[i]]`."""

    ids: Ids
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]


# -------------------------------------------------------------------------------------------------------------- arrays


def is_array(value: Any) -> bool:
    if isinstance(value, (list, tuple, str, bytes, bytearray)):
        return False
    if hasattr(value, "__array__") or hasattr(value, "__dlpack_device__"):
        return True
    try:
        memoryview(value)
    except TypeError:
        return False
    return True


def any_array(values: Iterable[Any]) -> bool:
    """Whether one of the values is an array."""
    of_each_type = {type(value): value for value in values}
    return any(map(is_array, of_each_type.values()))


def is_ragged(value: Any) -> bool:
    """Whether this is a pair of arrays, of which one at least is of numbers; two columns of objects are two texts."""
    is_pair = type(value) is tuple and len(value) == 2 and all(map(is_array, value))
    return is_pair and any(is_array(by_position(part)) for part in value)


def integers(value: Any, name: str, dimensions: Sequence[int]) -> Ids:
    """The array, without a copy where it is int32 or int64 and contiguous."""
    if hasattr(value, "__dlpack_device__") and int(value.__dlpack_device__()[0]) not in CPU_DEVICES:
        raise ArrayTypeError(
            f"{name} is an array on the device {getattr(value, 'device', 'other than the CPU')}; "
            "copy it to the CPU first, for example with .cpu()"
        )
    array = array_given(value, name)
    if array.dtype.kind not in "iu":
        raise ArrayTypeError(f"{name} has dtype {array.dtype}; it must be integers, best int32 or int64")
    if array.ndim not in dimensions:
        raise ArrayTypeError(
            f"{name} has {array.ndim} dimensions; it must have {' or '.join(str(number) for number in dimensions)}"
        )
    if array.dtype.kind == "u" and array.itemsize == 8 and array.size and array.max() > np.iinfo(np.int64).max:
        position = ", ".join(map(str, np.unravel_index(array.argmax(), array.shape)))
        raise ArrayValueError(f"{name} holds {array.max()} at position {position}, which does not fit int64")
    if array.dtype not in (np.int32, np.int64) or not array.dtype.isnative:
        array = array.astype(np.int64)
    ids: Ids = in_place(array)
    return ids


def sets_missing(hypotheses: int, sets: int) -> LengthMismatchError:
    """The error where nobody said which set each hypothesis has."""
    return LengthMismatchError(
        f"there are {counted(hypotheses, 'hypothesis', 'hypotheses')} and {counted(sets, 'set', 'sets')} of references; "
        "give a set for each hypothesis, or give owner=, the number of its set for each hypothesis"
    )


def owners_given(owner: Any, sets: int, count: int) -> NDArray[np.int64]:
    """For each of so many hypotheses the number of its set of references.

    :param owner: None if hypothesis i has set i
    """
    if owner is not None:
        return positions(owner, "owner", sets - 1, count, "hypotheses")
    if count != sets:
        raise sets_missing(count, sets)
    return np.arange(count, dtype=np.int64)


def positions(value: Any, name: str, size: int, wanted: int, what: str) -> NDArray[np.int64]:
    """A copy of `wanted` integers from 0 to `size`, which no other thread can change."""
    value = by_position(value)
    if isinstance(value, (list, tuple)):
        value = array_given(value, name) if len(value) else np.zeros(0, np.int64)
    if is_array(value) and np.asarray(value).size == 0:
        value = np.zeros(np.asarray(value).shape, np.int64)  # of floats, as `np.array([])` is
    array = integers(value, name, (1,)).astype(np.int64, copy=True)
    if len(array) != wanted:
        raise ArrayValueError(f"{name} has {len(array)} entries for {wanted} {what}; give one for each")
    wrong = ((array < 0) | (array > size)).nonzero()[0]
    if len(wrong):
        raise ArrayValueError(f"{name}[{wrong[0]}] is {array[wrong[0]]}, which is not from 0 to {size}")
    return array


def batch_of_array(value: Any, name: str, lengths: Any, lengths_name: str) -> Batch:
    """The rows of a 2-D array, of each the first `lengths[i]` tokens."""
    array = integers(value, name, (2,))
    texts, width = array.shape
    begins = np.arange(texts, dtype=np.int64) * width
    if lengths is None:
        return Batch(array.reshape(-1), begins, begins + width)
    return Batch(array.reshape(-1), begins, begins + positions(lengths, lengths_name, width, texts, "texts"))


def batch_of_ragged(value: Any, name: str) -> Batch:
    ids = integers(value[0], f"the ids of {name}", (1,))
    offsets = integers(value[1], f"the offsets of {name}", (1,)).astype(np.int64, copy=True)
    if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != len(ids):
        raise ArrayValueError(
            f"the offsets of {name} must begin with 0 and end with the number of ids, {len(ids)}, one more than there are "
            f"texts; they are {_shortened(offsets)}"
        )
    falls = (offsets[1:] < offsets[:-1]).nonzero()[0]
    if len(falls):
        raise ArrayValueError(
            f"the offsets of {name} must not fall, and offset {falls[0] + 1} is {offsets[falls[0] + 1]} after {offsets[falls[0]]}"
        )
    return Batch(ids, offsets[:-1].copy(), offsets[1:].copy())


def _shortened(numbers: NDArray[np.int64]) -> str:
    return str(numbers.tolist()) if len(numbers) <= 6 else f"{numbers[:3].tolist()} ... {numbers[-2:].tolist()}"


class SpecialIds(NamedTuple):
    """Ids with a meaning of their own; None where there is none."""

    pad_id: int | None = None
    eos_id: int | None = None
    unk_id: int | None = None

    def check(self) -> None:
        for name, value in zip(self._fields, self):
            if value is not None and (
                isinstance(value, bool) or not hasattr(value, "__index__") or not -(2**63) <= int(value) < 2**63
            ):
                raise ArrayValueError(f"{name} is {value!r}; it must be a token id that fits int64")

    @property
    def given(self) -> bool:
        """Whether there is one, so that all tokens must be ids."""
        return self != NO_IDS

    def trimmed(self, batch: Batch) -> Batch:
        if self.pad_id is not None or self.eos_id is not None:
            _backend.chosen.trim(batch.ids, batch.begins, batch.ends, self.pad_id, self.eos_id)
        return batch


NO_IDS = SpecialIds()


def separate_output(out: Any, shape: tuple[int, ...], dtype: Any, **inputs: Any) -> NDArray[Any]:
    """The array to write into: `out`, which no input may share memory with, as it is read meanwhile; if None, a new one.

    :param inputs: by name, of any kind
    """
    if out is None:
        return np.empty(shape, dtype)
    array = checked_output(out, shape, dtype)
    for name, value in inputs.items():
        for part in _arrays_in(value):
            if np.may_share_memory(array, part):
                raise ArrayValueError(f"out shares memory with {name}; give another array, or a copy of {name}")
    return array


def _arrays_in(value: Any) -> Iterator[Any]:
    """The arrays of any form of a batch."""
    if isinstance(value, TextColumn):
        return
    value = by_position(value)
    if isinstance(value, (list, tuple)):
        if any(not issubclass(kind, (str, int, bytes)) for kind in types_of(value)):
            for part in value:
                yield from _arrays_in(part)
    elif value is not None and is_array(value):
        yield np.asarray(value)


# --------------------------------------------------------------------------------------------------------------- lists


def checked_list(texts: Any, name: str) -> Sequence[Any]:
    """The texts as something that has a length and an order; a clear error for a single text or an iterator."""
    texts = lists_given(texts, name)
    refuse_text(texts, name, TEXTS)
    if not (hasattr(texts, "__len__") and hasattr(texts, "__getitem__")):
        raise SequenceTypeError(
            f"{name} must be a list of token lists or an array of token ids, not {type(texts).__name__}"
        )
    sequence: Sequence[Any] = texts
    return sequence


def plain_texts(texts: Sequence[Any], name: str) -> Sequence[Any]:
    """The texts as lists and arrays of numbers.

    :raises SequenceTypeError: one is a str, whose characters are no tokens
    """
    if set(map(type, texts)) <= {list, tuple}:
        return texts
    return [container_of(text, f"{name}[{position}]") for position, text in enumerate(texts)]


def texts_with_ids(texts: Sequence[Any], name: str) -> Sequence[Any]:
    """The texts, with ids for tokens that are arrays without a dimension."""
    _text_lengths(texts, name)  # for its error
    if not _may_be_arrays(_backend.chosen.types_within(texts)):
        return texts
    return [with_ids(text, f"{name}[{position}]") for position, text in enumerate(texts)]


def _may_be_arrays(kinds: Iterable[type]) -> bool:
    return any(hasattr(kind, "__index__") and not _is_integer_type(kind) for kind in kinds)


def _text_lengths(texts: Sequence[Any], name: str) -> NDArray[np.int64]:
    try:
        return array_of(map(len, texts), np.int64, len(texts))
    except TypeError:
        for position, text in enumerate(texts):
            if not hasattr(text, "__len__"):
                raise SequenceTypeError(
                    f"{name}[{position}] must be a list of tokens, not {type(text).__name__}"
                ) from None
        raise


def batch_of_lengths(ids: Ids, lengths: NDArray[np.int64]) -> Batch:
    ends = np.cumsum(lengths, dtype=np.int64)
    return Batch(ids, ends - lengths, ends)


def integers_of_lists(texts: Sequence[Any], name: str) -> Batch | None:
    """Lists of ints, or arrays, as a batch; None where a token is something else."""
    if any_array(texts):
        _text_lengths(texts, name)  # for its error
        arrays = [
            integers(text if len(text) else np.zeros(0, np.int64), f"{name}[{position}]", (1,))
            for position, text in enumerate(texts)
        ]
        ids: Ids = np.concatenate(arrays)  # type: ignore[assignment]
        return batch_of_lengths(ids, np.array([len(array) for array in arrays], dtype=np.int64))
    lengths = _text_lengths(texts, name)
    kinds = _backend.chosen.types_within(texts)
    if _may_be_arrays(kinds):
        texts = texts_with_ids(texts, name)
        kinds = _backend.chosen.types_within(texts)
    if not all(map(_is_integer_type, kinds)):
        return None
    try:
        ids = array_of(chain.from_iterable(texts), np.int64, int(lengths.sum()))
    except OverflowError:
        return None
    return batch_of_lengths(ids, lengths)


def _is_integer_type(kind: type) -> bool:
    return kind is int or kind is bool or issubclass(kind, (np.integer, np.bool_))


class Vocabulary:
    """Numbers for any hashable tokens, equal as dict keys are."""

    def __init__(self, texts: Sequence[Any], name: str) -> None:
        self.numbers: dict[Hashable, int] = {}
        _text_lengths(texts, name)  # for its error
        try:
            tokens = chain.from_iterable(texts)
            different = dict.fromkeys(islice(tokens, PIECE))
            while piece := dict.fromkeys(islice(tokens, PIECE)):
                different |= piece
            numbered = zip(different, count())
            for _ in range(0, len(different), PIECE):
                self.numbers.update(islice(numbered, PIECE))
        except TypeError:
            _check_hashable(texts, name)
            raise
        self._types: set[type] | None = None

    def types(self) -> set[type]:
        if self._types is None:
            self._types = types_of(self.numbers)
        return self._types

    def __getstate__(self) -> dict[str, Any]:
        return {"numbers": self.numbers, "_types": None}

    def encoded(self, texts: Sequence[Any], name: str) -> Batch:
        """The texts in numbers, -1 for other tokens."""
        lengths = _text_lengths(texts, name)
        numbers = map(self.numbers.get, chain.from_iterable(texts), repeat(-1))
        try:
            ids = array_of(numbers, np.int32, int(lengths.sum()))
        except TypeError:
            _check_hashable(texts, name)
            raise
        return batch_of_lengths(ids, lengths)


def _check_hashable(texts: Sequence[Any], name: str) -> None:
    for position, text in enumerate(texts):
        for place, token in enumerate(text):
            if type(token).__hash__ is None:
                raise UnhashableTokenError(
                    f"token {place} of {name}[{position}] is a {type(token).__name__}, which cannot be hashed; "
                    "use a str, a number or a tuple for it (is the text nested one level too deep?)"
                ) from None


# ---------------------------------------------------------------------------------------------------------- references


class ReferenceSets(NamedTuple):
    """Set i has the references from `sets[i]` to before `sets[i + 1]` of the batch."""

    batch: Batch
    sets: NDArray[np.int64]
    vocabulary: Any  # a Vocabulary or RawWords; None where the tokens are ids


def reference_sets(
    references: Any,
    lengths: Any = None,
    special: SpecialIds = NO_IDS,
    ignored: Sequence[Any] = (),
) -> ReferenceSets:
    """The references in one form.

    :param references: as :func:`~cybleu.text.columns.references_given` gives them
    :param special: if there is one, other tokens than ids are an error
    :param ignored: n-grams whose tokens hypotheses may have too
    """
    if isinstance(references, ReferenceColumns):
        references = references.plain()
    if is_ragged(references):
        _no_lengths(lengths, "references", "a ragged pair")
        batch = batch_of_ragged(references, "references")
        return ReferenceSets(special.trimmed(batch), np.arange(len(batch.begins) + 1, dtype=np.int64), None)
    if is_array(references):
        array = integers(references, "references", (2, 3))
        per_set = array.shape[1] if array.ndim == 3 else 1
        if per_set == 0:
            raise NoReferencesError("references has no reference for any segment: its shape is " + str(array.shape))
        if lengths is not None and array.ndim == 3:
            lengths = array_given(lengths, "reference_lengths")
            if lengths.shape != array.shape[:2]:
                raise ArrayValueError(
                    f"reference_lengths has the shape {lengths.shape}; for references of the shape {array.shape} it "
                    f"must be {array.shape[:2]}"
                )
            lengths = lengths.reshape(-1)
        rows = array.reshape(len(array) * per_set, array.shape[-1])
        batch = special.trimmed(batch_of_array(rows, "references", lengths, "reference_lengths"))
        if per_set > 1 and array.shape[-1]:
            empty = (batch.begins == batch.ends).nonzero()[0]
            if len(empty):
                raise NoReferencesError(
                    f"references[{empty[0] // per_set}, {empty[0] % per_set}] is empty; "
                    "where segments have different numbers of references, give a list of 2-D arrays"
                )
        return ReferenceSets(batch, np.arange(len(array) + 1, dtype=np.int64) * per_set, None)
    _no_lengths(lengths, "references", "a list")
    texts: list[Any] = []
    sets = [0]
    for position, segment in enumerate(checked_list(references, "references")):
        name = f"references[{position}]"
        if type(segment) is not list:
            refuse_text(segment, name, REFERENCES)
            segment = by_position(segment)
        if is_array(segment):
            texts.extend(integers(segment, name, (2,)))
        elif not hasattr(segment, "__len__"):
            raise SequenceTypeError(f"{name} must be {REFERENCES}, not {type(segment).__name__}")
        else:
            texts.extend(segment)
        if len(texts) == sets[-1]:
            raise NoReferencesError(f"{name} has no reference; give at least one for each segment")
        sets.append(len(texts))
    if not set(map(type, texts)) <= {list, tuple}:
        owners = np.repeat(np.arange(len(sets) - 1), np.diff(sets)).tolist()
        texts = [
            container_of(text, f"references[{owner}][{number - sets[owner]}]")
            for number, (text, owner) in enumerate(zip(texts, owners))
        ]
    ids = integers_of_lists(texts, "reference")
    if ids is not None and (
        special.given or len(ids.ids) or (ignored and integers_of_lists(ignored, "ignore") is not None)
    ):
        return ReferenceSets(special.trimmed(ids), np.array(sets, dtype=np.int64), None)
    if special.given:
        raise MixedTokensError("pad_id, eos_id and unk_id are for token ids, and the references hold other tokens")
    vocabulary = Vocabulary([*texts, *ignored], "reference")
    if _may_be_arrays(vocabulary.types()):
        texts = list(texts_with_ids(texts, "reference"))
        vocabulary = Vocabulary([*texts, *texts_with_ids(ignored, "ignore")], "reference")
    return ReferenceSets(vocabulary.encoded(texts, "reference"), np.array(sets, dtype=np.int64), vocabulary)


def one_reference_each(texts: Any, special: SpecialIds) -> ReferenceSets:
    """A batch of texts, each a set of its own."""
    texts = texts_given(texts, "references")
    if isinstance(texts, TextColumn):
        texts = texts.plain()
    if not is_ragged(texts) and not is_array(texts):
        texts = [[text] for text in checked_list(texts, "references")]
    elif is_array(texts):
        texts = integers(texts, "references", (2,))
    return reference_sets(texts, None, special)


def _no_lengths(lengths: Any, name: str, form: str) -> None:
    if lengths is not None:
        raise ArrayValueError(f"lengths are for a 2-D array, and {name} is {form}, which has its own")


# ---------------------------------------------------------------------------------------------------------- hypotheses


def hypotheses_like(
    hypotheses: Any,
    references: ReferenceSets,
    lengths: Any = None,
    special: SpecialIds = NO_IDS,
    ignored: Sequence[Any] = (),
) -> Batch:
    """The hypotheses in the numbers of the references, and of the n-grams to ignore.

    :param hypotheses: as :func:`~cybleu.text.columns.texts_given` gives them
    """
    if isinstance(hypotheses, TextColumn):
        hypotheses = hypotheses.plain()
    if is_ragged(hypotheses) or is_array(hypotheses):
        if references.vocabulary is not None and references.vocabulary.types():
            raise MixedTokensError(_IDS_AMONG_TOKENS)
        if is_ragged(hypotheses):
            _no_lengths(lengths, "hypotheses", "a ragged pair")
            return special.trimmed(batch_of_ragged(hypotheses, "hypotheses"))
        return special.trimmed(batch_of_array(hypotheses, "hypotheses", lengths, "lengths"))
    _no_lengths(lengths, "hypotheses", "a list")
    texts = plain_texts(checked_list(hypotheses, "hypotheses"), "hypotheses")
    if references.vocabulary is None or any_array(texts):
        if references.vocabulary is not None and references.vocabulary.types():
            raise MixedTokensError(_IDS_AMONG_TOKENS)
        batch = integers_of_lists(texts, "hypotheses")
        if batch is not None:
            return special.trimmed(batch)
        texts = texts_with_ids(texts, "hypotheses")
        if special.given or all(issubclass(kind, (str, bytes)) for kind in _backend.chosen.types_within(texts)):
            raise MixedTokensError(_where_not_an_id(texts))
        return _any_tokens_among_ids(texts, [*references.batch.ids.tolist(), *chain.from_iterable(ignored)])
    known = references.vocabulary.types()
    only_texts = bool(known) and all(issubclass(kind, (str, bytes)) for kind in known)
    if not only_texts:
        texts = texts_with_ids(texts, "hypotheses")
    encoded: Batch = references.vocabulary.encoded(texts, "hypotheses")
    if only_texts and len(encoded.ids) and encoded.ids.max() < 0:  # nothing matches
        kinds = _backend.chosen.types_within(texts_with_ids(texts, "hypotheses"))
        if all(map(_is_integer_type, kinds)):
            raise MixedTokensError(_IDS_AMONG_TOKENS)
    return encoded


_IDS_AMONG_TOKENS = (
    "the hypotheses are token ids, and the references hold other tokens; give both as ids or both as tokens"
)


def _where_not_an_id(texts: Sequence[Any]) -> str:
    for position, text in enumerate(texts):
        for place, token in enumerate(text):
            if not _is_integer_type(type(token)):
                return (
                    f"token {place} of hypotheses[{position}] is a {type(token).__name__}, and the references hold "
                    "token ids; give both as ids or both as tokens"
                )
            if not -(2**63) <= token < 2**63:
                return f"token {place} of hypotheses[{position}] is {token}, which does not fit int64"
    return "the hypotheses changed while they were read"


def _any_tokens_among_ids(texts: Sequence[Any], known: Sequence[int]) -> Batch:
    """Tokens such as 1.0, equal to a known id, and others, equal to none."""
    numbers = {number: number for number in known}
    free = next(number for number in count() if number not in numbers)
    _check_hashable(texts, "hypotheses")
    lengths = _text_lengths(texts, "hypotheses")
    tokens = chain.from_iterable(texts)
    return batch_of_lengths(array_of(map(numbers.get, tokens, repeat(free)), np.int64, int(lengths.sum())), lengths)
