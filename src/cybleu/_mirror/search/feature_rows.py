"""Sparse features of hypotheses: weighted sums of rows and of columns, and differences of rows."""

from __future__ import annotations

from itertools import pairwise

from ..._runtime.interrupts import look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Numbered = list[tuple[int, float]]


class FeatureRows:
    """Feature matrix with dense columns followed by columns in compressed sparse row format.

    :param indptr: row i has the entries ``indptr[i]`` to ``indptr[i + 1]`` (exclusive); None if all features are dense
    :param columns: column indices less than `compressed`, strictly ascending within a row
    :param compressed: number of compressed columns
    """

    def __init__(self, dense: Any, indptr: Any = None, columns: Any = None, values: Any = None, compressed: int = 0):
        self.count, self.width = dense.shape
        self.size = self.width + compressed
        self.columns: list[list[float]] = dense.T.tolist()
        self.compressed: list[Numbered] | None = None
        if indptr is not None:
            pairs = list(zip(columns.tolist(), values.tolist()))
            self.compressed = [pairs[first:last] for first, last in pairwise(indptr.tolist())]

    def values(self, weights: list[float], first: int, last: int) -> list[float]:
        """Return the value of each row: the sum of the dense products in order, plus the sum of the compressed ones."""
        totals = [0.0] * (last - first)
        for weight, column in zip(weights, self.columns):
            look()
            totals = [total + weight * number for total, number in zip(totals, column[first:last])]
        if self.compressed is not None:
            for place, row in enumerate(self.compressed[first:last]):
                others = 0.0
                for column_number, number in row:
                    others += weights[self.width + column_number] * number
                totals[place] += others
        return totals

    def weigh(self, weights: Any, out: Any) -> None:
        """Write the weighted sum of each row."""
        out[:] = self.values(weights.tolist(), 0, self.count)

    def winners(self, offsets: Any, weights: Any, chosen: Any, values: Any) -> None:
        """Write the first row with the highest value of each segment.

        :param chosen: receives the row numbers
        :param values: receives the value of each row
        """
        found = self.values(weights.tolist(), 0, self.count)
        for segment, (first, last) in enumerate(pairwise(offsets.tolist())):
            chosen[segment] = max(range(first, last), key=found.__getitem__)
        values[:] = found

    def winners_near(
        self, offsets: Any, weights: Any, values: Any, slope: Any, step: float, errors: Any, chosen: Any
    ) -> None:
        """Like :meth:`winners`.

        :param values: values by other weights; value + step * slope approximates the value by `weights`.
            Affects speed only
        :param errors: for each segment an upper bound of the error of this approximation. Affects speed only
        """
        self.winners(offsets, weights, chosen, [0.0] * self.count)

    def add_weighted(self, shares: Any, out: Any, squared: bool = False) -> None:
        """Write the sum of share * row, or of share * row * row, for each feature, adding rows in order."""
        sums = [0.0] * self.size
        for row, share in enumerate(shares.tolist()):
            look()
            for column, number in self._numbered(row):
                sums[column] += share * number * number if squared else share * number
        out[:] = sums

    def _numbered(self, row: int) -> Numbered:
        """Return all features of a row with their indices."""
        others = self.compressed[row] if self.compressed is not None else []
        dense = [column[row] for column in self.columns]
        return [*enumerate(dense), *((self.width + column, number) for column, number in others)]

    def difference(self, one: int, other: int) -> Numbered:
        """Return the features in which two rows differ, and the differences."""
        changes = dict(self._numbered(one))
        for column, number in self._numbered(other):
            changes[column] = changes.get(column, 0.0) - number
        return [(column, change) for column, change in sorted(changes.items()) if change]

    def differences(self, ones: Any, others: Any, dense: Any, indptr: Any, columns: Any, values: Any) -> None:
        """Write the differences of pairs of rows, in the same format as the arguments of the class.

        :param columns: array large enough for all features of both rows
        """
        dense[:] = 0.0
        used = 0
        indptr[0] = 0
        for place, (one, other) in enumerate(zip(ones.tolist(), others.tolist())):
            look()
            for column, change in self.difference(one, other):
                if column < self.width:
                    dense[place, column] = change
                else:
                    columns[used], values[used] = column - self.width, change
                    used += 1
            indptr[place + 1] = used
