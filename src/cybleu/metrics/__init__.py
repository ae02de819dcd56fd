from .bleu import SMOOTHINGS, VARIANTS, Bleu, Variant, definition_of, find, score, score_rows, scores

__all__ = ["SMOOTHINGS", "VARIANTS", "Bleu", "Variant", "find", "score", "scores"]
