"""Parse lists of texts for rerankers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .._runtime.arrays import np
from ..errors import ArrayValueError, LengthMismatchError, NoReferencesError
from ..metrics import Bleu, Mixture
from ..nbest import NBest
from ..nbest.references import split_on_blanks
from ..text.corpora import check_same_kind, read_texts
from ..text.numbering import RawWords
from ..text.parsing import parse_grouped_tokens, parse_groups, parse_raw_texts
from ..text.values import TokenLists, refuse_arrays_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..metrics import Metric
    from ..text.values import Kind, TokenIds


class TextLists(NamedTuple):
    source: Any  # the argument, which the Selection holds
    parsed: Any  # the texts of all segments, in the form that the metric or its counts accept
    lengths: NDArray[np.int64]
    offsets: NDArray[np.int64]

    def segment_of(self, row: Any) -> int:
        return int(np.searchsorted(self.offsets, row, side="right")) - 1


def parse_lists(given: Sequence[tuple[str, Any]], metric: Metric) -> list[TextLists]:
    """Parse each list, given with its name, for a metric.

    The texts of an `NBest` are split on white space if the metric has no tokeniser of its own.
    """
    groups = [(name, value, *_texts_of(value, name)) for name, value in given]
    kinds = [read_texts(texts, name, bounds)[0] for name, _, texts, bounds in groups]
    for (name, *_), kind in zip(groups[1:], kinds[1:]):
        check_same_kind(kinds[0], groups[0][0], kind, name)
    metrics = [split_on_blanks(metric) if isinstance(value, NBest) else metric for _, value, _, _ in groups]
    if metric.reads == "text" or isinstance(metric, Mixture):
        return [_given(*group, one, kind) for group, one, kind in zip(groups, metrics, kinds)]
    raws = [one._raw_for(kind) for one, kind in zip(metrics, kinds)]
    words = None
    if raws[0] is not None and raws[0].own and isinstance(metric, Bleu) and len(set(raws)) == 1:
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


def _given(name: str, value: Any, texts: list[Any], bounds: Sequence[int], metric: Metric, kind: Kind) -> TextLists:
    """Texts for a metric that reads them itself."""
    metric._raw_for(kind)
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    source = value if isinstance(value, NBest) else texts
    return TextLists(source, metric._parsed(texts, name, kind), lengths, np.array(bounds, dtype=np.int64))


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
