"""Explanations of scores, and of differences between tools."""

from .blind_spots import BlindSpots, blind_spots
from .comparison import Cause, Comparison, Difference, Scored
from .steps import Explanation, Order, explain
from .tools import TOOLS, explain_blocks, explain_difference

__all__ = [
    "TOOLS",
    "BlindSpots",
    "Cause",
    "Comparison",
    "Difference",
    "Explanation",
    "Order",
    "Scored",
    "blind_spots",
    "explain",
    "explain_blocks",
    "explain_difference",
]
