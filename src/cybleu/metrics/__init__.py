from .bleu import SMOOTHINGS, VARIANTS, Bleu, Variant, find, score, scores

__all__ = ["SMOOTHINGS", "VARIANTS", "Bleu", "Variant", "find", "score", "scores"]
