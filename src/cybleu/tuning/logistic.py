"""Logistic regression without intercept, with L2 regularisation."""

from __future__ import annotations

from math import inf, sqrt
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import np
from .._runtime.interrupts import look
from ..errors import FeatureError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MOST_STEPS = 200
MOST_PRODUCTS = 500  # limit of products with the Hessian in one step
PRECISION = 1e-11  # of the gradient, relative to that at 0
HALVINGS = 60


def logistic_weights(rows: Any, count: int, size: int, times: float, regularisation: float) -> Floats:
    """Find the unique w that minimises ``times * sum(log(1 + exp(-X @ w))) + regularisation / 2 * (w @ w)``.

    This is an inexact Newton method: each step is computed by conjugate gradients with the diagonal as preconditioner
    (Nocedal and Wright 2006, section 7.1), and halved until the sum falls.

    :param rows: X in the form of the backend
    :param count: the number of rows
    :param size: the number of weights
    :raises FeatureError: the squares of the features are too large or too small
    """
    weights, margins = np.zeros(size), np.zeros(count)
    loss = times * count * float(np.log(2.0))
    shortest = 0.0
    for number in range(MOST_STEPS):
        chances = _chances(margins)  # probabilities of the opposite order of each pair
        gradient = regularisation * weights - _by_columns(rows, times * chances, size)
        curvature = times * chances * (1.0 - chances)
        diagonal = regularisation + _by_columns(rows, curvature, size, True)
        with np.errstate(over="ignore", invalid="ignore"):
            length = sqrt(_dot(gradient, gradient / diagonal))
        if number == 0:
            if not (length < inf and np.isfinite(diagonal).all() and (length or not gradient.any())):
                raise FeatureError("the squares of the features are beyond the range of numbers; scale the features")
            shortest = PRECISION * length
        if not shortest < length < inf:
            break
        closeness = min(0.1, sqrt(length * PRECISION / shortest))
        step, change = _newton_step(rows, gradient, curvature, diagonal, regularisation, closeness, count)
        slope = _dot(gradient, step)
        part = 1.0
        for _ in range(HALVINGS):
            there = weights + part * step
            fallen = times * _losses(margins + part * change) + regularisation / 2 * _dot(there, there)
            if fallen <= loss + 1e-4 * part * slope:
                break
            part /= 2
        else:
            break  # converged up to rounding
        weights, margins, loss = there, margins + part * change, fallen
    return weights


def _newton_step(
    rows: Any,
    gradient: Floats,
    curvature: Floats,
    diagonal: Floats,
    regularisation: float,
    closeness: float,
    count: int,
) -> tuple[Floats, Floats]:
    """Compute a Newton step, and the change of the margins along it."""
    step, change = np.zeros(len(gradient)), np.zeros(count)
    rest = -gradient
    scaled = rest / diagonal
    direction = scaled.copy()
    product = _dot(rest, scaled)
    enough = closeness**2 * product
    for _ in range(MOST_PRODUCTS):
        look()
        moved = np.empty(count)
        rows.weigh(direction, moved)
        bent = regularisation * direction + _by_columns(rows, curvature * moved, len(direction))
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


def _by_columns(rows: Any, shares: Floats, size: int, squared: bool = False) -> Floats:
    sums = np.empty(size)
    rows.add_weighted(shares, sums, squared)
    return sums


def _chances(margins: Floats) -> Floats:
    """Compute 1 / (1 + exp(margin)) without overflow."""
    small = np.exp(-np.abs(margins))
    return np.where(margins > 0, small, 1.0) / (1.0 + small)


def _losses(margins: Floats) -> float:
    return float((np.log1p(np.exp(-np.abs(margins))) + np.maximum(-margins, 0.0)).sum())


def _dot(one: Floats, other: Floats) -> float:
    """Dot product in a fixed order, because the result of BLAS may depend on its number of threads."""
    return float((one * other).sum())
