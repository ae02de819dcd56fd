"""N-best lists: the hypotheses of segments with their features and statistics, as arrays.

Create an :class:`NBest` from arrays, from texts (:meth:`NBest.from_texts`) or from files
(:meth:`NBest.from_files`, :meth:`NBest.from_moses`). :func:`merge` joins the lists of several decoder runs.
:func:`read_segments` and :func:`chunks` read a file as a stream. :mod:`cybleu.tuning` tunes weights on these lists, and
:mod:`cybleu.rerank` chooses from them. They require NumPy.
"""

from .container import NBest
from .features import SparseFeatures
from .merging import merge
from .streams import Segment, chunks, extract, read_segments

__all__ = [
    "NBest",
    "Segment",
    "SparseFeatures",
    "chunks",
    "extract",
    "merge",
    "read_segments",
]
