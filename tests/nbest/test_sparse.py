"""Sparse features as arrays and as SciPy matrices."""

import numpy as np
import pytest

from cybleu import errors
from cybleu.nbest import NBest, SparseFeatures

STATS = [[1.0], [2.0], [3.0]]
PARTS = [0, 2, 2, 3], [0, 1, 1], [1.0, 2.0, 3.0], ["x", "y"]
DENSE = [[1.0, 2.0], [0.0, 0.0], [0.0, 3.0]]


def made(sparse):
    return NBest([0, 2, 3], [[0.5], [1.0], [1.5]], STATS, ["lm"], sparse=sparse)


def same(one, other):
    assert one.names == other.names
    assert all((a == b).all() and a.dtype == b.dtype for a, b in zip(one[:3], other[:3]))


@pytest.mark.parametrize("form", ["csr_array", "csr_matrix", "csc_array", "coo_array", "coo_matrix", "lil_matrix"])
def test_matrices_of_scipy(scipy, form):
    matrix = getattr(scipy.sparse, form)(np.array(DENSE))
    for given in ((matrix, ["x", "y"]), [matrix, ("x", "y")]):
        same(made(given).sparse, made(PARTS).sparse)
    assert made(matrix).sparse.names == ("s0", "s1")
    back = made((matrix, ["x", "y"])).sparse.to_scipy()
    assert isinstance(back, scipy.sparse.csr_array)
    assert back.has_canonical_format
    assert back.toarray().tolist() == DENSE


def test_a_matrix_with_repeated_columns_in_any_order_stays_as_it_is(scipy):
    matrix = scipy.sparse.csr_array(([1.5, 1.0, 0.5, 3.0], [1, 0, 1, 1], [0, 3, 3, 4]), shape=(3, 2))
    same(made((matrix, ["x", "y"])).sparse, made(PARTS).sparse)
    assert matrix.indices.tolist() == [1, 0, 1, 1]


def test_a_matrix_of_another_shape(scipy):
    matrix = scipy.sparse.csr_matrix(np.array(DENSE))
    for sparse, error, text in (
        ((matrix, ["x"]), errors.ArrayValueError, "2 columns, but there are 1 names"),
        ((matrix[:2], ["x", "y"]), errors.LengthMismatchError, "has 2 hypotheses, but features has 3"),
        ((matrix * np.nan, ["x", "y"]), errors.FeatureError, "feature 'x' of hypothesis 0 of segment 0 is nan"),
    ):
        with pytest.raises(error, match=text):
            made(sparse)
    with pytest.raises(errors.ArrayValueError, match="features is a sparse matrix; pass it as sparse="):
        NBest([0, 2, 3], matrix, STATS)


def test_without_scipy(monkeypatch):
    import sys

    for name in ("scipy", "scipy.sparse"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(errors.MissingExtraError, match="pip install scipy"):
        made(PARTS).sparse.to_scipy()
    assert isinstance(made(PARTS).sparse, SparseFeatures)
