"""Score Ray Data Datasets. A map converts Arrow blocks of texts to rows of statistics, and Ray adds these up.

This module requires Ray 2.40 or later. cybleu, NumPy and pyarrow must be installed on the machines of the cluster.
Texts are columns of strings or of lists of strings. For invalid input, Ray's error contains one of cybleu's errors. The
row in its message is counted from the start of the block.

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

from .engines import group_scores, rows, score, segment_scores, system_rows, total

__all__ = ["group_scores", "rows", "score", "segment_scores", "system_rows", "total"]
