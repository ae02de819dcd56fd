"""Scores of Spark's DataFrames. A map turns Arrow batches of texts into rows of statistics, and Spark adds these up.

It needs PySpark from 4.0, classic or Spark Connect. cybleu, NumPy and pyarrow have to be installed where Spark runs
Python. Texts are in columns of strings, or of arrays of strings. A task reads
``spark.sql.execution.arrow.maxRecordsPerBatch`` rows at a time. Bad input raises one of cybleu's errors inside an error
of Spark. The row that it names is counted from the start of the batch.

In the examples `frame` is a DataFrame with one segment of two systems. Its columns are `system`, `segment`,
`hypothesis` and `reference`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import ArrowError
from .engines import SCORE, Counting
from .tables import known

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..metrics import Metric, Score, Variant
    from .engines import Names
    from .tables import Tokenize

__all__ = ["group_scores", "rows", "score", "segment_scores", "system_rows", "total"]


def rows(
    frame: Any,
    hypothesis: str = "hypothesis",
    references: Names = "reference",
    metric: str | Metric | Variant | None = None,
    *,
    keep: Names = (),
    tokenize: Tokenize = "13a",
    lowercase: bool = False,
) -> Any:
    """The statistics of each segment as columns, which Spark adds up.

    :param frame: a DataFrame of Spark
    :param hypothesis: the name of the column of hypotheses
    :param references: the name of the column of references, which has a reference or an array of references for each
        segment; or the names of several columns
    :param metric: as for :func:`cybleu.metrics.find`, by default ``sacrebleu``
    :param keep: the name of a column to keep with the statistics, such as that of the segment, or the names of
        several
    :param tokenize: how to split raw text into tokens, by default ``13a``; None for arrays of tokens
    :param lowercase: put raw text in lower case first
    :return: a DataFrame, not computed yet
    :raises UnknownNameError: there is no column, or no metric, with this name
    :raises ArrayValueError: a column is kept twice, or has the name of a new column
    :raises ArrowError: `frame` is not a DataFrame

    >>> rows(frame, keep="system").select("system", "hyp_len", "match_1").filter("system = 'b'").show()
    +------+-------+-------+
    |system|hyp_len|match_1|
    +------+-------+-------+
    |     b|      4|      3|
    +------+-------+-------+
    <BLANKLINE>
    """
    counting = Counting(hypothesis, references, metric, tokenize, lowercase, keep)
    return _mapped(_read(frame, counting), counting, Counting.rows_of, counting.metric.columns)


def segment_scores(
    frame: Any,
    hypothesis: str = "hypothesis",
    references: Names = "reference",
    metric: str | Metric | Variant | None = None,
    *,
    keep: Names = (),
    tokenize: Tokenize = "13a",
    lowercase: bool = False,
) -> Any:
    """The score of each segment, in the column ``score``.

    The metric scores single sentences here, as :func:`cybleu.scores` does with this metric at the level of sentences.

    :param frame: a DataFrame of Spark
    :param hypothesis: the name of the column of hypotheses
    :param references: as for :func:`rows`
    :param metric: as for :func:`cybleu.metrics.find`, by default ``sacrebleu``
    :param keep: the name of a column to keep with the score, or the names of several
    :param tokenize: how to split raw text into tokens, by default ``13a``; None for arrays of tokens
    :param lowercase: put raw text in lower case first
    :return: a DataFrame, not computed yet
    :raises CybleuError: as for :func:`rows`

    >>> [round(row.score, 2) for row in segment_scores(frame, keep="system").orderBy("system").collect()]
    [100.0, 59.46]
    """
    counting = Counting(hypothesis, references, metric, tokenize, lowercase, keep)
    return _mapped(_read(frame, counting), counting, Counting.segment_scores_of, (), (SCORE,))


def total(
    frame: Any,
    hypothesis: str = "hypothesis",
    references: Names = "reference",
    metric: str | Metric | Variant | None = None,
    *,
    tokenize: Tokenize = "13a",
    lowercase: bool = False,
) -> dict[str, int]:
    """The sum of the statistics of all segments.

    :param frame: a DataFrame of Spark
    :param hypothesis: the name of the column of hypotheses
    :param references: as for :func:`rows`
    :param metric: as for :func:`cybleu.metrics.find`, by default ``sacrebleu``
    :param tokenize: how to split raw text into tokens, by default ``13a``; None for arrays of tokens
    :param lowercase: put raw text in lower case first
    :return: a dict from the names of the metric's columns to ints, 0 for a DataFrame without rows
    :raises CybleuError: as for :func:`rows`

    >>> total(frame)["match_1"]
    7
    """
    counting = Counting(hypothesis, references, metric, tokenize, lowercase)
    return counting.total_of(_sums(frame, counting))


def score(
    frame: Any,
    hypothesis: str = "hypothesis",
    references: Names = "reference",
    metric: str | Metric | Variant | None = None,
    *,
    tokenize: Tokenize = "13a",
    lowercase: bool = False,
) -> Score:
    """The score of all segments as one corpus, as :func:`cybleu.score` gives it for their rows.

    :param frame: a DataFrame of Spark
    :param hypothesis: the name of the column of hypotheses
    :param references: as for :func:`rows`
    :param metric: as for :func:`cybleu.metrics.find`, by default ``sacrebleu``. It cannot be a mean of the scores of
        segments; for such a mean, average the result of :func:`segment_scores`
    :param tokenize: how to split raw text into tokens, by default ``13a``; None for arrays of tokens
    :param lowercase: put raw text in lower case first
    :return: a :class:`cybleu.metrics.BleuScore`, or the :class:`cybleu.metrics.Score` of another metric
    :raises EmptyCorpusError: the DataFrame has no rows
    :raises StatisticsError: the metric is a mean of the scores of segments
    :raises CybleuError: as for :func:`rows`

    >>> print(f"{score(frame).score:.2f}, {score(frame, metric='chrf').score:.2f}")
    72.31, 79.65
    """
    counting = Counting(hypothesis, references, metric, tokenize, lowercase).for_sums()
    return counting.score_of(_sums(frame, counting))


def group_scores(
    frame: Any,
    by: Names,
    hypothesis: str = "hypothesis",
    references: Names = "reference",
    metric: str | Metric | Variant | None = None,
    *,
    tokenize: Tokenize = "13a",
    lowercase: bool = False,
) -> Any:
    """The score of each group as one corpus: the column ``score``, and the sums of the statistics.

    :param frame: a DataFrame of Spark
    :param by: the name of the column whose values are the groups, or the names of several
    :param hypothesis: the name of the column of hypotheses
    :param references: as for :func:`rows`
    :param metric: as for :func:`score`
    :param tokenize: how to split raw text into tokens, by default ``13a``; None for arrays of tokens
    :param lowercase: put raw text in lower case first
    :return: a DataFrame, not computed yet, with a row for each group, in any order
    :raises StatisticsError: the metric is a mean of the scores of segments
    :raises CybleuError: as for :func:`rows`

    >>> [(row.system, round(row.score, 2)) for row in group_scores(frame, "system").orderBy("system").collect()]
    [('a', 100.0), ('b', 59.46)]
    """
    counting = Counting(hypothesis, references, metric, tokenize, lowercase, by).for_sums()
    counted = _mapped(_read(frame, counting), counting, Counting.addends_of, counting.addends)
    sums = counted.groupBy(*map(_column, counting.keep)).agg(*_added(counting))
    return _mapped(sums, counting, Counting.group_scores_of, counting.metric.columns, (SCORE,))


def system_rows(
    frame: Any,
    hypothesis: str = "hypothesis",
    references: Names = "reference",
    metric: str | Metric | Variant | None = None,
    *,
    system: str = "system",
    segment: str = "segment",
    tokenize: Tokenize = "13a",
    lowercase: bool = False,
) -> dict[str, NDArray[np.int64]]:
    """The rows of several systems in this process, as the tests of :mod:`cybleu.significance` take them.

    :param frame: a DataFrame of Spark with a row for each segment of each system
    :param hypothesis: the name of the column of hypotheses
    :param references: as for :func:`rows`
    :param metric: as for :func:`cybleu.metrics.find`, by default ``sacrebleu``
    :param system: the name of the column that says whose hypothesis it is
    :param segment: the name of the column that says which segment it is; the rows are in its order
    :param tokenize: how to split raw text into tokens, by default ``13a``; None for arrays of tokens
    :param lowercase: put raw text in lower case first
    :return: a dict from the names of the systems to int64 arrays `(segments, columns)`
    :raises LengthMismatchError: a system has a segment twice, or not the same segments as another
    :raises SequenceTypeError: a system or a segment is null
    :raises CybleuError: as for :func:`rows`

    >>> {name: of_system.shape for name, of_system in system_rows(frame).items()}
    {'a': (1, 10), 'b': (1, 10)}
    """
    counting = Counting(hypothesis, references, metric, tokenize, lowercase, (system, segment))
    return counting.systems_of(
        _mapped(_read(frame, counting), counting, Counting.rows_of, counting.metric.columns).toArrow()
    )


def _read(frame: Any, counting: Counting) -> Any:
    """The columns that are read and no others.

    :raises ArrowError: `frame` is not a DataFrame
    :raises UnknownNameError: there is no column of a name, or there are several
    """
    if not hasattr(frame, "mapInArrow"):
        raise ArrowError(
            f"a {type(frame).__name__} is not a DataFrame of Spark; pass tables in memory to cybleu.columns.rows"
        )
    names = frame.columns
    return frame.select(*(_column(known(name, names, "frame")) for name in counting.read))


def _mapped(
    frame: Any,
    counting: Counting,
    function: Callable[[Counting, Any], dict[str, Any]],
    columns: Sequence[str],
    floats: Sequence[str] = (),
) -> Any:
    """The columns that are kept, and those that the function makes of batches."""
    from pyspark.sql.types import DoubleType, LongType, StructField, StructType

    names = frame.columns
    counted = DoubleType() if counting.metric.takes_fractions else LongType()
    schema = StructType(
        [
            *(frame.schema[name] for name in counting.keep),
            *(StructField(name, counted) for name in columns),
            *(StructField(name, DoubleType()) for name in floats),
        ]
    )

    def map_batches(batches: Iterator[Any]) -> Iterator[Any]:
        from pyarrow import RecordBatch

        for batch in batches:
            yield RecordBatch.from_pydict(function(counting, batch.rename_columns(names)))

    # mapInArrow itself takes no names with dots
    return frame.toDF(*(f"column_{place}" for place in range(len(names)))).mapInArrow(map_batches, schema)


def _sums(frame: Any, counting: Counting) -> dict[str, int | None]:
    counted = _mapped(_read(frame, counting), counting, Counting.sums_of, counting.addends)
    found: dict[str, int | None] = counted.agg(*_added(counting)).first().asDict()
    return found


def _added(counting: Counting) -> list[Any]:
    from pyspark.sql import functions

    return [functions.sum(_column(name)).alias(name) for name in counting.addends]


def _column(name: str) -> Any:
    """A column by its exact name, which may hold dots."""
    from pyspark.sql import functions

    return functions.col(f"`{name.replace('`', '``')}`")
