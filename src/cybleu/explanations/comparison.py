"""Results of comparing BLEU variants on a corpus: scores, causes of the differences, and their format as text."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .._runtime.scales import percent
from ..metrics import BleuScore, Variant

__all__ = ["Cause", "Comparison", "Difference", "Scored", "only_rounding"]

# Scores with a smaller relative difference have the same formula, computed by other float operations.
_ROUNDING = 1e-11
_NAMED_SEGMENTS = 5

_WORDS: dict[str, tuple[str, dict[object, str]]] = {
    "tokenize": ("the tokeniser is ", {}),
    "level": ("the score is ", {"corpus": "that of the corpus", "mean": "the mean of the segments' scores"}),
    "mean": (
        "the mean of the precisions is ",
        {
            "exact": "geometric, of those above 0",
            **dict.fromkeys(
                ("logs", "fractions", "shares", "product", "exact-or-zero", "log-differences"), "geometric"
            ),
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
    :param segments: the indices of all segments that it affects, from 0; empty if it affects the corpus as a whole
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
    """The scores of variants on one corpus, and why they differ; ``print`` shows it.

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

        def named(segments: Sequence[int]) -> str:
            return _listed(segment, [number + first for number in segments])

        width = max([len("variant"), *(len(scored.name) for scored in self.scores)])
        by_tokenizer = any(scored.tokenize for scored in self.scores)
        wide = max(11, *(len(f"{scored.tokenize} ") for scored in self.scores))
        between = f"{'tokeniser':<{wide}}" if by_tokenizer else ""
        lines = [f"{'variant':<{width}}  {between}{'0 to 100':>10}  as the tool has it"]
        for scored in self.scores:
            between = f"{scored.tokenize:<{wide}}" if by_tokenizer else ""
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
                if only_rounding(group[0].score, scored.score):
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
        """Return the explanations; pairs of variants with the same explanation share it."""
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


def only_rounding(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=_ROUNDING)


# -------------------------------------------------------------------------------------------------------------- words


def _explanation(difference: Difference, lower: str, higher: str, named: Callable[[Sequence[int]], str]) -> str:
    """Return the lines that describe the causes."""
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
    """Return lines with the numbers that differ, those of the higher variant first."""
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
    """Format a number with four decimals, or with three digits if these would be zeros."""
    return f"{value:{sign}.4f}" if not value or abs(value) >= 0.00005 else f"{value:{sign}.3g}"


def _joined(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _listed(segment: str, numbers: Sequence[int]) -> str:
    if len(numbers) > _NAMED_SEGMENTS:
        return f"{len(numbers)} {segment}s ({', '.join(map(str, numbers[:_NAMED_SEGMENTS]))}, ...)"
    return f"{segment if len(numbers) == 1 else f'{segment}s'} {_joined([*map(str, numbers)])}"
