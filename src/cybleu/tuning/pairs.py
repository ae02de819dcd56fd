"""Tuning by pairs of hypotheses, for models with more features than a line search can weigh: batch MIRA and PRO.

Both take the lists of :mod:`cybleu.nbest`, sparse features included, and want hypotheses scored one by one: BLEU is smoothed
for that, and any other metric is asked for the score of each row of statistics.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

from .. import _backend
from .._runtime.arrays import np
from ..errors import ArrayValueError, EmptyCorpusError, FeatureError, WeightsError
from ..metrics import Bleu, find, scores
from ..nbest import NBest
from .objective import Objective
from .results import rise
from .space import weights_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .objective import Metric
    from .space import Weights

__all__ = ["Mira", "kbmira", "pro_pairs"]


@dataclass(frozen=True)
class Mira:
    """The result of :func:`kbmira`.

    :param weights: by name, sparse features after the others
    :param score: of these weights; that of the start is `start_score`
    :param scores: after each pass, of the average of all weights so far
    :param scale: of the scores, that of a perfect match; None where it is not known. ``print`` shows scores from 0 to 100

    >>> nbest = NBest([0, 2], [[0.0, 2.0], [1.0, 0.0]], [[1.0], [0.0]], ["a", "b"])
    >>> result = kbmira(nbest, [1.0, 0.0], iterations=3, step=1.0)
    >>> result.start_score, result.score, len(result.scores)
    (0.0, 1.0, 3)
    """

    weights: dict[str, float]
    score: float
    start_score: float
    scores: tuple[float, ...]
    scale: float | None = None

    def __str__(self) -> str:
        lines = [f"{name} {weight!r}" for name, weight in self.weights.items()]
        return "\n".join([rise(self.start_score, self.score, self.scale), *lines])


class _Model:
    """Values of hypotheses by dense and sparse weights in one vector."""

    def __init__(self, nbest: NBest, metric: Metric):
        self.nbest = nbest
        self.segments = np.flatnonzero(np.diff(nbest.offsets) > 0)
        if not len(self.segments):
            raise EmptyCorpusError("no segment has a hypothesis, so there is nothing to tune on")
        self.width = len(nbest.names)
        self.names = nbest.names if nbest.sparse is None else (*nbest.names, *nbest.sparse.names)
        if not self.names:
            raise FeatureError("the hypotheses have no features, so there is nothing to weigh")
        self.objective = Objective(nbest, metric)
        self.offsets = np.append(nbest.offsets[:-1][self.segments], nbest.offsets[-1])

    def values(self, weights: NDArray[np.float64], first: int, last: int) -> NDArray[np.float64]:
        values: NDArray[np.float64] = self.nbest.features[first:last] @ weights[: self.width]
        values += self._sparse_values(weights, first, last)
        return values

    def _sparse_values(self, weights: NDArray[np.float64], first: int, last: int) -> Any:
        sparse = self.nbest.sparse
        if sparse is None:
            return 0.0
        ends = sparse.indptr[first : last + 1]
        products = sparse.values[ends[0] : ends[-1]] * weights[self.width + sparse.columns[ends[0] : ends[-1]]]
        return np.bincount(np.repeat(np.arange(last - first), np.diff(ends)), products, last - first)

    def difference(self, one: int, other: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The features in which two hypotheses differ, and by how much."""
        dense = self.nbest.features[one] - self.nbest.features[other]
        places = np.flatnonzero(dense)
        changes = dense[places]
        sparse = self.nbest.sparse
        if sparse is None:
            return places, changes
        ours = slice(sparse.indptr[one], sparse.indptr[one + 1])
        theirs = slice(sparse.indptr[other], sparse.indptr[other + 1])
        columns, inverse = np.unique(
            np.concatenate([sparse.columns[ours], sparse.columns[theirs]]), return_inverse=True
        )
        sums = np.bincount(inverse, np.concatenate([sparse.values[ours], -sparse.values[theirs]]), len(columns))
        return np.concatenate([places, self.width + columns]), np.concatenate([changes, sums])

    def score(self, weights: NDArray[np.float64]) -> float:
        """Of the corpus, the hypotheses chosen as :mod:`cybleu.tuning` does; sparse features are one sum, the last."""
        sparse = self._sparse_values(weights, 0, len(self.nbest.features))
        columns = np.empty((self.width + 1, len(self.nbest.features)))
        columns[:-1] = self.nbest.features.T
        columns[-1] = sparse
        chosen = np.empty((1, len(self.segments)), dtype=np.int64)
        _backend.chosen.winners(columns, self.offsets, np.append(weights[: self.width], 1.0).reshape(1, -1), chosen)
        return self.objective.score(self.objective.sum_of(chosen[0]))


