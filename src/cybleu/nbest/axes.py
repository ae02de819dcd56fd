"""The features of a list as axes of the space of weights, along which line searches order the hypotheses."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from math import frexp, ldexp
from typing import Any

from .._runtime.arrays import Floats, Integers, NDArray, index, np, repeat
from .sparse import SparseFeatures


class Axes:
    """Features of a list as columns, with the order of the hypotheses along each.

    They depend on neither weights nor metric, and are computed on first use.

    :ivar last: the weights of the last point, its values and its choice
    """

    def __init__(self, offsets: Integers, features: Floats, sparse: SparseFeatures | None):
        self.present = np.flatnonzero(np.diff(offsets) > 0)
        self.offsets = np.append(offsets[:-1][self.present], offsets[-1])
        self._features = features
        self._sparse = sparse
        self._columns: dict[int, tuple[Floats, NDArray[np.int32]]] = {}
        self.last: tuple[Any, Floats, Integers] | None = None

    def column(self, axis: int) -> tuple[Floats, NDArray[np.int32]]:
        """Return the values of a dense feature, and the order of the hypotheses along it."""
        # two threads may both compute it: the results are equal
        if axis not in self._columns:
            column = np.ascontiguousarray(self._features[:, axis])
            self._columns[axis] = column, self.sorted(column)
        return self._columns[axis]

    def sorted(self, slope: Floats) -> NDArray[np.int32]:
        """Sort the hypotheses of each segment by ascending slope, stably; return their positions within the segment."""
        order = np.empty(len(slope), dtype=np.int32)
        for first, last in pairwise(self.offsets.tolist()):
            order[first:last] = slope[first:last].argsort(kind="stable")
        return order

    @cached_property
    def extents(self) -> Floats:
        """The largest absolute value of each feature."""
        extents: Floats = np.abs(self._features).max(axis=0)
        sparse = self._sparse
        if sparse is not None:
            extents = np.append(extents, np.zeros(len(sparse.names)))
            np.maximum.at(extents, index(sparse.columns + self._features.shape[1]), np.abs(sparse.values))
        return extents

    @cached_property
    def scales(self) -> Floats:
        """The change of each dense weight that has the same effect on values, rounded to a power of 2.

        It is 1 over the standard deviation of the feature within segments. The power of 2 hides rounding errors of
        sums.
        """
        return np.array([self._scale_of(self.column(axis)[0]) for axis in range(self._features.shape[1])])

    def _scale_of(self, column: Floats) -> float:
        (deviation,), (largest,) = deviations_within(column[:, None], self.offsets)
        if deviation < 1e-12:  # only rounding errors
            return 1.0
        # the exponents are added, because the product may overflow
        exponent = frexp(deviation)[1] + frexp(largest)[1]
        return ldexp(1.0, min(max(1 - exponent, -1000), 1000))

    def varies(self, axis: int) -> bool:
        """Whether the feature differs within a segment; otherwise its weight changes nothing."""
        return bool(self.spreads(self.column(axis)[0]).any())

    def spreads(self, values: Floats) -> Floats:
        """The difference of the largest and the smallest value of each segment."""
        begins = index(self.offsets[:-1])
        with np.errstate(over="ignore"):
            spreads: Floats = np.maximum.reduceat(values, begins) - np.minimum.reduceat(values, begins)
        return spreads


def deviations_within(features: Floats, offsets: Integers) -> tuple[Floats, Floats]:
    """Compute the standard deviation of each feature within segments.

    :param offsets: of segments that all have hypotheses
    :return: the deviations as shares of the largest absolute value of each feature, and these values
    """
    sizes = np.diff(offsets)
    largest = np.maximum(np.abs(features).max(axis=0), np.finfo(np.float64).tiny)
    shares = features / largest  # whose squares do not overflow
    means = np.add.reduceat(shares, index(offsets[:-1])) / sizes[:, None]
    return np.sqrt(((shares - repeat(means, sizes, axis=0)) ** 2).mean(axis=0)), largest
