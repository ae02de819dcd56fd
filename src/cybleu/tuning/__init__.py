from .climb import (
    CrossValidation,
    LineSearch,
    Mira,
    Move,
    Restart,
    Tuning,
    cross_validate,
    kbmira,
    line_search,
    pro_pairs,
    random_search,
    tune,
)

from .loop import Iteration, Loop, mert_loop, read_weights, write_weights

__all__ = [
    "Iteration",
    "Loop",
    "mert_loop",
    "read_weights",
    "write_weights",
    "CrossValidation",
    "LineSearch",
    "Mira",
    "Move",
    "Restart",
    "Tuning",
    "cross_validate",
    "kbmira",
    "line_search",
    "pro_pairs",
    "random_search",
    "tune",
]
