"""What :mod:`cybleu.columns.engines` calls of Spark and of Ray Data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .engines import Counting

    Mapped = Callable[[Any], dict[str, Any]]


class Spark:
    """DataFrames of Spark."""

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
        from pyspark.sql.functions import sum as total

        by = [_column(name) for name in counting.keep]
        if partitions is not None:
            frame = frame.repartition(partitions, *by)
        return frame.groupBy(*by).agg(*(total(_column(name)).alias(name) for name in counting.metric.columns))

    def table(self, frame: Any) -> Any:
        return frame.toArrow()


def _column(name: str) -> Any:
    """A column by its exact name, which may hold dots."""
    from pyspark.sql import functions

    return functions.col(f"`{name.replace('`', '``')}`")


class Ray:
    """Datasets of Ray Data."""

    def read(self, frame: Any, counting: Counting) -> Any:
        names = frame.columns(fetch_if_missing=False)
        if names is None:
            return frame  # a task says what is missing
        return frame.select_columns(counting.read(names))

    def map(self, frame: Any, counting: Counting, function: Mapped, types: Mapping[str, str]) -> Any:
        def map_block(block: Any) -> Any:
            from pyarrow import Table

            return Table.from_pydict(function(block))

        return frame.map_batches(map_block, batch_format="pyarrow", batch_size=None, zero_copy_batch=True)

    def total(self, frame: Any, counting: Counting) -> dict[str, int | None]:
        # Ray keeps processors back for the sum as long as the map is in one execution with it; here each has all of them
        found: dict[str, int | None] = self.grouped(frame.materialize(), counting, None).take(1)[0]
        return found

    def grouped(self, frame: Any, counting: Counting, partitions: int | None) -> Any:
        from ray.data.aggregate import Sum

        sums = [Sum(name, alias_name=name) for name in counting.metric.columns]
        return frame.groupby(counting.keep or None, num_partitions=partitions).aggregate(*sums)

    def table(self, frame: Any) -> Any:
        from pyarrow import concat_tables
        from ray import get

        return concat_tables(get(frame.to_arrow_refs()))
