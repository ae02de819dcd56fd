"""Why a score is what it is, and why two tools disagree."""

from .steps import Explanation, Order, clipped_counts, explain, ngram_counts, ngram_precision
from .tools import Cause, Comparison, Difference, Scored, explain_difference

__all__ = [
    "Cause",
    "Comparison",
    "Difference",
    "Explanation",
    "Order",
    "Scored",
    "clipped_counts",
    "explain",
    "explain_difference",
    "ngram_counts",
    "ngram_precision",
]
