"""Score columns of texts, and convert them to columns of statistics that a frame, a database or a cluster can add up.

The metric determines the names of the columns. For BLEU they are ``hyp_len``, ``ref_len``, ``match_1`` to ``match_4``
and ``total_1`` to ``total_4``. The score of a corpus is the score of the sum of its rows, never the mean of the scores
of its parts. This package requires NumPy.
"""

from __future__ import annotations

from .._runtime.later import later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import ray as ray, spark as spark
    from .tables import (
        row_blocks as row_blocks,
        rows as rows,
        score as score,
        segment_scores as segment_scores,
        total as total,
    )

__getattr__, __dir__, __all__ = later(__name__, {"tables": "row_blocks rows score segment_scores total"}, "ray spark")
