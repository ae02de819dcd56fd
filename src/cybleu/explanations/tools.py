"""Why tools disagree: the rules and the segments behind the difference of their scores, on the same tokens or each on its own."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

from .._runtime.scales import percent
from .._runtime.sequences import by_position
from ..bleu_score.parts import length_of
from ..errors import (
    CybleuError,
    EmptyCorpusError,
    LengthMismatchError,
    OrderError,
    OrderTypeError,
)
from ..metrics import Bleu, BleuScore, Variant, tool_tokenizer
from ..stats.counts import REFERENCE_LENGTHS, choose_length, segment_row
from ..stats.raw import raw_row_lists
from ..text.columns import references_given, texts_given
from ..text.raw import Raw, raw_of

if TYPE_CHECKING:
    from ..bleu_score.parts import Tokens

__all__ = ["TOOLS", "Cause", "Comparison", "Difference", "Scored", "explain_blocks", "explain_difference"]

Choice: TypeAlias = "str | Variant | tuple[str | Variant, str]"

#: The variants that are explained unless others are asked for.
TOOLS = ("nltk", "sacrebleu", "mteval-v13a", "multi-bleu", "moses", "huggingface")

OF_TOOLS = "of-tools"

# Scores that are relatively closer have the same formula, in float operations of another order.
_ROUNDING = 1e-11
_NAMED_SEGMENTS = 5

# On the way from one variant to another, rules are changed in this order, and then put back in the reverse one: what an
# order without n-grams counts as is outside of short segments, which decide whether there is one; smoothing is innermost.
_OF_EACH_ORDER = ("empty_order", "short_segments_count", "no_match_at_all", "smoothings")
_OTHERS = [
    field.name
    for field in fields(Variant)
    if field.name not in ("name", "scale", "level", "note", "mean", *_OF_EACH_ORDER)
]
_RULES = ("mean", *_OTHERS, *_OF_EACH_ORDER)

# The values under which the other rules are changed, the best first. The exact mean passes over precisions of 0, so that
# other rules would seem to do what they never do in a tool.
_BETWEEN: dict[str, tuple[object, ...]] = {
    "mean": ("logs", "fractions", "arithmetic"),
    "empty_order": ("one", "end"),
    "short_segments_count": (False,),
    "no_match_at_all": ("zero",),
}

_WORDS: dict[str, tuple[str, dict[object, str]]] = {
    "tokenize": ("the tokeniser is ", {}),
    "mean": (
        "the mean of the precisions is ",
        {
            "exact": "geometric, of those above 0",
            "logs": "geometric",
            "fractions": "geometric",
            "arithmetic": "arithmetic",
            "product": "geometric",
            "exact-or-zero": "geometric",
            "log-differences": "geometric",
        },
    ),
    "reference_length": (
        "the reference length is ",
        {
            "closest": "the closest",
            "closest-first": "the closest, the first of equals",
            "shortest": "the shortest",
            "average": "the average",
        },
    ),
    "penalty": (
        "the brevity penalty is ",
        {
            "exponential": "taken",
            "none": "left out",
            "ratio": "taken",
            "tiny-over-small": "taken of lengths with tiny numbers added",
            "added-one": "taken of lengths with 1 added",
        },
    ),
    "penalty_adds": ("the brevity penalty adds to the reference length ", {}),
    "empty_order": (
        "an order without any n-gram is ",
        {"zero": "0", "one": "perfect", "end": "0 with those after it"},
    ),
    "short_segments_count": ("a segment too short for an order counts as ", {True: "1 n-gram", False: "0 n-grams"}),
    "no_match_at_all": (
        "a score without any match is ",
        {"zero": "0", "smoothed": "smoothed", "zero-in-any-order": "0, and so is one without a match of some order"},
    ),
    "smoothings": ("", {}),
}


@dataclass(frozen=True)
class Scored:
    """The score of a variant on the corpus.

    :param name: the variant's, with its smoothing if one was chosen: ``nltk``, ``nltk:method1``
    :param variant: the rules; its `smoothings` has only the one that is used
    :param bleu: the result on the tool's own scale, None if the tool fails
    :param failure: why it fails
    :param tokenize: the tokeniser that split raw text; None if tokens were given

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
    """What one rule adds to the difference between two scores.

    :param rule: the field of :class:`~cybleu.metrics.Variant`; ``smoothing`` for the smoothing that is used,
        ``tokenize`` for the tokeniser
    :param points: by how much the rule raises the score, from 0 to 100; 0 for a rule that has an effect only together
        with other rules, which have the points
    :param orders: the n-gram orders that it concerns; empty if it is not about orders
    :param segments: the indices of all segments that it concerns, from 0; empty if it concerns the corpus as a whole
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
    """Two variants with different scores.

    The rules of the variant with the lower score are changed, one after the other, into those of the variant with the
    higher score. Each rule gets the points that its change adds to the score. So the points of the causes add up to the
    difference, except for rounding. If several rules have an effect only together, the order decides which of them gets
    the points: first the tokeniser; then changes to a simple rule (no n-gram for short segments, 0 without any match,
    the mean of the logarithms); then the smoothing; then changes from a simple rule to another one, and those of the
    reference length and the penalty.

    :param lower: the one with the lower score
    :param higher: the one with the higher score
    :param causes: the rules that make the difference; empty if it is only a difference of rounding

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
    """The scores of variants on one corpus, and why they differ; ``print`` shows it.

    :param scores: one for each variant, in the order asked for
    :param differences: one for each pair of variants with different scores
    :param segments: how many segments the corpus has

    >>> comparison = explain_difference([["a b".split()]], ["a b".split()], ("sacrebleu", "moses", "mteval-v13a"))
    >>> [scored.score for scored in comparison.scores], len(comparison.differences)
    ([0.0, 0.0, 100.0], 2)
    """

    scores: tuple[Scored, ...]
    differences: tuple[Difference, ...]
    segments: int

    def format(self, segment: str = "segment", first: int = 0) -> str:
        """The table and the explanations.

        :param segment: the word for a segment, such as ``line``
        :param first: the number of the first segment
        """

        def named(segments: Sequence[int]) -> str:
            return _listed(segment, [number + first for number in segments])

        width = max([len("variant"), *(len(scored.name) for scored in self.scores)])
        of_raw_text = any(scored.tokenize for scored in self.scores)
        between = f"{'tokeniser':<11}" if of_raw_text else ""
        lines = [f"{'variant':<{width}}  {between}{'0 to 100':>10}  as the tool has it"]
        for scored in self.scores:
            between = f"{scored.tokenize:<11}" if of_raw_text else ""
            number = "fails" if scored.bleu is None else _number(scored.score)
            own = scored.failure if scored.bleu is None else f"{scored.bleu.score:.10g}"
            lines.append(f"{scored.name:<{width}}  {between}{number:>10}  {own}")
        blocks = ["\n".join(lines), "\n".join(self._equal()), *self._explained(named)]
        return "\n\n".join(block for block in blocks if block)

    def __str__(self) -> str:
        return self.format()

    def _equal(self) -> list[str]:
        groups: list[list[Scored]] = []
        for scored in self.scores:
            for group in groups:
                if _only_rounding(group[0].score, scored.score):
                    group.append(scored)
                    break
            else:
                groups.append([scored])
        return [
            f"equal{' but for rounding' if len({scored.score for scored in group}) > 1 else ''}: "
            f"{_joined([scored.name for scored in group])}"
            for group in groups
            if len(group) > 1
        ]

    def _explained(self, named: Callable[[Sequence[int]], str]) -> list[str]:
        """The explanations; pairs of variants with the same one share it."""
        highers: dict[tuple[str, str], list[Difference]] = {}
        for difference in self.differences:
            if difference.causes:
                text = _explanation(difference, "these", "those", named)
                highers.setdefault((text, difference.lower.name), []).append(difference)
        groups: dict[tuple[str, tuple[str, ...]], list[Difference]] = {}
        for (text, _), differences in highers.items():
            names = tuple(difference.higher.name for difference in differences)
            groups.setdefault((text, names), []).append(differences[0])
        return [
            f"{_joined(names)} {'is' if len(names) == 1 else 'are'} {_number(differences[0].points)} above "
            f"{_joined([difference.lower.name for difference in differences])}"
            + _explanation(
                differences[0],
                differences[0].lower.name if len(differences) == 1 else "the lower ones",
                names[0] if len(names) == 1 else "the higher ones",
                named,
            )
            for (_, names), differences in groups.items()
        ]


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

    def add(self, references: Collection[Tokens], hypothesis: Tokens) -> None:
        """Count one more segment."""
        row = segment_row(references, hypothesis, self.order)
        lengths = [len(reference) for reference in references]
        others = {name: choose_length(lengths, row[0], name) for name in REFERENCE_LENGTHS if name != "closest"}
        self.add_row(row, {"closest": row[1], **others})

    def add_row(self, row: Sequence[int], reference_lengths: Mapping[str, int]) -> None:
        """Add the statistics row of one more segment.

        :param reference_lengths: which one there is by each rule
        """
        self.row = [total + count for total, count in zip(self.row, row)]
        self.lengths.append(row[0])
        for n in range(row[0], self.order):
            self.short_segments[n] += 1
        for name, length in reference_lengths.items():
            self.reference_lengths[name].append(length)
            self.sums_of_reference_lengths[name] += length

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

    def add_raw(self, raws: Mapping[str, Raw], texts: Any, references: Any, bounds: Any) -> None:
        """Count segments of raw text, as the backend reads them."""
        rows: dict[str | None, list[list[int]]] = {}
        for name, counts in self.counts.items():
            assert name is not None
            arguments = raws[name], texts, references, bounds, counts.order
            rows[name] = raw_row_lists(*arguments)
            by_rule = [rows[name]] * len(REFERENCE_LENGTHS)
            if len(references) > len(texts):
                by_rule = [raw_row_lists(*arguments, rule) for rule in REFERENCE_LENGTHS]
            for row, *others in zip(rows[name], *by_rule):
                counts.add_row(row, {rule: other[1] for rule, other in zip(REFERENCE_LENGTHS, others)})
        for (one, other), positions in self._different.items():
            positions.extend(
                self.segments + number for number, pair in enumerate(zip(rows[one], rows[other])) if pair[0] != pair[1]
            )
        self.segments += len(texts)


