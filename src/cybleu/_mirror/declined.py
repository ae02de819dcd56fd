"""Kernels that the mirror does not repeat, because the code that calls them has the definition: it declines all input."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def no_result(*arguments: Any) -> None:
    return None


segment_counts = clipped_matches = gleu_counts = corpus_nist = best_interval = read_arrays = no_result


def segment_rows(list_of_references: Any, hypotheses: Any, max_order: int, start: int, *others: Any) -> int:
    return start


def gleu_rows(list_of_references: Any, hypotheses: Any, min_len: int, max_len: int, start: int, *others: Any) -> int:
    return start


def sentence_bleu(original: Any, *others: Any) -> Any:
    return original


sentence_gleu = sentence_bleu


class Scorer:
    """See the class of this name in :mod:`cybleu._kernels`."""

    def __init__(self, *arguments: Any):
        pass

    def corpus(self, *arguments: Any) -> Any:
        return None

    def sentences(self, *arguments: Any) -> int:
        start: int = arguments[-2]
        return start

    rows = sentences


class PairwiseTexts:
    """See the class of this name in :mod:`cybleu._kernels`."""

    def __init__(self, *arguments: Any):
        pass

    def fill(self, start: int, *others: Any) -> int:
        return start


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
