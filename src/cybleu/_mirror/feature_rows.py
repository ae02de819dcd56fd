"""The features of hypotheses, most of them 0: weighted sums of rows and of columns, and differences of rows."""

from __future__ import annotations

from itertools import pairwise
from math import isfinite

from .._runtime.interrupts import look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Numbered = list[tuple[int, float]]


class FeatureRows:
    """The features of rows: those of `dense`, and of row i those at ``indptr[i]`` to before ``indptr[i + 1]``.

    :param indptr: None where all features are dense
    :param columns: numbers from 0 to before `compressed`, strictly ascending within a row
    :param compressed: how many there are of these features
    """

    def __init__(self, dense: Any, indptr: Any = None, columns: Any = None, values: Any = None, compressed: int = 0):
        self.count, self.width = dense.shape
        self.size = self.width + compressed
        self.dense: list[list[float]] = dense.tolist()
        self.compressed: list[Numbered] | None = None
        if indptr is not None:
            pairs = list(zip(columns.tolist(), values.tolist()))
            self.compressed = [pairs[first:last] for first, last in pairwise(indptr.tolist())]

    def value(self, weights: list[float], row: int) -> float:
        """The sum of the dense products from the first on, plus that of the compressed ones."""
        total = 0.0
        for weight, number in zip(weights, self.dense[row]):
            total += weight * number
        if self.compressed is not None:
            others = 0.0
            for column, number in self.compressed[row]:
                others += weights[self.width + column] * number
            total += others
        return total

    def weigh(self, weights: Any, out: Any) -> None:
        """Write the value of each row by these weights."""
        numbers = weights.tolist()
        for row in range(self.count):
            look()
            out[row] = self.value(numbers, row)

    def winners(self, offsets: Any, weights: Any, chosen: Any) -> bool:
        """Write the row of each segment with the highest value, the first of equal ones; whether all values are finite."""
        numbers = weights.tolist()
        finite = True
        for segment, (first, last) in enumerate(pairwise(offsets.tolist())):
            look()
            values = [self.value(numbers, row) for row in range(first, last)]
            finite = finite and all(map(isfinite, values))
            chosen[segment] = first + max(range(len(values)), key=values.__getitem__)
        return finite

    def add_weighted(self, shares: Any, out: Any, squared: bool = False) -> None:
        """Write the sum of share * row, or share * row * row, for each feature from the first row on."""
        sums = [0.0] * self.size
        for row, share in enumerate(shares.tolist()):
            look()
            for column, number in self._numbered(row):
                sums[column] += share * number * number if squared else share * number
        out[:] = sums

    def _numbered(self, row: int) -> Numbered:
        """All features of a row with their numbers."""
        others = self.compressed[row] if self.compressed is not None else []
        return [*enumerate(self.dense[row]), *((self.width + column, number) for column, number in others)]

    def difference(self, one: int, other: int) -> Numbered:
        """The features in which two rows differ, and by how much."""
        changes = dict(self._numbered(one))
        for column, number in self._numbered(other):
            changes[column] = changes.get(column, 0.0) - number
        return [(column, change) for column, change in sorted(changes.items()) if change]

    def differences(self, ones: Any, others: Any, dense: Any, indptr: Any, columns: Any, values: Any) -> None:
        """Write each of some rows minus another one, in the form of the arguments of the class.

        :param columns: with room for all features of both
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
