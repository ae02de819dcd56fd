"""What replaces the kernels where they are not installed: functions and classes of the same names, in pure Python.

It is written independently of :mod:`cybleu._kernels`, in modules of the same names: n-grams are tuples in dicts. Only
:mod:`cybleu._backend` imports it. Where :mod:`cybleu._definitions` or the calling code computes the same for any input,
the mirror leaves it to that code: `declined`.
"""

from __future__ import annotations

from .._runtime.later import later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .counting.information import NgramInformation as NgramInformation
    from .counting.pairwise import leave_one_out as leave_one_out
    from .counting.prepared import PreparedReferences as PreparedReferences
    from .counting.prepared import trim as trim
    from .counting.raw_segments import raw_row as raw_row
    from .counting.raw_segments import raw_rows as raw_rows
    from .counting.ter import edit_rows as edit_rows
    from .declined import PairwiseTexts as PairwiseTexts
    from .declined import Scorer as Scorer
    from .declined import best_interval as best_interval
    from .declined import clipped_matches as clipped_matches
    from .declined import corpus_nist as corpus_nist
    from .declined import gleu_counts as gleu_counts
    from .declined import gleu_rows as gleu_rows
    from .declined import segment_counts as segment_counts
    from .declined import segment_rows as segment_rows
    from .declined import sentence_bleu as sentence_bleu
    from .declined import sentence_gleu as sentence_gleu
    from .lists.fields import Fields as Fields
    from .scoring.chrf import CharacterF as CharacterF
    from .scoring.chrf import CharacterTexts as CharacterTexts
    from .scoring.definitions import Definition as Definition
    from .scoring.definitions import sum_rows as sum_rows
    from .search.envelope import crossings as crossings
    from .search.feature_rows import FeatureRows as FeatureRows
    from .text.raw_texts import RawTexts as RawTexts
    from .text.tokenizing import Tokenizer as Tokenizer
    from .tokens.objects import number_tokens as number_tokens
    from .tokens.objects import types_within as types_within
    from .tokens.texts import TokenTexts as TokenTexts
    from .tokens.words import RawVocabulary as RawVocabulary

# No module has the name of a function that it exports: while one thread imports it, another thread would get the module
# instead of the function.
NAMES = {
    "counting.information": "NgramInformation",
    "counting.pairwise": "leave_one_out",
    "counting.prepared": "PreparedReferences trim",
    "counting.raw_segments": "raw_row raw_rows",
    "counting.ter": "edit_rows",
    "declined": "PairwiseTexts Scorer best_interval clipped_matches corpus_nist gleu_counts gleu_rows segment_counts "
    "segment_rows sentence_bleu sentence_gleu",
    "lists.fields": "Fields",
    "scoring.chrf": "CharacterF CharacterTexts",
    "scoring.definitions": "Definition sum_rows",
    "search.envelope": "crossings",
    "search.feature_rows": "FeatureRows",
    "text.raw_texts": "RawTexts",
    "text.tokenizing": "Tokenizer",
    "tokens.words": "RawVocabulary",
    "tokens.objects": "number_tokens types_within",
    "tokens.texts": "TokenTexts",
}
__getattr__, __dir__, _ = later(__name__, NAMES)
