"""Validated statistics of the segments of all runs, and scoring of their sums."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias

from .._runtime.arrays import first_not_finite, in_place, np
from .._runtime.numbers import as_number
from .._runtime.sequences import refuse_masked
from ..errors import (
    ArrayValueError,
    EmptyCorpusError,
    LengthMismatchError,
    SampleError,
    SequenceTypeError,
    StatisticsError,
    UnknownNameError,
)
from ..metrics import Bleu, Metric, Variant, find
from ..metrics.estimates import ERROR
from .products import Columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

OfSums: TypeAlias = "Callable[[NDArray[Any]], float]"
MetricLike: TypeAlias = "str | Metric | Variant | OfSums | None"

PIECE = 1 << 16  # segments that are scored at once
LARGEST = 1e300  # score of a function or metric
ROUNDING = 2.0**-40  # relative error of a sum of limbs, in addition to that of the numbers
# The tolerance for equal differences of means, relative to the largest score. It exceeds the errors from rounding decimals to
# floats (a unit of 2**-53 for each of up to 6 means), scaling and subtracting, and is far below any difference of interest.
EQUAL = 2.0**-47


@dataclass(frozen=True)
class Rows:
    """The statistics of a run, `(segments, columns)`, as passed by the caller, and a name for messages."""

    name: str
    table: NDArray[Any]


class Scoring(ABC):
    """Scoring of sums.

    :ivar scale: the score of a perfect match, None if it is not known
    :ivar signature: the definition in one line
    :ivar name: the name for the header of a column
    """

    scale: float | None = None
    higher_is_better = True
    name: str = "score"
    signature: str = ""
    #: The largest error of an estimate.
    error: float = 0.0
    #: The distance below which differences of scores count as equal.
    tolerance: float = 0.0

    @abstractmethod
    def exact(self, numbers: NDArray[Any]) -> NDArray[np.float64]:
        """Score each row of sums."""

    def estimates(self, columns: Columns) -> Callable[[NDArray[np.float64]], NDArray[np.float64]] | None:
        """Return a function from sums `(..., limbs * columns, n)` to estimates, or NaN; None if the metric has none."""
        return None

    def of_segments(self, table: NDArray[Any]) -> NDArray[np.float64] | None:
        """Score each segment alone; None if a single row cannot be scored."""
        return None


class OfMetric(Scoring):
    """Scoring of sums by a metric.

    :param metric: the metric that the caller passed
    :param summed: the metric that scores sums, see :meth:`cybleu.metrics.Metric.summable`
    """

    def __init__(self, metric: Metric, summed: Metric, width: int):
        self.scale, self.signature, self.higher_is_better = metric.scale, metric.signature, metric.higher_is_better
        self.metric = metric
        self.name = "BLEU" if isinstance(metric, Bleu) else metric.name
        self.error = ERROR * metric.scale
        self._formula = summed.formula(width)
        self._sentences = metric.of_sentences()
        self._arguments = metric, summed, width

    def __reduce__(self) -> tuple[Any, ...]:
        return OfMetric, self._arguments  # the formula belongs to the backend and is not pickled

    def exact(self, numbers: NDArray[Any]) -> NDArray[np.float64]:
        return _all_finite(self._formula.score_rows(numbers), numbers, "metric")

    def estimates(self, columns: Columns) -> Callable[[NDArray[np.float64]], NDArray[np.float64]] | None:
        return self._formula.nearly if columns.limbs == 1 else None

    def of_segments(self, table: NDArray[Any]) -> NDArray[np.float64]:
        rows, metric = self._sentences.summable(table)
        return metric.formula(rows.shape[1]).score_rows(in_place(rows, metric.dtype))


def _all_finite(scores: NDArray[np.float64], numbers: NDArray[Any], what: str) -> NDArray[np.float64]:
    """Check that all scores are finite, and so far from the largest float that sums and differences of scores are, too.

    :param what: the function or metric that computed the scores
    :raises StatisticsError: a score is not
    """
    fits: NDArray[np.bool_] = np.abs(scores) <= LARGEST
    if not fits.all():
        first = int(fits.argmin())
        raise StatisticsError(
            f"the {what} gives {scores[first]} for the sum {numbers[first].tolist()}; it must give a number from "
            f"-{LARGEST:g} to {LARGEST:g} for every sum of segments"
        )
    return scores


class OfFunction(Scoring):
    """Scoring by a function of the sum of all rows."""

    def __init__(self, function: OfSums, scale: float | None):
        self.scale = scale
        self.signature = f"function:{getattr(function, '__name__', type(function).__name__)}"
        self._function = function

    def exact(self, numbers: NDArray[Any]) -> NDArray[np.float64]:
        scores = np.array([float(self._function(row)) for row in numbers], dtype=np.float64)
        return _all_finite(scores, numbers, "function")


class OfMeans(Scoring):
    """The mean of a column: its sum, rounded once, divided by the number of segments."""

    signature = "mean"
    name = "mean"

    def __init__(self, segments: int, scale: float | None, largest: float):
        self.scale = scale
        self.error, self.tolerance = ROUNDING * largest, EQUAL * largest
        self._segments = segments

    def exact(self, numbers: NDArray[Any]) -> NDArray[np.float64]:
        means: NDArray[np.float64] = numbers[:, 0].astype(np.float64) / self._segments
        return means

    def estimates(self, columns: Columns) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
        return lambda sums: columns.nearly(sums)[..., 0, :] / self._segments

    def of_segments(self, table: NDArray[Any]) -> NDArray[np.float64]:
        scores: NDArray[np.float64] = table[:, 0].astype(np.float64)
        return scores


class Systems:
    """Systems with one or more runs each, prepared for resampling.

    :cvar least: the smallest number of segments; all samples of one segment are equal
    :ivar names: the names of the systems
    :ivar runs: for each system the indices of its tables
    :ivar tables: the rows of all runs, in the form that is summed
    :ivar columns: the same rows, prepared for matrix products
    :ivar scores: the score of every run
    """

    least = 2

    def __init__(self, systems: Mapping[str, list[Rows]], metric: MetricLike, scale: float | None, **choices: Any):
        given = [rows for runs in systems.values() for rows in runs]
        _check_sizes(given, self.least)
        self.names = list(systems)
        self.given = [rows.table for rows in given]
        self.scoring, self.tables = _scoring(given, metric, scale, choices)
        numbers = count()
        self.runs = [[next(numbers) for _ in runs] for runs in systems.values()]
        self.segments = len(self.tables[0])
        self.columns = Columns(self.tables)
        self.scores = self.scoring.exact(self.columns.numbers(self.columns.totals[:, :, None]))

    def scored_by(self, metric: Metric) -> Systems:
        """Return the same systems scored by another metric, which must sum the same rows."""
        other = copy(self)
        other.scoring = OfMetric(metric, metric, self.columns.width)
        return other

    def score(self, system: int) -> float:
        """Return the mean score of a system's runs."""
        return float(mean_of_runs(self.scores[self.runs[system]]))

    def difference(self, first: int, second: int) -> float:
        """Return the difference of the scores of two systems."""
        return self.score(first) - self.score(second)

    def influence(self, first: int, second: int) -> NDArray[np.float64]:
        """Return for each segment by how much the first system's score would drop with the second system's output."""
        result = np.zeros(self.segments)
        columns, pairs = self.columns, [(own, other) for own in self.runs[first] for other in self.runs[second]]
        for start in range(0, self.segments, PIECE):
            part = slice(start, start + PIECE)
            for own, other in pairs:
                sums = columns.totals[own][:, None] - columns.of_segments(own, part) + columns.of_segments(other, part)
                result[part] += self.scores[own] - self.scoring.exact(columns.numbers(sums))
        return result / len(pairs)