def explain_difference(
    references: Sequence[Collection[Tokens]],
    hypotheses: Sequence[Tokens],
    variants: Iterable[Choice] = TOOLS,
    order: int = 4,
    weights: Sequence[float] | None = None,
    *,
    tokenize: str | Callable[[str], Sequence[Hashable]] | None = None,
    lowercase: bool = False,
) -> Comparison:
    """Score a corpus as several tools do, and say which rules and which segments make their scores differ.

    :param references: for each segment one or more references, each a sequence of hashable tokens
    :param hypotheses: for each segment the translation to score, a sequence of hashable tokens
    :param variants: names in :data:`cybleu.metrics.VARIANTS`, or variants. Each has the default smoothing of its tool,
        unless another is named, as ``name:smoothing`` or (variant, smoothing)
    :param order: the largest n-gram order
    :param weights: of the n-gram orders, by default uniform
    :param tokenize: the texts are raw text, str or bytes in UTF-8, and this says how to split them: a name that
        :func:`cybleu.text.tokenizer` knows, or a function from a str to its tokens; or ``of-tools``, which splits the
        texts for each variant as its tool does, like ``cybleu score``
    :param lowercase: put raw text in lower case first
    :return: a table of the scores of the corpus, and for each pair of variants that differ the rules that make the
        difference. Also a variant whose tool takes the mean of its segments' scores is scored as a corpus. If the tool
        of a variant fails, the table has the reason
    :raises LengthMismatchError: the number of lists of references is not that of the hypotheses
    :raises EmptyCorpusError: there is no segment
    :raises NoReferencesError: a segment has no reference
    :raises UnknownNameError: there is no such variant or smoothing
    :raises StatisticsError: there are not as many weights as orders

    >>> references = [["a b c d e f".split()], ["g".split()]]
    >>> print(explain_difference(references, ["a b c d e f".split(), ["g"]], ("nltk", "sacrebleu")))
    variant      0 to 100  as the tool has it
    nltk          84.0896  0.8408964153
    sacrebleu    100.0000  100
    <BLANKLINE>
    sacrebleu is 15.9104 above nltk
       +15.9104  short_segments_count: a segment too short for an order counts as 0 n-grams in sacrebleu, 1 n-gram in nltk;
                 segment 1 is too short: 5 rather than 6 2-grams, 4 rather than 5 3-grams, 3 rather than 4 4-grams
    """
    references = by_position(references_given(references))
    hypotheses = by_position(texts_given(hypotheses))
    number, wanted = length_of(hypotheses, "the hypotheses"), length_of(references, "the lists of references")
    if number != wanted:
        raise LengthMismatchError(
            f"there are {number} hypotheses and {wanted} lists of references; each hypothesis needs one list"
        )
    if not number:
        _chosen(variants, order, weights)
        raise EmptyCorpusError("there is no segment to score; give at least one hypothesis with its references")
    try:
        return explain_blocks(
            [(references, hypotheses)], variants, order, weights, tokenize=tokenize, lowercase=lowercase
        )
    except CybleuError as error:
        if number == 1 and str(error).startswith("segment 0: "):
            raise type(error)(str(error).partition(": ")[2]) from error.__cause__
        raise


