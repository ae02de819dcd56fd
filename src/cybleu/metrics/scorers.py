"""The scorers of Moses, for the statistics that its extractor wrote for them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from .._runtime.numbers import check_whole, finite_numbers
from ..errors import OrderError, StatisticsError, UnknownNameError, WeightsError
from .bleu import Bleu
from .metric import Metric, Score

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .formula import Formula

__all__ = ["MosesScorer"]


class _Scorer(NamedTuple):
    """One of Moses's scorers: the columns it writes, and how it scores a sum of them, as one row or as columns of many.

    The formula takes what divides first.
    """

    columns: tuple[str, ...]
    formula: Callable[..., Any]
    whole: bool = True  # all numbers


def _accuracy(divided: Callable[[Any, Any], Any], errors: Any, length: Any, *_: Any) -> Any:
    return 1.0 - divided(errors, length)


def _position_independent(divided: Callable[[Any, Any], Any], correct: Any, length: Any, reference_length: Any) -> Any:
    beyond = (length - reference_length) * (length > reference_length)
    return divided(correct - beyond, reference_length)


def _quotient(above: float, below: float) -> float:
    return above / below if below else 0.0


def _quotients(above: Any, below: Any) -> Any:
    """Of columns; 0 where the divisor is 0."""
    from .._runtime.arrays import np

    found = np.zeros(len(below))
    np.divide(above, below, out=found, where=below != 0)
    return found


_ERRORS = _Scorer(("errors", "reference_length"), _accuracy)
SCORERS = {
    "TER": _Scorer(("edits", "reference_length", "rate"), _accuracy, whole=False),
    "PER": _Scorer(("correct", "hypothesis_length", "reference_length"), _position_independent),
    "WER": _ERRORS,
    "CDER": _ERRORS,
    "SER": _Scorer(("errors", "sentences"), _accuracy),
}
BLEU = "BLEU"


@dataclass(frozen=True)
class MosesScorer(Metric):
    """A scorer of Moses, or the mean of several, by the names in the files of scores: ``TER``, or ``BLEU,TER``.

    It scores the rows of such a file, which :meth:`cybleu.nbest.NBest.from_moses` reads. A perfect match has the score
    1. An error rate e is scored as 1 - e, so that higher is better:

    - ``TER``: 1 - edits / length of the references (of which the extractor writes hundredths), 1 without references
    - ``WER``, ``CDER``, ``SER``: 1 - errors / length, or sentences
    - ``PER``: (correct tokens - tokens beyond the length of the reference) / that length, 0 without references
    - ``BLEU``: as the metric ``moses``

    The score of several scorers is the sum of weight * score, with the weights divided by their sum.

    :param types: the names, with a comma between them
    :param weights: of the scorers, by default equal; ``--scconfig weights:0.6+0.4`` in Moses
    :param max_order: the largest n-gram order of ``BLEU``
    :raises UnknownNameError: there is no such scorer, or cybleu does not have its formula, such as METEOR's
    :raises WeightsError: there are not as many weights as scorers, a weight is not a finite number, or their sum is not
        above 0

    >>> MosesScorer("WER").evaluate([1, 4])
    0.75
    >>> metric = MosesScorer("PER,TER", weights=(3, 1))
    >>> metric.columns
    ('PER_correct', 'PER_hypothesis_length', 'PER_reference_length', 'TER_edits', 'TER_reference_length', 'TER_rate')
    >>> metric.evaluate([4, 6, 5, 200, 500, 40])
    0.6
    """

    types: str
    weights: tuple[float, ...] | None = None
    max_order: int = 4

    scale = 1

    def __post_init__(self) -> None:
        if not isinstance(self.types, str):
            raise UnknownNameError(f"the types are {self.types!r}; give the names of scorers, such as 'BLEU,TER'")
        names = self._names
        for name in names:
            if name not in SCORERS and name != BLEU:
                raise UnknownNameError(
                    f"the scorer {name!r} is not known here; known are {', '.join([BLEU, *SCORERS])}, and several with commas "
                    "between them"
                )
        check_whole(self.max_order, "max_order", 1, 64, error=OrderError)
        if self.weights is None:
            return
        weights = finite_numbers(self.weights, "weights")
        if weights is None or len(weights) != len(names) or not 0 < sum(weights) < float("inf"):
            raise WeightsError(
                f"the weights of {self.types} are {self.weights!r}; give a finite number for each scorer, of a sum above 0"
            )
        object.__setattr__(self, "weights", weights)

    @property
    def _names(self) -> list[str]:
        return self.types.split(",")

    @property
    def name(self) -> str:  # type: ignore[override]
        """The names of the scorers."""
        return self.types

    @property
    def takes_fractions(self) -> bool:  # type: ignore[override]
        """Whether rows may have numbers that are not whole, in float64: those of TER have."""
        return not all(name == BLEU or SCORERS[name].whole for name in self._names)

    @property
    def signature(self) -> str:
        """The definition in one line."""
        shares = "" if len(self._names) == 1 else f"|weights:{'+'.join(f'{share:g}' for share in self._shares)}"
        return f"scorer:{self.types}{shares}"

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """The names of the numbers in a row, in the order of the file."""
        names = self._names
        return tuple(f"{name}_{column}" if names[1:] else column for name in names for column in self.columns_of(name))

    def columns_of(self, name: str) -> tuple[str, ...]:
        """Those of one of the scorers.

        :param name: of the scorer
        """
        if name != BLEU:
            return SCORERS[name].columns
        orders = range(1, self.max_order + 1)
        return *(f"{what}_{n}" for n in orders for what in ("match", "total")), "reference_length"

    @property
    def _shares(self) -> list[float]:
        weights = self.weights or (1.0,) * len(self._names)
        return [weight / sum(weights) for weight in weights]

    def row(self, references: Sequence[Collection[Hashable]], hypothesis: Collection[Hashable]) -> NoReturn:
        """Always an error: a scorer of Moses cannot count texts, it only scores the rows of files.

        :param references: of a segment
        :param hypothesis: of a segment
        :raises StatisticsError: always
        """
        raise StatisticsError(f"the scorer {self.types} scores the rows of files of scores, and does not count texts")

    def evaluate(self, row: Sequence[float]) -> float:
        """The score of a row or of a sum of rows. It is below 0 if there are more errors than tokens.

        :param row: as many finite numbers as there are columns; those of ``TER`` and of lengths need not be whole
        :raises StatisticsError: it is no such row
        """
        try:
            row = list(row)
            finite = all(map(isfinite, row))
        except (TypeError, ValueError, OverflowError):
            finite = False
        if not finite:
            raise StatisticsError(f"a row of {self.name} has finite numbers, and this is {row!r}")
        self._check_width(len(row))
        score = 0.0
        for name, share, place in self._parts:
            if name == BLEU:
                found = self._bleu.evaluate(_as_row_of_bleu(row[place]))
            else:
                found = SCORERS[name].formula(_quotient, *row[place])
            score += share * found
        return score

    @cached_property
    def _parts(self) -> list[tuple[str, float, slice]]:
        """Of each scorer its name, its share, and where its columns are."""
        ends = [0, *accumulate(len(self.columns_of(name)) for name in self._names)]
        return list(zip(self._names, self._shares, map(slice, ends, ends[1:])))

    def score(self, stats: Any, short_segments: Sequence[int] | None = None) -> Score:
        """The score of a corpus or of one segment.

        :param stats: a row, or rows, which are added up
        :param short_segments: not needed
        """
        if not self.takes_fractions:
            return super().score(stats)
        from .._runtime.arrays import floats_given, np

        rows = np.atleast_2d(floats_given(stats, "stats"))
        return Score(self.evaluate(rows.sum(axis=0).tolist()), self.scale, self.signature)

    def scores(self, stats: Any) -> NDArray[np.float64]:
        """The score of each row.

        :param stats: numbers `(n, columns)`, integers or floats
        :return: float64 `(n,)`
        """
        from .._runtime.arrays import floats_given, np

        rows = floats_given(stats, "stats") if self.takes_fractions else self._checked_array(stats)
        if rows.ndim != 2:
            raise StatisticsError(
                f"stats has the shape {rows.shape}; rows of {self.name} have {len(self.columns)} entries"
            )
        self._check_width(rows.shape[1])
        scores = np.zeros(len(rows))
        for name, share, place in self._parts:
            columns = rows[:, place].T
            if name == BLEU:
                counts = np.array(_as_row_of_bleu(columns)).T
                with np.errstate(invalid="ignore"):
                    whole = counts.astype(np.int64)
                if (whole != counts).any():
                    raise StatisticsError(
                        f"the counts of BLEU in rows of {self.name} are whole numbers, and some are not"
                    )
                found = self._bleu.scores(whole)
            else:
                found = SCORERS[name].formula(_quotients, *columns)
            scores += share * found
        return scores

    @property
    def _bleu(self) -> Bleu:
        return Bleu("moses", max_order=self.max_order)

    def formula(self, width: int) -> Formula:
        """What turns rows of this many columns into numbers in searches.

        :param width: how many columns
        """
        from .formula import FormulaOfRows

        self._check_width(width)
        return FormulaOfRows(self.evaluate, _Measure(self))


class _Measure:
    """Scores many rows at once."""

    def __init__(self, metric: MosesScorer):
        self._metric = metric

    def score_rows(self, rows: NDArray[np.int64], start: int, result: NDArray[np.float64]) -> int:
        result[start:] = self._metric.scores(rows[start:])
        return len(rows)


def _as_row_of_bleu(numbers: Any) -> list[Any]:
    """What the extractor writes in the order of :mod:`cybleu.stats`, of one row or of columns."""
    matches, totals = numbers[:-1:2], numbers[1:-1:2]
    return [totals[0], numbers[-1], *matches, *totals]
