"""Rules that cause the difference of two scores, found by changing the rules of one variant to those of another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from ..metrics import BleuScore, Variant
from .comparison import Cause, Scored, only_rounding

if TYPE_CHECKING:
    from .corpus_counts import Counts, Tokenised

# Rules are first changed in this order to their better values, and the others then in the reverse order. So
# `short_segments_count`, which decides whether an order is empty, changes under the better value of `empty_order`.
_OF_EACH_ORDER = ("empty_order", "short_segments_count", "no_match_at_all", "smoothings")
_OTHERS = [
    field.name
    for field in fields(Variant)
    if field.name not in ("name", "scale", "level", "note", "mean", *_OF_EACH_ORDER)
]
_RULES = ("level", "mean", *_OTHERS, *_OF_EACH_ORDER)

# The preferred values for changing other rules, the best first. The exact mean ignores precisions of 0, so under it other rules
# would seem to have effects that they have in no tool.
_BETWEEN: dict[str, tuple[object, ...]] = {
    "level": ("corpus",),
    "mean": ("logs", "fractions", "shares", "arithmetic"),
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
        orders = _orders(rule, before, after.bleu, counts)
        segments: Sequence[int] = []
        if rule == "tokenize":
            segments = found.different(lower.tokenize, higher.tokenize)
        elif rule == "short_segments_count":
            segments = [position for position, length in enumerate(counts.lengths) if length < max(orders, default=0)]
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
        # Some combinations of rules have no score, such as a mean of no precisions; then another rule is changed first.
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
    # If two rules have an effect only together, one of them gets all points; the other one is listed, too.
    for rule in without_effect:
        before = with_rule(higher, rule, lower).bleu
        if rule != "mean" and before and higher.bleu and not only_rounding(before.percent, higher.score):
            causes.append(cause(rule, 0.0, before, higher))
    return causes


def _path(lower: Variant, higher: Variant) -> list[str]:
    """Return the rules that differ, in the order in which they are changed.

    First come the rules for which the higher variant has the preferred value, then the rest. So the variant in between has
    the preferred value of every rule, and smoothing changes there.
    """

    def rank(variant: Variant, rule: str) -> int:
        better = _BETWEEN.get(rule, ())
        value = getattr(variant, rule)
        return better.index(value) if value in better else len(better)

    differing = [rule for rule in _RULES if getattr(lower, rule) != getattr(higher, rule)]
    first = [rule for rule in differing if rank(higher, rule) < rank(lower, rule)]
    return first + [rule for rule in reversed(differing) if rule not in first]


def _orders(rule: str, before: BleuScore, after: BleuScore, counts: Counts) -> list[int]:
    """Return the n-gram orders whose results a rule changes; orders without weight only if there are no others."""
    if rule == "short_segments_count":
        concerned = [min(counts.lengths) < n for n in range(1, len(before.totals) + 1)]
    elif rule == "empty_order":
        concerned = [not total for total in before.totals]
    elif rule == "smoothings" and len(before.precisions) == len(after.precisions):
        concerned = [not only_rounding(one, other) for one, other in zip(before.precisions, after.precisions)]
    elif rule == "smoothings":  # one of them skips the orders without a match
        concerned = [not matched for matched in before.matches]
    else:
        return []
    orders = [n for n, it_is in enumerate(concerned, start=1) if it_is]
    return [n for n in orders if counts.weights is None or counts.weights[n - 1]] or orders
