"""The pure-Python backend: the definition, written down.

It is a second implementation, not a translation of :mod:`cybleu._kernels`: n-grams are tuples in dicts. It takes any
sequences of any hashable tokens and serves wherever the kernels are not there or decline.
"""

from .counting import clipped_matches, corpus_counts, ngram_counts, segment_counts, segment_rows
from .definitions import SMOOTHINGS, Definition, sum_rows
from .nbest_lines import NBestLines, Words
from .pairwise import PairwiseTexts, leave_one_out
from .prepared import PreparedReferences, trim
from .scoring import Scorer
from .smoothing import recognised, smoothed

__all__ = [
    "SMOOTHINGS",
    "Definition",
    "NBestLines",
    "PairwiseTexts",
    "PreparedReferences",
    "Scorer",
    "Words",
    "clipped_matches",
    "corpus_counts",
    "leave_one_out",
    "ngram_counts",
    "recognised",
    "segment_counts",
    "segment_rows",
    "smoothed",
    "sum_rows",
    "trim",
]
