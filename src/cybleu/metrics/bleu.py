"""BLEU as a metric: a tool's definition with the options of a call, resolved once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from operator import add
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from .._backend import Definition, numbered_rows
from .._definitions.bleu import Formula, refuse_failure
from .._runtime.lazy_arrays import Array, Floats, Integers
from .._runtime.numbers import check_flags, check_whole, finite_numbers, is_one_of
from ..errors import OrderError, StatisticsError, UnknownNameError
from ..text.batches import Corpus, TokenLists, make_again
from ..text.tokenizers import Tokenization
from .base import BuiltinMetric, Counter, Metric, Score, Signature
from .bleu_rows import (
    as_table,
    checked_bleu_row,
    counter_of_nltk,
    order_of,
    pad,
    sum_of_bleu_rows,
    without_short_orders,
)
from .counting import FEW_EACH, LARGEST_ORDER, counter_by_prepared, counter_of_objects, numbered, segments_of_corpus
from .names import score_texts
from .operations import check_summable, has_rows, percent, scores_by
from .variants import PAPERS, VARIANTS, Smoothing, Variant, tool_tokenizer

if TYPE_CHECKING:
    from .pairs import PairedTexts

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
        cells = self._cells(width)
        score = cells.pop("score")
        precisions = cells.pop("precisions")
        details = " ".join([f"{name} = {cell}" for name, cell in cells.items()])
        return f"BLEU|{self.signature} = {score} {precisions} ({details})"

    def _cells(self, width: int = 2) -> dict[str, Any]:
        return {
            **super()._cells(width),
            "precisions": "/".join(f"{percent(precision, self.scale):.1f}" for precision in self.precisions),
            "BP": f"{self.brevity_penalty:.3f}",
            "ratio": f"{self.ratio:.3f}",
            "hyp_len": self.hypothesis_length,
            "ref_len": self.reference_length,
        }


class RowScorer:
    """Score valid rows by the kernel, and by the formula in Python where the kernel declines.

    :param rules: as :meth:`Bleu.rules` returns them
    """

    def __init__(self, rules: SimpleNamespace):
        self.formula = Formula(rules)
        self.kernel = Definition(rules)

    def parts(self, row: list[int]) -> tuple[float, list[float], float]:
        """Return the score, the precisions and the brevity penalty of a row."""
        # Not by `answered`, a call of which takes as long as the kernel.
        parts = self.kernel.evaluate(row)
        return self.formula.evaluate(row) if parts is None else parts


@dataclass(frozen=True)
class Bleu(BuiltinMetric):
    """BLEU by the definition of a tool. Omitted options use the tool's defaults.

    :param variant: a name in :data:`VARIANTS`, or a variant
    :param smoothing: the name of one of the variant's smoothings; by default the first one
    :param smoothing_value: the parameter of the smoothing
    :param weights: the weights of the n-gram orders; uniform by default
    :param max_order: the maximum n-gram order to count, by default 4 or the number of weights. Existing rows are scored
        with all their orders
    :param effective_order: ignore the orders for which a hypothesis is too short; by default only for single sentences,
        and only if the tool does so
    :param level: ``corpus`` scores a row as a corpus; ``sentence`` scores it as the tool scores single sentences;
        ``mean`` averages the sentence scores of the rows. The default is ``corpus``, or ``mean`` if the tool averages
    :param reference_length: ``closest``, ``closest-first``, ``shortest`` or ``average``; by default the tool's rule
    :param brevity_penalty: whether to apply the brevity penalty
    :param tokenize: the tokeniser of raw text, see :func:`cybleu.text.tokenizer`; by default the tool's
    :param lowercase: convert raw text to lower case first
    :raises UnknownNameError: there is no such variant, smoothing, level or reference length, or the smoothing has no
        parameter
    :raises OrderError: `max_order` is not valid, or there are not as many weights
    :raises StatisticsError: a weight is not a finite number
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
    brevity_penalty: bool = True

    cost = 1

    def __post_init__(self) -> None:
        check_flags(self, "brevity_penalty", *() if self.effective_order is None else ("effective_order",))
        definition = self.definition
        level = definition.level if self.level is None else self.level
        if not is_one_of(level, LEVELS):
            raise UnknownNameError(f"unknown level {level!r}; use one of {', '.join(LEVELS)}")
        vars(self).update(name=definition.name, scale=definition.scale, level=level, averages=level == "mean")
        super().__post_init__()
        if self.max_order is not None:
            check_whole(self.max_order, "max_order", 1, LARGEST_ORDER, error=OrderError)
        if self.weights is not None:
            weights = finite_numbers(self.weights, "weights")
            if not weights:
                raise StatisticsError(
                    f"weights must be finite numbers, one for each order, and these are not: {self.weights!r}"
                )
            vars(self).update(weights=weights)
            if self.max_order not in (None, len(self.weights)):
                raise OrderError(
                    f"max_order is {self.max_order}, and there are {len(self.weights)} weights; give one of the two"
                )
        _ = self._smoothing  # raises an error if there is no such smoothing, or for its value

    @cached_property
    def definition(self) -> Variant:
        """The variant, with `reference_length` and `brevity_penalty` applied."""
        variant = VARIANTS.get(self.variant) if isinstance(self.variant, str) else self.variant
        if not isinstance(variant, Variant):
            raise UnknownNameError(f"unknown variant {self.variant!r}; use one of {', '.join(VARIANTS)}")
        if self.reference_length is not None:
            variant = replace(variant, reference_length=self.reference_length)
        return variant if self.brevity_penalty else replace(variant, penalty="none")

    @cached_property
    def _smoothing(self) -> Smoothing:
        return self.definition.smoothing(self.smoothing, self.smoothing_value)

    @property
    def papers(self) -> tuple[str, ...]:  # type: ignore[override]
        """The papers that define BLEU and describe the tool."""
        of_tool = PAPERS.get(self.name)
        return ("papineni-2002",) if of_tool is None else ("papineni-2002", of_tool)

    @cached_property
    def order(self) -> int:
        """The largest n-gram order that is counted."""
        if self.max_order is not None:
            return self.max_order
        return 4 if self.weights is None else len(self.weights)

    @cached_property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """The names of the numbers in a row."""
        orders = range(1, self.order + 1)
        return ("hyp_len", "ref_len", *(f"{what}_{n}" for what in ("match", "total") for n in orders))

    @cached_property
    def signature(self) -> Signature:
        """The variant and its options in one line."""
        name, _, parameter = self._smoothing
        fields: dict[str, Any] = {
            "variant": self.name,
            "order": self.order,
            "weights": "uniform" if self.weights is None else ",".join(f"{weight:g}" for weight in self.weights),
            "smooth": name if parameter is None else f"{name}[{parameter:g}]",
            "eff": "yes" if self._effective else "no",
        }
        if self.level == "mean":
            fields["level"] = "mean"
        original = VARIANTS.get(self.name, self.definition)
        for rule, value in vars(self.definition).items():
            if rule not in ("name", "smoothings", "level") and value != getattr(original, rule):
                fields[rule] = value
        return Signature(fields)

    @property
    def _effective(self) -> bool:
        if self.effective_order is None:
            return self.level != "corpus" and self.definition.empty_order == "end"
        return bool(self.effective_order)

    def of_width(self, width: int) -> Bleu:
        """Return the metric for rows with this many columns, which may be of another number of n-gram orders.

        :param width: the number of columns
        :raises StatisticsError: these are no rows of BLEU, or there are not as many weights as orders
        """
        if width == len(self.columns):
            return self
        order = order_of(width)
        if self.weights is not None:
            raise StatisticsError(f"there are {len(self.weights)} weights for {order} n-gram orders; give one for each")
        return replace(self, max_order=order)

    def rules(self) -> SimpleNamespace:
        """Return the rules for rows of the metric, as the backends read them.

        They are those of :class:`Variant` with `order`, `smoothing`, `value`, `weights` and `effective_order`.
        """
        rules = SimpleNamespace(**vars(self.definition))
        rules.order = self.order
        rules.weights = self.weights
        rules.effective_order = self._effective
        _, rules.smoothing, rules.value = self._smoothing
        if rules.mean == "shares" and not rules.order & (rules.order - 1) and not self._effective:
            rules.mean = "logs"  # the same result, because products with these weights are exact
        if rules.smoothing == "zero":
            rules.smoothing = "none"
            rules.empty_order = "zero"
            rules.fails = "never"
        if rules.smoothing == "float32" and self.level == "corpus":
            rules.smoothing = "reciprocal"  # PyTorch-Ignite adds up in double precision
        # the script fails only where it prints the logarithm of the penalty of a corpus
        if rules.fails == "no-penalty" and self.level != "corpus":
            rules.fails = "never"
        return rules

    @cached_property
    def scorer(self) -> RowScorer:
        """What scores rows, also where the tool fails."""
        return RowScorer(self.rules())

    @cached_property
    def _sentences(self) -> Bleu:
        return replace(self, level="sentence")

    def of_sentences(self) -> Bleu:
        return self if self.level == "sentence" else self._sentences

    def as_reward(self) -> Bleu:
        """Return the metric of rewards, which scores single sentences and gives an empty one 0."""
        metric = self.of_sentences()
        if metric.definition.empty_hypothesis == "zero":
            return metric
        return replace(metric, variant=replace(metric.definition, empty_hypothesis="zero"))

    # --------------------------------------------------------------------------------------------------------- counting

    @cached_property
    def tokenization(self) -> Tokenization:
        """How raw text is tokenised, by default as the tool does it."""
        tokenizer = tool_tokenizer(self.name) if self.tokenize is None else self.tokenize
        # this script has rules of its own only for lower case and for the end of a line
        as_mteval = self.name == "mteval-v13a" and (self.lowercase or tokenizer == "intl")
        return Tokenization(tokenizer, self.lowercase, as_mteval)

    def counter(self, corpus: Corpus) -> Counter:
        order = self.order
        length_rule = self.definition.reference_length
        # References are prepared where each serves many hypotheses, of this call or of later ones.
        if corpus.made is not make_again or (
            corpus.owners is not None and corpus.size > FEW_EACH * corpus.sets.bounds[-1]
        ):
            count = counter_by_prepared(self, corpus)
        # Lists of objects are counted without giving them numbers, unless references are counted for several texts.
        elif isinstance(corpus.texts, TokenLists) and corpus.sets.kind == "tokens" and corpus.owners is None:
            count = counter_of_objects(corpus, order, length_rule)
        else:
            count = partial(numbered_rows, segments_of_corpus(self, corpus), order, length_rule)
        return counter_of_nltk(count) if self.definition.short_segments_count else count

    def fill_pairs(self, pairs: Corpus, scores: Floats, threads: int | None, progress: bool) -> None:
        self._paired(pairs).fill(scores, threads, progress)

    def expected_scores(self, pairs: Corpus, weights: Floats, threads: int | None) -> Floats:
        return self._paired(pairs).means(weights, threads)

    def _paired(self, pairs: Corpus) -> PairedTexts:
        from .pairs import PairedTexts  # requires NumPy

        return PairedTexts(self.scorer, *numbered(self, pairs))

    # ---------------------------------------------------------------------------------------------------------- scoring

    # Rows may have any number of orders, and those of NLTK an n-gram of an order that a segment is too short for.
    _checked_row = checked_bleu_row
    _check_rows = _sum_of_rows = sum_of_bleu_rows  # type: ignore[assignment]

    def formula(self, row: list[int]) -> float:  # type: ignore[override]
        score, *_ = self.scorer.parts(row)
        return score

    def score(self, rows: Any, *, signature: str | None = None) -> BleuScore:
        """Score a corpus or a segment.

        :param rows: a row, or rows, which are added up
        :param signature: the signature of the result, by default that of the metric
        :raises EmptyHypothesisError: the tool fails for these texts
        """
        if self.averages:
            return self._mean(rows, signature)
        return super().score(rows, signature=signature)  # type: ignore[return-value]

    def score_of_row(self, row: list[int], signature: str) -> BleuScore:  # type: ignore[override]
        number, precisions, penalty = self.scorer.parts(row)
        if self.definition.fails != "never":
            refuse_failure(self.scorer.formula.rules, row, penalty)
        end = 2 + self.order
        score = BleuScore.__new__(BleuScore)
        # The constructor of a frozen dataclass takes longer than counting a sentence.
        vars(score).update(
            score=number,
            scale=self.scale,
            signature=signature,
            precisions=tuple(precisions),
            brevity_penalty=penalty,
            hypothesis_length=row[0],
            reference_length=row[1],
            matches=tuple(row[2:end]),
            totals=tuple(row[end:]),
        )
        return score

    def _mean(self, rows: Any, signature: str | None) -> BleuScore:
        """Return the mean of the scores of segments, with the components of their sum."""
        table = as_table(rows if has_rows(rows) else [0] * len(self.columns))
        metric = self.of_width(table.shape[1])
        rules = metric.rules()
        # some tools average scores from 0 to 1, and then multiply the mean by the scale
        scale_of_mean = rules.scale if rules.mean == "log-differences" else 1
        rules.scale /= scale_of_mean
        scorer = RowScorer(rules)
        scores = [0.0]
        if has_rows(rows):
            if rules.fails != "never":
                for row in table.tolist():
                    refuse_failure(rules, row, penalty=1)  # which is no reason to fail here, see `rules`
            scores = scores_by(scorer.kernel, table, lambda row: scorer.parts(row)[0]).tolist()
        mean = reduce(add, scores, 0.0) * scale_of_mean / len(scores)
        of_sums = replace(metric.definition, empty_hypothesis="scored", fails="never", short_segments_count=False)
        rows_of_sums = (
            [without_short_orders(row) for row in table.tolist()] if self.definition.short_segments_count else table
        )
        summed = replace(metric, level="corpus", variant=of_sums).score(rows_of_sums)
        return replace(summed, score=mean, signature=metric.signature if signature is None else signature)

    def evaluate_rows(self, rows: Array) -> Floats:
        return scores_by(self.scorer.kernel, rows, self.formula)  # type: ignore[no-any-return]

    def summable(self, rows: Integers) -> Integers:
        check_summable(self)
        if self.definition.short_segments_count:
            rows = rows.copy()
            pad(rows)
        return rows

    @cached_property
    def plateau(self) -> Bleu:
        """Return BLEU with 1 added to every count, which distinguishes sums that this metric scores 0."""
        smoothed = replace(self.definition, smoothings=(("add", "add-all", 1.0),), no_match_at_all="smoothed")
        return replace(self, variant=smoothed, smoothing=None, smoothing_value=None)


