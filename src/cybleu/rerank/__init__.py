"""Reranking of n-best lists: by weighted features, by BLEU itself, by minimum Bayes risk, or by trained weights.

The functions that choose return a :class:`Selection`: the index of one hypothesis for each segment, and the scores of
all hypotheses. If several hypotheses are equally good, the one with the lowest index is chosen. This package requires
NumPy.

:func:`mbr` takes the hypotheses as an :class:`cybleu.nbest.NBest` with texts, or as a list that has a list of texts for
each segment: raw text, token lists or arrays of ids. For samples of a single sentence, pass a list with one segment:
``mbr([samples])``.
"""

from .mbr import mbr
from .oracle import antioracle, oracle
from .perceptron import Perceptron, perceptron
from .selection import CorpusSelection, Selection, linear

__all__ = [
    "CorpusSelection",
    "Perceptron",
    "Selection",
    "antioracle",
    "linear",
    "mbr",
    "oracle",
    "perceptron",
]
