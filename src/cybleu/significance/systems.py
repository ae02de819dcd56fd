"""Validated statistics of the segments of all runs, their exact sums over samples, and scoring of the sums.

Sums are matrix products for all systems and many samples at once. A matrix product of integers is exact if its sums
stay below 2**53 in float64, or 2**24 in float32. So the result does not depend on the order of the additions, the
number of threads or the library. Larger numbers, and floats, are split into limbs that are small enough; the sums of the
limbs are combined exactly, or with a single rounding.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice, product
from typing import Any, TypeAlias

from .._runtime.arrays import Array, Floats, first_not_finite, in_place, np
from .._runtime.numbers import as_number
from .._runtime.sequences import check_unmasked
from ..errors import (
    ArrayValueError,
    EmptyCorpusError,
    LengthMismatchError,
    SampleError,
    SequenceTypeError,
    StatisticsError,
    UnknownNameError,
)
from ..metrics import Metric, Variant, find
from ..metrics.base import Signature
from ..metrics.bleu import family

OfSums: TypeAlias = "Callable[[Array], float]"
MetricLike: TypeAlias = "str | Metric | Variant | OfSums | None"

EXACT_IN_FLOAT32 = 1 << 24
EXACT_IN_FLOAT64 = 1 << 44  # leaves some bits for sums of hundreds of runs
PIECE = 1 << 16  # segments that are scored at once
LARGEST = 1e300  # score of a function or metric
# The tolerance for equal differences of means, relative to the largest score. It exceeds the errors from rounding decimals to
# floats (a unit of 2**-53 for each of up to 6 means), scaling and subtracting, and is far below any difference of interest.
EQUAL = 2.0**-47


@dataclass(frozen=True)
class Run:
    """The statistics of a run, `(segments, columns)`, as passed by the caller, and a name for messages."""

    name: str
    table: Array


class Scoring(ABC):
    """Scoring of sums.

    :ivar scale: the score of a perfect match, None if it is not known
    :ivar signature: the definition in one line
    :ivar name: the name for the header of a column
    :ivar tolerance: the distance below which differences of scores count as equal
    """

    scale: float | None
    signature: Signature
    name = "score"
    higher_is_better = True
    tolerance = 0.0

    @abstractmethod
    def exact(self, numbers: Array) -> Floats:
        """Score each row of sums."""

    def of_segments(self, table: Array) -> Floats | None:
        """Score each segment alone, from rows that can be summed; None if a single row cannot be scored."""
        return None


class OfMetric(Scoring):
    """Scoring of sums by a metric."""

    def __init__(self, metric: Metric):
        self.scale = metric.scale
        self.signature = Signature.read(metric.signature)  # which may be a plain str
        self.higher_is_better = metric.higher_is_better
        self.name = family(metric)
        self.metric = metric

    def exact(self, numbers: Array) -> Floats:
        return _all_finite(self.metric.evaluate_rows(numbers), numbers, "metric")

    def of_segments(self, table: Array) -> Floats | None:
        return self.metric.of_sentences().evaluate_rows(table)


class OfFunction(Scoring):
    """Scoring by a function of the sum of all rows."""

    def __init__(self, function: OfSums, scale: float | None):
        self.scale = scale
        self._function = function
        name = getattr(function, "__name__", type(function).__name__)
        self.signature = Signature({"function": name})

    def exact(self, numbers: Array) -> Floats:
        scores = np.array([float(self._function(row)) for row in numbers], dtype=np.float64)
        return _all_finite(scores, numbers, "function")


class OfMeans(Scoring):
    """The mean of a column: its sum, rounded once, divided by the number of segments."""

    name = "mean"
    signature = Signature({"": "mean"})

    def __init__(self, tables: Sequence[Array], scale: float | None):
        self.scale = scale
        self._segments = len(tables[0])
        self.tolerance = EQUAL * max(float(np.abs(table.astype(np.float64)).max()) for table in tables)

    def exact(self, numbers: Array) -> Floats:
        means: Floats = numbers[:, 0].astype(np.float64) / self._segments
        return means

    def of_segments(self, table: Array) -> Floats | None:
        return table[:, 0].astype(np.float64)


def _all_finite(scores: Floats, numbers: Array, what: str) -> Floats:
    """Check that all scores are finite, and so far from the largest float that sums and differences of scores are, too.

    :param what: the function or metric that computed the scores
    :raises StatisticsError: a score is not
    """
    fits: Array = np.abs(scores) <= LARGEST
    if not fits.all():
        first = int(fits.argmin())
        raise StatisticsError(
            f"the {what} gives {scores[first]} for the sum {numbers[first].tolist()}; it must give a number from "
            f"-{LARGEST:g} to {LARGEST:g} for every sum of segments"
        )
    return scores


class Systems:
    """Systems with one or more runs each, prepared for resampling.

    :ivar names: the names of the systems
    :ivar runs: for each system the indices of its tables
    :ivar tables: the rows of all runs, in the form that is summed
    :ivar columns: the same rows, prepared for matrix products
    :ivar run_scores: the score of every run
    :ivar scores: the mean score of the runs of every system
    """

    def __init__(self, systems: Mapping[str, Sequence[Any]], scoring: Scoring, tables: list[Array], least: int = 2):
        """
        :param systems: the names of the systems, each with as many items as it has runs
        :param least: the smallest number of segments; all samples of one segment are equal
        """
        self.segments = len(tables[0])
        if self.segments < least:
            raise SampleError("there is one segment, so all samples are equal; give more segments, preferably hundreds")
        self.names = list(systems)
        numbers = count()
        self.runs = [list(islice(numbers, len(runs))) for runs in systems.values()]
        self.scoring = scoring
        self.tables = tables
        self.columns = Columns(tables)
        self.run_scores = scoring.exact(self.columns.numbers(self.columns.totals[:, :, None]))
        self.scores = [float(mean_of_runs(self.run_scores[runs])) for runs in self.runs]

    def influence(self, first: int, second: int) -> Floats:
        """Return for each segment by how much the first system's score would drop with the second system's output."""
        result = np.zeros(self.segments)
        columns = self.columns
        pairs = [*product(self.runs[first], self.runs[second])]
        for start in range(0, self.segments, PIECE):  # the sums of all segments at once would take much memory
            part = slice(start, start + PIECE)
            for own, other in pairs:
                sums = columns.totals[own] - columns.matrix[part, own] + columns.matrix[part, other]
                result[part] += self.run_scores[own] - self.scoring.exact(columns.numbers(sums.T))
        return result / len(pairs)


def mean_of_runs(scores: Floats) -> Floats:
    """Return the mean over the first axis, independent of the order of the runs.

    A shuffle that only permutes whole runs must give the real statistic to the last bit.
    """
    ordered = scores if len(scores) < 3 else np.sort(scores, axis=0)  # the addition of two is commutative
    total: Floats = sum(ordered, np.zeros(scores.shape[1:]))
    return total / len(scores)


# -------------------------------------------------------------------------------------------------------------- arguments


def named(given: Any) -> dict[str, list[Run]]:
    """Validate systems, and return them by name in their order.

    :param given: a mapping, or pairs of names and rows
    """
    example = 'for example {"baseline": rows, "mine": other_rows}'
    found: dict[str, list[Run]] = {}
    try:
        pairs = [(name, rows) for name, rows in (given.items() if hasattr(given, "items") else given)]
    except (TypeError, ValueError):
        raise SequenceTypeError(
            f"the systems are neither a mapping from names to rows nor pairs of a name and rows; give {example}"
        ) from None
    for name, rows in pairs:
        if not isinstance(name, str) or not name:
            shown = repr(name) if isinstance(name, (str, int)) else f"a {type(name).__name__}"
            raise SequenceTypeError(f"{shown} is not the name of a system; give names with rows, {example}")
        if name in found:
            raise UnknownNameError(f"two systems are called {name!r}; give each a name of its own")
        found[name] = runs_of(rows, name)
    if not found:
        raise SampleError("there is no system; give at least 1")
    return found


def runs_of(given: Any, name: str) -> list[Run]:
    """Return the runs of a system: one array, a list of arrays, or data for an array of three dimensions."""
    runs: Any = [given]
    # a list of numbers or of rows is one run, and so is one of NumPy's scalars
    if isinstance(given, (list, tuple)) and given and all(hasattr(one, "__array__") and np.ndim(one) for one in given):
        runs = given
    else:
        if isinstance(given, Iterable) and not hasattr(given, "__array__"):
            given = list(given)
            runs = [given]
        try:
            array = np.asarray(given)
        except ValueError as error:
            raise LengthMismatchError(
                f"{name} is not a table: its parts have different lengths, or are no numbers; all rows, and all runs of a "
                "system, must be equally long"
            ) from error
        if array.ndim == 3:
            runs = array
    found = []
    for number, run in enumerate(runs, 1):
        check_unmasked(run, name)
        array = np.asarray(run)
        if not array.size and not array.shape[0]:
            raise EmptyCorpusError(f"{name} has no segment; give the row of each segment, or a score for each")
        if array.dtype.kind not in "biuf":
            raise ArrayValueError(
                f"{name} has dtype {array.dtype}; give its rows, from cybleu.rows, or a score for each segment"
            )
        table = array[:, None] if array.ndim == 1 else array
        if table.ndim != 2 or not table.shape[1]:
            raise ArrayValueError(
                f"{name} has the shape {array.shape}; give the rows of its segments, or one number for each segment"
            )
        found.append(Run(f"run {number} of {name}" if len(runs) > 1 else name, table))
    return found


def validated(
    systems: Mapping[str, list[Run]], metric: MetricLike, scale: float | None, least: int = 2, **choices: Any
) -> Systems:
    """Validate the rows of systems, and return them with the scoring of their sums.

    :param least: see :class:`Systems`
    """
    given = [rows for runs in systems.values() for rows in runs]
    first = given[0]
    segments, width = first.table.shape
    for rows in given:
        if len(rows.table) != segments:
            raise LengthMismatchError(
                f"{first.name} has {segments} segments and {rows.name} {len(rows.table)}; all must have the same "
                "segments, in the same order"
            )
        if rows.table.shape[1] != width:
            raise LengthMismatchError(
                f"the rows of {first.name} have {width} numbers and those of {rows.name} {rows.table.shape[1]}; count "
                "them with the same metric"
            )
    scoring, tables = _scoring(given, metric, scale, choices)
    return Systems(systems, scoring, tables, least)


def _scoring(
    given: Sequence[Run], metric: MetricLike, scale: float | None, choices: Mapping[str, Any]
) -> tuple[Scoring, list[Array]]:
    """Return the scoring, and the tables that it sums."""
    if scale is not None and not 0 < as_number(scale) < float("inf"):
        raise ArrayValueError(f"scale is {scale!r}; it is the score of a perfect match, for example 1 or 100")
    chosen = {name: value for name, value in choices.items() if value is not None}
    if callable(metric) and not isinstance(metric, (Metric, Variant, type)):
        if chosen:
            raise UnknownNameError(f"a function of the sum has no option {next(iter(chosen))!r}; leave it out")
        return OfFunction(metric, scale), _numeric(given)
    if metric is None and not chosen and given[0].table.shape[1] == 1:
        tables = _numeric(given)
        return OfMeans(tables, scale), tables
    if scale is not None:
        raise ArrayValueError("scale is for functions and columns of scores; a metric has its own scale, leave it out")
    found = find(metric, **chosen)
    for rows in given:
        if rows.table.dtype.kind not in ("iuf" if found.dtype == "float64" else "iu"):
            raise ArrayValueError(
                f"{rows.name} has {rows.table.shape[1]} columns of {rows.table.dtype}, and the rows of {found.name} are "
                "integers; floats are scores, one column for each run, or the metric is a function of the sum"
            )
        try:
            found.score(rows.table)  # validates every row
        except StatisticsError as error:
            raise StatisticsError(f"{rows.name}: {error}") from error
        except ZeroDivisionError:  # some tools fail on empty text; in samples it gets the worst score
            pass
    # rows may have been counted to another order than the metric's default
    found = found.of_width(given[0].table.shape[1])
    return OfMetric(found), [found.summable(in_place(rows.table, found.dtype)) for rows in given]


def _numeric(given: Sequence[Run]) -> list[Array]:
    whole = all(rows.table.dtype.kind in "biu" for rows in given)
    for rows in given:
        if whole and rows.table.dtype == np.uint64 and rows.table.max() > np.iinfo(np.int64).max:
            raise ArrayValueError(f"{rows.name} has numbers above {np.iinfo(np.int64).max}")
        if not whole and (first := first_not_finite(rows.table)) is not None:
            raise ArrayValueError(
                f"{rows.name} has {', '.join(map(str, rows.table[first]))} for segment {first}, counted from 0; give a "
                "finite number for every segment"
            )
    return [in_place(rows.table, np.int64 if whole else np.float64) for rows in given]


# -------------------------------------------------------------------------------------------------------------- exact sums


class Columns:
    """The columns of all systems, split into limbs.

    The sums of a table are an array `(limbs * columns, n)` of whole numbers in float64. Sums of different tables may be
    added and subtracted; :meth:`numbers` converts them to numbers.

    :param tables: for each run of each system, an array `(segments, columns)`, all of int64 or all of finite float64
    :ivar matrix: the rows of all tables, `(segments, tables, limbs * columns)`
    :ivar totals: the sums of all segments, `(tables, limbs * columns)`
    """

    def __init__(self, tables: Sequence[Array]):
        self.segments, self.width = tables[0].shape
        self.whole = tables[0].dtype.kind == "i"  # whether the numbers are integers
        every = np.stack(tables, axis=1)  # (segments, tables, columns)
        fits_float32 = False
        if self.whole:
            least = int(every.min(initial=0))
            most = int(every.max(initial=0))
            largest = max(most, -least)
            if 4 * largest * self.segments > np.iinfo(np.int64).max:
                raise ArrayValueError(
                    f"the numbers are as large as {largest}, and sums of {self.segments} of them do not fit int64; divide "
                    "them by something"
                )
            lowest = 0
            highest = largest.bit_length()
            # the differences of numbers of both signs may be larger than the numbers
            fits_float32 = (most - least) * self.segments <= EXACT_IN_FLOAT32
        else:
            lowest, highest = _bits_of(every)
            if highest + self.segments.bit_length() > 1020:
                raise ArrayValueError("the sum of the numbers is too large for a float; divide them by something")
        bits = EXACT_IN_FLOAT64.bit_length() - 1 - self.segments.bit_length()  # of a limb
        self._shifts = list(range(lowest, max(highest, lowest + 1), bits))  # the exponents of the limbs
        limbs: list[Array] = []
        # from the highest limb down: what a limb takes is subtracted without rounding
        for shift in reversed(self._shifts):
            limb = every >> shift if self.whole else np.trunc(np.ldexp(every, -shift))
            every = every - (limb << shift if self.whole else np.ldexp(limb, shift))
            limbs.insert(0, limb)
        self.dtype = np.dtype(np.float32 if fits_float32 else np.float64)
        self.matrix = np.concatenate(limbs, axis=2).astype(self.dtype)
        # how much larger the other tables are than the first, of which shuffles are made
        self._differences = (self.matrix[:, 1:] - self.matrix[:, :1]).reshape(self.segments, -1)
        self.totals = self.sums(np.ones((1, self.segments), dtype=self.dtype))[:, :, 0]

    def sums(self, weights: Array) -> Floats:
        """Compute the sums of samples.

        :param weights: how often each segment is in each sample, `(n, segments)`, of :attr:`dtype`
        :return: `(tables, limbs * columns, n)`
        """
        _, tables, width = self.matrix.shape
        added = weights @ self.matrix.reshape(self.segments, -1)
        return np.ascontiguousarray(added.T, dtype=np.float64).reshape(tables, width, len(weights))

    def gains(self, weights: Array) -> Floats:
        """Compute how much larger the sums of samples are than those of the first table, as :meth:`sums`."""
        _, tables, width = self.matrix.shape
        gains = np.zeros((tables * width, len(weights)))
        gains[width:] = (weights @ self._differences).T
        return gains.reshape(tables, width, len(weights))

    def numbers(self, sums: Floats) -> Array:
        """Convert sums to numbers.

        :param sums: `(..., limbs * columns, n)`
        :return: `(... * n, columns)`: int64; or float64, each rounded once
        """
        limbs = len(self._shifts)
        dtype = np.int64 if self.whole else np.float64
        rows = np.ascontiguousarray(np.moveaxis(sums, -2, -1), dtype=dtype).reshape(-1, limbs, self.width)
        shifts = np.array(self._shifts)[:, None]
        if self.whole:
            return rows[:, 0] if limbs == 1 else (rows << shifts).sum(axis=1)
        parts = np.moveaxis(np.ldexp(rows, shifts), 1, 2).reshape(-1, limbs).tolist()
        return np.array(list(map(math.fsum, parts))).reshape(-1, self.width)


def _bits_of(numbers: Floats) -> tuple[int, int]:
    """Return the exponents of the lowest bit set in any number, and of the first bit above all numbers."""
    mantissas, exponents = np.frexp(numbers[numbers != 0])
    if not len(mantissas):
        return 0, 0
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    lowest = np.frexp((whole & -whole).astype(np.float64))[1] - 1
    return int((exponents - 53 + lowest).min()), int(exponents.max())
