"""Why tools give different scores for one corpus: the rules and the segments that cause the differences."""

from __future__ import annotations

import math
import textwrap
from array import array
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain, combinations, pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from .._runtime.numbers import check_whole
from .._runtime.scales import percent
from .._runtime.sequences import check_numbers
from ..bleu_score.scores import number_of_segments
from ..errors import CybleuError, EmptyCorpusError, OrderError
from ..metrics import Bleu, BleuScore, Variant, tool_tokenizer
from ..metrics.counting import Counting, segment_row
from ..metrics.tokens import tokenised
from ..text.batches import Corpus, ListSets, Place, TokenLists
from ..text.raw import Raw, raw_of
from ..text.reading import read_lines, read_sets_of_lines, segments_of_lists

if TYPE_CHECKING:
    from ..bleu_score.parts import Tokens

    Columns: TypeAlias = list[array[int]]

__all__ = ["TOOLS", "Cause", "Comparison", "Difference", "Scored", "explain_corpora", "explain_difference"]

Choice: TypeAlias = "str | Variant | tuple[str | Variant, str]"

#: The variants that are compared by default.
TOOLS = ("nltk", "sacrebleu", "mteval-v13a", "multi-bleu", "moses", "huggingface")

OF_TOOLS = "of-tools"
MOST_ORDERS = 64
ROUNDING = 1e-11  # scores with a smaller relative difference have the same formula, computed by other float operations
NAMED_SEGMENTS = 5
WIDTH = 110  # columns of text

# Rules are first changed in this order to their better values, and the others then in the reverse order. So
# `short_segments_count`, which decides whether an order is empty, changes under the better value of `empty_order`.
OF_EACH_ORDER = ("empty_order", "short_segments_count", "no_match_at_all", "smoothings")
NO_RULES = ("name", "scale", "level", "note", "mean", *OF_EACH_ORDER)
RULES = ("level", "mean", *(field.name for field in fields(Variant) if field.name not in NO_RULES), *OF_EACH_ORDER)

# The values under which other rules are changed, the best first. The exact mean ignores precisions of 0, so under it other
# rules would seem to have effects that they have in no tool.
BETTER: dict[str, tuple[object, ...]] = {
    "level": ("corpus",),
    "mean": ("logs", "fractions", "shares", "arithmetic"),
    "empty_order": ("one", "end"),
    "short_segments_count": (False,),
    "no_match_at_all": ("zero",),
}

SAID = {
    "tokenize": "the tokeniser",
    "level": "the score",
    "mean": "the mean of the precisions",
    "reference_length": "the reference length",
    "penalty": "the brevity penalty",
    "penalty_adds": "what is added to the reference length in the brevity penalty",
    "empty_order": "the precision of an order without any n-gram",
    "short_segments_count": "what a segment too short for an order adds to its n-grams",
    "no_match_at_all": "the score without any match",
    "smoothing": "the smoothing",
}
MEANS = {"arithmetic": "arithmetic", "exact": "geometric, of those above 0"}  # all others are geometric
VALUES = {
    "corpus": "that of the corpus",
    "mean": "the mean of the segments' scores",
    "zero": "0",
    "one": "1",
    "end": "0 with those after it",
    "zero-in-any-order": "0, as without a match in any one order",
    "none": "left out",
    "exponential": "exponential in the lengths",
    "added-one": "exponential in the lengths with 1 added to both",
}


@dataclass(frozen=True)
class Scored:
    """The score of a variant on the corpus.

    :param name: the name of the variant, with the smoothing if it was chosen: ``nltk``, ``nltk:method1``
    :param variant: the rules; `smoothings` has only the smoothing that is used
    :param bleu: the result on the tool's own scale, None if the tool fails
    :param failure: why it fails
    :param tokenize: the tokeniser of raw text, with ``(mteval)`` after it if the variant reads the text in its own way, because
        of its lower case or of white space at the end of a line; None if tokens were passed

    >>> empty = explain_difference([["a b".split()]], [[]], ("moses", "multi-bleu"))
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

    :param rule: the field of :class:`~cybleu.metrics.Variant`; ``smoothing`` for the smoothing that is used,
        ``tokenize`` for the tokeniser
    :param points: the points that the rule adds to the score, from 0 to 100; 0 for a rule that has an effect only together
        with other rules, which get the points
    :param orders: the n-gram orders that the rule affects; empty if it does not depend on orders
    :param segments: the indices of all segments whose counts it changes, from 0
    :param before: the result with the rule of the lower variant
    :param after: the result with the rule of the higher variant, all other rules as in `before`

    >>> comparison = explain_difference([["a b".split(), "a b c d e".split()]], ["a b c d".split()], ("moses", "huggingface"))
    >>> [(cause.rule, round(cause.points, 1), cause.segments) for cause in comparison.differences[0].causes]
    [('reference_length', 22.1, (0,))]
    """

    rule: str
    points: float
    orders: tuple[int, ...]
    segments: tuple[int, ...]
    before: BleuScore
    after: BleuScore


