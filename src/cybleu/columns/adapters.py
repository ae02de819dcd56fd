"""What :mod:`cybleu.columns.engines` calls of Spark and of Ray Data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyarrow import RecordBatch, Table
    from pyspark.sql import Column, DataFrame
    from ray.data import Dataset

    MapBatch = Callable[[Any], dict[str, Any]]  # from a RecordBatch or Table to columns by name


class Spark:
    """DataFrames of Spark."""

    def select(self, frame: DataFrame, choose: Callable[[Sequence[str]], list[str]]) -> DataFrame:
        """Return the columns that a function chooses from the names of all."""
        return frame.select(*map(_column, choose(frame.columns)))

    def map(self, frame: DataFrame, keep: Sequence[str], function: MapBatch, types: Mapping[str, str]) -> DataFrame:
        """Return the columns that a function makes of batches: those to keep, then those of these types."""
        from pyspark.sql.types import DoubleType, LongType, StructField, StructType

        names = frame.columns
        schema = StructType([frame.schema[name] for name in keep])
        for name, kind in types.items():
            schema.add(StructField(name, DoubleType() if kind == "float64" else LongType()))

        def map_batches(batches: Iterator[RecordBatch]) -> Iterator[RecordBatch]:
            from pyarrow import RecordBatch

            for batch in batches:
                yield RecordBatch.from_pydict(function(batch.rename_columns(names)))

        # mapInArrow itself takes no names with dots
        return frame.toDF(*(f"column_{place}" for place in range(len(names)))).mapInArrow(map_batches, schema)

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
        found: dict[str, int | None] = self.sums(frame, names, (), None).first().asDict()
        return found

    def table(self, frame: DataFrame) -> Table:
        return frame.toArrow()


def _column(name: str) -> Column:
    """Return a column by its exact name, which may have dots."""
    from pyspark.sql import functions

    return functions.col(f"`{name.replace('`', '``')}`")


class Ray:
    """Datasets of Ray Data. The methods are those of :class:`Spark`."""

    def select(self, frame: Dataset, choose: Callable[[Sequence[str]], list[str]]) -> Dataset:
        names = frame.columns(fetch_if_missing=False)
        if names is None:
            return frame  # a task says what is missing
        return frame.select_columns(choose(names))

    def map(self, frame: Dataset, keep: Sequence[str], function: MapBatch, types: Mapping[str, str]) -> Dataset:
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
        found: dict[str, int | None] = self.sums(frame.materialize(), names, (), None).take(1)[0]
        return found

    def table(self, frame: Dataset) -> Table:
        from pyarrow import concat_tables
        from ray import get

        return concat_tables(get(frame.to_arrow_refs()))
