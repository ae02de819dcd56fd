"""Scores of Spark's DataFrames. A map turns Arrow batches of texts into rows of statistics, and Spark adds these up.

It requires PySpark from 4.0, classic or Spark Connect. cybleu, NumPy and pyarrow must be installed where Spark runs
Python. Texts are in columns of strings, or of arrays of strings. A task reads
``spark.sql.execution.arrow.maxRecordsPerBatch`` rows at a time. Bad input raises one of cybleu's errors inside an error
of Spark. The row that it names is counted from the start of the batch.

In the examples `frame` is a DataFrame with one segment of two systems. Its columns are `system`, `segment`,
`hypothesis` and `reference`.
"""

from __future__ import annotations

from .engines import group_scores, rows, score, segment_scores, system_rows, total

__all__ = ["group_scores", "rows", "score", "segment_scores", "system_rows", "total"]
