"""GLEU as a metric (Wu et al. 2016)."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from .. import _backend
from .._runtime.numbers import check_flags
from .._runtime.sequences import plain_segment
from ..errors import NoReferencesError, OrderError
from ..gleu_score import MOST_ORDERS, counts
from ..text.parsing import are_lists_of, parse_raw_references, parse_texts, segments_of
from ..text.raw import check_tokenizer
from ..text.values import PLAIN_TYPES, ReferenceLists, Segments, TokenLists
from .metric import Metric, refuse_given

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..text.raw import Raw, Tokenize
    from ..text.values import ParsedTexts
    from .references import References


@dataclass(frozen=True)
class Gleu(Metric):
    """GLEU (Wu et al. 2016), from 0 to 1: the share of the n-grams that hypothesis and reference have in common.

    The shared n-grams are divided by the n-grams of the hypothesis or of the reference, whichever has more.

    A row has two numbers: the matches, and the n-grams that they are divided by. If a segment has several references,
    only the first one with the best score counts. Rows can be added: the row of a corpus is the sum of
    the rows of its segments. The scores equal those of NLTK's ``sentence_gleu`` and ``corpus_gleu``, and on 13a tokens
    those of Hugging Face's ``google_bleu``.

    :param min_len: the smallest order of n-grams, from 1
    :param max_len: the largest order of n-grams, at most 16
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
    scale = 1
    columns = ("matches", "ngrams")

    def __post_init__(self) -> None:
        check_flags(self)
        check_tokenizer(self.tokenizer, self.lowercase)
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

    @property
    def tokenizer(self) -> Tokenize:
        """The tokeniser of raw text, by default ``13a``."""
        return "13a" if self.tokenize is None else self.tokenize

    def count(self, hypothesis: Collection[Hashable], references: Sequence[Collection[Hashable]]) -> list[int]:
        """Count a segment, and return its row.

        :param hypothesis: a sequence of hashable tokens
        :param references: one or more references, likewise
        :raises NoReferencesError: there is no reference
        """
        references, hypothesis = plain_segment(references, hypothesis)
        if not len(references):
            raise NoReferencesError("there is no reference for the hypothesis; give at least one")
        return list(counts([references], [hypothesis], self.min_len, self.max_len))

    def _count_prepared(
        self,
        references: References,
        hypotheses: Any,
        *,
        owner: Any = None,
        threads: int | None = None,
        progress: bool = False,
        lengths: Any = None,
        **of_ids: Any,
    ) -> NDArray[np.int64]:
        from ..stats.options import CountOptions
        from ..stats.references import stats_of_each

        refuse_given(of_ids)
        counted = references._counted(CountOptions(self.max_len), self._raw_for(references.kind))
        return self._of_pairs(*stats_of_each(counted, hypotheses, owner, lengths, threads, progress))

    def _count_rows(
        self,
        references: Any,
        hypotheses: Any,
        raw: Raw | None,
        *,
        owner: Any = None,
        threads: int | None = None,
        progress: bool = False,
        **of_ids: Any,
    ) -> NDArray[np.int64]:
        refuse_given(of_ids, f"the metric {self.name} reads tokens; prepare the references with it")
        if raw is None or not raw.own:
            return self._rows_of(segments_of(references, hypotheses, raw), owner, progress, threads)
        sets, texts = parse_raw_references(references, raw), parse_texts(hypotheses, raw=raw)
        return self._counted_rows(sets, texts, owner, progress, threads, raw)

    def _rows_of(
        self, segments: Segments, owner: Any, progress: bool = False, threads: int | None = None
    ) -> NDArray[np.int64]:
        if not _are_plain(segments):
            return super()._rows_of(segments, owner, progress)
        sets = ReferenceLists(segments.references, "references")
        return self._counted_rows(sets, TokenLists(segments.hypotheses, "hypotheses"), owner, progress, threads)

    def _counted_rows(
        self, sets: Any, texts: ParsedTexts, owner: Any, progress: bool, threads: int | None, raw: Raw | None = None
    ) -> NDArray[np.int64]:
        """Compute the rows of parsed segments from the counts against each single reference."""
        from .._runtime.arrays import np, repeat
        from ..stats.options import CountOptions
        from ..stats.segments import count_segments
        from ..text.arrays import check_owners, parse_owners

        if owner is None:
            check_owners(texts.size, sets.size)
        else:
            sets = sets.of_owners(parse_owners(owner, sets.size, texts.size))
        counts = sets.counts
        several = bool((counts > 1).any())
        if several:
            sets, texts = sets.alone(), texts.rows(repeat(np.arange(len(counts), dtype=np.int64), counts))
        stats = count_segments(sets, texts, None, CountOptions(self.max_len), raw, threads, progress)
        return self._of_pairs(stats, counts if several else None)

    def _fill_pairs(
        self, references: Any, hypotheses: Any, result: NDArray[np.float64], threads: int | None, progress: bool
    ) -> NDArray[np.float64]:
        from .._runtime.arrays import np

        sets = [[text] for text in references.lists()]
        texts = [text for text in hypotheses.lists() for _ in sets]
        owner = np.tile(np.arange(len(sets), dtype=np.int64), result.shape[0])
        rows = self._rows_of(Segments(sets, texts), owner, progress, threads)
        np.copyto(result, self.scores(rows).reshape(result.shape))
        return result

    def _of_pairs(self, stats: NDArray[np.int64], counts: NDArray[np.int64] | None) -> NDArray[np.int64]:
        """Compute rows from the counts of BLEU against each single reference.

        :param counts: the number of references of each segment; None if each has one
        """
        from .._runtime.arrays import index, np, repeat

        orders = np.arange(self.min_len, self.max_len + 1, dtype=np.int64)
        rows = np.zeros((len(stats), 2), dtype=np.int64)
        rows[:, 0] = stats[:, 1 + self.min_len : 2 + self.max_len].sum(axis=1)
        for order in orders.tolist():  # add the n-grams of the longer text
            rows[:, 1] += np.maximum(stats[:, :2].max(axis=1) - order + 1, 0)
        if counts is None:
            return rows
        begins = np.cumsum(counts, dtype=np.int64) - counts
        ratios = np.full(len(rows), -1.0)  # the value if neither text has n-grams
        np.divide(rows[:, 0], rows[:, 1], out=ratios, where=rows[:, 1] > 0)
        best = repeat(np.maximum.reduceat(ratios, index(begins)), counts) if len(rows) else ratios
        places = np.flatnonzero(ratios == best)
        segments = repeat(np.arange(len(counts), dtype=np.int64), counts)[places]
        _, firsts = np.unique(segments, return_index=True)
        return rows[places[firsts]]

    def sum_of(self, list_of_references: Sequence[Any], hypotheses: Sequence[Any]) -> tuple[list[int], None]:
        """Count segments, and return the sum of their rows.

        :param list_of_references: for each segment a list of references
        :param hypotheses: for each segment a list of tokens
        """
        rows = [self.count(*segment) for segment in zip(hypotheses, list_of_references)]
        return [sum(column) for column in zip((0, 0), *rows)], None

    def evaluate(self, row: Sequence[int]) -> float:
        """Score a row or a sum of rows.

        :param row: two whole numbers from 0
        :raises StatisticsError: the row is not valid
        """
        plain = type(row) is list and len(row) == 2 and type(row[0]) is type(row[1]) is int and row[0] >= 0 <= row[1]
        matches, ngrams = row if plain else self._counted(row)
        return matches / ngrams if ngrams else 0.0


def _are_plain(segments: Segments) -> bool:
    """Return whether these are lists of plain tokens, whose equality does not depend on the order of operands."""
    sets, texts = segments.references, segments.hypotheses
    return (
        are_lists_of(sets, {list, tuple})
        and type(texts) in (list, tuple)
        and set(map(type, texts)) <= {list, tuple}
        and _backend.chosen.types_within(chain(texts, chain.from_iterable(sets))) <= PLAIN_TYPES
    )
