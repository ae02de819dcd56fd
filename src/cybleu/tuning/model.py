"""N-best lists with all their features, dense and sparse, and the score of weights for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _backend
from .._runtime.arrays import first_not_finite, np
from ..errors import EmptyCorpusError, FeatureError, StatisticsError, WeightsError
from ..nbest.container import check_nbest
from .objective import Objective
from .space import weights_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..nbest import NBest
    from .objective import Metric
    from .space import Weights


class Model:
    """Lists with a metric. A vector of weights has those of the dense features first.

    :ivar names: of all features
    :ivar rows: the features, as the backend takes them
    :ivar segments: those that have hypotheses
    :ivar offsets: where the hypotheses of these begin, and the end
    """

    def __init__(self, nbest: NBest, metric: Metric):
        check_nbest(nbest)
        self.segments = np.flatnonzero(np.diff(nbest.offsets) > 0)
        if not len(self.segments):
            raise EmptyCorpusError("no segment has a hypothesis, so there is nothing to tune on")
        self.dense_names = nbest.names
        self.sparse_names = () if nbest.sparse is None else nbest.sparse.names
        if not self.dense_names and not self.sparse_names:
            raise FeatureError("the hypotheses have no features, so there is nothing to weigh")
        self.nbest = nbest
        self.objective = Objective(nbest, metric)
        self.offsets = np.append(nbest.offsets[:-1][self.segments], nbest.offsets[-1])
        self.rows = rows_of(nbest)

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.dense_names, *self.sparse_names)

    def start(self, start: Weights | None) -> NDArray[np.float64]:
        """The weights to start from: by default 1 for dense features and 0 for sparse ones."""
        if start is None:
            return np.repeat([1.0, 0.0], [len(self.dense_names), len(self.sparse_names)])
        return weights_of(self.dense_names, start, "start", self.sparse_names)

    def chosen(self, weights: NDArray[np.float64]) -> NDArray[np.int64]:
        """The row of the best hypothesis of each segment that has any."""
        rows = np.empty(len(self.segments), dtype=np.int64)
        if not self.rows.winners(self.offsets, weights, rows):
            raise WeightsError("these weights times the features are more than a float can hold; scale the features")
        return rows

    def row_of(self, weights: NDArray[np.float64]) -> NDArray[Any]:
        """The sum of the statistics of what these weights choose."""
        return self.objective.sum_of(self.chosen(weights))

    def score(self, weights: NDArray[np.float64]) -> float:
        return self.objective.score(self.row_of(weights))

    def merit(self, weights: NDArray[np.float64]) -> tuple[float, float]:
        """The score, and what tells weights apart where that is 0."""
        return self.objective.merit(self.row_of(weights))

    def by_name(self, weights: NDArray[np.float64]) -> dict[str, float]:
        return dict(zip(self.names, weights.tolist()))


def rows_of(nbest: NBest) -> Any:
    """The features of a list as the backend takes them."""
    sparse = nbest.sparse
    if sparse is None:
        return _backend.chosen.FeatureRows(nbest.features)
    parts = sparse.indptr, sparse.columns, sparse.values
    return _backend.chosen.FeatureRows(nbest.features, *parts, len(sparse.names))


def single_scores(model: Model) -> NDArray[np.float64]:
    """What a metric that is not BLEU says of each hypothesis.

    :raises StatisticsError: something that is not finite
    """
    objective = model.objective
    scores = objective.scores(objective.stats)
    if (place := first_not_finite(scores)) is not None:
        row = objective.stats[place].tolist()
        raise StatisticsError(f"the metric {objective.name} gave {scores[place]} for the row {row}; it must be finite")
    return scores


def check_finite(weights: NDArray[np.float64]) -> None:
    if not np.isfinite(weights).all():
        raise WeightsError("the weights grew beyond what a float can hold; scale the features, or give a smaller step")
