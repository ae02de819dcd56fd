"""Give the tokens of texts numbers, so that equal tokens have equal ones."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from itertools import chain, count, repeat
from typing import TYPE_CHECKING, Any

from .. import _backend
from .._runtime.lazy_arrays import array_of, np
from ..errors import MixedTokensError, SequenceTypeError, UnhashableTokenError
from .batches import PLAIN_TYPES, RawText, TokenIds, TokenLists
from .ids import ids_of_lengths

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .batches import Batch
    from .raw import Raw


_IDS_AMONG_TOKENS = (
    "the hypotheses are token ids, and the references hold other tokens; give both as ids or both as tokens"
)


def number_texts(texts: Batch, raw: Raw | None = None) -> tuple[TokenIds, Any]:
    """Texts in numbers, and the vocabulary that other texts are numbered by: None if the tokens are ids, which stay as they are.

    :param raw: of raw text, with one of the backend's tokenisers
    """
    if isinstance(texts, RawText):
        assert raw is not None
        words = _backend.chosen.RawVocabulary(raw.backend)
        return _number_lines(texts, words), words
    if isinstance(texts, TokenIds):
        return texts, None
    ids = ids_of_tokens(texts)
    if ids is not None and len(ids.ids):
        return ids, None
    with _explained(texts):
        vocabulary = dict(zip(dict.fromkeys(chain.from_iterable(texts.texts)), count()))
    return _encoded(texts, vocabulary), vocabulary


def number_others(texts: Batch, vocabulary: Any) -> TokenIds:
    """Other texts in the numbers that a vocabulary of :func:`number_texts` has; -1 for other tokens."""
    if isinstance(texts, RawText):
        return _number_lines(texts, vocabulary)
    if isinstance(texts, TokenIds):
        if vocabulary:
            raise MixedTokensError(_IDS_AMONG_TOKENS)
        return texts
    if vocabulary is None:
        return only_ids(texts)
    texts.refuse_arrays()
    types = texts.types()
    are_ids = types and all(map(_is_integer_type, types))
    if are_ids and vocabulary and all(isinstance(token, (str, bytes)) for token in vocabulary):
        raise MixedTokensError(_IDS_AMONG_TOKENS)
    return _encoded(texts, vocabulary)


def number_together(texts: Batch, others: Batch, raw: Raw | None = None) -> tuple[TokenIds, TokenIds]:
    """Two lists of texts in the same numbers; twice the same result if they are the same object.

    :param raw: how raw texts are tokenised, by one of the backend's tokenisers
    """
    if others is texts and isinstance(texts, TokenLists):
        texts.refuse_arrays()
        check_hashable(texts)
        lengths, tokens = _lengths(texts), list(chain.from_iterable(texts.texts))
        ids = np.empty(len(tokens), dtype=np.int32)
        if len(tokens) == lengths.sum() and _backend.chosen.number_tokens(tokens, ids) is not None:
            found = ids_of_lengths(ids, lengths)
            return found, found
    numbered, vocabulary = number_texts(texts, raw)
    return numbered, numbered if others is texts else number_others(others, vocabulary)


def _number_lines(texts: RawText, vocabulary: Any) -> TokenIds:
    """Raw texts in the numbers of the backend's vocabulary, new ones for new tokens."""
    ends = np.empty(len(texts.lines), dtype=np.int64)
    numbers = vocabulary.add(texts.lines, ends)
    return TokenIds(np.frombuffer(numbers, dtype=np.int32), ends - np.diff(ends, prepend=0), ends)


def _encoded(lists: TokenLists, vocabulary: dict[Hashable, int]) -> TokenIds:
    lengths = _lengths(lists)
    numbers = map(vocabulary.get, chain.from_iterable(lists.texts), repeat(-1))
    with _explained(lists):
        return ids_of_lengths(array_of(numbers, np.int32, int(lengths.sum())), lengths)


# ---------------------------------------------------------------------------------------------------------------- tokens


def ids_of_tokens(lists: TokenLists) -> TokenIds | None:
    """Lists of ints in place of which arrays can be read; None if a token is something else."""
    lengths = _lengths(lists)
    if not all(map(_is_integer_type, lists.types())):
        lists.refuse_arrays()
        return None
    try:
        ids = array_of(chain.from_iterable(lists.texts), np.int64, int(lengths.sum()))
    except OverflowError:
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
            found = f"{reason}token {position} of {lists.place.of(number)} is"
            if not _is_integer_type(type(token)):
                raise MixedTokensError(
                    f"{found} a {type(token).__name__}, and the references hold token ids; give both as ids or both as tokens"
                )
            if not -(2**63) <= token < 2**63:  # type: ignore[operator]
                raise MixedTokensError(f"{found} {token!r}, which does not fit int64")
    raise MixedTokensError("the hypotheses changed while they were read")


def check_hashable(lists: TokenLists) -> None:
    """:raises UnhashableTokenError: a token cannot be hashed; the message says where
    :raises SequenceTypeError: a text was replaced by something else while its tokens were hashed
    """
    for number, text in enumerate(lists.texts):
        if not hasattr(text, "__iter__"):
            raise SequenceTypeError(f"{lists.place.of(number)} became a {type(text).__name__} while it was read")
    if lists.types() <= PLAIN_TYPES:
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


@contextmanager
def _explained(lists: TokenLists) -> Iterator[None]:
    """Turn a TypeError while tokens are hashed into an error that says where."""
    try:
        yield
    except TypeError:
        check_hashable(lists)
        raise


def _lengths(lists: TokenLists) -> NDArray[np.int64]:
    with _explained(lists):
        return array_of(map(len, lists.texts), np.int64, lists.size)


def _is_integer_type(kind: type) -> bool:
    return kind is int or kind is bool or issubclass(kind, (np.integer, np.bool_))
