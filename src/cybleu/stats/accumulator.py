"""Statistics of a corpus, added segment by segment."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from copy import copy
from typing import Any

from .._runtime.scales import counted
from ..errors import StatisticsError
from ..text.parsing import parse_group, parse_raw_segment
from ..text.raw import Raw, raw_of
from .counts import check_counting, segment_row
from .rows import checked_rows

__all__ = ["CorpusAccumulator"]


class CorpusAccumulator:
    """Statistics of a growing corpus, which :func:`cybleu.score` scores at any time.

    It can be pickled and does not require NumPy.

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

    __slots__ = (
        "_lowercase",
        "_max_order",
        "_raw",
        "_reference_length",
        "_row",
        "_segments",
        "_short_segments",
        "_tokenize",
    )

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
        self._tokenize = tokenize
        self._lowercase = bool(lowercase)
        self._max_order = max_order
        self._reference_length = reference_length
        self._row: list[int]
        self._short_segments: list[int]
        self._segments: int
        self.reset()

    @property
    def max_order(self) -> int:
        """The largest n-gram order."""
        return self._max_order

    @property
    def reference_length(self) -> str:
        """Which reference length counts."""
        return self._reference_length

    @property
    def tokenize(self) -> str | Callable[[str], Sequence[Hashable]] | None:
        """The tokeniser of raw text, None for tokens."""
        return self._tokenize

    @property
    def lowercase(self) -> bool:
        """Whether raw text is put in lower case first."""
        return self._lowercase

    @property
    def row(self) -> list[int]:
        """A copy of the sum of the statistics rows."""
        return list(self._row)

    @property
    def short_segments(self) -> list[int]:
        """For each order, the number of segments that are too short for it, as a copy."""
        return list(self._short_segments)

    @property
    def segments(self) -> int:
        """The number of segments."""
        return self._segments

    def reset(self) -> None:
        """Forget all segments."""
        self._row = [0] * (2 + 2 * self._max_order)
        self._short_segments = [0] * self._max_order
        self._segments = 0

    def update(self, references: Collection[Collection[Hashable]], hypothesis: Collection[Hashable]) -> None:
        """Add a segment.

        :param references: one or more references, each a sequence of hashable tokens, or with `tokenize` a str or bytes
        :param hypothesis: a sequence of hashable tokens, which may be empty, or with `tokenize` a str or bytes
        :raises NoReferencesError: there is no reference
        """
        counting = self.max_order, self.reference_length
        if self._raw is None:
            row = segment_row(parse_group(references), hypothesis, *counting)
        else:
            lines, line = parse_raw_segment(references, hypothesis)
            if self._raw.own:
                row = self._raw.row(lines, line, *counting)
            else:
                texts = [self._raw.tokens(text, f"references[{number}]") for number, text in enumerate(lines)]
                row = segment_row(texts, self._raw.tokens(line, "the hypothesis"), *counting)
        self._add(row, [int(total == 0) for total in row[2 + self.max_order :]], 1)

    def update_stats(self, stats: Iterable[Iterable[Any]]) -> None:
        """Add the statistics rows of segments.

        :param stats: rows of ints, or one integer array `(n, 2 + 2 * orders)`; a single row is that of one segment
        :raises StatisticsError: a row has another number of orders
        """
        rows = checked_rows(stats)
        for row in rows:
            if len(row) != len(self._row):
                raise StatisticsError(f"the rows have {len(row)} entries; {len(self._row)} are needed here")
        for row in rows:
            self._add(row, [int(total == 0) for total in row[2 + self._max_order :]], 1)

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
        self._add(other._row, other._short_segments, other._segments)

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
        self._row = [total + count for total, count in zip(self._row, row)]
        self._short_segments = [total + count for total, count in zip(self._short_segments, short_segments)]
        self._segments += segments

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CorpusAccumulator):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__ if name != "_raw")

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<CorpusAccumulator of {counted(self.segments, 'segment')}, {counted(self._row[0], 'token')}>"
