"""What both backends offer, and in which file of each it is."""

# The files have the same names on both sides. No file has the name of what it offers: when one thread imports it,
# another would find the module in place of the function.
NAMES = {
    "arrow": "ArrowColumn ArrowStream ArrowValues",
    "chrf": "CharacterF",
    "chrf_pairs": "CharacterTexts",
    "definitions": "Definition sum_rows",
    "envelope": "sort_lines surface",
    "feature_rows": "FeatureRows",
    "gleu": "gleu_counts",
    "mira": "mira_pass",
    "nbest_lines": "NBestLines",
    "number_lines": "lines_of_counts lines_of_numbers read_rows",
    "pairwise": "PairwiseTexts",
    "prepared": "PreparedReferences trim",
    "raw": "RawVocabulary raw_row raw_rows raw_sum",
    "raw_texts": "RawTexts",
    "reranking": "swap_pass weighted_sums",
    "scores": "COMPILER Scorer",
    "self_bleu": "leave_one_out",
    "segments": "clipped_matches corpus_counts segment_counts segment_rows",
    "sweep": "best_interval",
    "tokenizing": "Tokenizer",
    "tokens": "number_tokens types_within",
    "weighing": "winners winners_near",
}
