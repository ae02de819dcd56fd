"""Logistic regression without intercept, with L2 regularisation."""

from __future__ import annotations

from math import inf, log, sqrt
from typing import TYPE_CHECKING, Any

from .. import _backend
from .._runtime.arrays import bincount, np, repeat
from ..errors import FeatureError
from ..nbest import SparseFeatures

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MOST_STEPS = 200
MOST_PRODUCTS = 500  # limit of products with the Hessian in one step
PRECISION = 1e-11  # of the gradient, relative to that at 0
HALVINGS = 60


class _Matrix:
    """Products with a matrix X and its transpose, in a fixed order: results of BLAS may depend on its number of threads."""

    def __init__(self, X: Floats | SparseFeatures):
        make = _backend.chosen.FeatureRows
        if isinstance(X, np.ndarray):
            self.shape = X.shape
            columns = np.ascontiguousarray(X.T)
            self._rows, self._columns, self._squares = make(X), make(columns), make(columns**2)
            return
        count, size = self.shape = len(X.indptr) - 1, len(X.names)
        order = X.columns.astype(np.min_scalar_type(size)).argsort(kind="stable")
        owners = repeat(np.arange(count, dtype=np.int64), np.diff(X.indptr))[order]
        ends, values = np.append(0, np.cumsum(bincount(X.columns, minlength=size))), X.values[order]
        none = np.zeros((max(self.shape), 0))
        self._rows = make(none[:count], X.indptr, X.columns, X.values, size)
        self._columns = make(none[:size], ends, owners, values, count)
        self._squares = make(none[:size], ends, owners, values**2, count)

    def times(self, weights: Floats) -> Floats:
        return _product(self._rows, weights, self.shape[0])

    def transposed_times(self, shares: Floats) -> Floats:
        return _product(self._columns, shares, self.shape[1])

    def transposed_squares_times(self, shares: Floats) -> Floats:
        return _product(self._squares, shares, self.shape[1])


def _product(rows: Any, weights: Floats, size: int) -> Floats:
    sums = np.empty(size)
    rows.weigh(weights, sums)
    return sums


def logistic_weights(differences: Floats | SparseFeatures, regularisation: float) -> Floats:
    """Find the unique w that minimises ``2 * sum(log(1 + exp(-X @ w))) + regularisation / 2 * (w @ w)``.

    This is an inexact Newton method: each step is computed by conjugate gradients with the diagonal as preconditioner
    (Nocedal and Wright 2006, section 7.1), and halved until the sum falls.

    :param differences: X
    :raises FeatureError: the squares of the features are too large or too small
    """
    with np.errstate(over="ignore", under="ignore"):
        X = _Matrix(differences)
    count, size = X.shape
    weights, margins = np.zeros(size), np.zeros(count)
    loss = 2 * count * log(2.0)
    shortest = 0.0
    for number in range(MOST_STEPS):
        chances = _chances(margins)  # probabilities of the opposite order of each pair
        gradient = regularisation * weights - X.transposed_times(2 * chances)
        curvature = 2 * chances * (1.0 - chances)
        diagonal = regularisation + X.transposed_squares_times(curvature)
        with np.errstate(over="ignore", invalid="ignore"):
            length = sqrt(_dot(gradient, gradient / diagonal))
        if number == 0:
            if not (length < inf and np.isfinite(diagonal).all() and (length or not gradient.any())):
                raise FeatureError("the squares of the features are beyond the range of numbers; scale the features")
            shortest = PRECISION * length
        if not shortest < length < inf:
            break
        closeness = min(0.1, sqrt(length * PRECISION / shortest))
        step, change = _newton_step(X, gradient, curvature, diagonal, regularisation, closeness)
        slope = _dot(gradient, step)
        part = 1.0
        for _ in range(HALVINGS):
            there = weights + part * step
            fallen = 2 * _losses(margins + part * change) + regularisation / 2 * _dot(there, there)
            if fallen <= loss + 1e-4 * part * slope:
                break
            part /= 2
        else:
            break  # converged up to rounding
        weights, margins, loss = there, margins + part * change, fallen
    return weights


def _newton_step(
    X: _Matrix, gradient: Floats, curvature: Floats, diagonal: Floats, regularisation: float, closeness: float
) -> tuple[Floats, Floats]:
    """Compute a Newton step, and the change of the margins along it."""
    step, change = np.zeros(len(gradient)), np.zeros(len(curvature))
    rest = -gradient
    scaled = rest / diagonal
    direction = scaled
    product = _dot(rest, scaled)
    enough = closeness**2 * product
    for _ in range(MOST_PRODUCTS):
        moved = X.times(direction)
        bent = regularisation * direction + X.transposed_times(curvature * moved)
        part = product / _dot(direction, bent)
        step += part * direction
        change += part * moved
        rest -= part * bent
        scaled = rest / diagonal
        before, product = product, _dot(rest, scaled)
        if product <= enough:
            break
        direction = scaled + product / before * direction
    return step, change


def _chances(margins: Floats) -> Floats:
    """Compute 1 / (1 + exp(margin)) without overflow."""
    small = np.exp(-np.abs(margins))
    return np.where(margins > 0, small, 1.0) / (1.0 + small)


def _losses(margins: Floats) -> float:
    return float(np.logaddexp(0.0, -margins).sum())


def _dot(one: Floats, other: Floats) -> float:
    """Dot product in a fixed order."""
    return float((one * other).sum())
