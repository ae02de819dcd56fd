"""GLEU as a metric (Wu et al. 2016)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from .._backend import gleu_rows, numbered_gleu_rows
from .._definitions.gleu import gleu_counts
from .._runtime.numbers import check_whole
from ..errors import OrderError
from ..text.batches import Corpus, TokenLists
from ..text.shapes import of_any_tokens
from .base import BuiltinMetric, Counter, Signature
from .counting import MOST_ORDERS_OF_KERNELS, counter_of_lists, segments_of_corpus


@dataclass(frozen=True)
class Gleu(BuiltinMetric):
    """GLEU (Wu et al. 2016), from 0 to 1: the share of the n-grams that hypothesis and reference have in common.

    The shared n-grams are divided by the n-grams of the hypothesis or of the reference, whichever has more.

    A row has two numbers: the matches, and the n-grams that they are divided by. If a segment has several references,
    only the first one with the best score counts. Rows can be added: the row of a corpus is the sum of
    the rows of its segments. The scores equal those of NLTK's ``sentence_gleu`` and ``corpus_gleu``, and on 13a tokens
    those of Hugging Face's ``google_bleu``.

    :param min_len: the smallest n-gram order, from 1
    :param max_len: the largest n-gram order, at most 16
    :param tokenize: the tokeniser of raw text, by default ``13a``
    :param lowercase: convert raw text to lower case first
    :raises OrderError: an order is not valid

    >>> from cybleu import score
    >>> rows = Gleu().rows([["a", "b", "x"], ["d", "e"]], [["a", "b", "c"], ["d", "e"]])
    >>> rows
    array([[3, 6],
           [3, 3]])
    >>> score(rows, "gleu").score
    0.6666666666666666
    """

    min_len: int = 1
    max_len: int = 4

    name = "gleu"
    papers = ("wu-2016",)
    tokenizer = "13a"
    scale = 1
    columns = ("matches", "ngrams")
    cost = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        max_len = check_whole(self.max_len, "max_len", 1, MOST_ORDERS_OF_KERNELS, error=OrderError)
        min_len = check_whole(self.min_len, "min_len", 1, max_len, error=OrderError)
        vars(self).update(min_len=min_len, max_len=max_len)

    @property
    def signature(self) -> str:
        """The n-gram orders in one line."""
        return Signature({"metric": "gleu", "min": self.min_len, "max": self.max_len})

    def counter(self, corpus: Corpus) -> Counter:
        if isinstance(corpus.texts, TokenLists):
            return counter_of_lists(corpus, gleu_rows, _row, 0, self.min_len, self.max_len)
        return partial(numbered_gleu_rows, segments_of_corpus(self, corpus), self.min_len, self.max_len)

    def formula(self, row: Sequence[int]) -> float:
        matches, ngrams = row
        return matches / ngrams if ngrams else 0.0


def _row(references: Any, hypothesis: Any, min_len: int, max_len: int) -> tuple[int, int]:
    """Count a segment of any tokens."""
    return of_any_tokens(gleu_counts, [references], [hypothesis], min_len, max_len)
