"""Kernels that the mirror does not repeat, because the code that calls them has the definition: it declines all input."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def no_result(*arguments: Any) -> None:
    return None


def start_of_range(*arguments: Any) -> int:
    """Decline the first position of a range; the arguments end with its start, its end and an array."""
    start: int = arguments[-3]
    return start


def start_of_rows(*arguments: Any) -> int:
    """Decline the first row; the arguments end with the start and an array of scores."""
    start: int = arguments[-2]
    return start


segment_counts = clipped_matches = gleu_counts = corpus_nist = best_interval = read_arrays = no_result
segment_rows = gleu_rows = start_of_range


def sentence_bleu(original: Any, *others: Any) -> Any:
    return original


sentence_gleu = sentence_bleu


class Declining:
    """See the class with the name of a derived one in :mod:`cybleu._kernels`."""

    def __init__(self, *arguments: Any):
        pass


class Scorer(Declining):
    corpus = no_result
    sentences = rows = start_of_rows


class Definition(Declining):
    evaluate = no_result
    score_rows = start_of_rows


class PairwiseTexts(Declining):
    fill = start_of_range


class Fields:
    """See the class of this name in :mod:`cybleu._kernels`. Every line is declined."""

    def __init__(self, labels: list[bytes], sparse: str) -> None:
        self._columns: dict[str, int] = {}  # of sparse features

    def names(self) -> tuple[str, ...]:
        return tuple(self._columns)

    def column(self, name: str) -> int:
        return self._columns.setdefault(name, len(self._columns))

    def read(self, block: bytes, start: int, row: int, *arrays: Any) -> tuple[int, int]:
        return row, start
