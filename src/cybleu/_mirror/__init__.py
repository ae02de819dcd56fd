"""The pure-Python backend: the definition, written down.

It is a second implementation, not a translation of :mod:`cybleu._kernels`, in files of the same names: n-grams are tuples in
dicts. It takes any sequences of any hashable tokens and serves wherever the kernels are not there or decline.
"""

from .definitions import Definition, sum_rows
from .envelope import best_interval, sort_lines, surface, winners, winners_near
from .nbest_lines import NBestLines, Words
from .pairwise import PairwiseTexts, leave_one_out
from .prepared import PreparedReferences, trim
from .reranking import swap_pass, weighted_sums
from .scores import Scorer
from .segments import clipped_matches, corpus_counts, segment_counts, segment_rows

COMPILER = "no compiler"

__all__ = [
    "COMPILER",
    "Definition",
    "NBestLines",
    "PairwiseTexts",
    "PreparedReferences",
    "Scorer",
    "Words",
    "best_interval",
    "clipped_matches",
    "corpus_counts",
    "leave_one_out",
    "segment_counts",
    "segment_rows",
    "sort_lines",
    "sum_rows",
    "surface",
    "swap_pass",
    "trim",
    "weighted_sums",
    "winners",
    "winners_near",
]
