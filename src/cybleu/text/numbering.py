"""Give the tokens of texts numbers, so that equal tokens have equal ones."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from itertools import chain, count, repeat
from typing import TYPE_CHECKING, Any

from .._backend import RawVocabulary, number_tokens
from .._runtime.lazy_arrays import array_of, np
from ..errors import MixedTokensError, SequenceTypeError
from .batches import RawText, TokenIds, TokenLists
from .ids import ids_of_lengths
from .segments import refuse_unhashable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._backend import RawTexts
    from .batches import Batch
    from .tokenization import Tokenization


def number_texts(texts: Batch, tokenization: Tokenization | None = None) -> tuple[TokenIds, Any]:
    """Texts in numbers, and the vocabulary that other texts are numbered by: None if the tokens are ids, which stay as they are.

    :param tokenization: of raw text, with one of the backend's tokenisers
    """
    if isinstance(texts, RawText):
        assert tokenization is not None
        words = RawVocabulary(tokenization.backend)
        return word_ids(texts.lines, words.add), words
    if isinstance(texts, TokenIds):
        return texts, None
    ids = ids_of_tokens(texts)
    if ids is not None and len(ids.ids):
        return ids, None
    with _errors_with_places(texts):
        vocabulary = dict(zip(dict.fromkeys(chain.from_iterable(texts.texts)), count()))
    return _encoded(texts, vocabulary), vocabulary


def number_others(texts: Batch, vocabulary: Any) -> TokenIds:
    """Other texts in the numbers that a vocabulary of :func:`number_texts` has; -1 for other tokens."""
    if isinstance(texts, RawText):
        return word_ids(texts.lines, vocabulary.look_up)
    if isinstance(texts, TokenIds):
        mixed = bool(vocabulary)
    elif vocabulary is None:
        return only_ids(texts)
    else:
        types = texts.types()
        are_ids = len(types) > 0 and all(map(_is_integer_type, types))
        # only tokens that can never be equal are a mistake; other objects may be equal to ints
        mixed = are_ids and len(vocabulary) > 0 and all(isinstance(token, (str, bytes)) for token in vocabulary)
    if mixed:
        raise MixedTokensError(
            "the hypotheses are token ids, and the references hold other tokens; give both as ids or both as tokens"
        )
    return texts if isinstance(texts, TokenIds) else _encoded(texts, vocabulary)


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


def word_ids(texts: RawTexts, number: Callable[[Any, Any], bytes]) -> TokenIds:
    """Raw texts as numbers of words. Does not require NumPy.

    :param number: `add` or `look_up` of a :class:`RawVocabulary`, which numbers the words of all texts, one after the
        other, and writes where each text ends
    """
    bounds: Any = memoryview(array("q", bytes(8 * len(texts) + 8)))
    ids: Any = memoryview(number(texts, bounds[1:])).cast("i")
    return TokenIds(ids, bounds[:-1], bounds[1:])


def _encoded(lists: TokenLists, vocabulary: dict[Hashable, int]) -> TokenIds:
    lengths = _lengths(lists)
    numbers = map(vocabulary.get, chain.from_iterable(lists.texts), repeat(-1))
    with _errors_with_places(lists):
        return ids_of_lengths(array_of(numbers, np.int32, int(lengths.sum())), lengths)


# ---------------------------------------------------------------------------------------------------------------- tokens


def ids_of_tokens(lists: TokenLists) -> TokenIds | None:
    """Lists of ints in place of which arrays can be read; None if a token is something else."""
    lengths = _lengths(lists)
    if not all(map(_is_integer_type, lists.types())):
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


def _lengths(lists: TokenLists) -> NDArray[np.int64]:
    with _errors_with_places(lists):
        return array_of(map(len, lists.texts), np.int64, lists.size)


def _is_integer_type(kind: type) -> bool:
    return kind is int or kind is bool or issubclass(kind, (np.integer, np.bool_))
