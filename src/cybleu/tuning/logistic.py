"""Logistic regression without intercept, with L2 regularisation."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log, sqrt
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import bincount, np, repeat
from ..errors import FeatureError
from ..nbest import SparseFeatures
from ..nbest.weights import rows_of_arrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MOST_STEPS = 200
MOST_PRODUCTS = 500  # limit of products with the Hessian in one step
PRECISION = 1e-11  # of the gradient, relative to that at 0
PARTS = tuple(0.5**number for number in range(60))  # of a step


def _matrices(X: Floats | SparseFeatures) -> tuple[int, int, Any, Any, Any]:
    """Return the shape of X, and X, its transpose and the squares of the transpose in the form of the backend.

    Their products have a fixed order: results of BLAS may depend on its number of threads.
    """
    if isinstance(X, np.ndarray):
        columns = np.ascontiguousarray(X.T)
        return *X.shape, *(rows_of_arrays(dense, None) for dense in (X, columns, columns**2))
    count, size = len(X.indptr) - 1, len(X.names)
    order = X.columns.astype(np.min_scalar_type(size)).argsort(kind="stable")
    owners = repeat(np.arange(count, dtype=np.int64), np.diff(X.indptr))[order]
    ends, values = np.append(0, np.cumsum(bincount(X.columns, minlength=size))), X.values[order]
    none, names = np.zeros((size, 0)), ("",) * count
    transposed, squares = (
        rows_of_arrays(none, SparseFeatures(ends, owners, part, names)) for part in (values, values**2)
    )
    return count, size, rows_of_arrays(np.zeros((count, 0)), X), transposed, squares


def _times(matrix: Any, vector: Floats, size: int) -> Floats:
    """Multiply a matrix of `size` rows by a vector."""
    product = np.empty(size)
    matrix.weigh(vector, product)
    return product


def logistic_weights(differences: Floats | SparseFeatures, regularisation: float) -> Floats:
    """Find the unique w that minimises ``2 * sum(log(1 + exp(-X @ w))) + regularisation / 2 * (w @ w)``.

    This is an inexact Newton method: each step is computed by conjugate gradients with the diagonal as preconditioner
    (Nocedal and Wright 2006, section 7.1), and halved until the sum falls.

    :param differences: X
    :raises FeatureError: the squares of the features are too large or too small
    """
    with np.errstate(over="ignore", under="ignore"):
        count, size, X, transposed, squares = _matrices(differences)
    weights, margins = np.zeros(size), np.zeros(count)
    loss = 2 * count * log(2.0)
    shortest = -1.0
    for _ in range(MOST_STEPS):
        chances = _chances(margins)  # probabilities of the opposite order of each pair
        gradient = regularisation * weights - _times(transposed, 2 * chances, size)
        curvature = 2 * chances * (1.0 - chances)
        diagonal = regularisation + _times(squares, curvature, size)
        with np.errstate(over="ignore", invalid="ignore"):
            length = sqrt(_dot(gradient, gradient / diagonal))
        if shortest < 0:
            if not (length < inf and np.isfinite(diagonal).all() and (length or not gradient.any())):
                raise FeatureError("the squares of the features are beyond the range of numbers; scale the features")
            shortest = PRECISION * length
        if not shortest < length < inf:
            break

        def hessian(vector: Floats, curvature: Floats = curvature) -> Floats:
            return regularisation * vector + _times(transposed, curvature * _times(X, vector, count), size)

        closeness = min(0.1, sqrt(length * PRECISION / shortest))
        step = _solution(hessian, -gradient, diagonal, closeness)
        change, slope = _times(X, step, count), _dot(gradient, step)
        for part in PARTS:
            there = weights + part * step
            fallen = 2 * _losses(margins + part * change) + regularisation / 2 * _dot(there, there)
            if fallen <= loss + 1e-4 * part * slope:
                break
        else:
            break  # converged up to rounding
        weights, margins, loss = there, margins + part * change, fallen
    return weights


def _solution(matrix: Callable[[Floats], Floats], wanted: Floats, diagonal: Floats, closeness: float) -> Floats:
    """Solve ``matrix(x) = wanted`` by conjugate gradients, until the error is `closeness` of that of 0."""
    solution, rest = np.zeros(len(wanted)), wanted
    direction = scaled = rest / diagonal
    product = _dot(rest, scaled)
    enough = closeness**2 * product
    for _ in range(MOST_PRODUCTS):
        bent = matrix(direction)
        part = product / _dot(direction, bent)
        solution += part * direction
        rest = rest - part * bent
        scaled = rest / diagonal
        before, product = product, _dot(rest, scaled)
        if product <= enough:
            break
        direction = scaled + product / before * direction
    return solution


def _chances(margins: Floats) -> Floats:
    """Compute 1 / (1 + exp(margin)) without overflow."""
    small = np.exp(-np.abs(margins))
    return np.where(margins > 0, small, 1.0) / (1.0 + small)


def _losses(margins: Floats) -> float:
    return float(np.logaddexp(0.0, -margins).sum())


def _dot(one: Floats, other: Floats) -> float:
    """Dot product in a fixed order."""
    return float((one * other).sum())
