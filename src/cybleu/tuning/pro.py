"""Pairwise ranked optimisation (PRO, Hopkins and May 2011): tuning as the classification of pairs of hypotheses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from math import inf, log, sqrt
from typing import Any

from numpy.typing import NDArray

from .._runtime.arrays import Floats, Integers, bincount, np
from .._runtime.numbers import as_number, check_samples, check_whole
from ..errors import ArrayValueError, FeatureError, WeightsError
from ..nbest import NBest, SparseFeatures
from ..nbest.features import Weights, owners_of, rows_of, weighed
from .problem import Metric, Problem, check_finite
from .results import Tuned

Features = Floats | SparseFeatures

# The smallest difference of a pair, as a share of the metric's scale: Hopkins and May's.
MINIMUM = 0.05

# Of the logistic regression.
MOST_STEPS = 200
MOST_PRODUCTS = 500  # limit of products with the Hessian in one step
PRECISION = 1e-11  # of the gradient, relative to that at 0
PARTS = tuple(0.5**number for number in range(60))  # of a step


@dataclass(frozen=True, kw_only=True)
class Pro(Tuned):
    """The result of :func:`pro`.

    :param weights: the weights by name, with sparse features after the dense ones
    :param score: the score of these weights, on the scale of the metric; `start_score` is that of the start
    :param pairs: how many pairs the weights were trained on
    :param scale: the score of a perfect match, or None if it is not known; if it is known, ``print`` shows scores from
        0 to 100
    :param metric: the name of the metric

    >>> nbest = NBest([0, 2], [[0.0, 2.0], [1.0, 0.0]], [[1.0], [0.0]], ["a", "b"])
    >>> result = pro(nbest, [1.0, 0.0], samples=10)
    >>> result.start_score, result.score, result.weights["a"] < 0 < result.weights["b"]
    (0.0, 1.0, True)
    """

    pairs: int


def pro(
    nbest: NBest,
    start: Weights | None = None,
    samples: int = 5000,
    keep: int = 50,
    minimum: float | None = None,
    *,
    regularisation: float = 1.0,
    interpolation: float = 1.0,
    metric: Metric = None,
    seed: int = 0,
) -> Pro:
    """Tune weights by pairwise ranked optimisation (PRO, Hopkins and May 2011).

    The pairs of :func:`pro_pairs` train a logistic regression without intercept. Its unique weights w minimise

    ``sum(log(1 + exp(-y * (X @ w)))) + regularisation / 2 * (w @ w)``

    scikit-learn's ``LogisticRegression(C=1 / regularisation, fit_intercept=False)`` approximates the same weights. They
    do not depend on the start, and may score lower than the start.

    :param nbest: a list of which at least one segment has a hypothesis
    :param start: the start weights, see :func:`kbmira`. They give `start_score`, and `interpolation` mixes them in
    :param regularisation: the factor of the squares of the weights, above 0
    :param interpolation: the share of the new weights in the result, above 0 and at most 1; the start weights have the
        rest. Hopkins and May use 0.1 in a loop
    :return: the weights by name, their score and the start score, on the scale of the metric
    :raises WeightsError: no pair differs enough
    :raises CybleuError: the list has no hypothesis, or the weights are not finite or do not match the features

    The other parameters are those of :func:`pro_pairs`.

    >>> nbest = NBest([0, 2, 4], [[0.0, 2.0], [1.0, 0.0], [0.0, 0.0], [3.0, 1.0]], [[1.0], [0.0], [0.0], [1.0]], ["a", "b"])
    >>> print(str(pro(nbest, [1.0, -1.0])).partition("\\n")[0])
    1 -> 2
    """
    for name, number in (("regularisation", regularisation), ("interpolation", interpolation)):
        if not 0 < as_number(number) < inf:
            raise WeightsError(f"{name} is {number!r}; it must be a finite number above 0")
    if interpolation > 1:
        raise WeightsError(f"interpolation is {interpolation!r}; it must be at most 1")
    problem = Problem(nbest, metric)
    before = problem.start(start)
    better, worse = _pairs(problem, samples, keep, minimum, seed)
    if not len(better):
        raise WeightsError("no pair of hypotheses differs enough to learn from; use a smaller minimum")
    found = _logistic_weights(_feature_differences(problem, better, worse), regularisation)
    weights = interpolation * found + (1 - interpolation) * before
    check_finite(weights)
    score = problem.point(weights).merit[0]
    start_score = problem.point(before).merit[0]
    return Pro(**problem.tuned(weights, score, start_score), pairs=len(better))


def pro_pairs(
    nbest: NBest,
    samples: int = 5000,
    keep: int = 50,
    minimum: float | None = None,
    *,
    metric: Metric = None,
    seed: int = 0,
) -> tuple[NDArray[np.float64] | SparseFeatures, NDArray[np.int64]]:
    """Sample the pairs of hypotheses that :func:`pro` learns from, for your own classifier.

    From each segment, `samples` pairs are drawn. Among the pairs whose scores differ by at least `minimum`, the `keep`
    pairs with the largest differences are taken, each in both directions. The coefficients of a linear classifier
    without intercept are the weights.

    :param nbest: a list of which at least one segment has a hypothesis
    :param samples: the number of pairs drawn from each segment, at most 100,000,000, at about 50 bytes of memory each
    :param keep: the maximum number of pairs taken from each segment
    :param minimum: the minimum difference of a pair, on the scale of the metric; by default a twentieth of the scale,
        or 0.05 if the scale is not known
    :param metric: see :func:`cybleu.tuning.line_search`; it scores single sentences as the tool does, also in a
        mixture. Outside a mixture, ``moses`` without smoothing adds 1 to each count
    :param seed: the seed of the draw, at least 0
    :return: `X`, the differences of the features, float64 `(pairs, F)`, and `y`, 1 or -1, int64 `(pairs,)`. For a list
        with sparse features, `X` is a :class:`cybleu.nbest.SparseFeatures` of all features, sparse ones after the dense
        ones; its method `to_scipy` returns an array that scikit-learn accepts. If no pair differs enough, `X` is empty
    :raises EmptyCorpusError: the list has no hypothesis

    >>> nbest = NBest([0, 2], [[0.0, 2.0], [1.0, 0.0]], [[1.0], [0.0]])
    >>> X, y = pro_pairs(nbest, samples=10, keep=1)
    >>> X.tolist(), y.tolist()
    ([[-1.0, 2.0], [1.0, -2.0]], [1, -1])
    """
    problem = Problem(nbest, metric)
    better, worse = _pairs(problem, samples, keep, minimum, seed)
    ones = np.stack([better, worse], axis=1).ravel()
    others = np.stack([worse, better], axis=1).ravel()
    return _feature_differences(problem, ones, others), np.tile(np.array([1, -1]), len(better))


def _pairs(problem: Problem, samples: int, keep: int, minimum: float | None, seed: int) -> tuple[Integers, Integers]:
    """Sample pairs, and return the better and the worse hypothesis of each."""
    check_samples(samples, seed)
    keep = check_whole(keep, "keep", 1, error=ArrayValueError)
    if minimum is None:
        minimum = MINIMUM * (problem.objective.scale or 1.0)
    if not as_number(minimum) >= 0:
        raise ArrayValueError(f"minimum is {minimum!r}; it must be a number from 0")
    values = problem.sentence_scores()
    found = []
    for place, (first, last) in enumerate(pairwise(problem.axes.offsets.tolist())):
        # one generator for each segment, so that other segments do not change its pairs
        drawn = np.random.default_rng([seed, place]).integers(first, last, (2, samples))
        found.append(_largest(drawn, values, keep, minimum))
    better, worse = np.concatenate(found, axis=1)
    return better, worse


def _largest(pairs: Integers, values: Floats, keep: int, minimum: float) -> Integers:
    """Select the pairs that differ most, `(2, at most keep)`, the better hypothesis first, the earlier of equal pairs."""
    differences = values[pairs[0]] - values[pairs[1]]
    sizes = np.abs(differences)
    enough = np.flatnonzero((sizes >= minimum) & (sizes > 0))
    if len(enough) > keep:  # which makes sorting faster
        enough = enough[sizes[enough] >= np.partition(sizes[enough], -keep)[-keep]]
    taken = enough[np.argsort(-sizes[enough], kind="stable")][:keep]
    # the better hypothesis first
    return np.where(differences[taken] > 0, pairs[:, taken], pairs[::-1, taken])


def _feature_differences(problem: Problem, ones: Integers, others: Integers) -> Floats | SparseFeatures:
    """Subtract the features of some hypotheses from those of others; sparse ones follow the dense ones."""
    nbest = problem.nbest
    dense = nbest.features[ones] - nbest.features[others]
    if nbest.sparse is None:
        return dense
    names = nbest.all_names
    size = len(names)
    width = len(nbest.names)
    rows, columns = np.nonzero(dense)
    parts = [(rows * size + columns, dense[rows, columns])]
    for part, sign in ((nbest.sparse.rows(ones), 1), (nbest.sparse.rows(others), -1)):
        parts.append((owners_of(part.indptr) * size + width + part.columns, sign * part.values))
    keys, values = map(np.concatenate, zip(*parts))
    order = keys.argsort(kind="stable")  # fast, because each part is sorted
    keys = keys[order]
    values = values[order]
    both = np.flatnonzero(keys[1:] == keys[:-1])  # sparse features that both hypotheses have
    values[both] += values[both + 1]
    values[both + 1] = 0.0
    # without features in which the hypotheses do not differ
    keys = keys[values != 0]
    values = values[values != 0]
    indptr = np.searchsorted(keys, np.arange(len(dense) + 1, dtype=np.int64) * size).astype(np.int64)
    return SparseFeatures(indptr, keys % size, values, names)


# ---------------------------------------------------------- logistic regression without intercept, with L2 regularisation


def _matrices(X: Features) -> tuple[int, int, Any, Any, Any]:
    """Return the shape of X, and X, its transpose and the squares of the transpose in the form of the backend.

    Their products have a fixed order: results of BLAS may depend on its number of threads.
    """
    if isinstance(X, np.ndarray):
        columns = np.ascontiguousarray(X.T)
        return *X.shape, rows_of(X, None), rows_of(columns, None), rows_of(columns**2, None)
    count = len(X.indptr) - 1
    size = len(X.names)
    order = X.columns.astype(np.min_scalar_type(size)).argsort(kind="stable")
    ends = np.append(0, np.cumsum(bincount(X.columns, minlength=size)))
    transposed = SparseFeatures(ends, owners_of(X.indptr)[order], X.values[order], ("",) * count)
    squares = transposed._replace(values=transposed.values**2)
    none = np.zeros((size, 0))
    return count, size, rows_of(np.zeros((count, 0)), X), rows_of(none, transposed), rows_of(none, squares)


def _logistic_weights(differences: Features, regularisation: float) -> Floats:
    """Find the unique w that minimises ``2 * sum(log(1 + exp(-X @ w))) + regularisation / 2 * (w @ w)``.

    This is an inexact Newton method: each step is computed by conjugate gradients with the diagonal as preconditioner
    (Nocedal and Wright 2006, section 7.1), and halved until the sum falls.

    :param differences: X
    :raises FeatureError: the squares of the features are too large or too small
    """
    with np.errstate(over="ignore", under="ignore"):
        count, size, X, transposed, squares = _matrices(differences)
    weights = np.zeros(size)
    margins = np.zeros(count)
    loss = 2 * count * log(2.0)
    shortest = -1.0
    for _ in range(MOST_STEPS):
        # probabilities of the opposite order of each pair, 1 / (1 + exp(margin)) without overflow
        small = np.exp(-np.abs(margins))
        chances = np.where(margins > 0, small, 1.0) / (1.0 + small)
        gradient = regularisation * weights - weighed(transposed, 2 * chances, size)
        curvature = 2 * chances * (1.0 - chances)
        diagonal = regularisation + weighed(squares, curvature, size)
        with np.errstate(over="ignore", invalid="ignore"):
            length = sqrt(_dot(gradient, gradient / diagonal))
        # in the first step, from weights of 0
        if shortest < 0:
            if not (length < inf and np.isfinite(diagonal).all() and (length or not gradient.any())):
                raise FeatureError("the squares of the features are beyond the range of numbers; scale the features")
            shortest = PRECISION * length
        if not shortest < length < inf:
            break

        def hessian(vector: Floats, curvature: Floats = curvature) -> Floats:
            return regularisation * vector + weighed(transposed, curvature * weighed(X, vector, count), size)

        # closer as the weights come near, so that the steps converge faster than linearly
        closeness = min(0.1, sqrt(length * PRECISION / shortest))
        step = _solution(hessian, -gradient, diagonal, closeness)
        change = weighed(X, step, count)
        slope = _dot(gradient, step)
        for part in PARTS:
            there = weights + part * step
            apart = margins + part * change
            fallen = 2 * float(np.logaddexp(0.0, -apart).sum()) + regularisation / 2 * _dot(there, there)
            if fallen <= loss + 1e-4 * part * slope:
                break
        else:
            break  # converged up to rounding
        weights = there
        margins = apart
        loss = fallen
    return weights


def _solution(
    matrix: Callable[[Floats], Floats],
    wanted: Floats,
    diagonal: Floats,
    closeness: float,
) -> Floats:
    """Solve ``matrix(x) = wanted`` by conjugate gradients, until the error is `closeness` of that of 0."""
    solution = np.zeros(len(wanted))
    rest = wanted
    direction = scaled = rest / diagonal
    product = _dot(rest, scaled)
    enough = closeness**2 * product
    for _ in range(MOST_PRODUCTS):
        bent = matrix(direction)
        part = product / _dot(direction, bent)
        solution += part * direction
        rest = rest - part * bent
        scaled = rest / diagonal
        before = product
        product = _dot(rest, scaled)
        if product <= enough:
            break
        direction = scaled + product / before * direction
    return solution


def _dot(one: Floats, other: Floats) -> float:
    """Dot product in a fixed order."""
    return float((one * other).sum())