def mean_of_runs(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean over the first axis, independent of the order of the runs.

    A shuffle that only permutes whole runs must give the real statistic to the last bit.
    """
    count = len(scores)
    if count < 3:  # addition is commutative
        total: NDArray[np.float64] = scores.sum(axis=0)
    else:
        total = np.zeros(scores.shape[1:])
        for one in np.sort(scores, axis=0):
            total = total + one
    return total / count


# -------------------------------------------------------------------------------------------------------------- arguments


def named(given: Any, least: int) -> dict[str, list[Rows]]:
    """Validate systems, and return them by name in their order.

    :param given: a mapping, or pairs of names and rows
    :param least: the smallest number of systems
    """
    if hasattr(given, "items"):
        pairs = list(given.items())
    else:
        try:
            pairs = [(name, rows) for name, rows in given]
        except (TypeError, ValueError):
            raise SequenceTypeError(
                "the systems are neither a mapping from names to rows nor pairs of a name and rows; give for example "
                '{"baseline": rows, "mine": other_rows}'
            ) from None
    found: dict[str, list[Rows]] = {}
    for name, rows in pairs:
        if not isinstance(name, str) or not name:
            shown = repr(name) if isinstance(name, (str, int)) else f"a {type(name).__name__}"
            raise SequenceTypeError(
                f'{shown} is not the name of a system; give names with rows, for example {{"baseline": rows, "mine": other_rows}}'
            )
        if name in found:
            raise UnknownNameError(f"two systems are called {name!r}; give each a name of its own")
        found[name] = runs_of(rows, name)
    if len(found) < least:
        there_are = "there is no system" if not found else "there is one system"
        raise SampleError(f"{there_are}; give at least {least}")
    return found


def runs_of(given: Any, name: str) -> list[Rows]:
    """Return the runs of a system: one array, a list of arrays, or data for an array of three dimensions."""
    if isinstance(given, (list, tuple)) and given and all(hasattr(one, "__array__") for one in given):
        if all(np.ndim(one) for one in given):
            return [Rows(_of_run(name, number, len(given)), _table(one, name)) for number, one in enumerate(given)]
    elif not hasattr(given, "__array__") and isinstance(given, Iterable):
        given = list(given)
        if not given:
            raise EmptyCorpusError(f"{name} has no segment; give the row of each segment, or a score for each")
    try:
        array = np.asarray(given)
    except ValueError as error:
        lengths = sorted({len(one) for one in given if hasattr(one, "__len__")})
        raise LengthMismatchError(
            f"{name} is not a table: its parts have different lengths, such as {lengths[0]} and {lengths[-1]}; all rows, and "
            "all runs of a system, must be equally long"
            if len(lengths) > 1
            else f"{name} is not a table of numbers: {error}"
        ) from error
    if array.ndim == 3:
        return [Rows(_of_run(name, number, len(array)), _table(one, name)) for number, one in enumerate(array)]
    return [Rows(name, _table(given, name))]


def _of_run(name: str, number: int, count: int) -> str:
    return f"run {number + 1} of {name}" if count > 1 else name


def _table(given: Any, name: str) -> NDArray[Any]:
    refuse_masked(given, name)
    array = np.asarray(given)
    if array.dtype.kind not in "biuf":
        raise ArrayValueError(f"{name} has dtype {array.dtype}; give rows of integers, or a column of floats")
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or not array.shape[1]:
        raise ArrayValueError(
            f"{name} has the shape {np.shape(given)}; give the rows of its segments, or one number for each segment"
        )
    return array


def _check_sizes(given: Sequence[Rows], least: int) -> None:
    first = given[0]
    for rows in given:
        if len(rows.table) != len(first.table):
            raise LengthMismatchError(
                f"{first.name} has {len(first.table)} segments and {rows.name} {len(rows.table)}; all must have the same "
                "segments, in the same order"
            )
        if rows.table.shape[1] != first.table.shape[1]:
            raise LengthMismatchError(
                f"the rows of {first.name} have {first.table.shape[1]} numbers and those of {rows.name} "
                f"{rows.table.shape[1]}; count them with the same metric"
            )
    if not len(first.table):
        raise EmptyCorpusError("there is no segment; give the row of each segment, or a score for each")
    if len(first.table) < least:
        raise SampleError("there is one segment, so all samples are equal; give more segments, preferably hundreds")


def _scoring(
    given: Sequence[Rows], metric: MetricLike, scale: float | None, choices: Mapping[str, Any]
) -> tuple[Scoring, list[NDArray[Any]]]:
    """Return the scoring, and the tables that it sums."""
    if scale is not None and not 0 < as_number(scale) < float("inf"):
        raise ArrayValueError(f"scale is {scale!r}; it is the score of a perfect match, for example 1 or 100")
    chosen = {name: value for name, value in choices.items() if value is not None}
    of_function = callable(metric) and not isinstance(metric, (Metric, Variant))
    column = metric is None and not chosen and given[0].table.shape[1] == 1
    if of_function or column:
        if chosen:
            raise UnknownNameError(f"a function of the sum has no option {next(iter(chosen))!r}; leave it out")
        tables = _numeric(given)
        if of_function:
            return OfFunction(metric, scale), tables  # type: ignore[arg-type]
        largest = max(float(np.abs(table.astype(np.float64)).max()) for table in tables)
        return OfMeans(len(tables[0]), scale, largest), tables
    if scale is not None:
        raise ArrayValueError(
            "scale is for functions and columns of scores; a metric has its own scale, so leave it out"
        )
    found = find(metric, **chosen)
    tables = []
    kinds = "iuf" if found.takes_fractions else "iu"
    for rows in given:
        if rows.table.dtype.kind not in kinds:
            raise ArrayValueError(
                f"{rows.name} has {rows.table.shape[1]} columns of {rows.table.dtype}, and the rows of {found.name} are "
                "integers; for floats give one column of scores for each run, or a function of the sum as metric"
            )
        try:
            found.score(rows.table)  # validates every row
        except StatisticsError as error:
            raise StatisticsError(f"{rows.name}: {error}") from error
        except ZeroDivisionError:  # some tools fail on empty text; in samples it gets the worst score
            pass
        table, summed = found.summable(in_place(rows.table, found.dtype))
        tables.append(table)
    return OfMetric(found, summed, tables[0].shape[1]), tables


def _numeric(given: Sequence[Rows]) -> list[NDArray[Any]]:
    if all(rows.table.dtype.kind in "biu" for rows in given):
        for rows in given:
            if rows.table.dtype == np.uint64 and rows.table.max() > np.iinfo(np.int64).max:
                raise ArrayValueError(f"{rows.name} has numbers above {np.iinfo(np.int64).max}")
        return [in_place(rows.table, np.int64) for rows in given]
    for rows in given:
        if (first := first_not_finite(rows.table)) is not None:
            raise ArrayValueError(
                f"{rows.name} has {rows.table[first].tolist() if rows.table.shape[1] > 1 else rows.table[first, 0]} for "
                f"segment {first}, counted from 0; give a finite number for every segment"
            )
    return [in_place(rows.table, np.float64) for rows in given]


def check_share(share: Any, name: str) -> None:
    """Check that a number is between 0 and 1.

    :raises SampleError: it is not
    """
    if not isinstance(share, (int, float)) or not 0 < share < 1:
        raise SampleError(
            f"{name} is {share!r}; it must be a number between 0 and 1, such as {0.95 if name == 'confidence' else 0.05}"
        )
