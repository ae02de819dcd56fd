"""Scores of Ray Data's Datasets. A map turns Arrow blocks of texts into rows of statistics, and Ray adds these up.

It requires Ray from 2.40. cybleu, NumPy and pyarrow must be installed on the machines of the cluster. Texts are in
columns of strings, or of lists of strings. Bad input raises one of cybleu's errors inside an error of Ray. The row that
it names is counted from the start of the block.

In the examples `frame` is a Dataset with one segment of two systems. Its columns are `system`, `segment`,
`hypothesis` and `reference`.

>>> sorted((row["system"], row["hyp_len"], row["match_1"]) for row in rows(frame, keep="system").take_all())
[('a', 4, 4), ('b', 4, 3)]
>>> sorted(round(row["score"], 2) for row in segment_scores(frame).take_all())
[59.46, 100.0]
>>> sorted((row["system"], round(row["score"], 2)) for row in group_scores(frame, "system", partitions=1).take_all())
[('a', 100.0), ('b', 59.46)]
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import ArrowError
from .engines import FUNCTIONS, Engine

if TYPE_CHECKING:
    from .engines import Counting, Mapped

__all__ = FUNCTIONS


class Ray(Engine):
    def _read(self, frame: Any, counting: Counting) -> Any:
        if not (hasattr(frame, "map_batches") and hasattr(frame, "select_columns")):
            raise ArrowError(
                f"a {type(frame).__name__} is not a Dataset of Ray Data; pass tables in memory to cybleu.columns.rows"
            )
        names = frame.columns(fetch_if_missing=False)
        if names is None:
            return frame  # a task says what is missing
        return frame.select_columns(counting.read(names))

    def _map(self, frame: Any, counting: Counting, function: Mapped, types: Mapping[str, str]) -> Any:
        def map_block(block: Any) -> Any:
            from pyarrow import Table

            return Table.from_pydict(function(block))

        return frame.map_batches(map_block, batch_format="pyarrow", batch_size=None, zero_copy_batch=True)

    def _total(self, frame: Any, counting: Counting) -> dict[str, int | None]:
        # Ray keeps processors back for the sum as long as the map is in one execution with it; here each has all of them
        found: dict[str, int | None] = frame.materialize().aggregate(*_added(counting))
        return found

    def _grouped(self, frame: Any, counting: Counting, partitions: int | None) -> Any:
        return frame.groupby(list(counting.keep), num_partitions=partitions).aggregate(*_added(counting))

    def _table(self, frame: Any) -> Any:
        from pyarrow import concat_tables
        from ray import get

        return concat_tables(get(frame.to_arrow_refs()))


def _added(counting: Counting) -> list[Any]:
    from ray.data.aggregate import Sum

    return [Sum(name, alias_name=name) for name in counting.metric.columns]


_ray = Ray()
group_scores = _ray.group_scores
rows = _ray.rows
score = _ray.score
segment_scores = _ray.segment_scores
system_rows = _ray.system_rows
total = _ray.total
