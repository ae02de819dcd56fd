"""Lists of texts for rerankers: of each segment, in whatever form they are given, as tokens or as strings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _backend
from .._runtime.arrays import np
from .._runtime.sequences import by_position, container_of, with_ids
from ..errors import ArrayValueError, LengthMismatchError, NoReferencesError, SequenceTypeError
from ..metrics import Bleu
from ..nbest import NBest
from ..text import tokenizer
from ..text.batches import PLAIN_TYPES
from ..text.columns import is_column, lists_given
from ..text.raw import Raw, raw_of
from ..text.words import RawWords
from .selection import owners_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..metrics import Metric


class TextLists(NamedTuple):
    source: Any  # what a Selection is of
    texts: Sequence[Any]  # of all segments, as they were given
    tokens: list[Any]
    lengths: NDArray[np.int64]
    offsets: NDArray[np.int64]

    def segment_of(self, row: Any) -> int:
        return int(np.searchsorted(self.offsets, row, side="right")) - 1


def texts_of(
    given: Sequence[tuple[str, Any]],
    tokenize: str | Callable[[str], list[str]] | None,
    lowercase: bool,
    metric: Metric | None,
) -> list[TextLists]:
    """The lists, each given with its name.

    :param metric: that alone reads the texts, None where others count their tokens
    """
    if metric is not None and metric.of_raw_text:
        return _strings(given)
    return _lists(given, tokenize, lowercase, isinstance(metric, Bleu))


def _strings(given: Sequence[tuple[str, Any]]) -> list[TextLists]:
    """For a metric that takes strings as they are."""
    lists = []
    for name, value in given:
        texts, offsets = _in_one(value, name)
        for place, text in enumerate(texts):
            if not isinstance(text, (str, bytes)):
                owner = int(np.searchsorted(offsets, place, side="right")) - 1
                raise SequenceTypeError(
                    f"text {place - offsets[owner]} of {name}[{owner}] is a {type(text).__name__}; for a metric of raw text it "
                    "must be a str"
                )
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        lists.append(TextLists(value if isinstance(value, NBest) else texts, texts, texts, lengths, offsets))
    return lists


def _lists(
    given: Sequence[tuple[str, Any]],
    tokenize: str | Callable[[str], list[str]] | None,
    lowercase: bool,
    numbers_do: bool,
) -> list[TextLists]:
    """
    :param numbers_do: if all texts are strings, their tokens may be numbers
    """
    parts = [(name, value, *_in_one(value, name)) for name, value in given]
    asked = raw_of(tokenize, lowercase)
    of_files = Raw("unicode")  # what an NBest has by default
    raws = [of_files if asked is None and isinstance(value, NBest) else asked for _, value in given]
    words = None
    strings = all(set(map(type, texts)) <= {str} for _, _, texts, _ in parts)
    if raws[0] is not None and raws[0].own and numbers_do and strings and all(raw is raws[0] for raw in raws):
        words = RawWords(raws[0])
    lists = []
    for raw, (name, value, texts, offsets) in zip(raws, parts):
        split = None if raw is None else tokenizer(raw.tokenize, raw.lowercase)
        tokens: list[Any]
        if raw is not None and words is not None and texts:
            batch = words.add(raw.texts(texts, name))
            tokens = np.split(batch.ids, batch.begins[1:])
        else:
            tokens = texts if _are_plain(texts) else _token_lists(texts, offsets, name, split)
        lengths = np.fromiter(map(len, tokens), dtype=np.int64, count=len(tokens))
        lists.append(TextLists(value if isinstance(value, NBest) else texts, texts, tokens, lengths, offsets))
    return lists


def _in_one(value: Any, name: str) -> tuple[list[Any], NDArray[np.int64]]:
    """All texts, and where those of each segment begin, and the end."""
    if isinstance(value, NBest):
        if value.texts is None:
            raise ArrayValueError(f"the texts of the n-best list ({name}) are not known; read it with its texts")
        return value.texts, value.offsets
    if isinstance(value, (str, bytes)) or not (hasattr(value, "__len__") or is_column(value)):
        raise SequenceTypeError(f"{name} must be a list of texts for each segment, not {type(value).__name__}")
    value = lists_given(value, name)
    for position, segment in enumerate(value):
        if isinstance(segment, (str, bytes)) or not hasattr(segment, "__len__"):
            raise SequenceTypeError(
                f"{name}[{position}] must be a list of texts, not {type(segment).__name__}; "
                "the texts of one segment alone are a list in a list"
            )
    value = [by_position(segment) for segment in value]
    return list(chain.from_iterable(value)), np.cumsum([0, *map(len, value)])


def _are_plain(texts: Any) -> bool:
    """Whether all are lists of tokens of which none needs a look, which takes longer than the matches of short texts."""
    return set(map(type, texts)) <= {list, tuple} and _backend.chosen.types_within(texts) <= PLAIN_TYPES


def _token_lists(
    texts: Any, offsets: NDArray[np.int64], name: str, split: Callable[[str], Sequence[Any]] | None
) -> list[Any]:
    begins = offsets.tolist()
    tokens: list[Any] = []
    for place, (text, owner) in enumerate(zip(texts, owners_of(offsets).tolist())):
        given = split(text) if split is not None and isinstance(text, str) else text
        if given is text or not hasattr(given, "__len__"):
            name_of_text = f"text {place - begins[owner]} of {name}[{owner}]"
            if not hasattr(given, "__len__"):
                raise SequenceTypeError(
                    f"{name_of_text} must be a list of tokens or a string, not {type(given).__name__}"
                )
            given = container_of(given, name_of_text)
            given = with_ids(given, name_of_text) if isinstance(given, (list, tuple)) else given
        tokens.append(given)
    return tokens


def check_alike(hyps: TextLists, refs: TextLists) -> None:
    if len(hyps.offsets) != len(refs.offsets):
        raise LengthMismatchError(
            f"there are {len(hyps.offsets) - 1} segments of hypotheses and {len(refs.offsets) - 1} of evidence"
        )
    lacking = (np.diff(hyps.offsets) > 0) & (np.diff(refs.offsets) == 0)
    if lacking.any():
        raise NoReferencesError(f"segment {lacking.argmax()} has hypotheses and no evidence")
