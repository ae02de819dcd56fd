"""Scoring of rows by the backend, with fallback to Python for rows that the kernels decline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _backend, _mirror
from .._mirror.search.envelope import best_first as best_first
from .._runtime.arrays import np
from .._runtime.interrupts import PIECE
from .._runtime.numbers import score_given
from ..errors import CybleuError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from ..text.values import TokenIds
    from .estimates import Estimate

MOST_ORDERS_OF_PAIRS = 16  # the kernel numbers n-grams up to this order


class InPython:
    """Adapter of a metric to the interface of the mirror's definition of BLEU, for searches.

    :param evaluate: a function from a row to its score
    """

    order = 0

    def __init__(self, evaluate: Callable[[Sequence[int]], float]):
        self._evaluate = evaluate

    def evaluate(self, row: Sequence[int], short_segments: Sequence[int]) -> tuple[float, list[float], float]:
        return score_given(self._evaluate(row), row), [], 1.0


class Formula:
    """The formula of a metric, for many rows.

    :param definition: the definition that scores any row: the mirror's definition of BLEU, or another metric
    :param kernel: the backend's kernel for this metric, if any, which scores common rows, and searches
    :param nearly: a function as :func:`cybleu.metrics.estimates.estimate` returns, if the metric has one
    :param measure: an object that scores rows until it declines one; by default the kernel
    """

    def __init__(
        self,
        definition: _mirror.Definition | InPython,
        kernel: Any = None,
        nearly: Estimate | None = None,
        measure: Any = None,
    ):
        self.definition = definition
        self.nearly = nearly
        self._kernel = kernel
        self._measure = kernel if measure is None else measure

    def score_rows(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Score the row of each segment."""
        result = np.empty(len(rows))

        def one(position: int) -> None:
            result[position] = self.score_row(rows[position].tolist())

        def work(start: int) -> int:
            return start if self._measure is None else self._measure.score_rows(rows, start, result)

        _backend.go_on(work, 0, len(rows), one)
        return result

    def score_row(self, row: list[int]) -> float:
        """Score the row of a segment in Python."""
        return self.definition.evaluate(row, [int(total == 0) for total in row[2 + self.definition.order :]])[0]

    def best_interval(self, *line: Any, row: NDArray[Any]) -> tuple[float, float, float, float, float]:
        """Find the best interval of a line through the weights; see the function of this name in :mod:`cybleu._mirror`.

        :param line: the arguments of that function before the definition
        :param row: an array for the sum of the statistics in the best interval
        """
        found = None
        if self._kernel is not None:
            found = _backend.chosen.best_interval(*line, self._kernel, row)  # type: ignore[call-arg]  # `line` is short
        return _backend.answered(found, _mirror.best_interval, *line, self.definition, row)


class FormulaOfRows(Formula):
    """The formula of a metric whose kernel scores rows but does not search.

    :param evaluate: a function from a row to its score
    :param measure: an object that scores rows until it declines one
    """

    def __init__(self, evaluate: Callable[[Sequence[int]], float], measure: Any):
        super().__init__(InPython(evaluate), measure=measure)

    def best_interval(self, *line: Any, row: NDArray[Any]) -> tuple[float, float, float, float, float]:
        """Find the best interval of a line, by scoring all sums in one call."""
        thresholds, rows = surface(*line)
        scores = self.score_rows(rows)
        ends = np.concatenate([line[-2:-1], thresholds, line[-1:]])
        left, right = ends[:-1], ends[1:]
        best = int(best_first(left, right, scores)[0])
        row[:] = rows[best]
        first, last = (thresholds[0], thresholds[-1]) if len(thresholds) else (0.0, 0.0)
        return float(scores[best]), float(left[best]), float(right[best]), float(first), float(last)


class ArrayScores:
    """Scores of rows by a function of arrays, for :class:`FormulaOfRows`.

    :param scores: a function from rows to their scores, which raises an error for rows that are not valid
    """

    def __init__(self, scores: Callable[[NDArray[Any]], NDArray[np.float64]]):
        self._scores = scores

    def score_rows(self, rows: NDArray[Any], start: int, result: NDArray[np.float64]) -> int:
        result[start:] = self._scores(rows[start:])
        return len(rows)


class Pairs:
    """BLEU of all pairs of hypotheses and references with ids of one vocabulary, scored in blocks of hypotheses.

    Passing the same batch twice scores its texts against each other.
    """

    def __init__(self, formula: Formula, references: TokenIds, hypotheses: TokenIds):
        self._formula = formula
        self._order = formula.definition.order
        self._references, self._hypotheses = references, hypotheses
        by_kernel = formula._kernel is not None and self._order <= MOST_ORDERS_OF_PAIRS
        backend = _backend.chosen if by_kernel else _mirror
        self._definition = formula._kernel if by_kernel else formula.definition
        ids = np.ascontiguousarray(references.ids, dtype=np.int64)
        self._texts = backend.PairwiseTexts(ids, references.begins, references.ends, self._order)
        self._ids = np.ascontiguousarray(hypotheses.ids, dtype=np.int64)
        if hypotheses is references:
            self._texts.prepare(self._definition)
        else:
            self._texts.prepare(self._definition, self._ids, hypotheses.begins, hypotheses.ends)

    def fill(self, start: int, stop: int, scores: NDArray[np.float64]) -> None:
        """Write the scores of the hypotheses from `start` to before `stop`; NaN marks scores for :meth:`finish`.

        If both batches are the same, a block also writes the transposed scores.
        """
        if self._hypotheses is self._references:
            self._texts.score_each_other(self._definition, start, stop, scores)
        else:
            begins, ends = self._hypotheses.begins, self._hypotheses.ends
            self._texts.score_others(self._definition, self._ids, begins, ends, start, stop, scores)

    def finish(self, scores: NDArray[np.float64], places: NDArray[np.int64]) -> None:
        """Compute the scores that the backend declined, or raise their error.

        :param places: the index in this batch of each hypothesis of the caller
        """
        for i, j in _places_of_nan(scores):
            row = _mirror.segment_counts([_text(self._references, j)], _text(self._hypotheses, i), self._order)
            try:
                scores[i, j] = self._formula.score_row(row)
            except CybleuError as error:
                first = int((places == i).nonzero()[0][0])
                raise type(error)(f"hypotheses[{first}]: {error}") from error


def _places_of_nan(scores: NDArray[np.float64]) -> Iterator[tuple[int, int]]:
    """Yield row and column of each NaN in order, with little memory."""
    if not np.isnan(scores.sum()):
        return
    at_once = max(1, PIECE // max(1, scores.shape[1]))
    for start in range(0, len(scores), at_once):
        missing = np.isnan(scores[start : start + at_once])
        if missing.any():
            for i, j in np.argwhere(missing).tolist():
                yield start + i, j


def _text(batch: TokenIds, position: int) -> list[int]:
    tokens: list[int] = batch.ids[batch.begins[position] : batch.ends[position]].tolist()
    return tokens


def surface(*line: Any) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Compute the thresholds of a line and the sums between them; see this function in :mod:`cybleu._mirror`.

    :param line: the arguments of that function before `empty`
    """
    return _backend.chosen.surface(*line, np.empty)  # type: ignore[call-arg]  # `line` is short