def explain_blocks(
    blocks: Iterable[tuple[Sequence[Collection[Tokens]], Sequence[Tokens]]],
    variants: Iterable[Choice] = TOOLS,
    order: int = 4,
    weights: Sequence[float] | None = None,
    *,
    tokenize: str | Callable[[str], Sequence[Hashable]] | None = None,
    lowercase: bool = False,
) -> Comparison:
    """:func:`explain_difference` for a corpus that comes some segments at a time; it keeps only their counts.

    The other parameters and the errors are those of :func:`explain_difference`.

    :param blocks: pairs of references and hypotheses, as that function takes them
    :return: as for :func:`explain_difference`; without any segment all scores are 0, or tools that fail

    >>> block = [["a b".split()]], ["a b".split()]
    >>> explain_blocks([block, block], ("sacrebleu", "moses")).segments
    2
    """
    chosen = _chosen(variants, order, weights)
    raw = raw_of("none" if tokenize == OF_TOOLS else tokenize, lowercase)
    if raw is not None and isinstance(raw.tokenize, str) and raw.own:
        names = {n: tool_tokenizer(v.name) if tokenize == OF_TOOLS else raw.tokenize for n, v in chosen.items()}
        raws = {name: Raw(name, lowercase) for name in names.values()}
        found = Tokenised(raws, order, weights)
        for references, hypotheses in blocks:
            found.add_raw(raws, raw.texts(hypotheses, "hypotheses"), *raw.sets(references))
        return _compared(found, names, chosen)
    found = Tokenised([None], order, weights)
    counts = found.counts[None]
    for references, hypotheses in blocks:
        if raw is not None:
            references, hypotheses = raw.sets_of_token_lists(references), raw.token_lists(hypotheses, "hypotheses")
        for segment in zip(references, hypotheses):
            try:
                counts.add(*segment)
            except CybleuError as error:
                raise type(error)(f"segment {found.segments}: {error}") from error.__cause__
            found.segments += 1
    return _compared(found, dict.fromkeys(chosen), chosen)