def kbmira(
    nbest: NBest,
    start: Weights | None = None,
    iterations: int = 60,
    step: float = 0.01,
    decay: float = 0.999,
    *,
    metric: Metric = None,
    seed: int = 0,
) -> Mira:
    """Batch MIRA on n-best lists (Cherry and Foster 2012).

    Each pass takes the segments in a new order. In each it compares the hypothesis that is best by model and metric together
    with the one that the model likes and the metric does not, and moves the weights as little as makes the model's
    difference as large as the metric's. BLEU of a hypothesis is taken with a decaying sum of the statistics of chosen ones, and
    counts as many times as that has reference tokens. The result is the average after the pass that scored best.

    :param nbest: a list of which at least one segment has a hypothesis
    :param start: by name, or one for each feature, sparse ones after the others; by default all are 1
    :param iterations: passes
    :param step: the largest step (C)
    :param decay: of the sum of statistics, for each segment
    :param metric: as for :func:`cybleu.tuning.line_search`
    :param seed: of the order of segments, a whole number from 0
    :raises CybleuError: of the kind that fits: no hypothesis at all, weights that are not finite or do not fit

    >>> nbest = NBest([0, 2, 4], [[0.0, 2.0], [1.0, 0.0], [0.0, 0.0], [3.0, 1.0]], [[1.0], [0.0], [0.0], [1.0]], ["a", "b"])
    >>> kbmira(nbest).score
    2.0
    """
    if not (isfinite(step) and step > 0 and 0 <= decay <= 1):
        raise WeightsError(f"step is {step} and decay {decay}; step must be above 0, and decay from 0 to 1")
    if type(iterations) is not int or iterations < 1:
        raise WeightsError(f"iterations is {iterations!r}; it must be a whole number from 1")
    model = _Model(nbest, metric)
    weights = np.ones(len(model.names)) if start is None else weights_of(model.names, start, "start")
    gains = _Gains(model, decay)
    generator = np.random.default_rng([seed])
    best, start_score = weights.copy(), model.score(weights)
    highest, scores = start_score if weights.any() else -inf, []
    # The average is weights - lag / updates: changes are added up where they are, not for each feature each time.
    lag = np.zeros(len(weights))
    updates = 0
    for _ in range(iterations):
        for place in generator.permutation(len(model.segments)).tolist():
            first, last = int(model.offsets[place]), int(model.offsets[place + 1])
            values, metrics = model.values(weights, first, last), gains.of(first, last)
            hope, fear = int((values + metrics).argmax()), int((values - metrics).argmax())
            gains.choose(first + hope)
            columns, changes = model.difference(first + hope, first + fear)
            norm = float(changes @ changes)
            loss = float(metrics[hope] - metrics[fear]) - float(changes @ weights[columns])
            if loss > 0 and norm > 0:
                change = min(step, loss / norm) * changes
                weights[columns] += change
                lag[columns] += updates * change
            updates += 1
        average = weights - lag / updates
        if not np.isfinite(average).all():
            raise WeightsError(
                "the weights grew beyond what a float can hold; scale the features, or give a smaller step"
            )
        scores.append(model.score(average))
        if scores[-1] > highest and average.any():
            highest, best = scores[-1], average
    if not best.any():
        raise WeightsError("the weights stay 0: no hypothesis is better than another; give a start that is not 0")
    return Mira(dict(zip(model.names, best.tolist())), highest, start_score, tuple(scores), model.objective.scale)


