"""BLEU of every text against every single reference, with equal texts scored once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._backend import PairwiseTexts, TokenTexts, go_on
from .._definitions.pairs import Pairs
from .._runtime.arrays import np
from .._runtime.parallel import run
from ..text.batches import TokenIds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .bleu import RowScorer

FEW = 24  # up to this number of texts, scoring all is faster than finding equal texts


def fill_matrix(
    scorer: RowScorer,
    texts: TokenIds,
    others: TokenIds,
    result: NDArray[np.float64],
    threads: int | None,
    progress: bool,
) -> None:
    """Write the score of every text against every other one.

    :param scorer: what scores rows
    :param texts: ids
    :param others: ids of the same vocabulary; the same object for the scores of texts against each other
    :param result: an array `(texts, others)`
    """
    unique_refs, place_of_ref = _unique(others)
    unique_hyps, place_of_hyp = (unique_refs, place_of_ref) if others is texts else _unique(texts)
    unique = len(unique_hyps.begins), len(unique_refs.begins)
    # the scores of distinct texts share the memory of the result, so that there is only one matrix
    count = unique[0] * unique[1]
    scores = result.reshape(-1)[:count].reshape(unique)
    if unique_hyps is unique_refs:
        prepared = PairwiseTexts(scorer.kernel, TokenTexts(*unique_refs))
        general = Pairs(scorer.formula, unique_refs.lists)
    else:
        prepared = PairwiseTexts(scorer.kernel, TokenTexts(*unique_refs), TokenTexts(*unique_hyps))
        general = Pairs(scorer.formula, unique_refs.lists, unique_hyps.lists)

    def work(start: int, stop: int) -> None:
        go_on(lambda i: prepared.fill(i, stop, scores), start, stop, lambda i: general.fill(i, scores))

    run(work, unique[0], count, threads, progress, "hypotheses")
    if unique != result.shape:
        # expand from the last row: the scores of text i are in row i or before it, so no row is overwritten before it is read
        for position in reversed(range(result.shape[0])):
            result[position] = scores[place_of_hyp[position]][place_of_ref]


def _unique(batch: TokenIds) -> tuple[TokenIds, NDArray[np.int64]]:
    """Return the distinct texts, and the index of each text among them; all texts if few are equal, or if there are few."""
    if len(batch.begins) <= FEW:
        return batch, np.arange(len(batch.begins), dtype=np.int64)
    texts = [batch.ids[begin:end].tobytes() for begin, end in zip(batch.begins.tolist(), batch.ends.tolist())]
    numbers = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    places = np.array([numbers[text] for text in texts], dtype=np.int64)
    _, first = np.unique(places, return_index=True)
    if len(first) > 0.9 * len(places):
        return batch, np.arange(len(places), dtype=np.int64)
    return TokenIds(batch.ids, batch.begins[first], batch.ends[first]), places