def _compared(found: Tokenised, names: Mapping[str, str | None], chosen: Mapping[str, Variant]) -> Comparison:
    """:param names: of the tokeniser of each variant"""
    scores = [found.counts[names[name]].scored(name, variant) for name, variant in chosen.items()]
    differences = []
    for scored, other in combinations(scores, 2):
        if scored.score != other.score and scored.bleu and other.bleu:
            lower, higher = sorted((scored, other), key=lambda one: one.score)
            differences.append(Difference(lower, higher, tuple(_causes(found, lower, higher))))
    return Comparison(tuple(scores), tuple(differences), found.segments)


def _chosen(choices: Iterable[Choice], order: int, weights: Sequence[float] | None) -> dict[str, Variant]:
    """The variants, each under a name of its own and with the one smoothing that it is to use."""
    if not isinstance(order, int):
        raise OrderTypeError(f"the n-gram order must be an int, not {type(order).__name__}")
    if order < 1:
        raise OrderError(f"the largest n-gram order must be 1 or more, and it is {order}")
    chosen: dict[str, Variant] = {}
    for choice in choices:
        wanted, smoothing = choice if isinstance(choice, tuple) else (choice, None)
        if isinstance(wanted, str) and smoothing is None:
            wanted, _, named = wanted.partition(":")
            smoothing = named or None
        metric = Bleu(wanted, smoothing=smoothing, weights=weights)
        metric.rules(order)  # for its errors, before the work
        variant = metric.definition
        name = unique = variant.name if smoothing is None else f"{variant.name}:{smoothing}"
        number = 1
        while unique in chosen:
            number += 1
            unique = f"{name} ({number})"
        chosen[unique] = replace(variant, smoothings=(variant.smoothing(smoothing),))
    return chosen


