"""Counts of a corpus for several variants of BLEU and several tokenisers."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, combinations, islice
from operator import add
from typing import TYPE_CHECKING, Any

from ..errors import CybleuError
from ..metrics import Bleu, Variant
from ..metrics.counting import REFERENCE_LENGTHS, Counting, choose_length, segment_row
from ..text.batches import Corpus, RawText, Sets
from .comparison import Scored

if TYPE_CHECKING:
    from ..bleu_score.parts import Tokens
    from ..text.raw import Raw

_AT_ONCE = 1024  # segments that are counted at once


class Counts:
    """Counts of a corpus for any rules: the sum of its statistics, and the reference lengths by each rule.

    :param keep_rows: keep the statistics of each segment, for variants that take the mean of the segments' scores
    """

    def __init__(self, order: int, weights: Sequence[float] | None, keep_rows: bool, tokenize: str | None = None):
        self.order = order
        self.tokenize = tokenize
        self.weights = weights
        self.row = [0] * (2 + 2 * order)
        self._ngrams = array("q")  # matches and totals of each segment, if rows are kept
        self._keep_rows = keep_rows
        self.lengths = array("q")
        self.too_short = [0] * order
        self.reference_lengths = {name: array("q") for name in REFERENCE_LENGTHS}
        self.sums_of_reference_lengths = dict.fromkeys(REFERENCE_LENGTHS, 0)

    def add_rows(self, rows: Sequence[Sequence[int]], reference_lengths: Mapping[str, Sequence[int]]) -> None:
        """Add the statistics rows of more segments.

        :param reference_lengths: the reference lengths of the segments by each rule
        """
        self.row = [sum(column) for column in zip(self.row, *rows)]
        if self._keep_rows:
            self._ngrams.extend(chain.from_iterable(row[2:] for row in rows))
        lengths = [row[0] for row in rows]
        self.lengths.extend(lengths)
        for length, times in Counter(lengths).items():
            for n in range(length, self.order):
                self.too_short[n] += times
        for name, chosen in reference_lengths.items():
            self.reference_lengths[name].extend(chosen)
            self.sums_of_reference_lengths[name] += sum(chosen)

    def scored(self, name: str, variant: Variant) -> Scored:
        """Score a variant with its own reference length, or return why its tool fails."""
        metric = Bleu(variant, weights=self.weights)
        try:
            if metric.level == "mean":
                bleu = metric.score(self._rows(variant.reference_length))
            else:
                wanted = self.sums_of_reference_lengths[variant.reference_length]
                row = [self.row[0], wanted, *self.row[2:]]
                if variant.short_segments_count:
                    row[2 + self.order :] = map(add, row[2 + self.order :], self.too_short)
                bleu = metric.score(row)
            return Scored(name, variant, bleu, None, self.tokenize)
        except (CybleuError, ArithmeticError, ValueError) as error:
            return Scored(name, variant, None, str(error), self.tokenize)

    def _rows(self, reference_length: str) -> list[list[int]]:
        """Return the row of each segment, with the reference length by this rule."""
        width = 2 * self.order
        lengths = zip(self.lengths, self.reference_lengths[reference_length])
        return [[*pair, *self._ngrams[n * width : (n + 1) * width]] for n, pair in enumerate(lengths)]


class Tokenised:
    """Counts of a corpus for several tokenisers, and the segments in which two tokenisers differ.

    :param names: names of tokenisers; None is for token lists
    """

    def __init__(self, names: Iterable[str | None], order: int, weights: Sequence[float] | None, keep_rows: bool):
        self.counts = {name: Counts(order, weights, keep_rows, name) for name in names}
        self.segments = 0
        self._different = {pair: array("q") for pair in combinations(self.counts, 2)}

    def different(self, one: str | None, other: str | None) -> Sequence[int]:
        """Return the segments for which the counts of these two differ."""
        return self._different[one, other] if (one, other) in self._different else self._different[other, one]

    def add_tokens(self, references: Iterable[Collection[Tokens]], hypotheses: Iterable[Tokens]) -> None:
        """Count segments of token lists."""
        counts = self.counts[None]
        segments = zip(references, hypotheses)
        while block := list(islice(segments, _AT_ONCE)):
            rows = []
            for of_segment, hypothesis in block:
                try:
                    rows.append(segment_row(of_segment, hypothesis, counts.order))
                except CybleuError as error:
                    raise type(error)(f"segment {self.segments + len(rows)}: {error}") from error.__cause__
            lengths = {"closest": [row[1] for row in rows]}
            each = [[len(reference) for reference in of_segment] for of_segment, _ in block]
            for rule in REFERENCE_LENGTHS:
                if rule not in lengths:
                    lengths[rule] = [choose_length(given, row[0], rule) for given, row in zip(each, rows)]
            counts.add_rows(rows, lengths)
            self.segments += len(rows)

    def add_raw(self, raws: Mapping[str, Raw], texts: Any, references: Any, bounds: Any) -> None:
        """Count segments of raw text, as the backend reads them, in their own case."""
        rows: dict[str | None, list[list[int]]] = {}
        lowered: dict[Any, Any] = {}  # by what puts lines in lower case
        for name, counts in self.counts.items():
            assert name is not None
            raw = raws[name]
            if raw.lower_block not in lowered:
                lowered[raw.lower_block] = raw.lowered_texts(texts), raw.lowered_texts(references)
            hypotheses, others = lowered[raw.lower_block]
            arguments = raw, hypotheses, others, bounds, counts.order
            rows[name] = _rows(*arguments)
            of_one = [row[1] for row in rows[name]]
            lengths = dict.fromkeys(REFERENCE_LENGTHS, of_one)
            if len(references) > len(texts):
                lengths = {rule: [row[1] for row in _rows(*arguments, rule)] for rule in REFERENCE_LENGTHS}
            counts.add_rows(rows[name], lengths)
        for (one, other), positions in self._different.items():
            positions.extend(
                self.segments + number for number, pair in enumerate(zip(rows[one], rows[other])) if pair[0] != pair[1]
            )
        self.segments += len(texts)


def _rows(raw: Raw, texts: Any, references: Any, bounds: Any, order: int, rule: str = "closest") -> list[list[int]]:
    """Count raw text, which is in the case of the tokeniser."""
    count, width = len(texts), 2 + 2 * order
    if not count:
        return []
    rows = memoryview(bytearray(8 * count * width)).cast("q", (count, width))
    corpus = Corpus(RawText(texts), Sets(RawText(references), bounds))
    Counting(order, rule).counter(corpus, raw.in_case)(0, count, rows)
    found: Any = rows.tolist()
    return found  # type: ignore[no-any-return]
