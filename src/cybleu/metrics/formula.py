"""How rows become numbers in the backend. Each function here always answers: what the kernels decline goes on in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _backend, _mirror
from .._runtime.arrays import np
from .._runtime.interrupts import PIECE
from .._runtime.numbers import score_given
from ..errors import CybleuError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from ..text.batches import Batch
    from .estimates import Estimate

MOST_ORDERS_OF_PAIRS = 16  # that the kernel numbers


class InPython:
    """A metric as the searches of the mirror take it: as the mirror's definition of BLEU.

    :param evaluate: from one row to its score
    """

    order = 0

    def __init__(self, evaluate: Callable[[Sequence[int]], float]):
        self._evaluate = evaluate

    def evaluate(self, row: Sequence[int], short_segments: Sequence[int]) -> tuple[float, list[float], float]:
        return score_given(self._evaluate(row), row), [], 1.0


class Formula:
    """The formula of a metric, for many rows.

    :param definition: scores any row: the mirror's definition of BLEU, or another metric
    :param kernel: scores the common rows, and searches, if the backend has one for this metric
    :param nearly: as :func:`cybleu.metrics.estimates.estimate`, if there is one for this metric
    :param measure: scores rows from one on, until one that it declines; by default the kernel does
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
        """The score of the row of each segment."""
        result = np.empty(len(rows))

        def one(position: int) -> None:
            result[position] = self.score_row(rows[position].tolist())

        def work(start: int) -> int:
            return start if self._measure is None else self._measure.score_rows(rows, start, result)

        _backend.go_on(work, 0, len(rows), one)
        return result

    def score_rows_of_any_size(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        """The same for sums that int64 does not hold.

        :param rows: an array of objects, Python's integers
        """
        none_short = [0] * self.definition.order
        return np.array([self.definition.evaluate(row, none_short)[0] for row in rows.tolist()], dtype=np.float64)

    def score_row(self, row: list[int]) -> float:
        """The score of the row of one segment, in Python."""
        return self.definition.evaluate(row, [int(total == 0) for total in row[2 + self.definition.order :]])[0]

    def best_interval(self, *line: Any, row: NDArray[Any]) -> tuple[float, float, float, float, float]:
        """The best stretch of a line through the weights; see the function of this name in :mod:`cybleu._mirror`.

        :param line: what that function takes before the definition
        :param row: receives the sum of the statistics there; an array of objects if int64 does not hold it
        """
        found = None
        if self._kernel is not None and row.dtype != object:
            found = _backend.chosen.best_interval(*line, self._kernel, row)
        return _backend.answered(found, _mirror.best_interval, *line, self.definition, row)

    def swap_pass(
        self,
        stats: NDArray[np.int64],
        offsets: Any,
        order: Any,
        chosen: NDArray[np.int64],
        highest: bool,
        *,
        fits: bool,
    ) -> tuple[int, float]:
        """Exchange hypotheses where the score of the sum rises; see the function of this name in :mod:`cybleu._mirror`.

        :param fits: the sums of one row of each segment fit int64
        """
        found = None
        if fits and self._kernel is not None:
            found = _backend.chosen.swap_pass(self._kernel, stats, offsets, order, chosen, highest)
        return _backend.answered(found, _mirror.swap_pass, self.definition, stats, offsets, order, chosen, highest)


class FormulaOfRows(Formula):
    """The formula of a metric whose rows the backend scores, and nothing else.

    :param evaluate: from one row to its score
    :param measure: scores rows from one on, until one that it declines
    """

    def __init__(self, evaluate: Callable[[Sequence[int]], float], measure: Any):
        super().__init__(InPython(evaluate), measure=measure)

    def best_interval(self, *line: Any, row: NDArray[Any]) -> tuple[float, float, float, float, float]:
        """The best stretch of a line; all sums are written down and scored together."""
        if row.dtype == object:
            return super().best_interval(*line, row=row)
        thresholds, rows = surface(*line, fits=True)
        scores = self.score_rows(rows)
        ends = np.concatenate([line[-2:-1], thresholds, line[-1:]])
        left, right = ends[:-1], ends[1:]
        with np.errstate(over="ignore"):  # wider than a float can say
            widths = right - left
        # of equal ones the first, as in the mirror
        best = int(np.lexsort([np.maximum(left, -right), -widths, (left > 0) | (right < 0), -scores])[0])
        row[:] = rows[best]
        first, last = (thresholds[0], thresholds[-1]) if len(thresholds) else (0.0, 0.0)
        return float(scores[best]), float(left[best]), float(right[best]), float(first), float(last)


class Pairs:
    """Hypotheses against references, for BLEU: counted in the numbers of one vocabulary, scored by blocks of hypotheses.

    The same batch twice is itself.
    """

    def __init__(self, formula: Formula, references: Batch, hypotheses: Batch):
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
        """Write the scores of the hypotheses from `start` to before `stop`; nan where :meth:`mend` is to decide.

        Where both batches are the same one, a block also writes what mirrors it.
        """
        if self._hypotheses is self._references:
            self._texts.score_each_other(self._definition, start, stop, scores)
        else:
            begins, ends = self._hypotheses.begins, self._hypotheses.ends
            self._texts.score_others(self._definition, self._ids, begins, ends, start, stop, scores)

    def mend(self, scores: NDArray[np.float64], places: NDArray[np.int64]) -> None:
        """The scores that were left to Python's arithmetic, or what that raises.

        :param places: for each hypothesis of the caller which one it is here
        """
        for i, j in _places_of_nan(scores):
            row = _mirror.segment_counts([_text(self._references, j)], _text(self._hypotheses, i), self._order)
            try:
                scores[i, j] = self._formula.score_row(row)
            except CybleuError as error:
                first = int((places == i).nonzero()[0][0])
                raise type(error)(f"hypotheses[{first}]: {error}") from error


def _places_of_nan(scores: NDArray[np.float64]) -> Iterator[tuple[int, int]]:
    """Row and column, in their order, in little memory."""
    if not np.isnan(scores.sum()):
        return
    at_once = max(1, PIECE // max(1, scores.shape[1]))
    for start in range(0, len(scores), at_once):
        missing = np.isnan(scores[start : start + at_once])
        if missing.any():
            for i, j in np.argwhere(missing).tolist():
                yield start + i, j


def _text(batch: Batch, position: int) -> list[int]:
    tokens: list[int] = batch.ids[batch.begins[position] : batch.ends[position]].tolist()
    return tokens


def weighted_sums(matrix: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of each row times the shares, rounded once."""
    shares = np.ascontiguousarray(shares)
    sums = np.zeros(len(matrix))

    def work(start: int) -> int:
        return _backend.chosen.weighted_sums(matrix, shares, sums, start)

    def one(row: int) -> None:
        _mirror.weighted_sums(matrix[row : row + 1], shares, sums[row : row + 1], 0)

    _backend.go_on(work, 0, len(sums), one)
    return sums


def surface(*line: Any, fits: bool) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """The thresholds of a line and the sums between them; see the function of this name in :mod:`cybleu._mirror`.

    :param line: what that function takes before `empty`
    :param fits: the sums fit int64; else they are Python's integers, in an array of objects
    """
    backend = _backend.chosen if fits else _mirror
    return backend.surface(*line, np.empty if fits else _of_objects)


def _of_objects(shape: int | tuple[int, int], dtype: str) -> NDArray[Any]:
    return np.empty(shape, dtype=object if dtype == "int64" else dtype)
