"""GLEU (Wu et al. 2016) as a metric."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from .._runtime.sequences import plain_segment
from ..errors import NoReferencesError, OrderError
from ..gleu_score import MOST_ORDERS, counts
from .metric import Metric


@dataclass(frozen=True)
class Gleu(Metric):
    """GLEU, from 0 to 1: the n-grams that a hypothesis shares with a reference, as a part of those of the text that has more.

    A row has the matches and the n-grams of the reference with which the segment scores best, the first of equal ones. Rows add
    up to that of their corpus. It equals NLTK's ``sentence_gleu`` and ``corpus_gleu``, and on 13a tokens Hugging Face's
    ``google_bleu``.

    :param min_len: the smallest order of n-grams
    :param max_len: the largest
    :raises OrderError: an order cannot be

    >>> from cybleu import score
    >>> rows = Gleu().rows([[["a", "b", "c"]], [["d", "e"]]], [["a", "b", "x"], ["d", "e"]])
    >>> rows
    array([[3, 6],
           [3, 3]])
    >>> score(rows, "gleu").score
    0.6666666666666666
    """

    min_len: int = 1
    max_len: int = 4

    name = "gleu"
    scale = 1
    columns = ("matches", "ngrams")

    def __post_init__(self) -> None:
        orders = self.min_len, self.max_len
        if not all(type(order) is int for order in orders) or not 1 <= self.min_len <= self.max_len <= MOST_ORDERS:
            raise OrderError(
                f"min_len is {self.min_len!r} and max_len {self.max_len!r}; they must be whole numbers from 1 to "
                f"{MOST_ORDERS}, the first not above the second"
            )

    @property
    def signature(self) -> str:
        """The definition in one line."""
        return f"metric:gleu|min:{self.min_len}|max:{self.max_len}"

    def row(self, references: Sequence[Collection[Hashable]], hypothesis: Collection[Hashable]) -> list[int]:
        """The counts of one segment.

        :param references: one or more references, each a sequence of hashable tokens
        :param hypothesis: a sequence of hashable tokens
        :raises NoReferencesError: there is no reference
        """
        references, hypothesis = plain_segment(references, hypothesis)
        if not len(references):
            raise NoReferencesError("there is no reference for the hypothesis; give at least one")
        return list(counts([references], [hypothesis], self.min_len, self.max_len))

    def sum_of(self, list_of_references: Sequence[Any], hypotheses: Sequence[Any]) -> tuple[list[int], None]:
        """The sum of the rows of some segments.

        :param list_of_references: for each segment a list of references
        :param hypotheses: for each segment a list of tokens
        """
        rows = [self.row(*segment) for segment in zip(list_of_references, hypotheses)]
        return [sum(column) for column in zip((0, 0), *rows)], None

    def evaluate(self, row: Sequence[int]) -> float:
        """The score of a row or of a sum of rows.

        :param row: as many numbers as there are columns
        """
        matches, ngrams = row
        return matches / ngrams if ngrams else 0.0
