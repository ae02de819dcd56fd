"""Why tools give different scores for one corpus: the rules and the segments that cause the differences."""

from __future__ import annotations

import math
import textwrap
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise, product
from typing import Any, TypeAlias

from .._definitions.ngrams import MOST_ORDERS
from .._runtime.html import html_table
from .._runtime.numbers import check_whole, counted
from ..errors import CybleuError, EmptyCorpusError, OrderError, UnknownNameError
from ..metrics import Bleu, BleuScore, Variant
from ..metrics.bleu_rows import pad
from ..metrics.operations import corpus_for, percent, rows_without_numpy, tokenization_for
from ..text.batches import Corpus
from ..text.reading import read_corpus
from ..text.tokenizers import Tokenize

Choice: TypeAlias = "str | Variant | tuple[str | Variant, str]"
Choices: TypeAlias = "str | Variant | Iterable[Choice]"

#: The variants that are compared by default.
TOOLS = ("nltk", "sacrebleu", "mteval-v13a", "multi-bleu", "moses", "huggingface")

OF_TOOLS = "of-tools"
ROUNDING = 1e-11  # scores with a smaller relative difference have the same formula, computed by other float operations
NAMED_SEGMENTS = 5
WIDTH = 110  # columns of text

# Rules are first changed in this order to their better values, and the others then in the reverse order. So
# `short_segments_count`, which decides whether an order is empty, changes under the better value of `empty_order`.
RULES = (
    "level mean reference_length penalty penalty_adds empty_hypothesis fails empty_order short_segments_count "
    "no_match_at_all smoothings"
).split()

# The rules that affect single n-gram orders. The others change a score as a whole.
RULES_OF_ORDERS = ("empty_order", "short_segments_count", "smoothings")

# The values under which other rules are changed, the best first. The exact mean ignores precisions of 0, so under it other
# rules would seem to have effects that they have in no tool.
BETTER: dict[str, tuple[object, ...]] = {
    "level": ("corpus",),
    "mean": ("logs", "fractions", "shares", "arithmetic"),
    "empty_order": ("one", "end"),
    "short_segments_count": (False,),
    "no_match_at_all": ("zero",),
}


@dataclass(frozen=True)
class VariantScore:
    """The score of a variant on the corpus.

    :param name: the name of the variant, followed by the smoothing if one was chosen: ``nltk``, ``nltk:method1``
    :param variant: the rules of the variant; `smoothings` contains only the smoothing that is used
    :param bleu: the result on the tool's own scale; None if the tool fails
    :param failure: the reason why the tool fails
    :param tokenize: the tokeniser of raw text; None if tokens were passed. ``(mteval)`` follows the name if the variant
        has its own rules for lower case or for white space at the end of a line

    >>> empty = explain_difference([[]], [["a b".split()]], ("moses", "multi-bleu"))
    >>> [(scored.name, scored.score) for scored in empty.scores]
    [('moses', 0.0), ('multi-bleu', nan)]
    """

    name: str
    variant: Variant
    bleu: BleuScore | None
    failure: str | None = None
    tokenize: str | None = None

    @property
    def score(self) -> float:
        """The score from 0 to 100; NaN if the tool fails."""
        return math.nan if self.bleu is None else self.bleu.percent


