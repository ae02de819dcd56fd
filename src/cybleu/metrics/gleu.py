"""GLEU (Wu et al. 2016) as a metric."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from .. import _backend
from .._runtime.sequences import plain_segment
from ..errors import NoReferencesError, OrderError
from ..gleu_score import MOST_ORDERS, counts
from ..text.columns import ReferenceColumns, TextColumn, references_given, texts_given
from .metric import Metric

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Gleu(Metric):
    """GLEU (Wu et al. 2016), from 0 to 1: the share of the n-grams that hypothesis and reference have in common.

    The shared n-grams are divided by the n-grams of the hypothesis or of the reference, whichever has more.

    A row has two numbers: the matches, and the n-grams that they are divided by. If a segment has several references,
    only the one with the best score counts, or the first of these. Rows can be added: the row of a corpus is the sum of
    the rows of its segments. The scores equal those of NLTK's ``sentence_gleu`` and ``corpus_gleu``, and on 13a tokens
    those of Hugging Face's ``google_bleu``.

    :param min_len: the smallest order of n-grams, from 1
    :param max_len: the largest order of n-grams, at most 16
    :raises OrderError: an order is not valid

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

    def rows(
        self,
        references: Any,
        hypotheses: Any,
        *,
        owner: Any = None,
        threads: int | None = None,
        progress: bool = False,
        tokenize: str | Callable[[str], Sequence[Hashable]] | None = None,
        lowercase: bool = False,
        **of_ids: Any,
    ) -> NDArray[np.int64]:
        """The row of each segment.

        The other parameters are those of :meth:`cybleu.metrics.Metric.rows`.

        :param references: for each segment a list of references, or prepared :class:`cybleu.References`
        :param of_ids: `lengths` of the hypotheses, if the references are prepared ones of token ids
        :raises ArrayValueError: the references are prepared, and in another way than this metric counts
        """
        from ..stats.references import References, check_prepared, segment_stats, stats_of_each

        if isinstance(references, References):
            lengths = of_ids.pop("lengths", None)
            counted = {"max_order": self.max_len} if references.max_order < self.max_len else {}
            check_prepared(references, self.name, counted, tokenize=tokenize, lowercase=lowercase, **of_ids)
            return self._of_pairs(*stats_of_each(references, hypotheses, owner, lengths, threads, progress))
        alone = None
        if all(value is None for value in of_ids.values()):
            alone = _pairs(references, hypotheses, owner, tokenize is not None)
        if alone is None:
            settings: dict[str, Any] = {"owner": owner, "tokenize": tokenize, "lowercase": lowercase, **of_ids}
            return super().rows(references, hypotheses, threads=threads, progress=progress, **settings)
        sets, texts, counts = alone
        arguments: Any = {"threads": threads, "progress": progress, "tokenize": tokenize, "lowercase": lowercase}
        return self._of_pairs(segment_stats(sets, texts, self.max_len, **arguments), counts)

    def _of_pairs(self, stats: NDArray[np.int64], counts: NDArray[np.int64] | None) -> NDArray[np.int64]:
        """From the counts of BLEU against each reference alone.

        :param counts: how many references each segment has; None where it is one
        """
        from .._runtime.arrays import np

        orders = np.arange(self.min_len, self.max_len + 1)
        rows = np.zeros((len(stats), 2), dtype=np.int64)
        rows[:, 0] = stats[:, 1 + self.min_len : 2 + self.max_len].sum(axis=1)
        for order in orders.tolist():  # of the longer text
            rows[:, 1] += np.maximum(stats[:, :2].max(axis=1) - order + 1, 0)
        if counts is None:
            return rows
        begins = np.cumsum(counts) - counts
        ratios = np.full(len(rows), -1.0)  # where neither text has n-grams
        np.divide(rows[:, 0], rows[:, 1], out=ratios, where=rows[:, 1] > 0)
        best = np.maximum.reduceat(ratios, begins).repeat(counts) if len(rows) else ratios
        places = np.flatnonzero(ratios == best)
        segments = np.arange(len(counts)).repeat(counts)[places]
        _, firsts = np.unique(segments, return_index=True)
        return rows[places[firsts]]

    def sum_of(self, list_of_references: Sequence[Any], hypotheses: Sequence[Any]) -> tuple[list[int], None]:
        """The sum of the rows of some segments.

        :param list_of_references: for each segment a list of references
        :param hypotheses: for each segment a list of tokens
        """
        rows = [self.row(*segment) for segment in zip(list_of_references, hypotheses)]
        return [sum(column) for column in zip((0, 0), *rows)], None

    def evaluate(self, row: Sequence[int]) -> float:
        """The score of a row or of a sum of rows.

        :param row: two whole numbers from 0
        :raises StatisticsError: it is no such row
        """
        plain = type(row) is list and len(row) == 2 and type(row[0]) is type(row[1]) is int and row[0] >= 0 <= row[1]
        matches, ngrams = row if plain else self._counted(row)
        return matches / ngrams if ngrams else 0.0


def _pairs(references: Any, hypotheses: Any, owner: Any, raw: bool) -> tuple[Any, Any, Any] | None:
    """Sets of one reference each with a text for each, and how many each segment has, None where all have one.

    None at all where these are no plain lists, which the metric brings into one and checks one by one.
    """
    from .._runtime.arrays import np
    from ..text.batches import PLAIN_TYPES, owners_given

    references, texts = references_given(references, raw), texts_given(hypotheses)
    kinds = {str, bytes} if raw else {list, tuple}
    if isinstance(references, ReferenceColumns):
        if references.number == 1 and owner is None:
            return references, texts, None
        references = references.sets()
    if isinstance(texts, TextColumn):
        texts = texts.entries()
    if not isinstance(references, (list, tuple)) or not isinstance(texts, (list, tuple)):
        return None
    if not set(map(type, references)) <= {list, tuple} or not set(map(type, texts)) <= kinds:
        return None
    if not set(map(type, chain.from_iterable(references))) <= kinds or not all(references):
        return None
    if not raw and not _backend.chosen.types_within(chain(texts, chain.from_iterable(references))) <= PLAIN_TYPES:
        return None  # which of them are equal may depend on who asks
    if owner is not None:
        owners = owners_given(owner, len(references), len(texts))
        references = [references[number] for number in owners.tolist()]
    if len(references) != len(texts) or all(len(group) == 1 for group in references):
        return references, texts, None
    counts = np.fromiter(map(len, references), np.int64, len(references))
    return (
        [[text] for group in references for text in group],
        [text for text, group in zip(texts, references) for _ in group],
        counts,
    )
