"""Give the tokens of texts numbers, so that equal tokens have equal ones."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import chain, count, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _backend
from .._runtime.lazy_arrays import array_of, np
from ..errors import MixedTokensError, SequenceTypeError, UnhashableTokenError
from .batches import PLAIN_TYPES, RawText, TokenIds, TokenLists
from .ids import ids_of_lengths

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .batches import AnySets, Batch
    from .raw import Raw

_IDS_AMONG_TOKENS = (
    "the hypotheses are token ids, and the references hold other tokens; give both as ids or both as tokens"
)


class NumberedReferences(NamedTuple):
    """References in numbers: those of set i are from `bounds[i]` to before `bounds[i + 1]` of the texts."""

    texts: TokenIds
    bounds: NDArray[np.int64]
    vocabulary: Vocabulary | Any | None  # the backend's RawVocabulary for raw text; None if the tokens are ids


# --------------------------------------------------------------------------------------------------------- vocabularies


class Vocabulary:
    """Numbers for any hashable tokens, equal as dict keys are.

    :ivar numbers: token -> number
    :ivar kinds: the types of the tokens
    """

    def __init__(self, lists: TokenLists) -> None:
        try:
            tokens = dict.fromkeys(chain.from_iterable(lists.texts))
        except TypeError:
            check_hashable(lists)
            raise
        self.numbers: dict[Hashable, int] = dict(zip(tokens, count()))
        self.kinds = set(map(type, tokens))

    def encoded(self, lists: TokenLists) -> TokenIds:
        """The texts in numbers, -1 for other tokens."""
        lengths = _lengths(lists)
        numbers = map(self.numbers.get, chain.from_iterable(lists.texts), repeat(-1))
        try:
            return ids_of_lengths(array_of(numbers, np.int32, int(lengths.sum())), lengths)
        except TypeError:
            check_hashable(lists)
            raise


def _number_lines(texts: RawText, vocabulary: Any) -> TokenIds:
    """Raw texts in the numbers of the backend's vocabulary, new ones for new tokens."""
    ends = np.empty(len(texts.lines), dtype=np.int64)
    numbers = vocabulary.add(texts.lines, ends)
    begins = np.zeros(len(ends), dtype=np.int64)
    begins[1:] = ends[:-1]
    return TokenIds(np.frombuffer(numbers, dtype=np.int32), begins, ends)


# --------------------------------------------------------------------------------------------------- references, texts


def number_references(sets: AnySets, raw: Raw | None = None) -> NumberedReferences:
    """References in numbers: token ids as they are, other tokens by a vocabulary.

    :param raw: of raw text, with one of the backend's tokenisers
    """
    bounds = np.array(sets.bounds, dtype=np.int64)
    if isinstance(sets.texts, RawText):
        assert raw is not None
        words = _backend.chosen.RawVocabulary(raw.backend)
        return NumberedReferences(_number_lines(sets.texts, words), bounds, words)
    return _number_texts(sets.texts, bounds)


def _number_texts(lists: TokenIds | TokenLists, bounds: NDArray[np.int64]) -> NumberedReferences:
    if isinstance(lists, TokenIds):
        return NumberedReferences(lists, bounds, None)
    ids = ids_of_tokens(lists)
    if ids is not None and len(ids.ids):
        return NumberedReferences(ids, bounds, None)
    vocabulary = Vocabulary(lists)
    return NumberedReferences(vocabulary.encoded(lists), bounds, vocabulary)


def number_hypotheses(hypotheses: TokenIds | TokenLists, references: NumberedReferences) -> TokenIds:
    """Hypotheses in the numbers of the references."""
    vocabulary = references.vocabulary
    if isinstance(hypotheses, TokenIds):
        if vocabulary is not None and vocabulary.kinds:
            raise MixedTokensError(_IDS_AMONG_TOKENS)
        return hypotheses
    if vocabulary is None:
        ids = ids_of_tokens(hypotheses)
        if ids is None:
            raise MixedTokensError(where_not_an_id(hypotheses))
        return ids
    hypotheses.refuse_arrays()
    if vocabulary.kinds and all(issubclass(kind, (str, bytes)) for kind in vocabulary.kinds):
        first = next(chain.from_iterable(hypotheses.texts), None)
        kinds = _backend.chosen.types_within(hypotheses.texts) if _is_integer_type(type(first)) else {str}
        if all(map(_is_integer_type, kinds)):
            raise MixedTokensError(_IDS_AMONG_TOKENS)
    return vocabulary.encoded(hypotheses)


def number_together(texts: Batch, others: Batch, raw: Raw | None = None) -> tuple[TokenIds, TokenIds]:
    """Two lists of texts in the same numbers; twice the same result if they are the same object.

    :param raw: how raw texts are tokenised, by one of the backend's tokenisers
    """
    if isinstance(texts, RawText):
        assert raw is not None
        words = _backend.chosen.RawVocabulary(raw.backend)
        found = _number_lines(texts, words)
        if others is texts:
            return found, found
        assert isinstance(others, RawText)
        return found, _number_lines(others, words)
    if others is texts and isinstance(texts, TokenLists):
        texts.refuse_arrays()
        check_hashable(texts)
        lengths, tokens = _lengths(texts), list(chain.from_iterable(texts.texts))
        ids = np.empty(len(tokens), dtype=np.int32)
        if len(tokens) == lengths.sum() and _backend.chosen.number_tokens(tokens, ids) is not None:
            found = ids_of_lengths(ids, lengths)
            return found, found
    numbered = _number_texts(texts, np.arange(texts.size + 1, dtype=np.int64))
    if others is texts:
        return numbered.texts, numbered.texts
    assert not isinstance(others, RawText)
    return numbered.texts, number_hypotheses(others, numbered)


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
    if _backend.chosen.types_within(lists.texts) <= PLAIN_TYPES:
        return
    for number, text in enumerate(lists.texts):
        for place, token in enumerate(text):
            try:
                hash(token)
            except TypeError:
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