@dataclass(frozen=True)
class Cause:
    """The contribution of a rule to the difference between two scores.

    :param rule: the name of the field of :class:`~cybleu.metrics.Variant`, or ``smoothing`` or ``tokenize``
    :param points: the points that the rule adds to the score, on the scale from 0 to 100. A rule that has an effect
        only together with other rules has 0, and the other rules have the points
    :param orders: the n-gram orders that the rule affects; empty if it does not depend on orders, such as the tokeniser
    :param segments: the indices, from 0, of all segments whose counts the rule changes
    :param before: the result with the rule of the lower variant
    :param after: the result with the rule of the higher variant, all other rules as in `before`

    >>> comparison = explain_difference(["a b c d".split()], [["a b".split(), "a b c d e".split()]], ("moses", "huggingface"))
    >>> [(cause.rule, round(cause.points, 1), cause.segments) for cause in comparison.differences[0].causes]
    [('reference_length', 22.1, (0,))]
    """

    rule: str
    points: float
    orders: tuple[int, ...]
    segments: tuple[int, ...]
    before: BleuScore
    after: BleuScore
    #: The orders whose counts or precisions differ.
    _changed: tuple[int, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Difference:
    """The difference between two variants, and its causes.

    The rules of the variant with the lower score are replaced, one at a time, by the rules of the variant with the
    higher score. Each rule gets the points that its replacement adds to the score, so the points of all causes add up
    to the difference, except for rounding. If several rules have an effect only together, the order of replacement
    decides which of them gets the points. The tokeniser is replaced first. Next come rules whose new value is simple:
    no n-gram for short segments, 0 without any match, the mean of the logarithms. Then the smoothing is replaced. Rules
    whose old value is simple come last, with the rules of the reference length and the penalty.

    :param lower: the variant with the lower score
    :param higher: the variant with the higher score
    :param causes: the rules that make the difference; empty if only the rounding differs

    >>> comparison = explain_difference(["a b".split()], [["a b".split()]], ("sacrebleu", "mteval-v13a"))
    >>> difference = comparison.differences[0]
    >>> difference.lower.name, difference.higher.name, difference.points
    ('sacrebleu', 'mteval-v13a', 100.0)
    """

    lower: VariantScore
    higher: VariantScore
    causes: tuple[Cause, ...]

    @property
    def points(self) -> float:
        """The difference of the scores from 0 to 100, above 0."""
        return self.higher.score - self.lower.score

    @property
    def headline(self) -> str:
        """The difference in one line."""
        return f"{self.higher.name} is {_with_decimals(self.points)} above {self.lower.name}"


@dataclass(frozen=True)
class Comparison:
    """The scores of variants on one corpus, and why they differ.

    ``print`` shows the scores, and why each score differs from the next higher one.

    :param scores: the score of each variant, in the order of the variants
    :param differences: the difference of each pair of variants with different scores
    :param segments: the number of segments

    >>> comparison = explain_difference(["a b".split()], [["a b".split()]], ("sacrebleu", "moses", "mteval-v13a"))
    >>> [scored.score for scored in comparison.scores], len(comparison.differences)
    ([0.0, 0.0, 100.0], 2)
    """

    scores: tuple[VariantScore, ...]
    differences: tuple[Difference, ...]
    segments: int

    def format(self, segment: str = "segment", first: int = 0) -> str:
        """Format the table and the explanations.

        :param segment: the word for a segment, such as ``line``
        :param first: the number of the first segment
        """
        width = max(len("variant"), *(len(scored.name) for scored in self.scores))
        lines = [
            f"{name:<{width}}  {tokenize:<13}  {number:>8}  {own}" for name, tokenize, number, own in self._table()
        ]
        parts = [lines]
        for pair in self._neighbours():
            lines = [pair.headline]
            for cause in pair.causes:
                lines += _lines_of(cause, pair, segment, first)
            parts.append(lines)
        return "\n\n".join(map("\n".join, parts))

    def __str__(self) -> str:
        return self.format()

    def _repr_html_(self) -> str:
        titles, *scores = self._table()
        tables = [html_table(counted(self.segments, "segment"), titles, scores)]
        for pair in self._neighbours():
            rules = [(_with_decimals(cause.points, "+"), _change(cause, pair)) for cause in pair.causes]
            tables.append(html_table(pair.headline, ["points", "rule"], rules))
        return "".join(tables)

    def _neighbours(self) -> Iterable[Difference]:
        """Yield the difference of each score from the next higher one."""
        ranked = sorted((scored for scored in self.scores if scored.bleu), key=lambda scored: scored.score)
        for lower, higher in pairwise(ranked):
            if not _equal(lower.score, higher.score):
                yield next(pair for pair in self.differences if pair.lower is lower and pair.higher is higher)

    def _table(self) -> Iterable[tuple[Any, ...]]:
        """Yield the titles and the rows of the table of scores."""
        yield "variant", "tokeniser", "0 to 100", "tool's scale"
        for scored in self.scores:
            number = _with_decimals(scored.score) if scored.bleu else "fails"
            own = f"{scored.bleu.score:.10g}" if scored.bleu else scored.failure
            yield scored.name, scored.tokenize or "-", number, own


def explain_difference(
    hypotheses: Any,
    references: Any,
    variants: Choices = TOOLS,
    order: int = 4,
    weights: Sequence[float] | None = None,
    *,
    tokenize: Tokenize | None = None,
    lowercase: bool = False,
) -> Comparison:
    """Score a corpus as several tools do, and find the rules and segments that cause the differences.

    :param hypotheses: a batch of texts, in any form that :func:`cybleu.rows` accepts
    :param references: for each segment one reference or a list of references
    :param variants: one or several variants, or their names in :data:`cybleu.metrics.VARIANTS`. Each uses the default
        smoothing of its tool unless you name another one, as ``name:smoothing`` or (variant, smoothing)
    :param order: the largest n-gram order, at most 64
    :param weights: the weights of the n-gram orders, by default uniform
    :param tokenize: the tokeniser of raw text: a name that :func:`cybleu.text.tokenizer` accepts, or a function from a
        str to its tokens. By default, or with ``of-tools``, each variant tokenises the texts as its tool does, like
        ``cybleu score``
    :param lowercase: convert raw text to lower case first
    :return: the score of the corpus by each variant, and the rules that cause the difference between each two variants
        with different scores. Variants of tools that average the scores of segments do the same, like
        :func:`cybleu.score`. If the tool of a variant fails, the result contains the reason
    :raises LengthMismatchError: the number of sets of references is not that of the hypotheses
    :raises EmptyCorpusError: there is no segment
    :raises NoReferencesError: a segment has no reference
    :raises SequenceTypeError: an argument is not a list of texts, or the arguments are swapped
    :raises MixedTokensError: the hypotheses are raw text and the references are not, or the other way round
    :raises OrderError: the order is not from 1 to 64
    :raises UnknownNameError: there is no variant, or no such variant or smoothing; or `tokenize` or `lowercase` is
        given for tokens
    :raises StatisticsError: there are not as many weights as orders

    >>> references = [["a b c d e f".split()], ["g".split()]]
    >>> print(explain_difference(["a b c d e f".split(), ["g"]], references, ("nltk", "sacrebleu")))
    variant    tokeniser      0 to 100  tool's scale
    nltk       -               84.0896  0.8408964153
    sacrebleu  -              100.0000  100
    <BLANKLINE>
    sacrebleu is 15.9104 above nltk
       +15.9104  short_segments_count: True -> False
                 1 segment (1): 2-grams 5/6 = 83.3333 -> 5/5 = 100, 3-grams 4/5 = 80 -> 4/4 = 100, 4-grams 3/4 =
                 75 -> 3/3 = 100
    """
    corpus = read_corpus(hypotheses, references)
    metric = Bleu(tokenize="none" if tokenize == OF_TOOLS else tokenize, lowercase=lowercase)
    tokenization = tokenization_for(metric, corpus.kind)
    name = None
    if callable(tokenize):
        corpus = corpus_for(metric, corpus)  # calls the function once for each text, not for each variant
    elif tokenization is not None:
        name = tokenize or OF_TOOLS
    counts = Counts(variants, order, weights, name, lowercase)
    counts.add(corpus)
    return counts.comparison()


# -------------------------------------------------------------------------------------------------------------- counts


class Counts:
    """The rows of a corpus that may come in parts, by each tokeniser and each rule of the reference length.

    :param variants: those to compare, and `order` and `weights`, as for :func:`explain_difference`
    :param tokenize: the name of a tokeniser, or ``of-tools``; None for tokens
    """

    def __init__(self, variants: Choices, order: int, weights: Any, tokenize: str | None, lowercase: bool = False):
        self.order = check_whole(order, "the largest n-gram order", 1, MOST_ORDERS, error=OrderError)
        self.width = 2 + 2 * self.order
        self.weights = weights
        self._segments = 0
        self._of_text = tokenize is not None
        self._tokenize = None if tokenize == OF_TOOLS else tokenize
        self._lowercase = self._of_text and lowercase
        choices = [variants] if isinstance(variants, (str, Variant)) else variants
        self._settings = list(map(self._setting, choices))
        if not self._settings:
            raise UnknownNameError("there is no variant to compare; name at least one")
        # By the tokeniser and the rule of the reference length what counts, and the numbers of all rows.
        self._counted: dict[tuple[str | None, str], tuple[Bleu, array[int]]] = {}
        # Variants that share a tokeniser count alike, so one of them counts for all.
        of_tokenizers = {tokenizer: variant for _, variant, tokenizer in self._settings}
        lengths = {variant.reference_length for _, variant, _ in self._settings}
        for (tokenizer, variant), length in product(of_tokenizers.items(), lengths):
            counted_by = replace(variant, reference_length=length, short_segments_count=False)
            self._counted[tokenizer, length] = self._metric(counted_by, max_order=self.order), array("q")

    def _metric(self, variant: str | Variant, **options: Any) -> Bleu:
        return Bleu(variant, tokenize=self._tokenize, lowercase=self._lowercase, **options)

    def _setting(self, choice: Choice) -> tuple[str, Variant, str | None]:
        """Return the name of a score, its rules with only the smoothing to use, and the tokeniser."""
        wanted, smoothing = choice if isinstance(choice, tuple) else (choice, None)
        if isinstance(wanted, str) and smoothing is None:
            wanted, _, named = wanted.partition(":")
            smoothing = named or None
        metric = self._metric(wanted, smoothing=smoothing, weights=self.weights)
        metric.of_width(self.width)
        name = metric.name if smoothing is None else f"{metric.name}:{smoothing}"
        variant = replace(metric.definition, smoothings=(metric.definition.smoothing(smoothing),))
        tokenize = None
        if self._of_text:
            by_mteval = " (mteval)" if metric.tokenization.of_mteval else ""
            tokenize = f"{metric.tokenization.tokenize}{by_mteval}"
        return name, variant, tokenize

    def add(self, corpus: Corpus) -> None:
        """Count more segments."""
        self._segments += corpus.size
        for metric, numbers in self._counted.values():
            if corpus.size:
                numbers.frombytes(rows_without_numpy(metric, corpus).cast("B"))

    def numbers_of(self, scored: VariantScore) -> array[int]:
        """Return the numbers of all rows, one row after the other, by the rules of a variant."""
        _, numbers = self._counted[scored.tokenize, scored.variant.reference_length]
        if scored.variant.short_segments_count:
            numbers = numbers[:]
            pad(self._table(numbers))
        return numbers

    def _table(self, numbers: array[int]) -> memoryview:
        return memoryview(numbers).cast("B").cast("q", (self._segments, self.width))

    def scored(self, name: str, variant: Variant, tokenize: str | None) -> VariantScore:
        """Score a variant, or say why its tool fails."""
        bleu = None
        failure = None
        _, numbers = self._counted[tokenize, variant.reference_length]
        try:
            bleu = Bleu(variant, weights=self.weights, max_order=self.order).score(self._table(numbers))
        except (CybleuError, ArithmeticError, ValueError) as error:
            failure = str(error)
        return VariantScore(name, variant, bleu, failure, tokenize)

    def with_rule(self, scored: VariantScore, rule: str, source: VariantScore) -> VariantScore:
        """Score a variant with a rule of another one."""
        if rule == "tokenize":
            return self.scored(scored.name, scored.variant, source.tokenize)
        values: dict[str, Any] = {rule: getattr(source.variant, rule)}
        return self.scored(scored.name, replace(scored.variant, **values), scored.tokenize)

    def comparison(self) -> Comparison:
        """Score all variants, and explain their differences.

        :raises EmptyCorpusError: there is no segment
        """
        if not self._segments:
            raise EmptyCorpusError("there is no segment to score; give at least one hypothesis with its references")
        scores = [self.scored(*setting) for setting in self._settings]
        differences = []
        for pair in combinations(scores, 2):
            lower, higher = sorted(pair, key=lambda scored: scored.score)
            if lower.score < higher.score:
                differences.append(Difference(lower, higher, tuple(_causes(self, lower, higher))))
        return Comparison(tuple(scores), tuple(differences), self._segments)


# -------------------------------------------------------------------------------------------------------------- causes


def _causes(counts: Counts, lower: VariantScore, higher: VariantScore) -> list[Cause]:
    """Change the rules of the lower variant to those of the higher one, and return those that change the score."""
    if _equal(lower.score, higher.score):
        return []
    causes: list[Cause] = []
    without_effect: list[str] = []
    # rules that have a score only together with the next ones, such as a mean of no precisions
    waiting: list[str] = []
    current = scored = lower
    for rule in _path(lower, higher):
        current = counts.with_rule(current, rule, higher)
        waiting.append(rule)
        if not current.bleu:
            continue
        if _equal(scored.score, current.score):
            without_effect += waiting
        else:
            causes.append(_cause(counts, waiting[0], scored, current))
        scored = current
        waiting = []
    # If two rules have an effect only together, one of them gets all points; the other one is listed, too.
    for rule in without_effect:
        if rule == "mean":
            continue
        without = counts.with_rule(higher, rule, lower)
        if without.bleu and not _equal(without.score, higher.score):
            causes.append(replace(_cause(counts, rule, without, higher), points=0.0))
    return causes


def _path(lower: VariantScore, higher: VariantScore) -> list[str]:
    """Return the rules that differ, in the order in which they are changed.

    First come the rules for which the higher variant has the better value, then the rest. So the variant in between has
    the better value of every rule, and smoothing changes there.
    """

    def rank(scored: VariantScore, rule: str) -> int:
        value = getattr(scored.variant, rule)
        better = BETTER.get(rule, ())
        return better.index(value) if value in better else len(better)

    differing = [rule for rule in RULES if getattr(lower.variant, rule) != getattr(higher.variant, rule)]
    first = [rule for rule in differing if rank(higher, rule) < rank(lower, rule)]
    tokenize = ["tokenize"] if lower.tokenize != higher.tokenize else []
    return tokenize + first + [rule for rule in reversed(differing) if rule not in first]


def _cause(counts: Counts, rule: str, lower: VariantScore, higher: VariantScore) -> Cause:
    """Return the rule by which two scores differ, with the orders and the segments in which they do."""
    assert lower.bleu and higher.bleu
    before = counts.numbers_of(lower)
    after = counts.numbers_of(higher)
    width = counts.width
    segments: list[int] = []
    if before != after:  # most rules change no counts
        starts = range(0, len(before), width)
        segments = [start // width for start in starts if before[start : start + width] != after[start : start + width]]
    changed = []
    for n in range(1, counts.order + 1):
        columns = (1 + n, 1 + counts.order + n)  # matches and n-grams
        in_rows = any(before[column::width] != after[column::width] for column in columns)
        if in_rows or not _equal(_precision(lower.bleu, n), _precision(higher.bleu, n)):
            changed.append(n)
    weighted = [n for n in changed if counts.weights is None or counts.weights[n - 1]]
    orders = tuple(weighted or changed)
    return Cause(
        rule="smoothing" if rule == "smoothings" else rule,
        points=higher.score - lower.score,
        orders=orders if rule in RULES_OF_ORDERS else (),
        segments=tuple(segments),
        before=lower.bleu,
        after=higher.bleu,
        _changed=orders,
    )


# --------------------------------------------------------------------------------------------------------------- words


def _lines_of(cause: Cause, pair: Difference, segment: str, first: int) -> Iterable[str]:
    """Return the lines that describe a cause: the rule of both variants, and the numbers that differ."""
    points = f"  {_with_decimals(cause.points, '+'):>9}  "
    yield f"{points}{_change(cause, pair)}"
    details = ", ".join(_changes(cause))
    if cause.segments:
        numbers = ", ".join(str(position + first) for position in cause.segments[:NAMED_SEGMENTS])
        more = ", ..." if len(cause.segments) > NAMED_SEGMENTS else ""
        details = f"{counted(len(cause.segments), segment)} ({numbers}{more}): {details}"
    indent = " " * len(points)
    yield from textwrap.wrap(details, WIDTH, initial_indent=indent, subsequent_indent=indent)
    if not cause.points:
        lower = _with_decimals(cause.before.percent)
        yield f"{indent}also required: with the rule of {pair.lower.name}, {pair.higher.name} would score {lower}"


def _change(cause: Cause, pair: Difference) -> str:
    return f"{cause.rule}: {_value(cause.rule, pair.lower)} -> {_value(cause.rule, pair.higher)}"


def _value(rule: str, scored: VariantScore) -> str:
    if rule == "tokenize":
        return str(scored.tokenize)
    if rule == "smoothing":
        smoothing = scored.variant.smoothings[0]  # the only one
        return smoothing.kind if smoothing.value is None else f"{smoothing.kind}[{smoothing.value:g}]"
    return str(getattr(scored.variant, rule))


def _changes(cause: Cause) -> Iterable[str]:
    """Return the numbers that differ, those of the lower variant first."""
    for name in ("hypothesis_length", "reference_length", "brevity_penalty"):
        before = getattr(cause.before, name)
        after = getattr(cause.after, name)
        if before != after:
            yield f"{name.replace('_', ' ')} {before:.6g} -> {after:.6g}"
    for n in cause._changed:
        yield f"{n}-grams {_with_precision(cause.before, n)} -> {_with_precision(cause.after, n)}"


def _precision(bleu: BleuScore, n: int) -> float:
    """Return the precision of an order from 0 to 100; -1 if smoothing skips the order."""
    return percent(bleu.precisions[n - 1], bleu.scale) if n <= len(bleu.precisions) else -1


def _with_precision(bleu: BleuScore, n: int) -> str:
    precision = _precision(bleu, n)
    return f"{bleu.matches[n - 1]}/{bleu.totals[n - 1]} = " + ("skipped" if precision < 0 else f"{precision:.6g}")


def _equal(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=ROUNDING)


def _with_decimals(value: float, sign: str = "") -> str:
    """Format a number with four decimals, or with three digits if these would be zeros."""
    return f"{value:{sign}.4f}" if not value or abs(value) >= 0.00005 else f"{value:{sign}.3g}"