# ------------------------------------------------------------------------------------------------------------- causes


def _causes(found: Tokenised, lower: Scored, higher: Scored) -> list[Cause]:
    if _only_rounding(lower.score, higher.score):
        return []

    def with_rule(scored: Scored, rule: str, source: Scored) -> Scored:
        if rule == "tokenize":
            return found.counts[source.tokenize].scored("", scored.variant)
        values: dict[str, Any] = {rule: getattr(source.variant, rule)}
        return found.counts[scored.tokenize].scored("", replace(scored.variant, **values))

    def cause(rule: str, points: float, before: BleuScore, after: Scored) -> Cause:
        assert after.bleu
        counts = found.counts[after.tokenize]
        orders = _orders(rule, before, after.bleu, counts.weights)
        segments: Sequence[int] = []
        if rule == "tokenize":
            segments = found.different(lower.tokenize, higher.tokenize)
        elif rule == "short_segments_count":
            segments = [position for position, length in enumerate(counts.lengths) if length < orders[-1]]
        elif rule == "reference_length":
            lengths = [counts.reference_lengths[one.variant.reference_length] for one in (lower, higher)]
            segments = [position for position, (one, other) in enumerate(zip(*lengths)) if one != other]
        name = "smoothing" if rule == "smoothings" else rule
        return Cause(name, points, tuple(orders), tuple(segments), before, after.bleu)

    causes = []
    without_effect = []
    waiting = _path(lower.variant, higher.variant)
    if lower.tokenize != higher.tokenize:
        waiting.insert(0, "tokenize")
    current, before = lower, lower.bleu
    while waiting:
        # A rule can make a formula that has no value, such as a mean of no precision; it waits for one that mends it.
        for rule in waiting:
            changed = with_rule(current, rule, higher)
            if changed.bleu:
                break
        waiting.remove(rule)
        current = changed
        if before and current.bleu:
            if _only_rounding(before.percent, current.bleu.percent):
                without_effect.append(rule)
            else:
                causes.append(cause(rule, current.bleu.percent - before.percent, before, current))
            before = current.bleu
    # A score that needs two rules to be what it is has all points from one of them; the other should not go unsaid.
    for rule in without_effect:
        before = with_rule(higher, rule, lower).bleu
        if rule != "mean" and before and higher.bleu and not _only_rounding(before.percent, higher.score):
            causes.append(cause(rule, 0.0, before, higher))
    return causes


def _path(lower: Variant, higher: Variant) -> list[str]:
    """The rules that differ, in the order in which they are changed.

    First those whose value in the higher variant is the better one to change the others under, then the rest. So
    the way leads over a variant that has the better value of every rule, and smoothing changes there.
    """

    def rank(variant: Variant, rule: str) -> int:
        better = _BETWEEN.get(rule, ())
        value = getattr(variant, rule)
        return better.index(value) if value in better else len(better)

    differing = [rule for rule in _RULES if getattr(lower, rule) != getattr(higher, rule)]
    first = [rule for rule in differing if rank(higher, rule) < rank(lower, rule)]
    return first + [rule for rule in reversed(differing) if rule not in first]


def _orders(rule: str, before: BleuScore, after: BleuScore, weights: Sequence[float] | None) -> list[int]:
    """The n-gram orders that a rule concerns, by what it changes; those without weight only where there is no other."""
    if rule == "short_segments_count":
        concerned = [total != other for total, other in zip(before.totals, after.totals)]
    elif rule == "empty_order":
        concerned = [not total for total in before.totals]
    elif rule == "smoothings" and len(before.precisions) == len(after.precisions):
        concerned = [not _only_rounding(one, other) for one, other in zip(before.precisions, after.precisions)]
    elif rule == "smoothings":  # one of them skips the orders without a match
        concerned = [not matched for matched in before.matches]
    else:
        return []
    orders = [n for n, it_is in enumerate(concerned, start=1) if it_is]
    return [n for n in orders if weights is None or weights[n - 1]] or orders