@dataclass(frozen=True)
class Difference:
    """The difference between two variants, and its causes.

    The rules of the variant with the lower score are changed, one after the other, into those of the variant with the
    higher score. Each rule gets the points that its change adds to the score. So the points of the causes add up to the
    difference, except for rounding. If several rules have an effect only together, the order decides which of them gets
    the points: first the tokeniser; then changes to a simple rule (no n-gram for short segments, 0 without any match,
    the mean of the logarithms); then the smoothing; then changes from a simple rule to another one, and those of the
    reference length and the penalty.

    :param lower: the variant with the lower score
    :param higher: the variant with the higher score
    :param causes: the rules that make the difference; empty if only the rounding differs

    >>> comparison = explain_difference([["a b".split()]], ["a b".split()], ("sacrebleu", "mteval-v13a"))
    >>> difference = comparison.differences[0]
    >>> difference.lower.name, difference.higher.name, difference.points
    ('sacrebleu', 'mteval-v13a', 100.0)
    """

    lower: Scored
    higher: Scored
    causes: tuple[Cause, ...]

    @property
    def points(self) -> float:
        """The difference of the scores from 0 to 100, above 0."""
        return self.higher.score - self.lower.score


@dataclass(frozen=True)
class Comparison:
    """The scores of variants on one corpus, and why they differ.

    ``print`` shows the scores, and the causes of the difference between each score and the next higher one.

    :param scores: the score of each variant, in the requested order
    :param differences: the difference of each pair of variants with different scores
    :param segments: the number of segments

    >>> comparison = explain_difference([["a b".split()]], ["a b".split()], ("sacrebleu", "moses", "mteval-v13a"))
    >>> [scored.score for scored in comparison.scores], len(comparison.differences)
    ([0.0, 0.0, 100.0], 2)
    """

    scores: tuple[Scored, ...]
    differences: tuple[Difference, ...]
    segments: int

    def format(self, segment: str = "segment", first: int = 0) -> str:
        """Format the table and the explanations.

        :param segment: the word for a segment, such as ``line``
        :param first: the number of the first segment
        """
        equal = self._equal()
        said = [f"equal{_rounded(group)}: {_joined([one.name for one in group])}" for group in equal if len(group) > 1]
        pairs = {(pair.lower.name, pair.higher.name): pair for pair in self.differences}
        above = [pairs[lower[0].name, higher[0].name] for lower, higher in pairwise(equal)]
        explained = [
            "\n".join(
                [f"{pair.higher.name} is {_number(pair.points)} above {pair.lower.name}"]
                + [line for cause in pair.causes for line in _lines(pair, cause, segment, first)]
            )
            for pair in above
        ]
        return "\n\n".join(part for part in ("\n".join(self._table()), "\n".join(said), *explained) if part)

    def __str__(self) -> str:
        return self.format()

    def _table(self) -> Iterable[str]:
        width = max([len("variant"), *(len(scored.name) for scored in self.scores)])
        wide = max(11, *(len(f"{scored.tokenize} ") for scored in self.scores))
        if not any(scored.tokenize for scored in self.scores):
            wide = 0
        yield f"{'variant':<{width}}  {'tokeniser'[:wide]:<{wide}}{'0 to 100':>10}  as the tool has it"
        for scored in self.scores:
            number = "fails" if scored.bleu is None else _number(scored.score)
            own = scored.failure if scored.bleu is None else f"{scored.bleu.score:.10g}"
            yield f"{scored.name:<{width}}  {scored.tokenize or '':<{wide}}{number:>10}  {own}"

    def _equal(self) -> list[list[Scored]]:
        """Return the variants with equal scores together, those with the lowest score first."""
        groups: list[list[Scored]] = []
        for scored in sorted((scored for scored in self.scores if scored.bleu), key=lambda scored: scored.score):
            if groups and _equal(groups[-1][0].score, scored.score):
                groups[-1].append(scored)
            else:
                groups.append([scored])
        return [sorted(group, key=self.scores.index) for group in groups]


