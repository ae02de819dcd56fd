"""N-best lists: the hypotheses of segments with their features and statistics, as arrays.

Create an :class:`NBest` from arrays, from texts (:meth:`NBest.from_texts`) or from files
(:meth:`NBest.from_files`, :meth:`NBest.from_moses`). :func:`merge` joins the lists of several decoder runs.
:func:`read_segments` reads a file as a stream. :mod:`cybleu.tuning` tunes weights on these lists, and
:mod:`cybleu.rerank` chooses from them. They require NumPy.
"""

from .extraction import extract
from .lists import NBest
from .merging import merge
from .reading import read_segments
from .segment import Segment
from .sparse import SparseFeatures
from .writing import nbest_lines

__all__ = [
    "NBest",
    "Segment",
    "SparseFeatures",
    "extract",
    "merge",
    "nbest_lines",
    "read_segments",
]
