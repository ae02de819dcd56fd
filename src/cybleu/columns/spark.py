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

from .engines import group_scores, rows, score, segment_scores, system_rows, total

if TYPE_CHECKING:
    from .engines import Counting, Mapped

__all__ = ["group_scores", "rows", "score", "segment_scores", "system_rows", "total"]


class Spark:
    """What :mod:`cybleu.columns.engines` calls of Spark."""

    def read(self, frame: Any, counting: Counting) -> Any:
        return frame.select(*map(_column, counting.read(frame.columns)))

    def map(self, frame: Any, counting: Counting, function: Mapped, types: Mapping[str, str]) -> Any:
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

    def total(self, frame: Any, counting: Counting) -> dict[str, int | None]:
        found: dict[str, int | None] = self.grouped(frame, counting, None).first().asDict()
        return found

    def grouped(self, frame: Any, counting: Counting, partitions: int | None) -> Any:
        from pyspark.sql.functions import sum as sum_of

        by = [_column(name) for name in counting.keep]
        if partitions is not None:
            frame = frame.repartition(partitions, *by)
        return frame.groupBy(*by).agg(*(sum_of(_column(name)).alias(name) for name in counting.metric.columns))

    def table(self, frame: Any) -> Any:
        return frame.toArrow()


def _column(name: str) -> Any:
    """A column by its exact name, which may hold dots."""
    from pyspark.sql import functions

    return functions.col(f"`{name.replace('`', '``')}`")