def explain_difference(
    references: Sequence[Collection[Tokens]],
    hypotheses: Sequence[Tokens],
    variants: str | Variant | Iterable[Choice] = TOOLS,
    order: int = 4,
    weights: Sequence[float] | None = None,
    *,
    tokenize: str | Callable[[str], Sequence[Hashable]] | None = None,
    lowercase: bool = False,
) -> Comparison:
    """Score a corpus as several tools do, and find the rules and segments that cause the differences.

    :param references: for each segment one or more references, each a sequence of hashable tokens
    :param hypotheses: for each segment the translation to score, a sequence of hashable tokens
    :param variants: one or several names in :data:`cybleu.metrics.VARIANTS`, or variants. Each has the default smoothing
        of its tool, unless you name another, as ``name:smoothing`` or (variant, smoothing)
    :param order: the largest n-gram order, at most 64
    :param weights: of the n-gram orders, by default uniform
    :param tokenize: the tokeniser, if the texts are raw text (str, or bytes in UTF-8): a name, as for
        :func:`cybleu.text.tokenizer`, or a function from a str to its tokens; or ``of-tools``, which tokenises the
        texts for each variant as its tool does, like ``cybleu score``
    :param lowercase: convert raw text to lower case first
    :return: a table of the scores of the corpus, and for each pair of variants that differ the rules that cause the
        difference. If a tool's score is the mean of its segments' scores, so is that of the variant, as for
        :func:`cybleu.score`. If the tool of a variant fails, the table has the reason
    :raises LengthMismatchError: the number of lists of references is not that of the hypotheses
    :raises EmptyCorpusError: there is no segment
    :raises NoReferencesError: a segment has no reference
    :raises OrderError: the order is not from 1 to 64
    :raises UnknownNameError: there is no such variant or smoothing
    :raises StatisticsError: there are not as many weights as orders

    >>> references = [["a b c d e f".split()], ["g".split()]]
    >>> print(explain_difference(references, ["a b c d e f".split(), ["g"]], ("nltk", "sacrebleu")))
    variant      0 to 100  as the tool has it
    nltk          84.0896  0.8408964153
    sacrebleu    100.0000  100
    <BLANKLINE>
    sacrebleu is 15.9104 above nltk
       +15.9104  short_segments_count: what a segment too short for an order adds to its n-grams is 0 rather than 1
                 segment 1: 5 rather than 6 2-grams, 4 rather than 5 3-grams, 3 rather than 4 4-grams
    """
    corpus = _read(references, hypotheses, raw_of("none" if tokenize == OF_TOOLS else tokenize, lowercase))
    if not corpus.size:
        _chosen(variants, order, weights)
        raise EmptyCorpusError("there is no segment to score; give at least one hypothesis with its references")
    return explain_corpora([corpus], variants, order, weights, tokenize=tokenize, lowercase=lowercase)


def explain_corpora(
    corpora: Iterable[Corpus],
    variants: str | Variant | Iterable[Choice],
    order: int,
    weights: Sequence[float] | None,
    *,
    tokenize: str | Callable[[str], Sequence[Hashable]] | None,
    lowercase: bool,
) -> Comparison:
    """Explain differences on a corpus that comes in parts, of which only the counts are kept.

    :param corpora: texts and references that have been read; for the rest see :func:`explain_difference`
    """
    chosen = _chosen(variants, order, weights)
    raw = raw_of("none" if tokenize == OF_TOOLS else tokenize, lowercase)
    rules = {variant.reference_length for variant in chosen.values()}
    counts: dict[str | None, Counts] = {}
    of_variants = {}
    for name, variant in chosen.items():
        reading = None
        if raw is not None and isinstance(raw.tokenize, str):
            tokenizer = tool_tokenizer(variant.name) if tokenize == OF_TOOLS else raw.tokenize
            reading = Raw(tokenizer, lowercase, of_mteval=variant.name == "mteval-v13a")
        counted = Counts(reading, order, weights, rules)
        of_variants[name] = counts.setdefault(counted.tokenize, counted)
    segments = 0
    for corpus in corpora:
        segments += corpus.size
        for counted in counts.values():
            counted.add(corpus)
    scores = [of_variants[name].scored(name, variant) for name, variant in chosen.items()]
    differences = []
    for scored, other in combinations(scores, 2):
        if scored.score != other.score and scored.bleu and other.bleu:
            lower, higher = sorted((scored, other), key=lambda one: one.score)
            differences.append(Difference(lower, higher, tuple(_causes(counts, lower, higher))))
    return Comparison(tuple(scores), tuple(differences), segments)


