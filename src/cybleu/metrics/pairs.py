"""BLEU of every hypothesis against every single reference, with equal texts scored once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._runtime.arrays import np
from .._runtime.parallel import run
from ..text.values import TokenIds
from .formula import Formula, Pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEW = 24  # up to this number of texts, scoring all is faster than finding equal texts


def fill_matrix(
    formula: Formula,
    of_references: TokenIds,
    of_hypotheses: TokenIds,
    result: NDArray[np.float64],
    threads: int | None = None,
    progress: bool = False,
) -> NDArray[np.float64]:
    """Write the score of every hypothesis against every single reference.

    :param of_hypotheses: ids of the same vocabulary; the object `of_references` for the scores of texts against each other
    """
    each_other = of_references is of_hypotheses
    unique_refs, place_of_ref = _unique(of_references)
    unique_hyps, place_of_hyp = (unique_refs, place_of_ref) if each_other else _unique(of_hypotheses)
    shape = result.shape
    unique = len(unique_hyps.begins), len(unique_refs.begins)
    # the scores of distinct texts share the memory of the result, so that there is only one matrix
    scores = result.reshape(-1)[: unique[0] * unique[1]].reshape(unique)
    pairs = Pairs(formula, unique_refs, unique_hyps)

    def work(start: int, stop: int) -> None:
        pairs.fill(start, stop, scores)

    run(work, unique[0], unique[0] * unique[1], threads, progress, "hypotheses")
    pairs.finish(scores, place_of_hyp)
    if unique != shape:
        # expand from the last row: the scores of text i are in row i or before it, so no row is overwritten before it is read
        for position in range(shape[0] - 1, -1, -1):
            result[position] = scores[place_of_hyp[position]][place_of_ref]
    return result


def _unique(batch: TokenIds) -> tuple[TokenIds, NDArray[np.int64]]:
    """Return the distinct texts, and the index of each text among them; all texts if few are equal, or if there are few."""
    if len(batch.begins) <= FEW:
        return batch, np.arange(len(batch.begins), dtype=np.int64)
    numbers: dict[bytes, int] = {}
    first: list[int] = []
    places = []
    for position, (begin, end) in enumerate(zip(batch.begins.tolist(), batch.ends.tolist())):
        place = numbers.setdefault(batch.ids[begin:end].tobytes(), len(numbers))
        if place == len(first):
            first.append(position)
        places.append(place)
    if len(first) > 0.9 * len(places):
        return batch, np.arange(len(places), dtype=np.int64)
    return TokenIds(batch.ids, batch.begins[first], batch.ends[first]), np.array(places, dtype=np.int64)
