"""Objective of tuners: the score of a sum of statistics."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from math import isnan
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import index, np
from ..errors import StatisticsError
from ..metrics import Metric as MetricType
from ..metrics import find

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..metrics import Variant
    from ..nbest import NBest

    Metric = str | Variant | MetricType | Callable[[NDArray[Any]], float] | None


class Objective:
    """Objective function of a sum of statistics.

    :ivar stats: the rows to sum, which may differ from those of the list: NLTK's BLEU counts an order that a segment
        is too short for as one n-gram
    :ivar metric: None if only a function of the sum is known
    :ivar plateau: a second objective, which ranks sums that score 0
    """

    def __init__(self, nbest: NBest, metric: Metric):
        stats: NDArray[Any] = nbest.stats
        self.stats = stats
        self.metric: MetricType | None = None
        self.plateau: Objective | None = None
        self.scale: float | None = None  # the score of a perfect match, if known
        chosen = nbest.score if metric is None else metric
        if callable(chosen):
            self.name = getattr(chosen, "__name__", "score")
            self.function: Callable[[Any], float] = chosen
        elif stats.dtype == np.float64 and chosen is not None and (scored := find(chosen).maximised).dtype == "float64":
            self.metric = scored
            self.name, self.scale = scored.name, scored.scale
            self.function = lambda row: scored.evaluate(row.tolist())
        elif stats.dtype == np.float64:
            if metric is not None or stats.shape[1] != 1:
                raise StatisticsError(
                    f"the statistics are {stats.shape[1]} float columns, which are not BLEU's; give a function of "
                    "their sum as metric"
                )
            self.name = "sum"
            self.function = _only
        else:
            found = find(chosen, default="moses").maximised
            self._fill(found)
            if (smoothed := found.plateau) is not None:
                self.plateau = copy(self)
                self.plateau._fill(smoothed)

    def _fill(self, metric: MetricType) -> None:
        self.name, self.scale = metric.name, metric.scale
        metric.check_width(self.stats.shape[1])
        self.stats, self.metric = metric.summable(self.stats), metric
        self.function = lambda row: metric.score_of(row.tolist())

    def sum_of(self, chosen: NDArray[np.int64]) -> NDArray[Any]:
        """Sum the rows of the chosen hypotheses.

        :param chosen: the index of one hypothesis for each segment
        """
        return summed(self.stats, chosen)

    def score(self, row: NDArray[Any]) -> float:
        number = float(self.function(row))
        if isnan(number):
            raise StatisticsError(f"the metric {self.name} gave nan for the sum {row.tolist()}")
        return number

    def scores(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        if self.metric is None:
            return np.array([self.score(row) for row in rows])
        return self.metric.scores_of(rows)

    def merit(self, row: NDArray[Any]) -> tuple[float, float]:
        """Return the score and, where it is 0, a smoothed score, so that a search can leave a plateau."""
        score = self.score(row)
        return score, self.plateau.score(row) if self.plateau and score == 0 else 0.0


def summed(stats: NDArray[Any], chosen: NDArray[np.int64]) -> NDArray[Any]:
    """Sum rows, at most one for each segment."""
    rows = stats.take(index(chosen), axis=0)
    # for integers einsum takes a third of the time; for floats it would sum in another order
    total: NDArray[Any] = np.einsum("ij->j", rows) if rows.dtype == np.int64 else rows.sum(axis=0)
    return total


def _only(row: NDArray[Any]) -> float:
    return float(row[0])