def _chosen(
    choices: str | Variant | Iterable[Choice], order: int, weights: Sequence[float] | None
) -> dict[str, Variant]:
    """Return the variants under unique names, each with only the smoothing to use."""
    if not isinstance(order, int):
        raise OrderError(f"the n-gram order must be an int, not {type(order).__name__}")
    check_whole(order, "the largest n-gram order", 1, MOST_ORDERS, error=OrderError)
    chosen: dict[str, Variant] = {}
    for choice in [choices] if isinstance(choices, (str, Variant)) else choices:
        wanted, smoothing = choice if isinstance(choice, tuple) else (choice, None)
        if isinstance(wanted, str) and smoothing is None:
            wanted, _, named = wanted.partition(":")
            smoothing = named or None
        metric = Bleu(wanted, smoothing=smoothing, weights=weights)
        metric.check_order(order)
        variant = metric.definition
        name = unique = variant.name if smoothing is None else f"{variant.name}:{smoothing}"
        number = 1
        while unique in chosen:
            number += 1
            unique = f"{name} ({number})"
        chosen[unique] = replace(variant, smoothings=(variant.smoothing(smoothing),))
    return chosen


# -------------------------------------------------------------------------------------------------------------- counts


def _read(references: Any, hypotheses: Any, raw: Raw | None) -> Corpus:
    """Read segments, each of which must have a list of references. Each variant has its own lower case."""
    if raw is None:
        sets, texts = segments_of_lists(references, hypotheses)
        number_of_segments(sets, texts)
        return Corpus(TokenLists(texts, Place("hypotheses")), ListSets(sets, "references"))
    corpus = Corpus(read_lines(hypotheses), read_sets_of_lines(references))
    check_numbers(corpus.size, corpus.sets.size)
    return corpus if isinstance(raw.tokenize, str) else tokenised(corpus, raw)


class Counts:
    """Statistics of a corpus by one tokeniser, and the reference lengths by each rule."""

    def __init__(self, raw: Raw | None, order: int, weights: Sequence[float] | None, rules: Iterable[str]):
        """
        :param raw: how raw text is tokenised; None for tokens
        :param rules: the rules of the reference length
        """
        self.raw, self.order, self.weights = raw, order, weights
        self.tokenize = None if raw is None else f"{raw.tokenize} (mteval)" if raw.of_mteval else str(raw.tokenize)
        self.columns: Columns = [array("q") for _ in range(2 + 2 * order)]
        self.reference_lengths = {rule: array("q") for rule in rules}
        self._by_rules: dict[tuple[str, bool], tuple[Columns, list[int]]] = {}

    def add(self, corpus: Corpus) -> None:
        """Count more segments."""
        rows: list[list[int]] = []
        for rule, lengths in self.reference_lengths.items():
            rows = self._rows_of_lines(corpus, rule) if self.raw else self._rows_of_lists(corpus, rule)
            lengths.extend(row[1] for row in rows)
        for column, values in zip(self.columns, zip(*rows)):
            column.extend(values)

    def _rows_of_lines(self, corpus: Corpus, rule: str) -> list[list[int]]:
        count, width = corpus.size, len(self.columns)
        if not count:
            return []
        rows = memoryview(bytearray(8 * count * width)).cast("q", (count, width))
        Counting(self.order, rule).counter(corpus, self.raw)(0, count, rows)
        return rows.tolist()  # type: ignore[return-value]

    def _rows_of_lists(self, corpus: Corpus, rule: str) -> list[list[int]]:
        rows: list[list[int]] = []
        for references, hypothesis in zip(corpus.sets.lists(), corpus.texts.lists()):
            try:
                rows.append(segment_row(references, hypothesis, self.order, rule))
            except CybleuError as error:
                where = f"segment {len(self.columns[0]) + len(rows)}: " if corpus.size > 1 else ""
                raise type(error)(f"{where}{error}") from error.__cause__
        return rows

    def by_rules(self, variant: Variant) -> tuple[Columns, list[int]]:
        """Return the columns of the segments' rows by the rules of a variant, and their sums."""
        key = variant.reference_length, variant.short_segments_count
        if key not in self._by_rules:
            columns = [*self.columns]
            columns[1] = self.reference_lengths[variant.reference_length]
            if variant.short_segments_count:
                totals = columns[2 + self.order :]
                columns[2 + self.order :] = [array("q", (max(total, 1) for total in column)) for column in totals]
            self._by_rules[key] = columns, [*map(sum, columns)]
        return self._by_rules[key]

    def scored(self, name: str, variant: Variant) -> Scored:
        """Score a variant, or return why its tool fails."""
        metric = Bleu(variant, weights=self.weights)
        columns, row = self.by_rules(variant)
        try:
            bleu = metric.score([*map(list, zip(*columns))] if metric.level == "mean" else row)
            return Scored(name, variant, bleu, None, self.tokenize)
        except (CybleuError, ArithmeticError, ValueError) as error:
            return Scored(name, variant, None, str(error), self.tokenize)


