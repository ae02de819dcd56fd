"""NLTK's scores. All input is declined, because the general Python code is the definition."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Scorer:
    """See the class of this name in :mod:`cybleu._kernels`."""

    def __init__(self, *arguments: Any):
        pass

    def corpus(self, *arguments: Any) -> None:
        return None

    def sentences(
        self, references: Any, hypotheses: Any, weights: Any, smoothing: Any, auto_reweigh: Any, start: int, scores: Any
    ) -> int:
        return start

    def rows(self, stats: Any, weights: Any, smoothing: Any, auto_reweigh: Any, start: int, scores: Any) -> int:
        return start


def sentence_bleu(original: Any, smoothing_type: type, methods: Any, warn: Any) -> Any:
    return original
