"""Names that both backends export, and the module of each."""

# Modules have the same names in both backends. No module has the name of a function that it exports: while one thread
# imports it, another thread would get the module instead of the function.
NAMES = {
    "counting.information": "NgramInformation",
    "counting.pairwise": "PairwiseTexts leave_one_out",
    "counting.prepared": "PreparedReferences trim",
    "counting.raw_segments": "raw_row raw_rows",
    "counting.segments": "clipped_matches segment_counts segment_rows",
    "counting.ter": "edit_rows",
    "lists.fields": "Fields",
    "scoring.chrf": "CharacterF CharacterTexts",
    "scoring.definitions": "Definition sum_rows",
    "scoring.gleu": "gleu_counts",
    "scoring.nist": "corpus_nist",
    "scoring.scores": "Scorer",
    "search.envelope": "best_interval crossings",
    "search.feature_rows": "FeatureRows",
    "text.raw_texts": "RawTexts",
    "text.tokenizing": "Tokenizer",
    "tokens.words": "RawVocabulary",
    "tokens.objects": "number_tokens types_within",
    "tokens.texts": "TokenTexts",
}
