"""The counts of a corpus that the variants of BLEU need, by each tokeniser that splits it."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations, islice, pairwise
from typing import TYPE_CHECKING, Any

from ..errors import CybleuError
from ..metrics import Bleu, Variant
from ..stats.counts import REFERENCE_LENGTHS, choose_length, segment_row
from ..stats.raw import raw_row_lists
from .comparison import Scored

if TYPE_CHECKING:
    from ..bleu_score.parts import Tokens
    from ..text.raw import Raw

_AT_ONCE = 1024  # segments


class Counts:
    """What the rules need to know of a corpus: the sum of its statistics, and the lengths of its segments."""

    def __init__(self, order: int, weights: Sequence[float] | None, tokenize: str | None = None):
        self.order = order
        self.tokenize = tokenize
        self.weights = weights
        self.row = [0] * (2 + 2 * order)
        self.lengths = array("q")
        self.short_segments = [0] * order
        self.reference_lengths = {name: array("q") for name in REFERENCE_LENGTHS}
        self.sums_of_reference_lengths = dict.fromkeys(REFERENCE_LENGTHS, 0)

    def add_rows(self, rows: Sequence[Sequence[int]], reference_lengths: Mapping[str, Sequence[int]]) -> None:
        """Add the statistics rows of more segments.

        :param reference_lengths: those that there are by each rule
        """
        self.row = [sum(column) for column in zip(self.row, *rows)]
        lengths = [row[0] for row in rows]
        self.lengths.extend(lengths)
        for length, times in Counter(lengths).items():
            for n in range(length, self.order):
                self.short_segments[n] += times
        for name, chosen in reference_lengths.items():
            self.reference_lengths[name].extend(chosen)
            self.sums_of_reference_lengths[name] += sum(chosen)

    def scored(self, name: str, variant: Variant) -> Scored:
        """The score or why there is none, with the reference length that the variant wants."""
        row = [self.row[0], self.sums_of_reference_lengths[variant.reference_length], *self.row[2:]]
        try:
            bleu = Bleu(variant, weights=self.weights, level="corpus").score(row, self.short_segments)
            return Scored(name, variant, bleu, None, self.tokenize)
        except (CybleuError, ArithmeticError, ValueError) as error:
            return Scored(name, variant, None, str(error), self.tokenize)


class Tokenised:
    """The counts of a corpus under each of some tokenisers, and where two of them give others.

    :param names: of tokenisers; None is for tokens that were given
    """

    def __init__(self, names: Iterable[str | None], order: int, weights: Sequence[float] | None):
        self.counts = {name: Counts(order, weights, name) for name in names}
        self.segments = 0
        self._different = {pair: array("q") for pair in combinations(self.counts, 2)}

    def different(self, one: str | None, other: str | None) -> Sequence[int]:
        """The segments of which these two make other counts."""
        return self._different[one, other] if (one, other) in self._different else self._different[other, one]

    def add_tokens(self, references: Iterable[Collection[Tokens]], hypotheses: Iterable[Tokens]) -> None:
        """Count segments of tokens that were given."""
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
        """Count segments of raw text, as the backend reads them."""
        rows: dict[str | None, list[list[int]]] = {}
        for name, counts in self.counts.items():
            assert name is not None
            arguments = raws[name], texts, references, bounds, counts.order
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
    """The rows of raw text, as the backend counts them or, with a tokeniser that it does not have, as those of tokens."""
    if raw.own:
        return raw_row_lists(raw, texts, references, bounds, order, rule)
    lists = raw.token_lists(references.strings(), "references")
    sets = [lists[begin:end] for begin, end in pairwise(bounds)]
    hypotheses = raw.token_lists(texts.strings(), "hypotheses")
    return [segment_row(of_segment, hypothesis, order, rule) for of_segment, hypothesis in zip(sets, hypotheses)]
