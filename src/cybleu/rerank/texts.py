"""Parse lists of texts for rerankers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .._runtime.arrays import Integers, NDArray, np
from ..errors import ArrayValueError, LengthMismatchError, NoReferencesError
from ..metrics import Metric
from ..metrics.combined import maximised, split_on_blanks
from ..metrics.operations import tokenization_for
from ..nbest import NBest
from ..text.batches import TokenLists
from ..text.reading import check_same_kind, read_groups, read_texts

if TYPE_CHECKING:
    from ..text.batches import Batch


class TextLists(NamedTuple):
    source: NBest | Sequence[Any]  # which the Selection holds
    texts: Batch  # of all segments
    empty: NDArray[np.bool_]
    offsets: Integers


def parse_lists(given: Sequence[tuple[str, Any]], metric: Metric) -> tuple[Metric, list[TextLists]]:
    """Read each list, given with its name, and return them with the metric that scores them; the highest score is the best.

    If one is an `NBest`, texts are split on white space, unless the metric has a tokeniser of its own.
    """
    if any(isinstance(value, NBest) for _, value in given):
        metric = split_on_blanks(metric)
    lists: list[TextLists] = []
    for name, value in given:
        texts: Sequence[Any]
        bounds: Sequence[int]
        if not isinstance(value, NBest):
            texts, bounds = read_groups(value, name)
        elif value.texts is None:
            raise ArrayValueError(f"the texts of the n-best list ({name}) are not known; read it with its texts")
        else:
            texts = value.texts
            bounds = value.offsets.tolist()
        batch = read_texts(texts, name, bounds=bounds)
        kind = batch.kind if batch.size else "nothing"
        tokenization_for(metric, kind)  # raises an error for a kind that the metric does not read
        if lists and lists[0].texts.size:
            check_same_kind(lists[0].texts.kind, given[0][0], kind, name)
        if isinstance(batch, TokenLists):
            batch.types()  # an error if one is an array
        empty = np.array(
            [not (text.strip() if isinstance(text, str) else len(text)) for text in batch.lists()], dtype=bool
        )
        source = value if isinstance(value, NBest) else texts
        lists.append(TextLists(source, batch, empty, np.array(bounds, dtype=np.int64)))
    return maximised(metric), lists


def check_alike(hyps: TextLists, refs: TextLists) -> None:
    if len(hyps.offsets) != len(refs.offsets):
        raise LengthMismatchError(
            f"there are {len(hyps.offsets) - 1} segments of hypotheses, but {len(refs.offsets) - 1} of evidence"
        )
    lacking = (np.diff(hyps.offsets) > 0) & (np.diff(refs.offsets) == 0)
    if lacking.any():
        raise NoReferencesError(f"segment {lacking.argmax()} has hypotheses, but no evidence")
