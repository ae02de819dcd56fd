"""Sparse features, which most hypotheses do not have, as compressed rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .._runtime.arrays import Integers, NDArray, np, repeat
from .._runtime.extras import extra
from ..errors import ArrayValueError


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