def bleu(hypotheses: Any, references: Any, *, threads: int | None = None, **options: Any) -> BleuScore:
    """Score a corpus of raw text by sacreBLEU's BLEU, from 0 to 100.

    Lists of tokens and token ids are also accepted; the signature then contains ``tok:none``.

    :param hypotheses: a list of str, one for each segment
    :param references: for each segment a str or a list of str
    :param threads: the number of threads, by default one; it does not affect the result
    :param options: options of :class:`cybleu.metrics.Bleu`, for example ``tokenize="zh"``, ``lowercase=True`` or
        ``smoothing="none"``
    :return: the score with its precisions, brevity penalty and signature, which ``print`` shows; 0 without segments
    :raises CybleuError: an argument is invalid; the message names the argument and the position

    >>> result = bleu(["The cat sat on a mat.", "It rains."], ["The cat sat on the mat.", "It rains."])
    >>> round(result.score, 2), round(result.bp, 2), len(result.precisions)
    (53.9, 1.0, 4)
    """
    return score_texts("bleu", hypotheses, references, threads, options)  # type: ignore[no-any-return]


def family(metric: Metric) -> str:
    """Return the name that all definitions of a metric share: ``BLEU``, or the metric's name."""
    return "BLEU" if isinstance(metric, Bleu) else metric.name
