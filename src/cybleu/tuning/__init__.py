"""Tuning the weights of a linear model on n-best lists (Och 2003).

Along a line through the space of weights, the score of a corpus changes only where the best hypothesis of a segment
changes. So :func:`line_search` finds the optimum on a line exactly. :func:`tune` climbs along the axes from many
starts. :func:`kbmira` and :func:`pro` compare pairs of hypotheses, and can tune many features. :func:`mert_loop`
decodes and tunes repeatedly until convergence.

The best hypothesis of a segment is the one with the highest sum of weight * feature, added in float64 in the order of
the features. If several have the highest sum, it is the first one. A segment without hypotheses contributes nothing.
Every returned score is computed from the returned weights, not taken from the prediction of the search.
"""

from ..nbest.weights import normalised, read_weights, write_weights
from .climb import tune
from .line_search import line_search
from .loop import mert_loop
from .loop_parts import DecoderCommand, Stopping, Tuner
from .mira import Mira, kbmira
from .pro import Pro, pro, pro_pairs
from .results import Iteration, LineSearch, Loop, Move, Restart, Tuning

__all__ = [
    "DecoderCommand",
    "Iteration",
    "LineSearch",
    "Loop",
    "Mira",
    "Move",
    "Pro",
    "Restart",
    "Stopping",
    "Tuner",
    "Tuning",
    "kbmira",
    "line_search",
    "mert_loop",
    "normalised",
    "pro",
    "pro_pairs",
    "read_weights",
    "tune",
    "write_weights",
]
