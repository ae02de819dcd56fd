"""Give the tokens of texts numbers, so that equal tokens have equal ones."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from itertools import chain, count, islice, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _backend
from .._runtime.lazy_arrays import AT_ONCE, array_of, np
from ..errors import MixedTokensError, NoReferencesError, SequenceTypeError, UnhashableTokenError
from .batches import RawText, Sets, TokenIds, TokenLists
from .ids import ids_of_lengths

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .batches import AnySets, Batch
    from .raw import Raw

# Types whose tokens equal an int beyond 64 bits only as numbers; other types may define equality as they like.
_PLAIN = {bool, bytes, float, int, str, tuple, type(None)}

_IDS_AMONG_TOKENS = (
    "the hypotheses are token ids, and the references hold other tokens; give both as ids or both as tokens"
)


class NumberedReferences(NamedTuple):
    """References in numbers: those of set i are from `bounds[i]` to before `bounds[i + 1]` of the texts."""

    texts: TokenIds
    bounds: NDArray[np.int64]
    vocabulary: Vocabulary | RawWords | None  # None if the tokens are ids


# --------------------------------------------------------------------------------------------------------- vocabularies


class LargeInt:
    """The first item of the key of an int beyond 64 bits."""


class Vocabulary:
    """Numbers for any hashable tokens, equal as dict keys are.

    :ivar numbers: key -> number; the key of a token is that of :func:`_key_of` if all tokens are plain, or else itself
    """

    def __init__(self, *lists: TokenLists) -> None:
        self.numbers: dict[Hashable, int] = {}
        try:
            tokens: Iterator[Hashable] = chain.from_iterable(chain.from_iterable(part.texts for part in lists))
            if any(map(_has_numbers, lists)) and all(map(_is_plain, lists)):
                tokens = map(_key_of, tokens)
            different = dict.fromkeys(islice(tokens, AT_ONCE))
            while piece := dict.fromkeys(islice(tokens, AT_ONCE)):
                different |= piece
            numbered = zip(different, count())
            for _ in range(0, len(different), AT_ONCE):
                self.numbers.update(islice(numbered, AT_ONCE))
        except TypeError:
            for part in lists:
                check_hashable(part)
            raise
        self._types: set[type] | None = None

    def types(self) -> set[type]:
        """The types of the keys."""
        if self._types is None:
            self._types = set(map(type, self.numbers))
        return self._types

    def tokens(self) -> list[Hashable]:
        """The tokens in the order of their numbers."""
        return list(map(_token_of, self.numbers))

    def encoded(self, lists: TokenLists) -> TokenIds:
        """The texts in numbers, -1 for other tokens."""
        lengths = _lengths(lists)
        known = self.numbers
        tokens: Iterator[Hashable] = chain.from_iterable(lists.texts)
        if tuple in self.types() and any(_token_of(key) is not key for key in known):
            if _is_plain(lists):
                tokens = map(_key_of, tokens)
            else:
                known = {_token_of(key): number for key, number in known.items()}
        try:
            ids = array_of(map(known.get, tokens, repeat(-1)), np.int32, int(lengths.sum()))
        except TypeError:
            check_hashable(lists)
            raise
        return ids_of_lengths(ids, lengths)


def _has_numbers(lists: TokenLists) -> bool:
    return not {int, float}.isdisjoint(_backend.chosen.types_within(lists.texts))


def _is_plain(lists: TokenLists) -> bool:
    return all(kind in _PLAIN or _is_integer_type(kind) for kind in _backend.chosen.types_within(lists.texts))


def _key_of(token: Hashable) -> Hashable:
    """Return a key of a plain token that equals those of equal tokens.

    The hash of an int in Python is a remainder, so ints of one hash are easily found. Only a few have 64 bits.
    """
    whole = int(token) if type(token) is float and token.is_integer() else token
    if type(whole) is int and not -(2**63) <= whole < 2**64:
        return LargeInt, whole.to_bytes(whole.bit_length() // 8 + 1, "little", signed=True)
    return token


def _token_of(key: Hashable) -> Hashable:
    if type(key) is tuple and len(key) == 2 and key[0] is LargeInt:
        return int.from_bytes(key[1], "little", signed=True)
    return key


class RawWords:
    """The vocabulary of raw texts, which a :class:`Vocabulary` is of token lists.

    :param raw: with one of the backend's tokenisers
    :param tokens: those with the first numbers
    :ivar backend: the backend's vocabulary
    """

    def __init__(self, raw: Raw, tokens: Iterable[str] = ()):
        self.raw = raw
        self.backend = _backend.chosen.RawVocabulary(raw.backend)
        self.backend.assign(list(tokens))

    @property
    def numbers(self) -> dict[Hashable, int]:
        """Token -> number."""
        return {token: number for number, token in enumerate(self.backend.tokens())}

    def types(self) -> set[type]:
        """The types of the tokens."""
        return {str} if len(self.backend) else set()

    def encoded(self, lists: TokenLists) -> TokenIds:
        """Token lists in numbers, -1 for other tokens."""
        numbers = [
            self.backend.number(str(token)) if isinstance(token, str) else -1
            for token in chain.from_iterable(lists.texts)
        ]
        return ids_of_lengths(np.array(numbers, dtype=np.int32), _lengths(lists))

    def assign(self, tokens: Iterable[str]) -> None:
        """Give tokens the next numbers."""
        self.backend.assign(list(tokens))

    def add(self, texts: RawText) -> TokenIds:
        """The texts in numbers, new ones for new tokens."""
        ends = np.empty(len(texts.lines), dtype=np.int64)
        return _following(self.backend.add(texts.lines, ends), ends)

    def look_up(self, lines: Any, start: int, stop: int) -> TokenIds:
        """The lines from `start` to before `stop`, which the backend has read, in numbers, -1 for other tokens."""
        ends = np.empty(stop - start, dtype=np.int64)
        return _following(self.backend.look_up(lines, start, stop, ends), ends)


def _following(numbers: bytes, ends: NDArray[np.int64]) -> TokenIds:
    begins = np.zeros(len(ends), dtype=np.int64)
    begins[1:] = ends[:-1]
    return TokenIds(np.frombuffer(numbers, dtype=np.int32), begins, ends)


# --------------------------------------------------------------------------------------------------- references, texts


def number_references(sets: AnySets, raw: Raw | None = None, ignored: TokenLists | None = None) -> NumberedReferences:
    """References in numbers: token ids as they are, other tokens by a vocabulary.

    :param raw: of raw text, with one of the backend's tokenisers
    :param ignored: n-grams whose tokens hypotheses may have too
    """
    bounds = np.array(sets.bounds, dtype=np.int64)
    if isinstance(sets.texts, RawText):
        assert raw is not None
        words = RawWords(raw)
        texts = words.add(sets.texts)
        if ignored is not None:
            words.assign(token for token in chain.from_iterable(ignored.texts) if isinstance(token, str))
        return NumberedReferences(texts, bounds, words)
    return _number_texts(sets.texts, bounds, ignored)


def _number_texts(
    lists: TokenIds | TokenLists, bounds: NDArray[np.int64], ignored: TokenLists | None = None
) -> NumberedReferences:
    if isinstance(lists, TokenIds):
        return NumberedReferences(lists, bounds, None)
    ids = ids_of_tokens(lists)
    if ids is not None and (
        len(ids.ids) or (ignored is not None and ignored.size and ids_of_tokens(ignored) is not None)
    ):
        return NumberedReferences(ids, bounds, None)
    vocabulary = Vocabulary(*([lists] if ignored is None else [lists, ignored]))
    return NumberedReferences(vocabulary.encoded(lists), bounds, vocabulary)


def check_none_empty(sets: Sets) -> None:
    """:raises NoReferencesError: a reference in an array is empty, so that it is not clear whether it is one"""
    texts = sets.texts
    assert isinstance(texts, TokenIds)
    empty = (texts.begins == texts.ends).nonzero()[0]
    if len(empty) and texts.ids.size:
        per_set = int(sets.bounds[1])
        raise NoReferencesError(
            f"references[{empty[0] // per_set}, {empty[0] % per_set}] is empty; "
            "where segments have different numbers of references, give a list of 2-D arrays"
        )


def number_hypotheses(hypotheses: TokenIds | TokenLists, references: NumberedReferences) -> TokenIds:
    """Hypotheses in the numbers of the references."""
    known = set() if references.vocabulary is None else references.vocabulary.types()
    if isinstance(hypotheses, TokenIds):
        if known:
            raise MixedTokensError(_IDS_AMONG_TOKENS)
        return hypotheses
    if references.vocabulary is None:
        ids = ids_of_tokens(hypotheses)
        if ids is None:
            raise MixedTokensError(where_not_an_id(hypotheses))
        return ids
    only_texts = bool(known) and all(issubclass(kind, (str, bytes)) for kind in known)
    if not only_texts:
        hypotheses.refuse_arrays()
    encoded = references.vocabulary.encoded(hypotheses)
    if only_texts and len(encoded.ids) and encoded.ids.max() < 0:  # nothing matches
        hypotheses.refuse_arrays()
        if all(map(_is_integer_type, _backend.chosen.types_within(hypotheses.texts))):
            raise MixedTokensError(_IDS_AMONG_TOKENS)
    return encoded


def number_together(texts: Batch, others: Batch, raw: Raw | None = None) -> tuple[TokenIds, TokenIds]:
    """Two lists of texts in the same numbers; twice the same result if they are the same object.

    :param raw: how raw texts are tokenised, by one of the backend's tokenisers
    """
    if isinstance(texts, RawText):
        assert raw is not None
        words = RawWords(raw)
        found = words.add(texts)
        if others is texts:
            return found, found
        assert isinstance(others, RawText)
        return found, words.add(others)
    if others is texts and isinstance(texts, TokenLists):
        texts.refuse_arrays()
        few = _few_numbers(texts)
        if few is not None:
            return few, few
    numbered = _number_texts(texts, np.arange(texts.size + 1, dtype=np.int64))
    if others is texts:
        return numbered.texts, numbered.texts
    assert not isinstance(others, RawText)
    return numbered.texts, number_hypotheses(others, numbered)


def _few_numbers(lists: TokenLists) -> TokenIds | None:
    """A few token lists among themselves, without a vocabulary; None if the backend declines them."""
    lengths = list(map(len, lists.texts))  # before a token is hashed, which may change the lists
    if sum(lengths) > AT_ONCE:
        return None
    tokens = list(chain.from_iterable(lists.texts))
    if len(tokens) != sum(lengths):
        return None  # another thread has changed them
    ids = np.empty(len(tokens), dtype=np.int32)
    try:
        if _backend.chosen.number_tokens(tokens, ids) is None:
            return None
    except TypeError:
        return None  # the vocabulary names the token
    return ids_of_lengths(ids, np.array(lengths, dtype=np.int64))


# ---------------------------------------------------------------------------------------------------------------- tokens


def ids_of_tokens(lists: TokenLists) -> TokenIds | None:
    """Lists of ints in place of which arrays can be read; None if a token is something else."""
    lengths = _lengths(lists)
    kinds = _backend.chosen.types_within(lists.texts)
    if not all(map(_is_integer_type, kinds)):
        lists.refuse_arrays()
        return None
    try:
        ids = array_of(chain.from_iterable(lists.texts), np.int64, int(lengths.sum()))
    except OverflowError:
        return None
    return ids_of_lengths(ids, lengths)


def check_hashable(lists: TokenLists) -> None:
    """:raises UnhashableTokenError: a token cannot be hashed; the message says where
    :raises SequenceTypeError: a text was replaced by something else while its tokens were hashed
    """
    for number, text in enumerate(lists.texts):
        if not hasattr(text, "__iter__"):
            raise SequenceTypeError(f"{lists.place.of(number)} became a {type(text).__name__} while it was read")
        for place, token in enumerate(text):
            if type(token).__hash__ is None:
                raise UnhashableTokenError(
                    f"token {place} of {lists.place.of(number)} is a {type(token).__name__}, which cannot be hashed; "
                    "use a str, a number or a tuple for it (is the text nested one level too deep?)"
                ) from None


def _lengths(lists: TokenLists) -> NDArray[np.int64]:
    try:
        return array_of(map(len, lists.texts), np.int64, lists.size)
    except TypeError:
        check_hashable(lists)
        raise


def _is_integer_type(kind: type) -> bool:
    return kind is int or kind is bool or issubclass(kind, (np.integer, np.bool_))


def where_not_an_id(hypotheses: TokenLists) -> str:
    for number, text in enumerate(hypotheses.texts):
        for place, token in enumerate(text):
            if not _is_integer_type(type(token)):
                return (
                    f"token {place} of {hypotheses.place.of(number)} is a {type(token).__name__}, and the references hold "
                    "token ids; give both as ids or both as tokens"
                )
            if not -(2**63) <= token < 2**63:  # type: ignore[operator]
                return f"token {place} of {hypotheses.place.of(number)} is {token!r}, which does not fit int64"
    return "the hypotheses changed while they were read"
