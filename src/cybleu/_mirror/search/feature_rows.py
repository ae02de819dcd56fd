"""Features of hypotheses, dense columns first, then compressed sparse ones: weighted sums, winners, passes of MIRA."""

from __future__ import annotations

from itertools import pairwise
from math import exp, inf, log

from ..._runtime.arrays import bincount, np, repeat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray


class FeatureRows:
    """Feature matrix with dense columns followed by columns in compressed sparse row format.

    :param indptr: row i has the entries ``indptr[i]`` to ``indptr[i + 1]`` (exclusive)
    :param columns: column indices less than `compressed`, strictly ascending within a row
    :param compressed: number of compressed columns
    """

    def __init__(self, dense: Any, indptr: Any, columns: Any, values: Any, compressed: int):
        self.dense = dense
        self.indptr = indptr
        self.columns = columns
        self.values = values
        self.size = dense.shape[1] + compressed

    def _sums(self, weights: Any, first: int, last: int) -> NDArray[np.float64]:
        """Return the sum of the dense products in order, plus the sum of the compressed ones, for each row."""
        width = self.dense.shape[1]
        sums = np.zeros(last - first)
        with np.errstate(over="ignore", invalid="ignore"):
            if width:  # accumulate adds in order, sum does not; + 0.0, because a sum begins with 0.0
                sums = np.add.accumulate(self.dense[first:last] * weights[:width], axis=1)[:, -1] + 0.0
            ends = self.indptr[first : last + 1]
            columns = self.columns[ends[0] : ends[-1]]
            values = self.values[ends[0] : ends[-1]]
            rows = repeat(np.arange(last - first), np.diff(ends))
            sums += bincount(rows, weights[width:][columns] * values, last - first)
        return sums

    def weigh(self, weights: Any, out: Any) -> None:
        """Write the weighted sum of each row."""
        out[:] = self._sums(weights, 0, len(self.dense))

    def winners(self, offsets: Any, weights: Any, values: Any, error: float, chosen: Any) -> None:
        """Write the first row with the highest weighted sum of each segment.

        :param values: approximations of the sums
        :param error: an upper bound of their error
        :param chosen: receives the row numbers
        """
        if error:
            values = self._sums(weights, 0, len(self.dense))
        for segment, (first, last) in enumerate(pairwise(offsets.tolist())):
            chosen[segment] = first + values[first:last].argmax()

    def mira_pass(
        self,
        offsets: Any,
        order: Any,
        stats: Any,
        scores: Any,
        shares: Any,
        background: Any,
        weights: Any,
        lag: Any,
        averaged: int,
        step: float,
        decay: float,
        safe_ratio: float,
        model_background: bool,
        moses_rules: bool,
    ) -> int:
        """Update the weights by the hope and fear hypotheses of each segment; return the new value of `averaged`.

        :param order: order in which segments are visited
        :param stats: rows of BLEU; None if `scores` has the gain of each hypothesis
        :param shares: the weights of the n-gram orders; None is uniform
        :param background: a row of BLEU, updated in place
        :param weights: updated in place
        :param lag: weights - lag / averaged is the average of the weights
        :param averaged: the number of weight vectors in the average so far
        :param safe_ratio: the largest ratio of the model's score and the gain when hope is chosen; 0 is no limit
        :param moses_rules: average the weights after each update instead of each segment, and add to the background
            only where hope gains more than fear
        """
        with np.errstate(over="ignore", invalid="ignore"):
            for segment in order.tolist():
                first, last = offsets[segment : segment + 2].tolist()
                values = self._sums(weights, first, last)
                if stats is None:
                    gains = scores[first:last]
                else:
                    rows = (stats[first:last] + background).tolist()
                    gains = np.array([_gain(row, shares) for row in rows])
                hope = int((values + gains).argmax())
                fear = int((values - gains).argmax())
                # Moses's safe hope: the model must not outweigh the gain
                if safe_ratio > 0 and abs(values[hope]) > 1e-8:
                    scale = safe_ratio * abs(gains[hope]) / abs(values[hope])
                    if scale < 1:
                        hope = int((scale * values + gains).argmax())
                delta = float(gains[hope] - gains[fear])
                loss = delta - float(values[hope] - values[fear])
                squares = 0.0
                if delta > 0 and loss > 0:
                    change = self._row(first + hope) - self._row(first + fear)
                    squares = float(np.add.accumulate(change * change)[-1])  # which adds in order
                    if squares > 0:
                        change *= min(step, loss / squares)
                        weights += change
                        # so that the average needs no sum of all weights so far
                        lag += averaged * change
                if stats is not None and (delta > 0 or not moses_rules):
                    taken = int(values.argmax()) if model_background else hope
                    background[:] = decay * background + stats[first + taken]
                if squares > 0 or not moses_rules:
                    averaged += 1
        return averaged

    def _row(self, row: int) -> NDArray[np.float64]:
        """Return all features of a row."""
        first, last = self.indptr[row : row + 2]
        sparse = np.zeros(self.size - self.dense.shape[1])
        sparse[self.columns[first:last]] = self.values[first:last]
        return np.append(self.dense[row], sparse)


def _gain(row: list[float], shares: Any) -> float:
    """Return the BLEU of a row times its reference length."""
    order = len(row) // 2 - 1
    length, wanted, *counts = row
    product = 1.0
    mean = 0.0
    for n, (matches, total) in enumerate(zip(counts[:order], counts[order:])):
        if shares is None or shares[n]:
            if not (matches > 0 and total > 0):
                return 0.0
            if shares is None:
                product *= matches / total
            else:
                mean += float(shares[n]) * log(matches / total)
    if not (length > 0 and wanted > 0 and product > 0):
        return 0.0
    if shares is None:
        mean = log(product) / order
    if length < wanted:
        mean += 1 - wanted / length
    try:
        return exp(mean) * wanted
    except OverflowError:
        return inf