# -------------------------------------------------------------------------------------------------------------- causes


def _causes(counts: dict[str | None, Counts], lower: Scored, higher: Scored) -> list[Cause]:
    """Change the rules of the lower variant to those of the higher one, and return those that change the score."""
    if _equal(lower.score, higher.score):
        return []

    def with_rule(scored: Scored, rule: str, source: Scored) -> Scored:
        if rule == "tokenize":
            return counts[source.tokenize].scored("", scored.variant)
        values: dict[str, Any] = {rule: getattr(source.variant, rule)}
        return counts[scored.tokenize].scored("", replace(scored.variant, **values))

    causes, without_effect, waiting = [], [], _path(lower, higher)
    current = scored = lower
    while waiting:
        # Some combinations of rules have no score, such as a mean of no precisions; then another rule is changed first.
        for rule in waiting:
            changed = with_rule(current, rule, higher)
            if changed.bleu:
                break
        waiting.remove(rule)
        current = changed
        if current.bleu:
            if _equal(scored.score, current.score):
                without_effect.append(rule)
            else:
                causes.append(_cause(counts, rule, scored, current))
            scored = current
    # If two rules have an effect only together, one of them gets all points; the other one is listed, too.
    for rule in without_effect:
        without = with_rule(higher, rule, lower)
        if rule != "mean" and without.bleu and not _equal(without.score, higher.score):
            causes.append(replace(_cause(counts, rule, without, higher), points=0.0))
    return causes


def _path(lower: Scored, higher: Scored) -> list[str]:
    """Return the rules that differ, in the order in which they are changed.

    First come the rules for which the higher variant has the better value, then the rest. So the variant in between has
    the better value of every rule, and smoothing changes there.
    """

    def rank(scored: Scored, rule: str) -> int:
        better, value = BETTER.get(rule, ()), getattr(scored.variant, rule)
        return better.index(value) if value in better else len(better)

    differing = [rule for rule in RULES if getattr(lower.variant, rule) != getattr(higher.variant, rule)]
    first = [rule for rule in differing if rank(higher, rule) < rank(lower, rule)]
    tokenize = ["tokenize"] if lower.tokenize != higher.tokenize else []
    return tokenize + first + [rule for rule in reversed(differing) if rule not in first]


def _cause(counts: dict[str | None, Counts], rule: str, lower: Scored, higher: Scored) -> Cause:
    """Return the rule by which two scores differ, with the orders and the segments in which they do."""
    before, after = lower.bleu, higher.bleu
    assert before and after
    one, other = (counts[scored.tokenize].by_rules(scored.variant)[0] for scored in (lower, higher))
    differing = (row != changed for row, changed in zip(zip(*one), zip(*other))) if one != other else ()
    segments = tuple(position for position, it_is in enumerate(differing) if it_is)
    concerned: Iterable[bool] = ()
    if rule == "short_segments_count":
        half = len(one) // 2 + 1  # of the columns, where the totals begin
        concerned = [column != changed for column, changed in zip(one[half:], other[half:])]
    elif rule == "empty_order":
        concerned = [not total for total in before.totals]
    elif rule == "smoothings" and len(before.precisions) == len(after.precisions):
        concerned = [not _equal(*pair) for pair in zip(before.precisions, after.precisions)]
    elif rule == "smoothings":  # one of them skips the orders without a match
        concerned = [not matched for matched in before.matches]
    orders = [n for n, it_is in enumerate(concerned, start=1) if it_is]
    weights = counts[lower.tokenize].weights
    weighted = [n for n in orders if weights is None or weights[n - 1]]
    name = "smoothing" if rule == "smoothings" else rule
    return Cause(name, higher.score - lower.score, tuple(weighted or orders), segments, before, after)


