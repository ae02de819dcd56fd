"""Which rules make the difference of two scores: the way from the rules of one variant to those of another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from ..metrics import BleuScore, Variant
from .comparison import Cause, Scored, only_rounding

if TYPE_CHECKING:
    from .corpus_counts import Tokenised

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


def causes_of(found: Tokenised, lower: Scored, higher: Scored) -> list[Cause]:
    if only_rounding(lower.score, higher.score):
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
            if only_rounding(before.percent, current.bleu.percent):
                without_effect.append(rule)
            else:
                causes.append(cause(rule, current.bleu.percent - before.percent, before, current))
            before = current.bleu
    # A score that needs two rules to be what it is has all points from one of them; the other should not go unsaid.
    for rule in without_effect:
        before = with_rule(higher, rule, lower).bleu
        if rule != "mean" and before and higher.bleu and not only_rounding(before.percent, higher.score):
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
        concerned = [not only_rounding(one, other) for one, other in zip(before.precisions, after.precisions)]
    elif rule == "smoothings":  # one of them skips the orders without a match
        concerned = [not matched for matched in before.matches]
    else:
        return []
    orders = [n for n, it_is in enumerate(concerned, start=1) if it_is]
    return [n for n in orders if weights is None or weights[n - 1]] or orders
