"""The compiled backend: n-gram counting and the common BLEU scores on integers.

Nothing imports this package but :mod:`cybleu._backend`. Its twin is :mod:`cybleu._mirror`, a second
implementation from the same definition; the functions and classes that both export behave alike.
"""

from .definitions import Definition, sum_rows
from .envelope import best_interval, sort_lines, surface, winners, winners_near
from .formula import COMPILER
from .leave_one_out import leave_one_out
from .nbest_lines import NBestLines, Words
from .pairwise import PairwiseTexts
from .prepared import PreparedReferences, trim
from .reranking import swap_pass, weighted_sums
from .segments import Scorer, clipped_matches, corpus_counts, segment_counts, segment_rows

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


def serve(wanted: bool) -> None:
    pass
