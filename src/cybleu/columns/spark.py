"""Scores of Spark's DataFrames. A map turns Arrow batches of texts into rows of statistics, and Spark adds these up.

It requires PySpark from 4.0, classic or Spark Connect. cybleu, NumPy and pyarrow must be installed where Spark runs
Python. Texts are in columns of strings, or of arrays of strings. A task reads
``spark.sql.execution.arrow.maxRecordsPerBatch`` rows at a time. Bad input raises one of cybleu's errors inside an error
of Spark. The row that it names is counted from the start of the batch.

In the examples `frame` is a DataFrame with one segment of two systems. Its columns are `system`, `segment`,
`hypothesis` and `reference`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..errors import ArrowError
from .engines import FUNCTIONS, Engine

if TYPE_CHECKING:
    from .engines import Counting, Mapped

__all__ = FUNCTIONS


class Spark(Engine):
    def _read(self, frame: Any, counting: Counting) -> Any:
        if not hasattr(frame, "mapInArrow"):
            raise ArrowError(
                f"a {type(frame).__name__} is not a DataFrame of Spark; pass tables in memory to cybleu.columns.rows"
            )
        return frame.select(*map(_column, counting.read(frame.columns)))

    def _map(self, frame: Any, counting: Counting, function: Mapped, types: Mapping[str, str]) -> Any:
        from pyspark.sql.types import DoubleType, LongType, StructField, StructType

        names = frame.columns
        schema = StructType([frame.schema[name] for name in counting.keep])
        for name, kind in types.items():
            schema.add(StructField(name, DoubleType() if kind == "float64" else LongType()))

        def map_batches(batches: Iterator[Any]) -> Iterator[Any]:
            from pyarrow import RecordBatch

            for batch in batches:
                yield RecordBatch.from_pydict(function(batch.rename_columns(names)))

        # mapInArrow itself takes no names with dots
        return frame.toDF(*(f"column_{place}" for place in range(len(names)))).mapInArrow(map_batches, schema)

    def _total(self, frame: Any, counting: Counting) -> dict[str, int | None]:
        found: dict[str, int | None] = frame.agg(*_added(counting)).first().asDict()
        return found

    def _grouped(self, frame: Any, counting: Counting, partitions: int | None) -> Any:
        by = [_column(name) for name in counting.keep]
        if partitions is not None:
            frame = frame.repartition(partitions, *by)
        return frame.groupBy(*by).agg(*_added(counting))

    def _table(self, frame: Any) -> Any:
        return frame.toArrow()


def _added(counting: Counting) -> list[Any]:
    from pyspark.sql import functions

    return [functions.sum(_column(name)).alias(name) for name in counting.metric.columns]


def _column(name: str) -> Any:
    """A column by its exact name, which may hold dots."""
    from pyspark.sql import functions

    return functions.col(f"`{name.replace('`', '``')}`")


_spark = Spark()
group_scores = _spark.group_scores
rows = _spark.rows
score = _spark.score
segment_scores = _spark.segment_scores
system_rows = _spark.system_rows
total = _spark.total
