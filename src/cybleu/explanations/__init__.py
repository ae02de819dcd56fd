"""Explanations of scores, and of differences between tools."""

from .blind_spots import blind_spots
from .differences import Comparison, explain_difference
from .settings import FoundSettings, settings_of
from .steps import Explanation, explain

__all__ = [
    "Comparison",
    "Explanation",
    "FoundSettings",
    "blind_spots",
    "explain",
    "explain_difference",
    "settings_of",
]
