"""Train weights for reranking by the perceptron of Shen and Joshi (2005), "Ranking and reranking with perceptron"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ulp
from random import Random
from typing import Any, NamedTuple

from .._files.text import shown
from .._runtime.arrays import Floats, Integers, NDArray, bincount, first_not_finite, np
from .._runtime.numbers import MOST_REPEATS, as_number, check_whole
from .._runtime.parallel import bar
from ..errors import ArrayValueError, FeatureError
from ..metrics import Metric, Variant
from ..metrics.combined import Accuracy
from ..nbest import NBest, SparseFeatures
from ..nbest.container import check_nbest
from ..nbest.features import deviations_within, no_features, owners_of
from .oracle import oracle
from .selection import Selection, linear, metric_of


@dataclass(frozen=True, eq=False)
class Perceptron:
    """Trained weights, with their cross-validated score.

    :param weights: the weights by name, for :func:`cybleu.rerank.linear`
    :param epochs: the number of training passes over all segments
    :param held_out: for each segment the hypothesis chosen by the weights that were trained on the other folds
    :param score: corpus BLEU of `held_out`, on the scale of the tool
    :param fold_scores: corpus BLEU of each fold
    :param epoch_scores: `score` after each number of epochs. The number of epochs with the best score is used; on a
        tie, the smallest. So `score` is slightly higher than on new data

    >>> from cybleu.rerank import linear
    >>> hypotheses = [["a b", "a c"], ["d e", "d f"]]
    >>> features = [[1.0], [0.0], [2.0], [0.0]]
    >>> nbest = NBest.from_texts(hypotheses, [["a b"], ["d e"]], features, ["lm"], tokenize=str.split)
    >>> trained = perceptron(nbest, folds=2)
    >>> trained.epochs, linear(nbest, trained.weights).texts
    (1, ['a b', 'd e'])
    """

    weights: dict[str, float]
    epochs: int
    held_out: Selection[str]
    score: float
    fold_scores: list[float]
    epoch_scores: list[float]


def perceptron(
    nbest: NBest,
    *,
    good: float = 0.1,
    bad: float = 0.5,
    margin: float = 1.0,
    epochs: int = 10,
    folds: int = 5,
    seed: int = 0,
    metric: str | Metric | Variant | None = None,
    progress: bool = False,
    **options: Any,
) -> Perceptron:
    """Train weights that rank the good hypotheses of each segment above the bad ones (Shen and Joshi 2005).

    This is the splitting perceptron with averaged weights. The hypotheses of a segment are ranked by sentence BLEU.
    Each good hypothesis is paired with each bad hypothesis whose BLEU differs. A pair is an error if the weighted sum
    of the better hypothesis does not exceed the sum of the other one by the margin. After each segment, the mean
    feature difference of these pairs is added to the weights. The result is the average of the weights after all
    segments. Features are first divided by their standard deviation within segments, so their scales do not matter. A
    feature that is constant in each segment gets the weight 0.

    Cross-validation selects the number of epochs.

    :param nbest: a list with the statistics of the metric, and with features. The memory for sparse features grows with
        the number of values that are not 0
    :param good: the share of a segment's hypotheses that count as good; at least one hypothesis
    :param bad: the share of a segment's hypotheses that count as bad; at least one hypothesis
    :param margin: the margin between good and bad hypotheses, in units of the divided features
    :param epochs: the maximum number of epochs; 1,000,000 or fewer
    :param folds: the number of folds of the cross-validation, at most one for each segment with hypotheses
    :param seed: the seed of the folds and the order of the segments; the same seed gives the same result
    :param metric: the metric, in any form that :func:`cybleu.metrics.find` accepts, by default the metric of the list,
        otherwise ``sacrebleu``
    :param progress: show a progress bar (requires tqdm)
    :param options: options of :class:`cybleu.metrics.Bleu`
    :return: the weights by name, and their BLEU in cross-validation, on the scale of the tool
    :raises FeatureError: there is no feature, or one differs so little that its weight is too large for a float
    :raises StatisticsError: the statistics are not those of BLEU

    >>> texts = [["a b c d", "a b x y"], ["e f g h", "e x y z"], ["i j k l", "i j k x"], ["m n o p", "x y z"]]
    >>> features = [[0.0, 2.0], [0.0, 1.0], [1.0, 3.0], [0.0, 1.0], [0.5, 1.0], [0.5, 0.5], [0.0, 2.0], [0.0, 0.0]]
    >>> references = [["a b c d"], ["e f g h"], ["i j k l"], ["m n o p"]]
    >>> nbest = NBest.from_texts(texts, references, features, ["lm", "words"], tokenize=str.split)
    >>> trained = perceptron(nbest, folds=2)
    >>> trained.held_out.rows, round(trained.score, 1)
    (array([0, 2, 4, 6]), 100.0)
    """
    check_nbest(nbest)
    for name, share in (("good", good), ("bad", bad)):
        if not 0 < as_number(share) <= 1:
            raise ArrayValueError(f"{name} is {share!r}; it must be a share above 0, at most 1")
    if not 0 <= as_number(margin) < np.inf:
        raise ArrayValueError(f"margin is {margin!r}; it must be a finite number from 0")
    check_whole(epochs, "epochs", 1, MOST_REPEATS, error=ArrayValueError)
    random = Random(check_whole(seed, "seed", 0, error=ArrayValueError))
    names = nbest.all_names
    if not names:
        raise FeatureError("the list has no feature, so there is nothing to train")
    found = metric_of(nbest, metric, options)
    if not found.higher_is_better:
        found = Accuracy(found)
    filled = np.flatnonzero(np.diff(nbest.offsets)).tolist()
    if len(filled) < 2:
        raise ArrayValueError(f"folds require at least 2 segments with hypotheses, but there are {len(filled)}")
    check_whole(folds, "folds", 2, len(filled), error=ArrayValueError)
    sentence_scores = oracle(nbest, "sentence", found).scores
    scales = _scales(nbest)

    def example(segment: int) -> _Example:
        rows = np.arange(nbest.offsets[segment], nbest.offsets[segment + 1], dtype=np.int64)
        ranked = rows[np.argsort(-sentence_scores[rows], kind="stable")]
        first = ranked[: max(1, round(good * len(rows)))]
        last = ranked[len(rows) - max(1, round(bad * len(rows))) :]
        better = sentence_scores[first][:, None] > sentence_scores[last]
        return _Example(_Rows(nbest, first, scales), _Rows(nbest, last, scales), better)

    examples = {segment: example(segment) for segment in filled}
    width = len(nbest.names)
    shuffled = filled.copy()
    random.shuffle(shuffled)
    # of almost equal sizes
    parts = [sorted(shuffled[fold::folds]) for fold in range(folds)]
    rows = np.full((epochs, len(nbest)), -1, dtype=np.int64)  # chosen after each epoch by the weights of other folds
    with bar((folds + 1) * epochs, progress, " epochs") as advance:
        # a generator for each fold, so that the order of its segments does not depend on other folds
        for fold, part in enumerate(parts):
            others = [examples[segment] for segment in sorted({*filled}.difference(part))]
            of_epochs = _train(others, len(names), width, margin, epochs, Random(f"{seed} {fold}"))
            for epoch, weights in enumerate(of_epochs):
                rows[epoch, part] = linear(nbest, _of_features(weights, scales, names)).rows[part]
                advance(1)
        scores = [found.score(nbest.stats[chosen[filled]]).score for chosen in rows]
        # the first of equal ones: fewer epochs
        best = scores.index(max(scores))
        every = [examples[segment] for segment in filled]
        for final in _train(every, len(names), width, margin, best + 1, Random(f"{seed} all")):  # noqa: B007
            advance(1)
    held_out: Selection[str] = Selection(nbest.offsets, rows[best], np.full(len(sentence_scores), np.nan), nbest)
    of_folds = [found.score(nbest.stats[rows[best, part]]).score for part in parts]
    trained = dict(zip(names, _of_features(final, scales, names)))
    return Perceptron(trained, best + 1, held_out, scores[best], of_folds, scores)


class _Rows:
    """Features of hypotheses, divided by the scales.

    :ivar columns: the sparse features that any of them has, ascending
    """

    def __init__(self, nbest: NBest, rows: Integers, scales: Floats):
        width = len(nbest.names)
        # divided once, because each epoch multiplies them; a scale of inf makes a constant feature 0
        self._dense = nbest.features[rows] / scales[:width]
        self._width = width
        sparse = nbest.sparse.rows(rows) if nbest.sparse else no_features(len(rows))
        # for each sparse number its hypothesis, and the place of its feature in `columns`
        self._owners = owners_of(sparse.indptr)
        self.columns, self._places = np.unique(sparse.columns, return_inverse=True)
        self._numbers = sparse.values / scales[width + sparse.columns]

    def values(self, weights: Floats) -> Floats:
        """Return the weighted sum of each row."""
        values: Floats = self._dense @ weights[: self._width]
        if len(self.columns):
            terms = self._numbers * weights[self._width + self.columns][self._places]
            values = values + bincount(self._owners, terms, len(values))
        return values

    def sum(self, shares: Integers) -> tuple[Floats, Floats]:
        """Sum the rows, multiplied by `shares`: the dense features, and the sparse ones of `columns`."""
        dense: Floats = (shares @ self._dense).astype(np.float64)
        if not len(self.columns):
            return dense, np.zeros(0)
        sparse: Any = bincount(self._places, self._numbers * shares[self._owners], len(self.columns))
        return dense, sparse


class _Example(NamedTuple):
    """The good and the bad hypotheses of a segment, and in which pairs the good one has the better BLEU."""

    good: _Rows
    bad: _Rows
    pairs: NDArray[np.bool_]


SMALLEST = ulp(0.0)  # lower bound of the deviation of a feature that varies, so that it does not count as constant


def _scales(nbest: NBest) -> Floats:
    """Standard deviation of each feature within segments; inf where the feature is constant in each segment."""
    axes = nbest.axes
    deviations, largest = deviations_within(nbest.features, axes.offsets)
    varies = axes.spreads(nbest.features / largest).any(axis=0)
    # a feature that varies may have a deviation that is rounded to 0
    scales: Floats = np.where(varies, np.maximum(deviations * largest, SMALLEST), np.inf)
    return scales if nbest.sparse is None else np.concatenate([scales, _sparse_scales(nbest, nbest.sparse)])


def _sparse_scales(nbest: NBest, sparse: SparseFeatures) -> Floats:
    """Standard deviation of each sparse feature within segments, computed from its values that are not 0."""
    count = len(sparse.names)
    largest = np.full(count, np.finfo(np.float64).tiny)
    np.maximum.at(largest, sparse.columns, np.abs(sparse.values))
    # so that no square overflows
    numbers = sparse.values / largest[sparse.columns]
    segments = owners_of(nbest.offsets)[owners_of(sparse.indptr)]
    # a group has the numbers of a feature in a segment
    groups, first, group_of = np.unique(segments * count + sparse.columns, return_index=True, return_inverse=True)
    of_segment = np.diff(nbest.offsets)[groups // count]
    present = bincount(group_of, minlength=len(groups))
    means = bincount(group_of, numbers, len(groups)) / of_segment
    squares = bincount(group_of, (numbers - means[group_of]) ** 2, len(groups))
    # hypotheses of the segment that do not have the feature, whose value is 0
    squares += (of_segment - present) * means**2
    # groups in which not all values are equal
    one = np.where(present < of_segment, 0.0, numbers[first])
    varying = np.unique(group_of[numbers != one[group_of]])
    columns = groups[varying] % count
    scales: Floats = np.sqrt(bincount(columns, squares[varying], count) / len(nbest.features)) * largest
    varies = bincount(columns, minlength=count) > 0
    return np.where(varies, np.maximum(scales, SMALLEST), np.inf)


def _of_features(weights: Floats, scales: Floats, names: Sequence[str]) -> list[float]:
    """Convert weights of the divided features to weights of the original features."""
    with np.errstate(over="ignore"):
        found: Floats = weights / scales
    if (place := first_not_finite(found)) is not None:
        raise FeatureError(
            f"the weight of {shown(names[place])} is too large for a float, because the standard deviation of the "
            f"feature within segments is {scales[place]:g}; multiply it by a large number"
        )
    numbers: list[float] = found.tolist()
    return numbers


def _train(
    examples: list[_Example], size: int, width: int, margin: float, epochs: int, random: Random
) -> Iterator[Floats]:
    """Yield the average of the weights after each epoch.

    :param size: the number of weights; the first `width` belong to dense features
    """
    weights = np.zeros(size)
    total = np.zeros(width)
    # The average of sparse weights is weights - lag / updates, so that an update only touches the features that change.
    lag = np.zeros(size - width)
    order = list(range(len(examples)))
    updates = 0
    for _ in range(epochs):
        random.shuffle(order)
        for place in order:
            good, bad, pairs = examples[place]
            wrong = pairs & (good.values(weights)[:, None] < bad.values(weights) + margin)
            # each hypothesis counts once for each of its wrong pairs
            up, sparse_up = good.sum(wrong.sum(axis=1))
            down, sparse_down = bad.sum(wrong.sum(axis=0))
            weights[:width] += (up - down) / wrong.size
            for columns, change in ((good.columns, sparse_up), (bad.columns, -sparse_down)):
                weights[width + columns] += change / wrong.size
                lag[columns] += updates * (change / wrong.size)
            total += weights[:width]
            updates += 1
        yield np.concatenate([total / updates, weights[width:] - lag / updates])
