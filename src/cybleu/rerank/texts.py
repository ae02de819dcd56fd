"""Parse lists of texts for rerankers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .._runtime.arrays import np
from ..errors import ArrayValueError, LengthMismatchError, NoReferencesError, SequenceTypeError
from ..metrics import Bleu
from ..nbest import NBest
from ..text.numbering import RawWords, refuse_arrays_in
from ..text.parsing import parse_grouped_tokens, parse_groups, parse_raw_texts
from ..text.raw import Raw
from ..text.values import TokenLists, place_in_sets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..metrics import Metric
    from ..text.values import TokenIds


class TextLists(NamedTuple):
    source: Any  # the argument, which the Selection holds
    parsed: Any  # the texts of all segments, in the form that the metric or its counts accept
    lengths: NDArray[np.int64]
    offsets: NDArray[np.int64]

    def segment_of(self, row: Any) -> int:
        return int(np.searchsorted(self.offsets, row, side="right")) - 1


def parse_lists(
    given: Sequence[tuple[str, Any]],
    tokenize: str | Callable[[str], list[str]] | None,
    lowercase: bool,
    metric: Metric,
) -> list[TextLists]:
    """Parse each list, given with its name."""
    groups = [(name, value, *_texts_of(value, name)) for name, value in given]
    if metric.of_raw_text:
        return [_raw_texts(*group, metric) for group in groups]
    chosen = metric._raw_of(tokenize, lowercase)
    of_files = Raw("unicode")  # the default of NBest
    raws = [of_files if chosen is None and isinstance(value, NBest) else chosen for _, value in given]
    strings = all(set(map(type, texts)) <= {str} for _, _, texts, _ in groups)
    words = None
    if raws[0] is not None and raws[0].own and isinstance(metric, Bleu) and strings and len(set(raws)) == 1:
        words = RawWords(raws[0])
    lists = []
    for raw, (name, value, texts, bounds) in zip(raws, groups):
        tokens: TokenIds | TokenLists
        if raw is not None and words is not None and texts:
            tokens = words.add(parse_raw_texts(texts, raw, name))
            lengths = tokens.ends - tokens.begins
        else:
            split = None if raw is None else raw.splitter
            tokens = parse_grouped_tokens(texts, bounds, name, split)
            if isinstance(tokens, TokenLists):
                refuse_arrays_in(tokens)
            lengths = np.fromiter(map(len, tokens.lists()), dtype=np.int64, count=len(texts))
        lists.append(
            TextLists(value if isinstance(value, NBest) else texts, tokens, lengths, np.array(bounds, dtype=np.int64))
        )
    return lists


def _raw_texts(name: str, value: Any, texts: list[Any], bounds: Sequence[int], metric: Metric) -> TextLists:
    """Validate the strings for a metric of raw text."""
    for number, text in enumerate(texts):
        if not isinstance(text, (str, bytes)):
            raise SequenceTypeError(
                f"{place_in_sets(name, bounds, number)} is a {type(text).__name__}; for a metric of raw text it must be "
                "a str"
            )
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    source = value if isinstance(value, NBest) else texts
    return TextLists(source, metric._parsed(texts, name), lengths, np.array(bounds, dtype=np.int64))


def _texts_of(value: Any, name: str) -> tuple[list[Any], Sequence[int]]:
    """Flatten texts, and return where each segment begins, followed by the number of texts."""
    if not isinstance(value, NBest):
        return parse_groups(value, name)
    if value.texts is None:
        raise ArrayValueError(f"the texts of the n-best list ({name}) are not known; read it with its texts")
    return value.texts, value.offsets.tolist()


def check_alike(hyps: TextLists, refs: TextLists) -> None:
    if len(hyps.offsets) != len(refs.offsets):
        raise LengthMismatchError(
            f"there are {len(hyps.offsets) - 1} segments of hypotheses and {len(refs.offsets) - 1} of evidence"
        )
    lacking = (np.diff(hyps.offsets) > 0) & (np.diff(refs.offsets) == 0)
    if lacking.any():
        raise NoReferencesError(f"segment {lacking.argmax()} has hypotheses and no evidence")
