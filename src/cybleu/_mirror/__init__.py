"""The pure-Python backend: the definition, written down.

It is a second implementation, not a translation of :mod:`cybleu._kernels`, in files of the same names: n-grams are tuples in
dicts. It takes any sequences of any hashable tokens and serves wherever the kernels are not there or decline.
"""

from __future__ import annotations

from .._runtime.backends import NAMES
from .._runtime.later import later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .arrow import ArrowColumn as ArrowColumn
    from .arrow import ArrowStream as ArrowStream
    from .arrow_values import ArrowValues as ArrowValues
    from .chrf import CharacterF as CharacterF
    from .chrf_pairs import CharacterTexts as CharacterTexts
    from .definitions import Definition as Definition
    from .definitions import sum_rows as sum_rows
    from .envelope import sort_lines as sort_lines
    from .envelope import surface as surface
    from .feature_rows import FeatureRows as FeatureRows
    from .gleu import gleu_counts as gleu_counts
    from .mira import mira_pass as mira_pass
    from .named_values import NamedValues as NamedValues
    from .named_values import read_rows as read_rows
    from .nbest_lines import NBestLines as NBestLines
    from .number_lines import lines_of_counts as lines_of_counts
    from .number_lines import lines_of_numbers as lines_of_numbers
    from .pairwise import PairwiseTexts as PairwiseTexts
    from .prepared import PreparedReferences as PreparedReferences
    from .prepared import trim as trim
    from .raw import raw_row as raw_row
    from .raw import raw_rows as raw_rows
    from .raw import raw_sum as raw_sum
    from .raw_texts import RawTexts as RawTexts
    from .raw_tokens import RawVocabulary as RawVocabulary
    from .reranking import swap_pass as swap_pass
    from .reranking import weighted_sums as weighted_sums
    from .scores import COMPILER as COMPILER
    from .scores import Scorer as Scorer
    from .segments import clipped_matches as clipped_matches
    from .segments import corpus_counts as corpus_counts
    from .segments import segment_counts as segment_counts
    from .segments import segment_rows as segment_rows
    from .self_bleu import leave_one_out as leave_one_out
    from .sweep import best_interval as best_interval
    from .tokenizing import Tokenizer as Tokenizer
    from .tokens import number_tokens as number_tokens
    from .tokens import types_within as types_within
    from .weighing import winners as winners
    from .weighing import winners_near as winners_near

__getattr__, __dir__, __all__ = later(__name__, NAMES)
