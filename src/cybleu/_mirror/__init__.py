"""What replaces the kernels where they are not installed: functions and classes of the same names, in pure Python.

It is written independently of :mod:`cybleu._kernels`, in modules of the same names: n-grams are tuples in dicts. Only
:mod:`cybleu._backend` imports it. Where :mod:`cybleu._definitions` or the calling code computes the same for any input,
the mirror leaves it to that code: `declined`.
"""

from __future__ import annotations

from .._runtime.later import later

# No module has the name of a function that it exports: while one thread imports it, another thread would get the module
# instead of the function.
NAMES = {
    "counting.alignment": "Alignments edit_distance_rows rouge_rows",
    "counting.prepared": "PreparedReferences trim",
    "counting.numbered": "Segments numbered_rows raw_row",
    "counting.ter": "edit_rows",
    "declined": "Definition Fields PairwiseTexts Scorer best_interval clipped_matches corpus_nist gleu_counts gleu_rows read_arrays "
    "segment_counts segment_rows sentence_bleu sentence_gleu",
    "scoring.chrf": "CharacterF CharacterTexts",
    "scoring.definitions": "sum_rows",
    "scoring.gleu": "numbered_gleu_rows",
    "scoring.information": "NgramInformation",
    "scoring.pairwise": "leave_one_out",
    "search.envelope": "crossings",
    "search.feature_rows": "FeatureRows",
    "text.raw_texts": "RawTexts",
    "text.tokenizing": "Tokenizer",
    "tokens.words": "RawVocabulary",
    "tokens.objects": "number_tokens types_within",
    "tokens.texts": "TokenTexts",
}
__getattr__, __dir__, __all__ = later(__name__, NAMES)
