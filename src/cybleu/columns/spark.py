"""Score Spark DataFrames. A map converts Arrow batches of texts to rows of statistics, and Spark adds these up.

This module requires PySpark 4.0 or later, classic or Spark Connect. cybleu, NumPy and pyarrow must be installed where
Spark runs Python. Texts are columns of strings or of arrays of strings. A task reads
``spark.sql.execution.arrow.maxRecordsPerBatch`` rows at a time. For invalid input, Spark's error contains one of
cybleu's errors. The row in its message is counted from the start of the batch.

In the examples `frame` is a DataFrame with one segment of two systems. Its columns are `system`, `segment`,
`hypothesis` and `reference`.
"""

from __future__ import annotations

from .engines import group_scores, rows, score, segment_scores, system_rows, total

__all__ = ["group_scores", "rows", "score", "segment_scores", "system_rows", "total"]
