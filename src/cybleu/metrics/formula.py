"""Scoring of sums of rows in searches. BLEU has a kernel for the search on a line; other metrics score all sums of a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _backend, _mirror
from .._mirror.search.envelope import best_first as best_first
from .._runtime.arrays import np
from .bleu import Bleu

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .base import Metric


class Formula:
    """The formula of a metric, for rows of the width that it was made for.

    :param metric: any metric
    """

    def __init__(self, metric: Metric):
        self.metric = metric

    def score_rows(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        """Score each row."""
        return self.metric.scores_of(rows)

    def score_row(self, row: list[Any]) -> float:
        """Score a row in Python."""
        return self.metric.score_of(row)

    def best_interval(self, *line: Any, row: NDArray[Any]) -> tuple[float, float, float, float, float]:
        """Find the best interval of a line through the weights; see the function of this name in :mod:`cybleu._mirror`.

        :param line: the arguments of that function before the definition
        :param row: an array for the sum of the statistics in the best interval
        """
        if isinstance(self.metric, Bleu):
            definition, kernel = self.metric.definitions(len(row) // 2 - 1)
            found = _backend.chosen.best_interval(*line, kernel, row)  # type: ignore[call-arg]  # `line` is short
            return _backend.answered(found, _mirror.best_interval, *line, definition, row)
        thresholds, rows = surface(*line)
        scores = self.score_rows(rows)
        ends = np.concatenate([line[-2:-1], thresholds, line[-1:]])
        left, right = ends[:-1], ends[1:]
        best = int(best_first(left, right, scores)[0])
        row[:] = rows[best]
        first, last = (thresholds[0], thresholds[-1]) if len(thresholds) else (0.0, 0.0)
        return float(scores[best]), float(left[best]), float(right[best]), float(first), float(last)


def surface(*line: Any) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Compute the thresholds of a line and the sums between them; see this function in :mod:`cybleu._mirror`.

    :param line: the arguments of that function before `empty`
    """
    return _backend.chosen.surface(*line, np.empty)  # type: ignore[call-arg]  # `line` is short
