"""Why a score is what it is, and why two tools disagree."""

from .comparison import Cause, Comparison, Difference, Scored
from .steps import Explanation, Order, clipped_counts, explain, ngram_counts, ngram_precision
from .tools import TOOLS, explain_blocks, explain_difference

__all__ = [
    "TOOLS",
    "Cause",
    "Comparison",
    "Difference",
    "Explanation",
    "Order",
    "Scored",
    "clipped_counts",
    "explain",
    "explain_blocks",
    "explain_difference",
    "ngram_counts",
    "ngram_precision",
]
