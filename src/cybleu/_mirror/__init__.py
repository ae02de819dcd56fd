"""The pure-Python backend: the definition, written down.

It is a second implementation, not a translation of :mod:`cybleu._kernels`, in files of the same names: n-grams are tuples in
dicts. It takes any sequences of any hashable tokens and serves wherever the kernels are not there or decline.
"""

from __future__ import annotations

from .._runtime.later import later

# What both backends offer, from files of the same names. No file has the name of what it offers: when one thread imports it,
# another would find the module in place of the function.
NAMES = {
    "definitions": "Definition sum_rows",
    "envelope": "sort_lines surface",
    "nbest_lines": "NBestLines",
    "others": "leave_one_out",
    "pairwise": "PairwiseTexts",
    "prepared": "PreparedReferences trim",
    "reranking": "swap_pass weighted_sums",
    "scores": "COMPILER Scorer",
    "segments": "clipped_matches corpus_counts segment_counts segment_rows",
    "sweep": "best_interval",
    "weighing": "winners winners_near",
    "words": "Words",
}

__getattr__, __dir__, __all__ = later(__name__, NAMES)
