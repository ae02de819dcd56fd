"""Scores of the frames of an engine, Spark or Ray, which maps batches of Arrow and adds up columns.

:class:`BatchCounter` has the functions that the engine maps. A task has one processor, so that they count in one thread.
They are sent to other machines, where they import cybleu. The public functions are those of :mod:`cybleu.columns.spark`
and :mod:`cybleu.columns.ray`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from .._runtime.arrays import Integers
from ..errors import ArrayValueError, ArrowError, EmptyCorpusError, LengthMismatchError, SequenceTypeError
from ..metrics import Score, find
from ..metrics.names import rows_by_name
from ..metrics.operations import check_parts, check_summable
from . import tables
from .tables import known, names_of_references

if TYPE_CHECKING:
    from pyarrow import RecordBatch, Table
    from pyspark.sql import Column, DataFrame
    from ray.data import Dataset

    from .tables import Names

    Frame: TypeAlias = "DataFrame | Dataset"
    MapBatch = Callable[[Any], dict[str, Any]]  # from a RecordBatch or Table to columns by name

SCORE = "score"
SCORES = {SCORE: "float64"}


class BatchCounter:
    """Which columns are counted and how, and which columns are kept with the counts.

    :param options: of the metric
    :ivar types: the type of each column of statistics
    :ivar read: the names of the columns that are read
    :raises UnknownNameError: there is no such metric, or no column of references
    :raises ArrayValueError: a column is kept twice, or has the name of a new column
    """

    def __init__(self, hypothesis: str, references: Names, metric: Any, options: Mapping[str, Any], keep: Names = ()):
        self.metric = find(metric, **options)
        check_parts(self.metric)
        self.types = dict.fromkeys(self.metric.columns, self.metric.dtype)
        self.hypothesis = hypothesis
        self.references = names_of_references(references)
        self.keep = [keep] if isinstance(keep, str) else list(keep)
        self.read = list(dict.fromkeys([*self.keep, hypothesis, *self.references]))
        for place, name in enumerate(self.keep):
            again = name in self.keep[:place]
            if again or name in (*self.metric.columns, SCORE):
                made = "given twice" if again else "the name of a column that is made"
                raise ArrayValueError(f"the column {name!r} is to be kept, and it is {made}; rename it")

    def counted(self, frame: Frame) -> Frame:
        """Return the columns that are kept, and the statistics of each segment."""
        return engine_of(frame).map(frame, self.read, self.keep, self.rows_of, self.types)

    def total(self, frame: Frame) -> dict[str, Any]:
        """Return the sum of the statistics; each is None if there is no row."""
        return engine_of(frame).total(self.counted(frame), self.metric.columns)

    # ------------------------------------------------ from batches, RecordBatches or Tables of pyarrow, to columns, on workers

    def rows_of(self, batch: Any) -> dict[str, Any]:
        """Return the columns that are kept, and the statistics of each segment."""
        counted = tables.rows(batch, self.hypothesis, self.references, self.metric, threads=1)
        return columns_of(batch, self.keep) | counted

    def segment_scores_of(self, batch: Any) -> dict[str, Any]:
        """Return the columns that are kept, and the score of each segment."""
        scores = tables.segment_scores(batch, self.hypothesis, self.references, self.metric, threads=1)
        return columns_of(batch, self.keep) | {SCORE: scores}

    def group_scores_of(self, batch: Any) -> dict[str, Any]:
        """Return the columns of a batch of sums, and the score of each sum."""
        rows = rows_by_name(columns_of(batch, self.metric.columns), self.metric)
        return columns_of(batch, batch.schema.names) | {SCORE: self.metric.scores(rows)}

    # ------------------------------------------------------------------------------------------ from a table of all systems

    def systems_of(self, table: Table) -> dict[str, Integers]:
        """Return the rows of each system, in the order of the segments.

        :param table: with the columns of the system and of the segment, which are kept, and the statistics
        :raises SequenceTypeError: a system or a segment is null
        :raises LengthMismatchError: a system has a segment twice, or not the segments of the first system
        """
        from pyarrow.compute import equal

        system, segment = self.keep
        for name in self.keep:
            if table.column(name).null_count:
                raise SequenceTypeError(f"the column {name!r} holds nulls; each row needs its system and its segment")
        rows = {}
        first: Any = None
        for one in table.column(system).unique().sort():
            part = table.filter(equal(table.column(system), one)).sort_by(segment)
            segments = part.column(segment).to_pylist()
            for number, next_number in pairwise(segments):
                if number == next_number:
                    raise LengthMismatchError(f"the system {one} has the segment {number} more than once")
            # tests compare systems row by row, so that all must have the segments of the first one
            first = first or (one, segments)
            if segments != first[1]:
                different = set(segments) ^ set(first[1])
                raise LengthMismatchError(
                    f"the systems {first[0]} and {one} have not the same segments, for example {min(different)!r}"
                )
            rows[str(one)] = rows_by_name(columns_of(part, self.metric.columns), self.metric)
        return rows


def columns_of(batch: Any, names: Sequence[str]) -> dict[str, Any]:
    """Return columns of a RecordBatch or Table of pyarrow by their names."""
    return {name: batch.column(name) for name in names}


# --------------------------------------------------------------------------------------------------------- the two engines


class Spark:
    """DataFrames of Spark."""

    def map(
        self, frame: DataFrame, read: Sequence[str], keep: Sequence[str], function: MapBatch, types: Mapping[str, str]
    ) -> DataFrame:
        """Return the columns that a function makes of batches: those to keep, then those of these types.

        :param read: the names of the columns that the function reads
        :raises UnknownNameError: there is no column of a name, or there are several
        """
        from pyspark.sql.types import DoubleType, LongType, StructField, StructType

        names = frame.columns
        frame = frame.select(*(_column(known(name, names)) for name in read))
        schema = StructType([frame.schema[name] for name in keep])
        for name, kind in types.items():
            schema.add(StructField(name, DoubleType() if kind == "float64" else LongType()))

        def map_batches(batches: Iterator[RecordBatch]) -> Iterator[RecordBatch]:
            from pyarrow import RecordBatch

            for batch in batches:
                yield RecordBatch.from_pydict(function(batch.rename_columns(read)))

        # mapInArrow itself takes no names with dots
        return frame.toDF(*(f"column_{place}" for place in range(len(read)))).mapInArrow(map_batches, schema)

    def sums(self, frame: DataFrame, names: Sequence[str], by: Sequence[str], partitions: int | None) -> DataFrame:
        """Add up columns in groups of rows.

        :param names: of the columns
        :param by: names of the columns whose values are the groups
        """
        from pyspark.sql.functions import sum as total

        groups = list(map(_column, by))
        if partitions is not None:
            frame = frame.repartition(partitions, *groups)
        return frame.groupBy(*groups).agg(*(total(_column(name)).alias(name) for name in names))

    def total(self, frame: DataFrame, names: Sequence[str]) -> dict[str, int | None]:
        """Add up columns; None if there is no row."""
        return self.sums(frame, names, (), None).first().asDict()  # type: ignore[no-any-return]

    def table(self, frame: DataFrame) -> Table:
        return frame.toArrow()


def _column(name: str) -> Column:
    """Return a column by its exact name, which may have dots."""
    from pyspark.sql import functions

    return functions.col(f"`{name.replace('`', '``')}`")


class Ray:
    """Datasets of Ray Data. The methods are those of :class:`Spark`."""

    def map(
        self, frame: Dataset, read: Sequence[str], keep: Sequence[str], function: MapBatch, types: Mapping[str, str]
    ) -> Dataset:
        names = frame.columns(fetch_if_missing=False)
        if names is not None:  # otherwise a task says what is missing
            frame = frame.select_columns([known(name, names) for name in read])

        def map_block(block: Table) -> Table:
            from pyarrow import Table

            return Table.from_pydict(function(block))

        return frame.map_batches(map_block, batch_format="pyarrow", batch_size=None, zero_copy_batch=True)

    def sums(self, frame: Dataset, names: Sequence[str], by: Sequence[str], partitions: int | None) -> Dataset:
        from ray.data.aggregate import Sum

        totals = [Sum(name, alias_name=name) for name in names]
        return frame.groupby(by or None, num_partitions=partitions).aggregate(*totals)

    def total(self, frame: Dataset, names: Sequence[str]) -> dict[str, int | None]:
        # Ray keeps processors back for the sum as long as the map is in one execution with it; here each has all of them
        return self.sums(frame.materialize(), names, (), None).take(1)[0]  # type: ignore[no-any-return]

    def table(self, frame: Dataset) -> Table:
        from pyarrow import concat_tables
        from ray import get

        return concat_tables(get(frame.to_arrow_refs()))


def engine_of(frame: Frame) -> Spark | Ray:
    """Return the calls of the engine that this frame is of.

    :raises ArrowError: it is a frame of none
    """
    if hasattr(frame, "mapInArrow"):
        return Spark()
    if hasattr(frame, "map_batches") and hasattr(frame, "select_columns"):
        return Ray()
    raise ArrowError(
        f"a {type(frame).__name__} is not a DataFrame of Spark or a Dataset of Ray Data; pass tables in memory to "
        "cybleu.columns.rows"
    )


# -------------------------------------------------------------------------------------------------------- public functions


def rows(
    frame: Frame,
    hypothesis: str = "hypothesis",
    references: Names = "reference",
    metric: Any = "bleu",
    *,
    keep: Names = (),
    **options: Any,
) -> Frame:
    """Count each segment, and return its statistics as columns that the engine can add up.

    :param frame: a Spark DataFrame, or a Ray Data Dataset
    :param hypothesis: the name of the column of hypotheses
    :param references: the name of the column of references, which has a reference or a list of references for each
        segment; or the names of several columns
    :param metric: the metric, in any form that :func:`cybleu.metrics.find` accepts, by default sacreBLEU's BLEU
    :param keep: the name of a column to keep with the statistics, such as the segment, or the names of several
    :param options: options of the metric, such as ``tokenize="zh"``
    :return: another frame of the engine, evaluated lazily
    :raises UnknownNameError: there is no column or metric with this name
    :raises ArrayValueError: a column is kept twice, or has the name of a new column
    :raises ArrowError: `frame` is neither a DataFrame nor a Dataset

    With Spark:

    >>> rows(frame, keep="system").select("system", "hyp_len", "match_1").filter("system = 'b'").show()
    +------+-------+-------+
    |system|hyp_len|match_1|
    +------+-------+-------+
    |     b|      4|      3|
    +------+-------+-------+
    <BLANKLINE>
    """
    return BatchCounter(hypothesis, references, metric, options, keep).counted(frame)


def segment_scores(
    frame: Frame,
    hypothesis: str = "hypothesis",
    references: Names = "reference",
    metric: Any = "bleu",
    *,
    keep: Names = (),
    **options: Any,
) -> Frame:
    """Score each segment, and return the scores in the column ``score``.

    The metric scores each segment as its tool scores single sentences. The other parameters are those of
    :func:`cybleu.columns.rows`.

    :param frame: see :func:`rows`
    :param keep: the name of a column to keep with the score, or the names of several
    :return: another frame of the engine, evaluated lazily
    :raises CybleuError: for the same reasons as :func:`rows`

    With Spark:

    >>> [round(row.score, 2) for row in segment_scores(frame, keep="system").orderBy("system").collect()]
    [100.0, 59.46]
    """
    counter = BatchCounter(hypothesis, references, metric, options, keep)
    return engine_of(frame).map(frame, counter.read, counter.keep, counter.segment_scores_of, SCORES)


def total(
    frame: Frame,
    hypothesis: str = "hypothesis",
    references: Names = "reference",
    metric: Any = "bleu",
    **options: Any,
) -> dict[str, int]:
    """Sum the statistics of all segments. The other parameters are those of :func:`cybleu.columns.rows`.

    :param frame: see :func:`rows`
    :return: a dict that maps the names of the metric's columns to ints, 0 for a frame without rows
    :raises CybleuError: for the same reasons as :func:`rows`

    >>> total(frame)["match_1"]
    7
    """
    counter = BatchCounter(hypothesis, references, metric, options)
    number: Any = float if counter.metric.dtype == "float64" else int
    return {name: number(found or 0) for name, found in counter.total(frame).items()}


def score(
    frame: Frame,
    hypothesis: str = "hypothesis",
    references: Names = "reference",
    metric: Any = "bleu",
    **options: Any,
) -> Score:
    """Score all segments as one corpus, like :func:`cybleu.score` for their rows.

    The other parameters are those of :func:`cybleu.columns.rows`.

    :param frame: see :func:`rows`
    :param metric: the metric, in any form that :func:`cybleu.metrics.find` accepts, by default sacreBLEU's BLEU. It
        cannot be a mean of the scores of segments; for such a mean, average the result of :func:`segment_scores`
    :return: a :class:`cybleu.metrics.BleuScore`, or the :class:`cybleu.metrics.Score` of another metric
    :raises EmptyCorpusError: the frame has no rows
    :raises StatisticsError: the metric is a mean of the scores of segments
    :raises CybleuError: for the same reasons as :func:`rows`

    >>> print(f"{score(frame).score:.2f}, {score(frame, metric='chrf').score:.2f}")
    72.31, 79.65
    """
    counter = BatchCounter(hypothesis, references, metric, options)
    check_summable(counter.metric)
    sums = counter.total(frame)
    if None in sums.values():
        raise EmptyCorpusError("there is no segment to score; give at least one row with its references")
    return counter.metric.score([sums[name] for name in counter.metric.columns])


def group_scores(
    frame: Frame,
    by: Names,
    hypothesis: str = "hypothesis",
    references: Names = "reference",
    metric: Any = "bleu",
    *,
    partitions: int | None = None,
    **options: Any,
) -> Frame:
    """Score each group as one corpus, and return the column ``score`` and the sums of the statistics.

    The other parameters are those of :func:`cybleu.columns.rows`.

    :param frame: see :func:`rows`
    :param by: the name of the column whose values are the groups, or the names of several
    :param metric: see :func:`score`
    :param partitions: the number of partitions into which the engine shuffles the groups; by default the engine
        decides. If there are few groups, a small number is faster with Ray
    :return: another frame of the engine, evaluated lazily, with one row for each group in any order
    :raises StatisticsError: the metric is a mean of the scores of segments
    :raises CybleuError: for the same reasons as :func:`rows`

    With Spark:

    >>> [(row.system, round(row.score, 2)) for row in group_scores(frame, "system").orderBy("system").collect()]
    [('a', 100.0), ('b', 59.46)]
    """
    counter = BatchCounter(hypothesis, references, metric, options, keep=by)
    check_summable(counter.metric)
    engine = engine_of(frame)
    sums = engine.sums(counter.counted(frame), counter.metric.columns, counter.keep, partitions)
    names = [*counter.keep, *counter.metric.columns]
    return engine.map(sums, names, names, counter.group_scores_of, SCORES)


def system_rows(
    frame: Frame,
    hypothesis: str = "hypothesis",
    references: Names = "reference",
    metric: Any = "bleu",
    *,
    system: str = "system",
    segment: str = "segment",
    **options: Any,
) -> dict[str, Integers]:
    """Collect the rows of several systems in this process, as input of the tests of :mod:`cybleu.significance`.

    The other parameters are those of :func:`cybleu.columns.rows`.

    :param frame: see :func:`rows`, with a row for each segment of each system
    :param system: the name of the column with the name of the system
    :param segment: the name of the column that identifies the segment; the rows are sorted by it
    :return: a dict that maps the names of the systems to int64 arrays `(segments, columns)`
    :raises LengthMismatchError: a system has a segment twice, or its segments differ from those of another system
    :raises SequenceTypeError: a system or a segment is null
    :raises CybleuError: for the same reasons as :func:`rows`

    >>> {name: of_system.shape for name, of_system in system_rows(frame).items()}
    {'a': (1, 10), 'b': (1, 10)}
    """
    counter = BatchCounter(hypothesis, references, metric, options, keep=(system, segment))
    return counter.systems_of(engine_of(frame).table(counter.counted(frame)))
