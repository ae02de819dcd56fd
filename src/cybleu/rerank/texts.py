"""Parse lists of texts for rerankers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .._runtime.arrays import np
from ..errors import ArrayValueError, LengthMismatchError, NoReferencesError
from ..metrics import Bleu, Mixture
from ..metrics.tokens import tokens_of
from ..nbest import NBest
from ..nbest.references import split_on_blanks
from ..text.batches import Place, RawText, TokenIds, TokenLists
from ..text.numbering import RawWords
from ..text.reading import check_same_kind, read_groups, read_texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..metrics import Metric
    from ..text.batches import Batch
    from ..text.raw import Raw


class TextLists(NamedTuple):
    source: Any  # the argument, which the Selection holds
    parsed: Any  # the texts of all segments, in the form that the metric or its counts accept
    lengths: NDArray[np.int64]
    offsets: NDArray[np.int64]

    def segment_of(self, row: Any) -> int:
        return int(np.searchsorted(self.offsets, row, side="right")) - 1


def parse_lists(given: Sequence[tuple[str, Any]], metric: Metric) -> tuple[Metric, list[TextLists]]:
    """Read each list, given with its name, and return them with the metric that scores them; the highest score is the best.

    The texts of an `NBest` are split on white space if the metric has no tokeniser of its own. Tokens of BLEU become
    numbers of one vocabulary.
    """
    groups = [(name, value, *_texts_of(value, name)) for name, value in given]
    batches = [read_texts(texts, name, bounds=bounds) for name, _, texts, bounds in groups]
    kinds = [batch.kind if batch.size else "nothing" for batch in batches]
    for (name, *_), kind in zip(groups[1:], kinds[1:]):
        check_same_kind(kinds[0], groups[0][0], kind, name)
    metrics = [split_on_blanks(metric) if isinstance(value, NBest) else metric for _, value, _, _ in groups]
    raws = [one.raw(kind) for one, kind in zip(metrics, kinds)]
    if metric.reads == "tokens" and not isinstance(metric, Mixture):
        if metric.tokenize is not None or metric.lowercase:
            metric = metric.with_choices(tokenize=None, lowercase=False)
        words = None
        if (
            isinstance(metric, Bleu)
            and raws[0] is not None
            and raws[0].own
            and len({raw and raw.key for raw in raws}) == 1
        ):
            words = RawWords(raws[0])
        batches = [_tokens(*one, words) for one in zip(batches, raws, groups)]
    lists = []
    for batch, (_, value, texts, bounds) in zip(batches, groups):
        sizes = batch.ends - batch.begins if isinstance(batch, TokenIds) else list(map(len, batch.lists()))
        source = value if isinstance(value, NBest) else texts
        lists.append(TextLists(source, batch, np.array(sizes, dtype=np.int64), np.array(bounds, dtype=np.int64)))
    return metric.maximised, lists


def _tokens(batch: Batch, raw: Raw | None, group: tuple[Any, ...], words: RawWords | None) -> Batch:
    """Texts as tokens, or as numbers of words."""
    if isinstance(batch, RawText) and raw is not None:
        if words is not None:
            return words.add(RawText(raw.lowered_texts(batch.lines)))
        batch = tokens_of(batch, raw, Place(group[0], group[3]))
    if isinstance(batch, TokenLists):
        batch.refuse_arrays()
    return batch


def _texts_of(value: Any, name: str) -> tuple[list[Any], Sequence[int]]:
    """Flatten texts, and return where each segment begins, followed by the number of texts."""
    if not isinstance(value, NBest):
        return read_groups(value, name)
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
