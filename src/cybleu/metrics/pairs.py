"""Scores of every text with each of several others as its only reference, and their means."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from .._backend import PairwiseTexts, go_on
from .._definitions.pairs import Pairs
from .._runtime.arrays import Floats, Integers, np
from .._runtime.parallel import run
from ..text.batches import TokenIds

if TYPE_CHECKING:
    from .bleu import RowScorer

FEW = 24  # up to this number of texts, scoring all is faster than finding equal texts
AT_ONCE = 1 << 16  # scores in memory for a mean


class PairedTexts:
    """BLEU of texts with each of several others as the only reference. Distinct texts are scored once.

    :param scorer: what scores rows
    :param texts: ids
    :param others: ids of the same vocabulary; the same object for the scores of texts against each other
    """

    def __init__(self, scorer: RowScorer, texts: TokenIds, others: TokenIds):
        references, self._columns = _distinct(others)
        hypotheses = references
        self._places = self._columns
        if others is not texts:
            hypotheses, self._places = _distinct(texts)
        self._kernel = PairwiseTexts(scorer.kernel, references, None if others is texts else hypotheses)
        self._general = Pairs(scorer.formula, hypotheses.lists, references.lists)
        self._width = references.size
        self._distinct = hypotheses.size

    def fill(self, scores: Floats, threads: int | None, progress: bool) -> None:
        """Write the score of every text with every other one.

        :param scores: an array `(texts, others)`
        """
        run(
            lambda start, stop: self._fill_rows(start, stop, scores[start:stop]),
            self._distinct,
            self._distinct * scores.shape[1],
            threads,
            progress,
            "hypotheses",
        )
        if self._distinct < len(scores):
            scores[:] = scores[self._places]

    def means(self, weights: Floats, threads: int | None) -> Floats:
        """Return the mean score of every text, as :func:`weighted_means` does, without a matrix of all scores."""
        return weighted_means(self._fill_rows, self._distinct, weights, threads)[self._places]

    def _fill_rows(self, start: int, stop: int, scores: Floats) -> None:
        """Write the scores of distinct texts.

        :param scores: an array `(stop - start, others)`
        """
        # Those with distinct references, which are expanded in their row.
        width = self._width

        def general(position: int) -> None:
            scores[position - start, :width] = self._general.scores(position)

        go_on(lambda position: self._kernel.fill(position, stop, scores[position - start :]), start, stop, general)
        if width < scores.shape[1]:
            for row in scores:
                row[:] = row[self._columns]


def _distinct(batch: TokenIds) -> tuple[TokenIds, Integers]:
    """Return the distinct texts, and the index of each text among them; all texts if few are equal, or if there are few."""
    everyone = np.arange(batch.size, dtype=np.int64)
    if batch.size <= FEW:
        return batch, everyone
    texts = [batch.ids[begin:end].tobytes() for begin, end in zip(batch.begins.tolist(), batch.ends.tolist())]
    numbers: dict[bytes, int] = {}
    places = np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int64)
    if len(numbers) > 0.9 * len(texts):
        return batch, everyone
    _, first = np.unique(places, return_index=True)
    return batch.take(first), places


def weighted_means(
    fill: Callable[[int, int, Floats], None], count: int, weights: Floats, threads: int | None
) -> Floats:
    """Return the mean of each row, weighted. Sums are rounded once, so that their order makes no difference.

    :param fill: writes rows `start` to before `stop`
    :param count: the number of rows
    """
    sums = np.empty(count)
    at_once = max(1, AT_ONCE // max(1, len(weights)))

    def work(start: int, stop: int) -> None:
        for first in range(start, stop, at_once):
            last = min(stop, first + at_once)
            scores = np.empty((last - first, len(weights)))
            fill(first, last, scores)
            sums[first:last] = _sums(scores * weights)

    run(work, count, count * len(weights), threads, False, "hypotheses")
    return sums / math.fsum(weights.tolist())


def _sums(rows: Floats) -> Floats:
    """Sum each row, rounded once.

    Each number is split into a multiple of a unit so large that sums of the multiples are exact, and a rest so small
    that rounding errors of its sum hardly ever change the result (Rump, Ogita and Oishi 2008). `math.fsum` sums the
    rows where they may.
    """
    count = rows.shape[1]
    limit = count * float(np.abs(rows).max(initial=0.0))
    if not limit < 2.0**1000:
        return np.array([math.fsum(row) for row in rows.tolist()])
    shift = math.ldexp(3.0, math.frexp(limit)[1])
    multiples = (rows + shift) - shift
    rests = rows - multiples
    total = multiples.sum(axis=1)
    rest = rests.sum(axis=1)
    margin = np.abs(rests).sum(axis=1) * (count * 2.0**-52)  # twice the bound of the errors
    sums: Floats = total + (rest - margin)
    for row in np.flatnonzero(sums != total + (rest + margin)).tolist():
        sums[row] = math.fsum(rows[row].tolist())
    return sums
