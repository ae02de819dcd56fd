"""The pure-Python backend: the definition, written down.

It is a second implementation, not a translation of :mod:`cybleu._kernels`: n-grams are tuples in dicts. It takes any
sequences of any hashable tokens and serves wherever the kernels are not there or decline.
"""

from .segments import clipped_matches, corpus_counts, ngram_counts, segment_counts, segment_rows
from .definitions import SMOOTHINGS, Definition, sum_rows
from .envelope import best_interval, sort_lines, surface, winners, winners_near
from .nbest_lines import NBestLines, Words
from .pairwise import PairwiseTexts, leave_one_out
from .prepared import PreparedReferences, trim
from .reranking import swap_pass, weighted_sums
from .scoring import Scorer
from .smoothing import recognised, smoothed

COMPILER = "no compiler"

__all__ = [
    "COMPILER",
    "SMOOTHINGS",
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
    "ngram_counts",
    "recognised",
    "segment_counts",
    "segment_rows",
    "smoothed",
    "sort_lines",
    "sum_rows",
    "surface",
    "swap_pass",
    "trim",
    "weighted_sums",
    "winners",
    "winners_near",
]
