"""Explanations of scores, and of differences between tools."""

from .blind_spots import BlindSpots, blind_spots
from .differences import Cause, Comparison, Difference, Scored, explain_difference
from .steps import Explanation, Order, explain

__all__ = [
    "BlindSpots",
    "Cause",
    "Comparison",
    "Difference",
    "Explanation",
    "Order",
    "Scored",
    "blind_spots",
    "explain",
    "explain_difference",
]
