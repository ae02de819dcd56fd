"""BLEU of a corpus that comes segment by segment."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from copy import copy
from typing import Any

from .._runtime.scales import counted
from ..errors import StatisticsError
from ..text.columns import is_column, texts_given
from ..text.raw import Raw, raw_of
from .counts import check_counting, segment_row
from .rows import checked_rows

__all__ = ["CorpusAccumulator"]


class CorpusAccumulator:
    """Statistics of a corpus that grows; :func:`cybleu.score` takes it at any time.

    It can be pickled, and needs no NumPy.

    Parts of a corpus add up: `one + other` and `sum(parts)` are new accumulators, `one += other` is `one.merge(other)`.

    It also counts how many segments are too short for each order, which NLTK's definition needs. Several threads must
    not change one accumulator at the same time: give each thread its own, and merge them.

    :param max_order: the largest n-gram order
    :param reference_length: ``closest`` to the hypothesis, the shorter one if two are equally close; ``closest-first``,
        the first of these two; ``shortest``; or ``average``, truncated to a whole number
    :param tokenize: the texts of `update` are raw text, and this says how to split them: a name that
        :func:`cybleu.text.tokenizer` knows, or a function from a str to its tokens
    :param lowercase: put raw text in lower case first

    >>> from cybleu.metrics import score
    >>> corpus = CorpusAccumulator()
    >>> corpus.update([["the", "cat", "sat", "down"]], ["the", "cat", "sat"])
    >>> corpus.update([["it", "rains", "a", "lot"]], ["it", "rains", "a", "lot"])
    >>> round(score(corpus).score, 2), corpus.segments
    (86.69, 2)
    """

    __slots__ = ("_raw", "lowercase", "max_order", "reference_length", "row", "segments", "short_segments", "tokenize")

    def __init__(
        self,
        max_order: int = 4,
        reference_length: str = "closest",
        *,
        tokenize: str | Callable[[str], Sequence[Hashable]] | None = None,
        lowercase: bool = False,
    ):
        check_counting(max_order, reference_length)
        self._raw: Raw | None = raw_of(tokenize, lowercase)
        self.tokenize = tokenize
        self.lowercase = bool(lowercase)
        self.max_order = max_order
        self.reference_length = reference_length
        self.reset()

    def reset(self) -> None:
        """Forget all segments."""
        self.row = [0] * (2 + 2 * self.max_order)
        self.short_segments = [0] * self.max_order
        self.segments = 0

    def update(self, references: Collection[Collection[Hashable]], hypothesis: Collection[Hashable]) -> None:
        """Add a segment.

        :param references: one or more references, each a sequence of hashable tokens, or with `tokenize` a str or bytes
        :param hypothesis: a sequence of hashable tokens, which may be empty, or with `tokenize` a str or bytes
        :raises NoReferencesError: there is no reference
        """
        if self._raw is not None and self._raw.own:
            row = self._raw.row(references, hypothesis, self.max_order, self.reference_length)
        else:
            if is_column(references):
                references = list(texts_given(references, "references"))
            if self._raw is not None:
                references = self._raw.token_lists(references, "references")
                hypothesis = self._raw.tokens(hypothesis, "the hypothesis")
            row = segment_row(references, hypothesis, self.max_order, self.reference_length)
        self._add(row, [int(total == 0) for total in row[2 + self.max_order :]], 1)

    def update_stats(self, stats: Iterable[Iterable[Any]]) -> None:
        """Add the statistics rows of segments.

        :param stats: rows of ints, or one integer array `(n, 2 + 2 * orders)`; a single row is that of one segment
        :raises StatisticsError: a row has another number of orders
        """
        rows = checked_rows(stats)
        for row in rows:
            if len(row) != len(self.row):
                raise StatisticsError(f"the rows have {len(row)} entries; {len(self.row)} are needed here")
        for row in rows:
            self._add(row, [int(total == 0) for total in row[2 + self.max_order :]], 1)

    def merge(self, other: CorpusAccumulator) -> None:
        """Add the segments of another accumulator.

        :param other: is not changed
        :raises StatisticsError: it is no accumulator, or counts other orders, by another reference length, or tokens of another tokeniser
        """
        if not isinstance(other, CorpusAccumulator):
            raise StatisticsError(
                f"only another CorpusAccumulator can be merged, and this is a {type(other).__name__}; give rows to update_stats"
            )
        if (other.tokenize, other.lowercase) != (self.tokenize, self.lowercase):
            raise StatisticsError(
                f"accumulators with tokenize={self.tokenize!r}, lowercase={self.lowercase} and with "
                f"tokenize={other.tokenize!r}, lowercase={other.lowercase} cannot be merged"
            )
        if (other.max_order, other.reference_length) != (self.max_order, self.reference_length):
            raise StatisticsError(
                f"accumulators of orders 1 to {self.max_order} with the {self.reference_length} reference length and of "
                f"orders 1 to {other.max_order} with the {other.reference_length} one cannot be merged"
            )
        self._add(other.row, other.short_segments, other.segments)

    def __add__(self, other: CorpusAccumulator) -> CorpusAccumulator:
        if not isinstance(other, CorpusAccumulator):
            return NotImplemented
        both = copy(self)
        both.merge(other)
        return both

    def __radd__(self, other: int) -> CorpusAccumulator:
        """That of a sum, which begins with 0."""
        if isinstance(other, CorpusAccumulator) or other != 0:
            return NotImplemented
        none = copy(self)
        none.reset()
        return none + self

    def __iadd__(self, other: CorpusAccumulator) -> CorpusAccumulator:
        if not isinstance(other, CorpusAccumulator):
            return NotImplemented
        self.merge(other)
        return self

    def _add(self, row: list[int], short_segments: list[int], segments: int) -> None:
        self.row = [total + count for total, count in zip(self.row, row)]
        self.short_segments = [total + count for total, count in zip(self.short_segments, short_segments)]
        self.segments += segments

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CorpusAccumulator):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__ if name != "_raw")

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<CorpusAccumulator of {counted(self.segments, 'segment')}, {counted(self.row[0], 'token')}>"
