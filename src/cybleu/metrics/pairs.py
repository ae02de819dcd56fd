"""BLEU of every hypothesis against every reference alone, with equal texts scored once."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from .. import _backend
from .._runtime.arrays import np
from .._runtime.interrupts import PIECE
from .._runtime.parallel import run
from ..text.batches import (
    Batch,
    SpecialIds,
    batch_of_lengths,
    hypotheses_like,
    one_reference_each,
    separate_output,
)
from ..text.columns import texts_given
from .formula import Formula, Pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEW = 24  # texts are compared sooner than found equal


def matrix(
    formula: Formula,
    references: Any,
    hypotheses: Any,
    out: NDArray[np.float64] | None = None,
    threads: int | None = None,
    progress: bool = False,
    pad_id: int | None = None,
    eos_id: int | None = None,
) -> NDArray[np.float64]:
    """See :meth:`cybleu.metrics.Bleu.pairs`."""
    of_references, of_hypotheses = in_common(references, hypotheses, pad_id, eos_id)
    each_other = of_references is of_hypotheses
    unique_refs, place_of_ref = _unique(of_references)
    unique_hyps, place_of_hyp = (unique_refs, place_of_ref) if each_other else _unique(of_hypotheses)
    shape = len(place_of_hyp), len(place_of_ref)
    result = separate_output(out, shape, np.float64, references=references, hypotheses=hypotheses)
    unique = len(unique_hyps.begins), len(unique_refs.begins)
    # those of different texts begin where the result does, so that there is one matrix
    scores = result.reshape(-1)[: unique[0] * unique[1]].reshape(unique)
    pairs = Pairs(formula, unique_refs, unique_hyps)

    def work(start: int, stop: int) -> None:
        pairs.fill(start, stop, scores)

    run(work, unique[0], unique[0] * unique[1], threads, progress, "hypotheses")
    pairs.mend(scores, place_of_hyp)
    if unique != shape:
        # from the end on: of different texts row i or one before it has the scores of text i, and nothing after them is needed
        for position in range(shape[0] - 1, -1, -1):
            result[position] = scores[place_of_hyp[position]][place_of_ref]
    return result


def in_common(
    references: Any, hypotheses: Any, pad_id: int | None = None, eos_id: int | None = None
) -> tuple[Batch, Batch]:
    """Both in the same numbers; where there are no hypotheses the references twice."""
    special = SpecialIds(pad_id, eos_id)
    special.check()
    if hypotheses is None and not special.given and (batch := _numbered(references)) is not None:
        return batch, batch
    sets = one_reference_each(references, special)
    if hypotheses is None:
        return sets.batch, sets.batch
    return sets.batch, hypotheses_like(texts_given(hypotheses), sets, None, special)


def _numbered(texts: Any) -> Batch | None:
    """A few token lists among themselves, which need no more than numbers; None for anything else."""
    if type(texts) is not list or not set(map(type, texts)) <= {list, tuple}:
        return None
    lengths = list(map(len, texts))  # before a token is hashed, which may change the lists
    if sum(lengths) > PIECE:
        return None
    tokens = list(chain.from_iterable(texts))
    if len(tokens) != sum(lengths):
        return None  # another thread has changed them
    ids = np.empty(len(tokens), dtype=np.int32)
    try:
        if _backend.chosen.number_tokens(tokens, ids) is None:
            return None
    except TypeError:
        return None  # the general way names the token
    return batch_of_lengths(ids, np.array(lengths, dtype=np.int64))


def _unique(batch: Batch) -> tuple[Batch, NDArray[np.int64]]:
    """The different texts, and for each text which of them it is; all as they are where few are equal, or few there are."""
    if len(batch.begins) <= FEW:
        return batch, np.arange(len(batch.begins))
    numbers: dict[bytes, int] = {}
    first: list[int] = []
    places = []
    for position, (begin, end) in enumerate(zip(batch.begins.tolist(), batch.ends.tolist())):
        place = numbers.setdefault(batch.ids[begin:end].tobytes(), len(numbers))
        if place == len(first):
            first.append(position)
        places.append(place)
    if len(first) > 0.9 * len(places):
        return batch, np.arange(len(places))
    return Batch(batch.ids, batch.begins[first], batch.ends[first]), np.array(places, dtype=np.int64)
