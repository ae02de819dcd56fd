"""BLEU as a metric: a tool's definition with the options of a call, resolved once."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _backend, _mirror
from .._runtime.numbers import check_flags, finite_numbers, is_one_of
from .._runtime.parallel import checked_threads
from .._runtime.scales import percent
from ..errors import (
    OrderError,
    StatisticsError,
    UnknownNameError,
)
from ..stats.counts import check_max_order, checked_ngrams, choose_length, corpus_row, segment_row
from ..stats.options import CountOptions
from ..stats.raw import raw_row_lists, raw_sum
from ..stats.rows import checked_array, column_names, counts_given, one_or_more, order_of, sums, sums_of_lists
from ..text.arrays import SpecialIds, parse_owners
from ..text.parsing import parse_references, parse_texts
from ..text.raw import check_tokenizer, raw_of
from ..text.values import RawText
from .metric import Metric, Score, from_fields, refuse_given
from .variants import VARIANTS, Variant, checked_smoothing_value, tool_tokenizer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..text.raw import Raw, Tokenize
    from ..text.values import Kind, ParsedTexts, TokenIds
    from .formula import Formula
    from .references import References

LEVELS = ("corpus", "sentence", "mean")


@dataclass(frozen=True)
class BleuScore(Score):
    """A BLEU score with its components; ``print`` shows it.

    :param score: the score on the tool's scale, from 0 to `scale`, which is 1 or 100; so are the precisions
    :param matches: the clipped matches of each order
    :param totals: the n-grams of the hypotheses of each order
    :param signature: the definition in one line

    >>> from cybleu import score
    >>> result = score([5, 6, 4, 2, 1, 1, 5, 4, 3, 2], "multi-bleu")
    >>> result.matches, result.totals, round(result.brevity_penalty, 3), result.scale
    ((4, 2, 1, 1), (5, 4, 3, 2), 0.819, 100)
    >>> print(str(result).partition(" = ")[2])
    41.60 80.0/50.0/33.3/50.0 (BP = 0.819 ratio = 0.833 hyp_len = 5 ref_len = 6)
    """

    precisions: tuple[float, ...]
    brevity_penalty: float
    hypothesis_length: int
    reference_length: int
    matches: tuple[int, ...]
    totals: tuple[int, ...]

    @property
    def bp(self) -> float:
        """The brevity penalty."""
        return self.brevity_penalty

    @property
    def ratio(self) -> float:
        """Hypothesis length / reference length; 0 if the reference length is 0."""
        return self.hypothesis_length / self.reference_length if self.reference_length else 0.0

    def format(self, width: int = 2) -> str:
        """Format the score like multi-bleu and sacreBLEU, always from 0 to 100.

        :param width: the number of decimals of the score
        """
        precisions = "/".join(f"{percent(precision, self.scale):.1f}" for precision in self.precisions)
        return (
            f"BLEU|{self.signature} = {self.percent:.{width}f} {precisions} (BP = {self.brevity_penalty:.3f} "
            f"ratio = {self.ratio:.3f} hyp_len = {self.hypothesis_length} ref_len = {self.reference_length})"
        )


class Rules(NamedTuple):
    """The resolved rules of a metric for a number of orders, in the form that the backends read; see :class:`Variant`."""

    order: int
    smoothing: str
    value: float | None
    weights: tuple[float, ...] | None
    effective_order: bool
    scale: float
    short_segments_count: bool
    empty_order: str
    no_match_at_all: str
    mean: str
    penalty: str
    penalty_adds: float
    empty_hypothesis: str
    fails: str
    name: str


@dataclass(frozen=True)
class Bleu(Metric):
    """BLEU by the definition of a tool. Omitted options use the tool's defaults.

    :param variant: a name in :data:`VARIANTS`, or a variant
    :param smoothing: the name of one of the variant's smoothings; by default the first one
    :param smoothing_value: the parameter of the smoothing
    :param weights: the weights of the n-gram orders; uniform by default
    :param max_order: the largest n-gram order that is counted, by default 4 or as many as there are weights. Existing
        rows are scored with all their orders
    :param effective_order: ignore the orders that a hypothesis is too short for. By default only for single sentences,
        and only if the tool does so
    :param level: ``corpus`` scores a row as a corpus; ``sentence`` scores it as the tool scores single sentences;
        ``mean`` takes the mean of the sentence scores of rows of segments. By default ``corpus``, or ``mean`` if the
        tool does that
    :param reference_length: ``closest``, ``closest-first``, ``shortest`` or ``average``; by default that of the tool
    :param ignore: n-grams, as tuples of tokens, that are left out of matches and totals (CrystalBLEU, Eghbali and
        Pradel 2022). With them `max_order` is at most 64
    :param tokenize: the tokeniser of raw text, as for :func:`cybleu.text.tokenizer`; by default that of the tool
    :param lowercase: convert raw text to lower case first
    :raises UnknownNameError: there is no such variant, smoothing, level or reference length, or the smoothing has no
        parameter
    :raises StatisticsError: there are not as many weights as orders, or one is not a finite number
    :raises SmoothingParameterError: the smoothing value is not valid

    >>> metric = Bleu("nltk", smoothing="method1")
    >>> metric.score(metric.count(["a", "b", "c"], [["a", "b", "c", "d"]])).score
    0.4029...
    """

    variant: str | Variant = "sacrebleu"
    smoothing: str | None = None
    smoothing_value: float | None = None
    weights: Sequence[float] | None = None
    max_order: int | None = None
    effective_order: bool | None = None
    level: str | None = None
    reference_length: str | None = None
    ignore: Iterable[tuple[Hashable, ...]] | None = None
    reads_raw_text = True
    #: The variant, with `reference_length` applied.
    definition: Variant = field(init=False, repr=False, compare=False)
    _smoothing: tuple[str, str, float | None] = field(init=False, repr=False, compare=False)
    # by backend and columns; not shared by equal metrics, because the definition of a name can be replaced
    _formulas: dict[tuple[str, int], Formula] = field(init=False, repr=False, compare=False)
    _derived: dict[object, Any] = field(init=False, repr=False, compare=False)  # made once from the fields

    def __post_init__(self) -> None:
        put = object.__setattr__
        check_flags(self)
        definition = VARIANTS.get(self.variant) if isinstance(self.variant, str) else self.variant
        if not isinstance(definition, Variant):
            raise UnknownNameError(f"unknown variant {self.variant!r}; use one of {', '.join(VARIANTS)}")
        if self.reference_length is not None:
            definition = replace(definition, reference_length=self.reference_length)
        if self.level is None:
            put(self, "level", definition.level)
        if not is_one_of(self.level, LEVELS):
            raise UnknownNameError(f"unknown level {self.level!r}; use one of {', '.join(LEVELS)}")
        put(self, "definition", definition)
        check_tokenizer(self.tokenizer, self.lowercase)
        if self.ignore is not None:
            put(self, "ignore", checked_ngrams(self.ignore))
        if self.max_order is not None:
            check_max_order(self.max_order)
        if self.weights is not None:
            put(self, "weights", _checked_weights(self.weights))
            if self.max_order not in (None, len(self.weights)):
                raise OrderError(
                    f"max_order is {self.max_order}, and there are {len(self.weights)} weights; give one of the two"
                )
        name, kind, default = definition.smoothing(self.smoothing)
        value = self.smoothing_value
        if value is None:
            value = default
        elif default is None:
            raise UnknownNameError(f"the smoothing {name!r} of {definition.name} takes no value")
        value = checked_smoothing_value(value, name, kind)
        if self.smoothing_value is not None:
            put(self, "smoothing_value", value)
        put(self, "_smoothing", (name, kind, value))
        put(self, "_formulas", {})
        put(self, "_derived", {})

    __reduce__ = from_fields  # without the formulas, which belong to the backend

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of the variant."""
        return self.definition.name

    @property
    def scale(self) -> float:  # type: ignore[override]
        """The score of a perfect match, 1 or 100, as the tool defines it."""
        return self.definition.scale

    @property
    def order(self) -> int:
        """The largest n-gram order that is counted."""
        if self.max_order is not None:
            return self.max_order
        return 4 if self.weights is None else len(self.weights)

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """The names of the numbers in a row."""
        return column_names(self.order)

    @property
    def signature(self) -> str:
        """The definition in one line."""
        return self._signature(self.order)

    def _signature(self, order: int) -> str:
        name, _, value = self._smoothing
        weighting = "uniform" if self.weights is None else ",".join(f"{weight:g}" for weight in self.weights)
        original = VARIANTS.get(self.definition.name, self.definition)
        changed = [
            f"|{rule.name}:{getattr(self.definition, rule.name)}"
            for rule in fields(Variant)
            if rule.name not in ("name", "smoothings", "note", "level")
            and getattr(self.definition, rule.name) != getattr(original, rule.name)
        ]
        return (
            f"variant:{self.definition.name}|order:{order}|weights:{weighting}|"
            f"smooth:{name if value is None else f'{name}[{value:g}]'}|eff:{'yes' if self._effective else 'no'}"
            + ("|level:mean" if self.level == "mean" else "")
            + "".join(changed)
        )

    @property
    def _effective(self) -> bool:
        if self.effective_order is None:
            return self.level != "corpus" and self.definition.sentences_by_effective_order
        return bool(self.effective_order)

    def check_order(self, order: int) -> None:
        """Check that the weights fit rows of this many orders.

        :param order: the number of orders
        :raises StatisticsError: there are not as many weights
        """
        if self.weights is not None and len(self.weights) != order:
            raise StatisticsError(f"there are {len(self.weights)} weights for {order} n-gram orders; give one for each")

    def rules(self, order: int | None = None) -> Rules:
        """Return the rules for rows of this many orders.

        :param order: the number of orders; by default those that are counted
        :raises StatisticsError: there are not as many weights
        """
        order = self.order if order is None else order
        self.check_order(order)
        rules = {rule: getattr(self.definition, rule) for rule in _RULES}
        rules["smoothing"] = self._smoothing[1]
        if rules["mean"] == "shares" and not order & (order - 1) and not self._effective:
            rules["mean"] = "logs"  # the same result, because products with these weights are exact
        if rules["smoothing"] == "zero":
            rules |= {"smoothing": "none", "empty_order": "zero", "fails": "never"}
        if self.level == "corpus":
            if rules["smoothing"] == "float32":
                rules["smoothing"] = "reciprocal"  # PyTorch-Ignite adds up in double precision
        elif rules["fails"] == "no-penalty":
            rules["fails"] = "never"  # the script fails only where it prints the logarithm of the penalty of a corpus
        return Rules(
            order=order,
            value=self._smoothing[2],
            weights=None if self.weights is None else tuple(self.weights),
            effective_order=self._effective,
            **rules,
        )

    def of_sentences(self) -> Bleu:
        """Return the metric that scores rows as the tool scores single sentences."""
        if self.level == "sentence":
            return self
        found = self._derived.get("of_sentences")
        if found is None:
            found = self._derived["of_sentences"] = replace(self, level="sentence")
        return found

    def with_rules(self, **rules: Any) -> Bleu:
        """Return the metric with other rules.

        :param rules: new values of fields of :class:`Variant`
        """
        key = tuple(rules.items())
        found = self._derived.get(key)
        if found is None:
            found = self._derived[key] = replace(self, variant=replace(self.definition, **rules))
        return found

    def for_rewards(self, brevity_penalty: bool = True) -> Bleu:
        """Return the metric that :func:`cybleu.reward_scores` uses: an empty hypothesis has 0, where some tools fail.

        :param brevity_penalty: False leaves out the brevity penalty
        """
        found = self._derived.get(brevity_penalty)
        if found is None:
            rules = {} if brevity_penalty else {"penalty": "none"}
            found = self.of_sentences().with_rules(empty_hypothesis="zero", fails="never", **rules)
            self._derived[brevity_penalty] = found
        return found

    def without_failures(self) -> Bleu:
        """Return the metric without errors: texts on which the tool fails get a score, so that searches can avoid them."""
        return self if self.definition.fails == "never" else self.with_rules(fails="never")

    # --------------------------------------------------------------------------------------------------------- counting

    @property
    def tokenizer(self) -> Tokenize:
        """The tokeniser of raw text, by default that of the tool."""
        return tool_tokenizer(self.definition.name) if self.tokenize is None else self.tokenize

    def count(self, hypothesis: Collection[Hashable], references: Collection[Collection[Hashable]]) -> list[int]:
        """Count a segment, and return its statistics row.

        :param hypothesis: a sequence of hashable tokens
        :param references: one or more references, likewise
        """
        if self.ignore is not None:
            return self._count_rows([references], [hypothesis], None)[0].tolist()  # type: ignore[no-any-return]
        row = segment_row(references, hypothesis, self.order, self.definition.reference_length)
        if self.definition.short_segments_count:
            row[2 + self.order :] = [max(total, 1) for total in row[2 + self.order :]]
        return row

    def _count_rows(
        self,
        references: Any,
        hypotheses: Any,
        raw: Raw | None,
        *,
        owner: Any = None,
        threads: int | None = None,
        progress: bool = False,
        lengths: Any = None,
        reference_lengths: Any = None,
        **of_ids: Any,
    ) -> NDArray[np.int64]:
        from ..stats.segments import count_segments

        checked_threads(threads)
        if raw is not None:
            refuse_given(
                {**of_ids, "lengths": lengths, "reference_lengths": reference_lengths}, "the texts are raw text"
            )
        options = self._options(**of_ids)
        sets = parse_references(references, raw=raw, lengths=reference_lengths)
        texts = parse_texts(hypotheses, raw=raw, lengths=lengths)
        owners = None if owner is None else parse_owners(owner, sets.size, texts.size)
        return self._with_short(count_segments(sets, texts, owners, options, raw, threads, progress))

    def _count_prepared(
        self, references: References, hypotheses: Any, *, lengths: Any = None, **arguments: Any
    ) -> NDArray[np.int64]:
        how = {name: arguments.pop(name) for name in ("owner", "threads", "progress")}
        refuse_given(arguments)
        counted = references._counted(self._options(), self._raw_for(references.kind))
        return self._with_short(counted.rows(hypotheses, lengths=lengths, **how))

    def _options(self, **of_ids: Any) -> CountOptions:
        found: CountOptions | None = None if of_ids else self._derived.get("options")
        if found is None:
            found = CountOptions.checked(
                self.order, self.definition.reference_length, SpecialIds(**of_ids), self.ignore
            )
            if not of_ids:
                self._derived["options"] = found
        return found

    def _raw_of(self, tokenize: Any, lowercase: bool = False, **of_ids: Any) -> Raw | None:
        return raw_of(tokenize, lowercase, self._is_mteval, **of_ids)

    @property
    def _is_mteval(self) -> bool:
        """Whether raw text is read as the script of this definition reads it."""
        return self.name == "mteval-v13a"

    def rows_of_raw(
        self, raw: Raw, texts: Any, references: Any, bounds: Any, threads: int | None = None
    ) -> list[list[int]]:
        """Count segments of raw text that the backend has read, and return their rows.

        The other parameters are those of :meth:`cybleu.metrics.Metric.rows_of_raw`.
        """
        if self.ignore is not None:
            lines = references.strings()
            groups = [lines[begin:end] for begin, end in pairwise(bounds)]
            return self._count_rows(groups, texts.strings(), raw.in_case, threads=threads).tolist()  # type: ignore[no-any-return]
        return raw_row_lists(raw, texts, references, bounds, self.order, self.definition.reference_length, threads)

    def sum_of_raw(
        self, raw: Raw, texts: Any, references: Any, bounds: Any, threads: int | None = None
    ) -> tuple[list[int], list[int]]:
        """Count the segments as :meth:`rows_of_raw` does, and return the sum of the rows and the numbers of short segments.

        The other parameters are those of :meth:`cybleu.metrics.Metric.rows_of_raw`.
        """
        if self.ignore is not None:
            return self.total(self.rows_of_raw(raw, texts, references, bounds, threads)), [0] * self.order
        return raw_sum(raw, texts, references, bounds, self.order, self.definition.reference_length, threads)

    def sum_of(self, list_of_references: Sequence[Any], hypotheses: Sequence[Any]) -> tuple[list[int], Sequence[int]]:
        """Count segments, and return the sum of their rows and, for each order, the number of segments too short for it.

        :param list_of_references: for each segment a list of references
        :param hypotheses: for each segment a list of tokens
        """
        if self.ignore is not None:
            return self.total(self._count_rows(list_of_references, hypotheses, None)), [0] * self.order
        row, short_segments = corpus_row(list_of_references, hypotheses, self.order)
        if self.definition.reference_length != "closest":
            row[1] = sum(
                choose_length(list(map(len, references)), len(hypothesis), self.definition.reference_length)
                for references, hypothesis in zip(list_of_references, hypotheses)
            )
        return row, short_segments

    def _parsed_pair(self, texts: Any, others: Any, of_ids: dict[str, Any]) -> tuple[TokenIds, TokenIds]:
        from ..text.numbering import number_together

        special = SpecialIds(**of_ids)
        special.check()
        hypotheses, references = super()._parsed_pair(texts, others, {})
        raw = None
        if isinstance(hypotheses, RawText):
            refuse_given(of_ids, "the texts are raw text")
            raw = self._raw_for("raw text")
        refs, hyps = number_together(references, hypotheses, raw, special)
        return hyps, refs

    def _parsed(self, texts: Any, name: str, kind: Kind) -> Any:
        if self.ignore is not None:
            raise UnknownNameError("ignore is for rows of segments, and pairs of texts are scored with all n-grams")
        return super()._parsed(texts, name, kind)

    def _split(self, parsed: ParsedTexts, raw: Raw | None) -> Any:
        numbered = isinstance(parsed, RawText) and raw is not None and raw.own
        return parsed if numbered else super()._split(parsed, raw)

    def _fill_pairs(
        self, references: Any, hypotheses: Any, result: NDArray[np.float64], threads: int | None, progress: bool
    ) -> NDArray[np.float64]:
        """Write the scores of texts whose tokens are numbered by one vocabulary."""
        from .pairs import fill_matrix

        return fill_matrix(self.formula(2 + 2 * self.order), references, hypotheses, result, threads, progress)

    # ---------------------------------------------------------------------------------------------------------- scoring

    def evaluate(self, row: Sequence[int]) -> float:
        """Score a row.

        :param row: the row of a segment; or a sum, if the variant can score sums
        """
        return self.score(row).score

    def score(self, stats: Any, short_segments: Sequence[int] | None = None) -> BleuScore:
        """Score a corpus or a segment.

        :param stats: a row, or rows, which are added up
        :param short_segments: for each order, how many segments that a sum leaves out are too short for it
        """
        if short_segments is None:
            short_segments = getattr(stats, "short_segments", None)
        if self.level == "mean":
            return self._mean(stats, short_segments)
        row, short = self._summed(getattr(stats, "row", stats), short_segments)
        order = len(row) // 2 - 1
        number, precisions, penalty = _mirror.Definition(self.rules(order)).evaluate(row, short)
        totals = row[2 + order :]
        if self.definition.short_segments_count:
            totals = [total + count for total, count in zip(totals, short)]
        return BleuScore(
            score=number,
            scale=self.scale,
            signature=self._signature(order),
            precisions=tuple(precisions),
            brevity_penalty=penalty,
            hypothesis_length=row[0],
            reference_length=row[1],
            matches=tuple(row[2 : 2 + order]),
            totals=tuple(totals),
        )

    def _mean(self, stats: Any, short_segments: Sequence[int] | None) -> BleuScore:
        """Return the mean of the segment scores, with the components of the sum."""
        if short_segments is not None or hasattr(stats, "row"):
            raise StatisticsError(
                f"the mean of segment scores requires the rows of the segments, and this is a sum ({self.signature})"
            )
        summing = replace(self, level="corpus").with_rules(
            empty_hypothesis="scored", fails="never", short_segments_count=False
        )
        if hasattr(stats, "dtype") and stats.ndim == 2 and len(stats):
            # the kernel scores all rows; the scores are added up in order
            table, order = checked_array(stats, "stats")
            sums = summing.score([_without_short(row) for row in table.tolist()])
            scores = _formula_of(self._rules_of_one(order)).score_rows(table)
            number = self.mean_of_total(float(scores.cumsum()[-1]), len(table))
        else:
            given = stats.tolist() if hasattr(stats, "tolist") else stats
            rows = [counts_given(row, "statistics") for row in one_or_more(given)]
            sums = summing.score(list(map(_without_short, rows)))
            number = self.mean_of_total(self.total_of_segments(rows), len(rows))
        return replace(sums, score=number, signature=self._signature(len(sums.matches)))

    def total_of_segments(self, rows: Sequence[Sequence[int]], total: float = 0.0) -> float:
        """Return the sum of segment scores, for :meth:`mean_of_total`.

        :param rows: the rows of the segments
        :param total: the sum of the scores of the preceding segments
        """
        if rows:
            definition = _mirror.Definition(self._rules_of_one(order_of(len(rows[0]))))
            for row in rows:
                total += definition.evaluate(row, [int(count == 0) for count in row[2 + definition.order :]])[0]
        return total

    def mean_of_total(self, total: float, segments: int) -> float:
        """Compute the mean of segment scores from their sum.

        :param total: the sum of the scores
        :param segments: the number of segments, at least 1
        """
        return total * self.scale / segments if self._scaled_last else total / segments

    def _rules_of_one(self, order: int) -> Rules:
        """Return the rules for the scores that are averaged."""
        rules = self.rules(order)
        return rules._replace(scale=1.0) if self._scaled_last else rules

    @property
    def _scaled_last(self) -> bool:
        """Whether the tool averages scores from 0 to 1 and then multiplies the mean by the scale."""
        return self.definition.mean == "log-differences"

    def scores(self, stats: Any) -> NDArray[np.float64]:
        """Score each row.

        :param stats: integers `(n, columns)`
        """
        rows, order = checked_array(stats, "stats")
        if rows.ndim != 2:
            raise StatisticsError(f"stats has {rows.ndim} dimensions; scores() takes rows, and score() a single one")
        _, _, too_many = sums(rows, order)
        if too_many >= 0:
            self._refuse_row_of_nltk(rows[too_many].tolist())
        return self.formula(rows.shape[1]).score_rows(rows)

    def formula(self, width: int) -> Formula:
        """Return the formula that scores rows with this many columns in searches.

        :param width: the number of columns
        """
        key = _backend.BACKEND, width
        found = self._formulas.get(key)
        if found is None:
            found = self._formulas[key] = _formula_of(self.rules(order_of(width)))
        return found

    def check_summable(self) -> None:
        """Check that a corpus can be scored from the sum of its rows.

        :raises StatisticsError: the metric is a mean of the scores of segments
        """
        if self.level == "mean":
            raise StatisticsError(
                f"{self.signature} is the mean of the scores of segments, which no sum of their rows has; give the scores of "
                "the segments, or level='corpus'"
            )

    def summable(self, stats: NDArray[np.int64]) -> tuple[NDArray[np.int64], Bleu]:
        """Return rows and a metric that scores a corpus from their sum alone.

        The mean of the scores of segments is not the score of a sum, so it is an error. NLTK's BLEU counts an n-gram
        for each order that a segment is too short for; the returned rows include it. Texts on which the tool fails
        have no score; in a search they get the worst score.

        :param stats: rows of segments
        """
        self.check_summable()
        if self.definition.short_segments_count:
            from .._runtime.arrays import np

            order = order_of(stats.shape[1])
            stats = stats.copy()
            np.maximum(stats[:, 2 + order :], 1, out=stats[:, 2 + order :])
        return stats, self.with_rules(short_segments_count=False, fails="never")

    @property
    def plateau(self) -> Bleu:
        """Return BLEU with 1 added to every count, which distinguishes sums that this metric scores 0."""
        smoothed = replace(self.definition, smoothings=(("add", "add-all", 1.0),), no_match_at_all="smoothed")
        return replace(self, variant=smoothed, smoothing=None, smoothing_value=None)

    def _summed(self, stats: Any, short_segments: Sequence[int] | None) -> tuple[list[int], Sequence[int]]:
        """Sum the rows, and count for each order the segments that are too short for it."""
        if hasattr(stats, "dtype"):
            array, order = checked_array(stats, "stats")
            rows: Any = array.reshape(-1, 2 + 2 * order)
            total, short, too_many = sums(rows, order)
        else:
            rows = one_or_more(stats)
            total, short, too_many = sums_of_lists(rows)
            order = len(short)
        if too_many >= 0:
            self._refuse_row_of_nltk([int(number) for number in rows[too_many]])
        if short_segments is None:
            return total, short
        counts = counts_given(short_segments, "short_segments")
        if len(counts) != order:
            raise StatisticsError(f"short_segments has {len(counts)} entries for {order} n-gram orders")
        return total, counts

    def total(self, rows: Any) -> list[int]:
        """Add up rows: the row of a corpus.

        NLTK's BLEU counts an n-gram for each order that a segment is too short for.

        :param rows: a row, or rows of segments or corpora that this metric counted
        """
        self.check_summable()
        if hasattr(rows, "__len__") and getattr(rows, "ndim", 1) != 0 and not len(rows):
            return [0] * len(self.columns)
        row, short = self._summed(rows, None)
        if not self.definition.short_segments_count:
            return row
        order = len(short)
        return [*row[: 2 + order], *(total + count for total, count in zip(row[2 + order :], short))]

    def _refuse_row_of_nltk(self, row: list[int]) -> None:
        """Refuse a row that was counted by NLTK's rule, an n-gram of each order that a segment is too short for.

        :raises StatisticsError: this is not NLTK's definition
        """
        original = VARIANTS.get(self.definition.name, self.definition)  # a search has another rule for the same rows
        if self.definition.short_segments_count or original.short_segments_count:
            return
        raise StatisticsError(
            f"the row {row} has more n-grams than its length allows, so NLTK's BLEU counted it; count the texts for {self.name}"
        )

    def _with_short(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Rows with NLTK's totals, at least 1 for each order, if this is NLTK's BLEU; changes the rows."""
        if self.definition.short_segments_count:
            from .._runtime.arrays import np

            totals = rows[:, 2 + self.order :]
            np.maximum(totals, 1, out=totals)
        return rows


def _without_short(row: list[int]) -> list[int]:
    """The row of a segment without the n-grams that NLTK counts where a segment is too short for an order."""
    order = order_of(len(row))
    return [*row[: 2 + order], *(min(total, max(row[0] - n, 0)) for n, total in enumerate(row[2 + order :]))]


def _checked_weights(weights: Any) -> tuple[float, ...]:
    numbers = finite_numbers(weights, "weights")
    if not numbers:
        raise StatisticsError(f"weights must be finite numbers, one for each order, and these are not: {weights!r}")
    return numbers


def _formula_of(rules: Rules) -> Formula:
    from .estimates import estimate
    from .formula import Formula

    return Formula(_mirror.Definition(rules), _backend.chosen.Definition(rules), estimate(rules))


_RULES = [field.name for field in fields(Variant) if field.name in Rules._fields]
