from .scores import (
    SmoothingFunction,
    brevity_penalty,
    closest_ref_length,
    corpus_bleu,
    modified_precision,
    nltk_3_3,
    sentence_bleu,
)
