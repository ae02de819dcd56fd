"""Features of hypotheses, dense columns first, then compressed sparse ones: weighted sums, winners, passes of MIRA."""

from __future__ import annotations

from itertools import pairwise
from math import exp, inf, log

from ..._runtime.arrays import bincount, np, repeat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class FeatureRows:
    """Feature matrix with dense columns followed by columns in compressed sparse row format.

    :param indptr: row i has the entries ``indptr[i]`` to ``indptr[i + 1]`` (exclusive); None if all features are dense
    :param columns: column indices less than `compressed`, strictly ascending within a row
    :param compressed: number of compressed columns
    """

    def __init__(self, dense: Any, indptr: Any = None, columns: Any = None, values: Any = None, compressed: int = 0):
        self.dense, self.indptr, self.columns, self.values = dense, indptr, columns, values

    def _compressed(self, row: int) -> tuple[Any, Any]:
        """Return the columns of the compressed features of a row, counted from the first dense one, and their values."""
        first, last = self.indptr[row : row + 2]
        return self.dense.shape[1] + self.columns[first:last], self.values[first:last]

    def _sums(self, weights: Any, first: int, last: int) -> Any:
        """Return the sum of the dense products in order, plus the sum of the compressed ones, for each row."""
        width = self.dense.shape[1]
        sums = np.zeros(last - first)
        with np.errstate(over="ignore", invalid="ignore"):
            if width:  # accumulate adds in order, sum does not; + 0.0, because a sum begins with 0.0
                sums = np.add.accumulate(self.dense[first:last] * weights[:width], axis=1)[:, -1] + 0.0
            if self.indptr is not None:
                ends = self.indptr[first : last + 1]
                columns, values = self.columns[ends[0] : ends[-1]], self.values[ends[0] : ends[-1]]
                rows = repeat(np.arange(last - first), np.diff(ends))
                sums = sums + bincount(rows, weights[width:][columns] * values, last - first)
        return sums

    def weigh(self, weights: Any, out: Any) -> None:
        """Write the weighted sum of each row."""
        out[:] = self._sums(weights, 0, len(self.dense))

    def winners(self, offsets: Any, weights: Any, chosen: Any, values: Any) -> None:
        """Write the first row with the highest value of each segment.

        :param chosen: receives the row numbers
        :param values: receives the value of each row
        """
        self.weigh(weights, values)
        for segment, (first, last) in enumerate(pairwise(offsets.tolist())):
            chosen[segment] = first + values[first:last].argmax()

    def winners_near(
        self, offsets: Any, weights: Any, values: Any, slope: Any, step: float, error: float, chosen: Any
    ) -> None:
        """Like :meth:`winners`.

        :param values: values by other weights; value + step * slope approximates the value by `weights`.
            Affects speed only
        :param error: an upper bound of the error of this approximation. Affects speed only
        """
        self.winners(offsets, weights, chosen, np.empty(len(self.dense)))

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
        updates: int,
        step: float,
        decay: float,
        safe_ratio: float,
        model_background: bool,
    ) -> int:
        """Update the weights by the hope and fear hypotheses of each segment; return the total number of updates.

        :param order: order in which segments are visited
        :param stats: rows of BLEU; None if `scores` has the gain of each hypothesis
        :param shares: the weights of the n-gram orders; None is uniform
        :param background: a row of BLEU, updated in place
        :param weights: updated in place
        :param lag: weights - lag / updates is the average of the weights after each segment
        :param safe_ratio: the largest ratio of the model's score and the gain when hope is chosen; 0 is no limit
        """
        with np.errstate(over="ignore", invalid="ignore"):
            for segment in order.tolist():
                first, last = offsets[segment : segment + 2].tolist()
                values = self._sums(weights, first, last)
                gains = scores[first:last] if stats is None else _gains(stats[first:last] + background, shares)
                hope, fear = int((values + gains).argmax()), int((values - gains).argmax())
                if safe_ratio > 0 and abs(values[hope]) > 1e-8:
                    scale = safe_ratio * abs(gains[hope]) / abs(values[hope])
                    if scale < 1:
                        hope = int((scale * values + gains).argmax())
                delta = float(gains[hope] - gains[fear])
                loss = delta - float(values[hope] - values[fear])
                if delta > 0 and loss > 0:
                    columns, change = self._difference(first + hope, first + fear)
                    squares = float(np.add.accumulate(np.append(0.0, change * change))[-1])
                    if squares > 0:
                        change *= min(step, loss / squares)
                        weights[columns] += change
                        lag[columns] += updates * change
                if stats is not None:
                    taken = int(values.argmax()) if model_background else hope
                    background[:] = decay * background + stats[first + taken]
                updates += 1
        return updates

    def _difference(self, one: int, other: int) -> tuple[Any, Any]:
        """Return the columns of the features of two rows, and the differences."""
        width = self.dense.shape[1]
        columns, change = np.arange(width), self.dense[one] - self.dense[other]
        if self.indptr is None:
            return columns, change
        (own, values), (others, subtracted) = self._compressed(one), self._compressed(other)
        union = np.union1d(own, others)
        sparse = np.zeros(len(union))
        sparse[np.searchsorted(union, own)] = values
        sparse[np.searchsorted(union, others)] -= subtracted
        return np.append(columns, union), np.append(change, sparse)


def _gains(counts: Any, shares: Any) -> Any:
    """Return the BLEU of each row times its reference length."""
    order = counts.shape[1] // 2 - 1
    length, wanted = counts[:, 0], counts[:, 1]
    used = np.ones(order, dtype=bool) if shares is None else shares != 0
    matches, totals = counts[:, 2 : 2 + order][:, used], counts[:, 2 + order :][:, used]
    gains = np.zeros(len(counts))
    known = (length > 0) & (matches > 0).all(axis=1) & (totals > 0).all(axis=1)
    for row in np.flatnonzero(known).tolist():  # functions of NumPy may round logarithms differently
        ratios = (matches[row] / totals[row]).tolist()
        if shares is None:
            product = 1.0
            for ratio in ratios:
                product *= ratio
            if not product > 0:
                continue
            mean = log(product) / order
        else:
            mean = 0.0
            for share, ratio in zip(shares[used].tolist(), ratios):
                mean += share * log(ratio)
        if length[row] < wanted[row]:
            mean += 1 - float(wanted[row]) / float(length[row])
        try:
            gains[row] = exp(mean) * wanted[row]
        except OverflowError:
            gains[row] = inf
    return gains