def _only_rounding(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=_ROUNDING)


# -------------------------------------------------------------------------------------------------------------- words


def _explanation(difference: Difference, lower: str, higher: str, named: Callable[[Sequence[int]], str]) -> str:
    """The lines of the causes."""
    lines = [""]
    for cause in difference.causes:
        rule = "smoothings" if cause.rule == "smoothing" else cause.rule
        lead, _ = _WORDS.get(rule, (f"{rule.replace('_', ' ')} is ", {}))
        of_higher, of_lower = (_value(rule, scored) for scored in (difference.higher, difference.lower))
        details = _details(rule, cause, named)
        end = ";" if details else ""
        points = f"  {_number(cause.points, '+'):>9}  "
        lines.append(f"{points}{cause.rule}: {lead}{of_higher} in {higher}, {of_lower} in {lower}{end}")
        if not cause.points:
            details.append(f"needed too: with the rule of {lower} {higher} would have {_number(cause.before.percent)}")
        lines += [" " * len(points) + detail for detail in details]
    return "\n".join(lines)


def _value(rule: str, scored: Scored) -> str:
    if rule == "tokenize":
        return f"{scored.tokenize}"
    value = getattr(scored.variant, rule)
    if rule != "smoothings":
        return _WORDS.get(rule, ("", {}))[1].get(value, f"{value}")
    smoothing, kind, parameter = value[0]
    shown = kind if parameter is None else f"{kind}[{parameter:g}]"
    return shown if smoothing == kind else f"{smoothing} ({shown})"


def _details(rule: str, cause: Cause, named: Callable[[Sequence[int]], str]) -> list[str]:
    """Lines with the numbers, those of the higher variant first."""
    before, after = cause.before, cause.after
    if rule == "tokenize":
        lengths = f"{after.hypothesis_length} rather than {before.hypothesis_length} tokens"
        return [
            f"{lengths}, in the references {after.reference_length} rather than {before.reference_length};",
            f"{named(cause.segments)} {'has' if len(cause.segments) == 1 else 'have'} other counts",
        ]
    if rule == "short_segments_count":
        totals = [f"{after.totals[n - 1]} rather than {before.totals[n - 1]} {n}-grams" for n in cause.orders]
        return [f"{named(cause.segments)} {'is' if len(cause.segments) == 1 else 'are'} too short: {', '.join(totals)}"]
    if rule == "empty_order":
        return [f"no hypothesis has a {' or a '.join(f'{n}-gram' for n in cause.orders)}"]
    if rule == "no_match_at_all":
        return ["no token of a hypothesis is in a reference of it"]
    if rule == "smoothings":
        return [_precision(n, cause) for n in cause.orders]
    details = []
    if rule == "reference_length":
        lengths = f"{after.reference_length} rather than {before.reference_length} tokens"
        details.append(f"{lengths}, because of {named(cause.segments)}")
    if after.brevity_penalty != before.brevity_penalty:
        details.append(f"brevity penalty {after.brevity_penalty:.6g} rather than {before.brevity_penalty:.6g}")
    return details


def _precision(n: int, cause: Cause) -> str:
    before, after = cause.before, cause.after
    text = f"{after.matches[n - 1]} of {after.totals[n - 1]} {n}-grams match"
    if len(before.precisions) != len(after.precisions):
        return text
    of_higher, of_lower = (percent(bleu.precisions[n - 1], bleu.scale) for bleu in (after, before))
    return f"{text}, precision {of_higher:.6g} rather than {of_lower:.6g}"


def _number(value: float, sign: str = "") -> str:
    """Four decimals, or three digits where these would be zeros."""
    return f"{value:{sign}.4f}" if not value or abs(value) >= 0.00005 else f"{value:{sign}.3g}"


def _joined(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _listed(segment: str, numbers: Sequence[int]) -> str:
    if len(numbers) > _NAMED_SEGMENTS:
        return f"{len(numbers)} {segment}s ({', '.join(map(str, numbers[:_NAMED_SEGMENTS]))}, ...)"
    return f"{segment if len(numbers) == 1 else f'{segment}s'} {_joined([*map(str, numbers)])}"
