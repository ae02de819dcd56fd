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

from .engines import group_scores, rows, score, segment_scores, system_rows, total

if TYPE_CHECKING:
    from .engines import Counting, Mapped

__all__ = ["group_scores", "rows", "score", "segment_scores", "system_rows", "total"]


class Ray:
    """What :mod:`cybleu.columns.engines` calls of Ray Data."""

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
