"""Features of hypotheses: sparse ones as compressed rows, values by weights, and the axes of the space of weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from math import frexp, ldexp
from typing import TYPE_CHECKING, Any, NamedTuple

from .._backend import FeatureRows
from .._files.text import listed, shown
from .._runtime.arrays import Array, Floats, Integers, NDArray, first_not_finite, floats_given, index, np, repeat
from .._runtime.extras import extra
from ..errors import ArrayValueError, FeatureError, WeightsError

if TYPE_CHECKING:
    from .container import NBest


class SparseFeatures(NamedTuple):
    """Sparse features as compressed rows: only the features that a hypothesis has are stored.

    Hypothesis i has the values ``values[indptr[i]:indptr[i + 1]]``.

    :param indptr: int64 `(N + 1,)`
    :param columns: int64, the index of the name of each value; strictly ascending within a hypothesis
    :param values: float64, finite
    :param names: the names of the features, all different

    >>> import numpy
    >>> sparse = SparseFeatures(numpy.array([0, 1, 1, 3]), numpy.array([0, 0, 1]), numpy.array([1.0, 2.0, 3.0]), ("x", "y"))
    >>> sparse.rows(numpy.array([2])).values
    array([2., 3.])
    """

    indptr: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: NDArray[np.float64]
    names: tuple[str, ...]

    def rows(self, rows: NDArray[np.int64] | slice) -> SparseFeatures:
        """Select the features of some hypotheses.

        :param rows: the indices of the hypotheses, int64, in any order; or a slice of consecutive ones, for a view
        """
        if isinstance(rows, slice):
            first = self.indptr[rows.start]
            last = self.indptr[rows.stop]
            indptr = self.indptr[rows.start : rows.stop + 1] - first
            return SparseFeatures(indptr, self.columns[first:last], self.values[first:last], self.names)
        sizes = np.diff(self.indptr)[rows]
        indptr = np.append(0, np.cumsum(sizes))
        # from the places in the new rows to those in the old ones: each row is moved as a whole
        places = np.arange(indptr[-1], dtype=np.int64) + repeat(self.indptr[:-1][rows] - indptr[:-1], sizes)
        return SparseFeatures(indptr, self.columns[places], self.values[places], self.names)

    def to_scipy(self) -> Any:
        """Convert to a ``scipy.sparse.csr_array`` of shape `(N, names)`, which may share memory with this object.

        :raises MissingExtraError: SciPy is not installed
        """
        with extra("scipy", "arrays of SciPy require SciPy", "scipy"):
            from scipy.sparse import csr_array
        return csr_array((self.values, self.columns, self.indptr), shape=(len(self.indptr) - 1, len(self.names)))


def owners_of(offsets: Integers) -> Integers:
    """Return for each entry the number of the row or segment that it belongs to.

    :param offsets: those of row i are ``offsets[i]:offsets[i + 1]``
    """
    return repeat(np.arange(len(offsets) - 1, dtype=np.int64), np.diff(offsets))


def owner_of(offsets: Integers, row: Any) -> int:
    """Return the number of the segment that an entry belongs to, as :func:`owners_of`."""
    return int(np.searchsorted(offsets, row, side="right")) - 1


def sparse_fields(sparse: SparseFeatures | None, row: int, labels: Sequence[str]) -> list[str]:
    """Format the sparse features of a hypothesis.

    :param labels: what is before the value of each feature
    """
    if sparse is None:
        return []
    found = slice(*sparse.indptr[row : row + 2].tolist())
    pairs = zip(sparse.columns[found].tolist(), sparse.values[found].tolist())
    return [f"{labels[column]}{value!r}" for column, value in pairs]


def no_features(count: int) -> SparseFeatures:
    """Return the sparse features of hypotheses that have none."""
    return SparseFeatures(np.zeros(count + 1, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0), ())


def sparse_given(sparse: Any) -> SparseFeatures:
    """Convert sparse features to :class:`SparseFeatures`; the container validates them.

    :param sparse: :class:`SparseFeatures` or a tuple of its fields; or a sparse matrix of SciPy, alone or with names
    :raises ArrayValueError: it is none of these
    """
    count = len(sparse) if isinstance(sparse, (tuple, list)) else 1
    if count == 4:
        return SparseFeatures(*sparse)
    matrix, names = sparse if count == 2 else (sparse, None)
    if not hasattr(matrix, "tocsr"):
        raise ArrayValueError(
            "sparse must be indptr, columns, values and names, or a sparse matrix of SciPy and names, not "
            f"{type(sparse).__name__} of {count}"
        )
    if getattr(matrix, "ndim", 2) != 2:
        raise ArrayValueError(f"the sparse matrix has {matrix.ndim} dimensions; it must have 2")
    rows = matrix.tocsr(copy=True)
    rows.sum_duplicates()  # as SciPy does
    if names is None:
        names = tuple(f"s{column}" for column in range(rows.shape[1]))
    elif len(names) != rows.shape[1]:
        raise ArrayValueError(f"the sparse matrix has {rows.shape[1]} columns, but there are {len(names)} names")
    return SparseFeatures(rows.indptr, rows.indices, rows.data, names)


def check_apart(dense: Sequence[str], sparse: Sequence[str]) -> None:
    """Check that no feature is both dense and sparse."""
    both = set(dense).intersection(sparse)
    if both:
        raise FeatureError(f"feature {shown(min(both))} is both dense and sparse")


# -------------------------------------------------------------------------------------------------- weights


Weights = Mapping[str, float] | Sequence[float] | Array


def rows_of(dense: Floats, sparse: SparseFeatures | None) -> Any:
    """Convert features to the backend's `FeatureRows`."""
    indptr, columns, values, names = sparse or no_features(len(dense))
    return FeatureRows(dense, indptr, columns, values, len(names))