# --------------------------------------------------------------------------------------------------------------- words


def _lines(pair: Difference, cause: Cause, segment: str, first: int) -> Iterable[str]:
    """Return the lines that describe a cause: the rule of both variants, and the numbers that differ."""
    points = f"  {_number(cause.points, '+'):>9}  "
    said = SAID.get(cause.rule, cause.rule.replace("_", " "))
    of_higher, of_lower = (_value(cause.rule, scored) for scored in (pair.higher, pair.lower))
    yield f"{points}{cause.rule}: {said} is {of_higher} rather than {of_lower}"
    numbers = ", ".join(chain(_changes(cause), _changes_of_orders(cause)))
    where = _segments(cause.segments, segment, first) if cause.segments else ""
    if details := ": ".join(filter(None, (where, numbers))):
        indent = " " * len(points)
        yield from textwrap.wrap(details, WIDTH, initial_indent=indent, subsequent_indent=indent)
    if not cause.points:
        lower = _number(cause.before.percent)
        yield f"{' ' * len(points)}needed too: with the rule of {pair.lower.name} {pair.higher.name} would have {lower}"


def _value(rule: str, scored: Scored) -> str:
    if rule == "tokenize":
        return f"{scored.tokenize}"
    if rule == "smoothing":
        ((name, kind, parameter),) = scored.variant.smoothings
        shown = kind if parameter is None else f"{kind}[{parameter:g}]"
        return shown if name == kind else f"{name} ({shown})"
    value = getattr(scored.variant, rule)
    if rule == "mean":
        return MEANS.get(value, "geometric")
    return f"{value:g}" if isinstance(value, (int, float)) else VALUES.get(value, f"{value}")


def _changes(cause: Cause) -> Iterable[str]:
    """Return the lengths and penalties that differ, those of the higher variant first."""
    for name in ("hypothesis_length", "reference_length", "brevity_penalty"):
        before, after = getattr(cause.before, name), getattr(cause.after, name)
        if before != after:
            yield f"{name.replace('_', ' ')} {after:.6g} rather than {before:.6g}"


def _changes_of_orders(cause: Cause) -> Iterable[str]:
    before, after = cause.before, cause.after
    for n in cause.orders:
        if before.totals[n - 1] != after.totals[n - 1]:
            yield f"{after.totals[n - 1]} rather than {before.totals[n - 1]} {n}-grams"
            continue
        text = f"{after.matches[n - 1]} of {after.totals[n - 1]} {n}-grams match"
        if len(before.precisions) != len(after.precisions):
            yield text
        elif before.precisions[n - 1] != after.precisions[n - 1]:
            of_higher, of_lower = (percent(bleu.precisions[n - 1], bleu.scale) for bleu in (after, before))
            yield f"{text} (precision {of_higher:.6g} rather than {of_lower:.6g})"


def _equal(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=ROUNDING)


def _rounded(group: Sequence[Scored]) -> str:
    return " but for rounding" if len({scored.score for scored in group}) > 1 else ""


def _number(value: float, sign: str = "") -> str:
    """Format a number with four decimals, or with three digits if these would be zeros."""
    return f"{value:{sign}.4f}" if not value or abs(value) >= 0.00005 else f"{value:{sign}.3g}"


def _joined(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _segments(positions: Sequence[int], segment: str, first: int) -> str:
    numbers = [str(position + first) for position in positions]
    if len(numbers) > NAMED_SEGMENTS:
        return f"{len(numbers)} {segment}s ({', '.join(numbers[:NAMED_SEGMENTS])}, ...)"
    return f"{segment if len(numbers) == 1 else f'{segment}s'} {_joined(numbers)}"
