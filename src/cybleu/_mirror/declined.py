"""Kernels that the mirror does not repeat, because the code that calls them has the definition: it declines all input."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def segment_counts(references: Any, hypothesis: Any, max_order: int) -> list[int] | None:
    return None


def clipped_matches(references: Any, hypothesis: Any, n: int) -> tuple[int, int] | None:
    return None


def segment_rows(list_of_references: Any, hypotheses: Any, max_order: int, start: int, stop: int, stats: Any) -> int:
    return start


def sentence_bleu(original: Any, smoothing_type: type, methods: Any, warn: Any) -> Any:
    return original


class Scorer:
    def __init__(self, smoothing_type: type, methods: Any, warn: Any):
        pass

    def corpus(
        self, list_of_references: Any, hypotheses: Any, weights: Any, smoothing_function: Any, auto_reweigh: Any
    ) -> Any:
        return None

    def sentences(
        self,
        list_of_references: Any,
        hypotheses: Any,
        weights: Any,
        smoothing_function: Any,
        auto_reweigh: Any,
        start: int,
        scores: Any,
    ) -> int:
        return start

    def rows(
        self, stats: Any, weights: Any, smoothing_function: Any, auto_reweigh: Any, start: int, scores: Any
    ) -> int:
        return start


def sentence_gleu(original: Any) -> Any:
    return original


def gleu_counts(list_of_references: Any, hypotheses: Any, min_len: int, max_len: int) -> tuple[int, int] | None:
    return None


def gleu_rows(
    list_of_references: Any, hypotheses: Any, min_len: int, max_len: int, start: int, stop: int, rows: Any
) -> int:
    return start


def corpus_nist(list_of_references: Any, hypotheses: Any, n: int) -> float | None:
    return None


class PairwiseTexts:
    def __init__(self, definition: Any, references: Any, hypotheses: Any = None):
        pass

    def fill(self, start: int, stop: int, scores: Any) -> int:
        return start


def best_interval(
    starts: Any, found: Any, stats: Any, lower: float, upper: float, definition: Any, best_row: Any
) -> tuple[float, float, float, float] | None:
    return None