class _Gains:
    """What the metric says of single hypotheses, on the scale of the model's values."""

    def __init__(self, model: _Model, decay: float):
        self.stats = model.objective.stats
        self.order = self.stats.shape[1] // 2 - 1
        self.decay = decay
        self.fixed: NDArray[np.float64] | None = None
        if not isinstance(model.objective.metric, Bleu):
            self.fixed = np.array([model.objective.score(row) for row in self.stats])
        # Few counts, but of each order some.
        falling = np.arange(self.order, 0, -1.0)
        self.background = np.concatenate([[falling[0]] * 2, falling, falling]) if self.fixed is None else falling

    def of(self, first: int, last: int) -> NDArray[np.float64]:
        if self.fixed is not None:
            return self.fixed[first:last]
        rows = self.background + self.stats[first:last]
        matches, totals = rows[:, 2 : 2 + self.order], rows[:, 2 + self.order :]
        penalty = np.minimum(0.0, 1.0 - rows[:, 1] / rows[:, 0])
        bleu: NDArray[np.float64] = np.exp(np.log(matches / totals).mean(axis=1) + penalty)
        gains: NDArray[np.float64] = bleu * rows[:, 1]
        return gains

    def choose(self, row: int) -> None:
        if self.fixed is None:
            self.background = self.decay * self.background + self.stats[row]


def pro_pairs(
    nbest: NBest,
    samples: int = 5000,
    keep: int = 50,
    minimum: float = 0.05,
    *,
    metric: Metric = None,
    seed: int = 0,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Pairs of hypotheses for a classifier that learns to rank them (PRO, Hopkins and May 2011).

    Of each segment `samples` pairs are drawn, and of those that differ by at least `minimum` in the metric the `keep` with
    the largest difference are taken, each in both directions. The coefficients of a linear classifier without intercept are
    the weights:

    ``LogisticRegression(fit_intercept=False).fit(X, y).coef_[0]``

    :param nbest: a list of which at least one segment has a hypothesis
    :param samples: pairs drawn of each segment
    :param keep: pairs taken of each segment, at most
    :param minimum: on the scale of the metric
    :param metric: as for :func:`cybleu.tuning.line_search`; it scores single sentences, as the tool does. By default
        `nbest.score`, else the BLEU of Moses from 0 to 1, each count plus 1
    :param seed: of the draw, a whole number from 0
    :return: `X`, the differences of the features, sparse ones after the others; and `y`, 1 or -1. No pair is an empty `X`
    :raises EmptyCorpusError: there is no hypothesis at all

    >>> nbest = NBest([0, 2], [[0.0, 2.0], [1.0, 0.0]], [[1.0], [0.0]])
    >>> X, y = pro_pairs(nbest, samples=10, keep=1)
    >>> X.tolist(), y.tolist()
    ([[-1.0, 2.0], [1.0, -2.0]], [1, -1])
    """
    for name, number in (("samples", samples), ("keep", keep)):
        if type(number) is not int or number < 1:
            raise ArrayValueError(f"{name} is {number!r}; it must be a whole number from 1")
    if not minimum >= 0:
        raise ArrayValueError(f"minimum is {minimum!r}; it must be a number from 0")
    model = _Model(nbest, metric)
    if not isinstance(model.objective.metric, Bleu):
        values = np.array([model.objective.score(row) for row in model.objective.stats])
    elif metric is None and nbest.score is None:
        values = scores(nbest.stats, "moses", smoothing="add")
    else:
        bleu = find(nbest.score if metric is None else metric).of_sentences()  # type: ignore[arg-type]
        assert isinstance(bleu, Bleu)
        of_list: Any = nbest.stats
        values = bleu.with_rules(empty_hypothesis="zero").formula(nbest.stats.shape[1]).score_rows(of_list)
    pairs: list[tuple[int, int]] = []
    for place, (first, last) in enumerate(zip(model.offsets[:-1].tolist(), model.offsets[1:].tolist())):
        generator = np.random.default_rng([seed, place])
        one, other = generator.integers(first, last, (2, samples))
        differences = values[one] - values[other]
        enough = np.flatnonzero((np.abs(differences) >= minimum) & (differences != 0))
        order = enough[np.argsort(-np.abs(differences[enough]), kind="stable")][:keep]
        for row in order.tolist():
            pair = int(one[row]), int(other[row])
            pairs.append(pair if differences[row] > 0 else pair[::-1])
    rows = np.zeros((2 * len(pairs), len(model.names)))
    for number, (better, worse) in enumerate(pairs):
        columns, changes = model.difference(better, worse)
        rows[2 * number, columns] = changes
        rows[2 * number + 1, columns] = -changes
    return rows, np.tile(np.array([1, -1]), len(pairs))