def weighed(rows: Any, weights: Floats, size: int) -> Floats:
    """Return the weighted sum of each of the `size` rows of the backend."""
    sums = np.empty(size)
    rows.weigh(weights, sums)
    return sums


def weights_of(
    nbest: NBest, weights: Weights, name: str, error: type[FeatureError | WeightsError] = WeightsError
) -> Floats:
    """Return one finite weight for each feature, sparse ones after dense ones.

    Weights by name may omit sparse features, whose weights are then 0.

    :param name: the argument, for messages
    :param error: raised for a weight that is not finite
    :raises FeatureError: the weights do not match the features
    """
    names = nbest.names
    every = nbest.all_names
    if isinstance(weights, Mapping):
        known = set(every)  # there may be millions of sparse features
        unknown = [key for key in weights if key not in known]
        missing = [key for key in names if key not in weights]
        if unknown:
            raise FeatureError(
                f"{name} has {shown(unknown[0])}, which is not a feature; the features are "
                f"{listed(every)}{_hint(unknown[0], missing)}"
            )
        if missing:
            raise FeatureError(f"{name} has no weight for the feature {shown(missing[0])}; use 0 to ignore the feature")
        weights = [weights.get(key, 0.0) for key in every]
    vector = floats_given(weights, name).copy()
    if vector.shape != (len(every),):
        sparse = f", of which {len(every) - len(names)} are sparse" if len(every) > len(names) else ""
        raise FeatureError(
            f"{name} has the shape {vector.shape}; give one number for each of the {len(every)} features{sparse}"
        )
    if (place := first_not_finite(vector)) is not None:
        raise error(f"{name} is {vector[place]} for {shown(every[place])}; it must be finite")
    return vector


def _hint(name: str, names: Sequence[str]) -> str:
    """Suggest a name that differs only in the number that Moses's format adds, or in the case of its letters."""

    def core(name: Any) -> str:
        return str(name).removesuffix("_0").casefold()

    # only if there is no doubt
    near = [other for other in names if core(other) == core(name)]
    return f"; is {shown(near[0])} meant?" if len(near) == 1 else ""


class Axes:
    """Features of a list as rows of the backend, and as columns with the order of the hypotheses along each.

    They depend on neither weights nor metric. Columns are computed on first use.

    :ivar present: the segments that have hypotheses
    :ivar offsets: of these segments
    :ivar rows: see :func:`rows_of`
    :ivar last: the last point: its weights as bytes, its values and its choice
    """

    def __init__(self, offsets: Integers, features: Floats, sparse: SparseFeatures | None):
        self.present = np.flatnonzero(np.diff(offsets) > 0)
        self.offsets = np.append(offsets[:-1][self.present], offsets[-1])
        self.rows = rows_of(features, sparse)
        self._features = features
        self._sparse = sparse
        self._columns: dict[int, tuple[Floats, NDArray[np.int32]]] = {}
        self.last: tuple[bytes, Floats, Integers] | None = None

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
        scales = np.ones(self._features.shape[1])
        # one by one, which takes less memory than all at once
        for axis in range(len(scales)):
            (deviation,), (largest,) = deviations_within(self.column(axis)[0][:, None], self.offsets)
            if deviation >= 1e-12:  # below, there are only rounding errors
                # the exponents are added, because the product may overflow
                exponent = frexp(deviation)[1] + frexp(largest)[1]
                scales[axis] = ldexp(1.0, min(max(1 - exponent, -1000), 1000))
        return scales

    def spreads(self, values: Floats) -> Floats:
        """The difference of the largest and the smallest value of each segment, of a column or of several."""
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
