"""Reranking of n-best lists: by weighted features, by BLEU itself, by minimum Bayes risk, by trained weights.

What chooses returns a :class:`Selection`: the row of one hypothesis for each segment, and the scores of all. Of hypotheses
that come out equal the one with the lower index is taken. It needs NumPy.
"""

from .linear import linear, nbest_sorted
from .mbr import diverse, mbr
from .oracle import antioracle, oracle
from .perceptron import Perceptron, perceptron
from .selection import CorpusSelection, Selection

__all__ = [
    "CorpusSelection",
    "Perceptron",
    "Selection",
    "antioracle",
    "diverse",
    "linear",
    "mbr",
    "nbest_sorted",
    "oracle",
    "perceptron",
]
