"""Many BLEUs from one set of counts: each tool's definition as data.

The tools agree on the counts and differ in a few rules about them. A :class:`Variant` states those rules, and
:func:`score` follows them, by the tool's own float operations in its order where equal numbers are promised (NLTK,
sacreBLEU).

A statistics row is hypothesis length, reference length, clipped matches of orders 1 to N, n-grams of those orders. Rows
of segments add up to the row of their corpus for every definition but NLTK's, which also asks how many segments were too
short for an order.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import EmptyHypothesisError, StatisticsError, UnknownNameError


@dataclass(frozen=True)
class Variant:
    """A definition of BLEU as a set of rules. ``dataclasses.replace`` makes another from one of :data:`VARIANTS`.

    :param name: what the signature says
    :param scale: 1 or 100, the score of a perfect match
    :param smoothings: the smoothings that the tool has, its default first: name there, name in :data:`SMOOTHINGS`, and
        the default of the parameter
    :param reference_length: the one that the statistics should have: ``closest``, ``shortest`` or ``average``
    :param short_segments_count: whether a segment too short for an order adds 1 to its n-grams (NLTK)
    :param empty_order: what an order without any n-gram is: ``zero``; ``one``, perfect; or ``end``, with the orders after
        it 0, or left out if only effective orders count
    :param no_match_at_all: whether a hypothesis without any match is 0, however smoothed (``zero``), or ``smoothed``
    :param mean: how precisions become a score: ``exact``, the weighted logarithms of those above 0, rounded once;
        ``logs``, the mean of the logarithms; ``arithmetic``
    :param penalty_adds: added to the reference length in the brevity penalty (Moses can)
    :param empty_hypothesis: ``zero``, or ``error`` where the tool divides by the length
    """

    name: str
    scale: float
    smoothings: tuple[tuple[str, str, float | None], ...]
    reference_length: str = "closest"
    short_segments_count: bool = False
    empty_order: str = "zero"
    no_match_at_all: str = "zero"
    mean: str = "logs"
    penalty_adds: float = 0
    empty_hypothesis: str = "zero"


VARIANTS: dict[str, Variant] = {
    variant.name: variant
    for variant in (
        Variant(
            "nltk",
            scale=1,
            smoothings=(
                ("none", "tiny", None),
                ("method0", "tiny", None),
                ("method1", "floor", 0.1),
                ("method2", "add-k", 1),
                ("method3", "exp", None),
                ("method4", "exp-by-length", 5),
            ),
            short_segments_count=True,
            mean="exact",
        ),
        Variant("nltk-3.3", scale=1, smoothings=(("skip", "skip", None),), short_segments_count=True, mean="exact"),
        Variant(
            "sacrebleu",
            scale=100,
            smoothings=(("exp", "exp", None), ("floor", "floor", 0.1), ("add-k", "add-k", 1), ("none", "none", None)),
            empty_order="end",
        ),
        Variant(
            "mteval-v13a",
            scale=1,
            smoothings=(("exp", "exp", None), ("none", "none", None)),
            empty_order="one",
            no_match_at_all="smoothed",
        ),
        Variant("multi-bleu", scale=100, smoothings=(("none", "none", None),), empty_hypothesis="error"),
        Variant(
            "moses",
            scale=1,
            smoothings=(("none", "none", None), ("add", "add-all", 1)),
            no_match_at_all="smoothed",
        ),
        Variant(
            "huggingface",
            scale=1,
            smoothings=(("none", "none", None), ("smooth", "add-all", 1)),
            reference_length="shortest",
            no_match_at_all="smoothed",
            empty_hypothesis="error",
        ),
        Variant("arithmetic-mean", scale=1, smoothings=(("none", "none", None),), mean="arithmetic"),
    )
}


# ---------------------------------------------------------------------------------------------------------- smoothing
#
# Each takes matches and n-grams of the orders, the parameter, the scale and the hypothesis length, and gives the
# precisions. An order without n-grams is the variant's to judge, so it is None here unless smoothing fills it.

Precisions = list[float | None]


def _plain(matched: float, total: float, scale: float) -> float | None:
    return scale * matched / total if total else None


def _none(matches: Sequence[int], totals: Sequence[int], value: Any, scale: float, length: int) -> Precisions:
    return [_plain(matched, total, scale) for matched, total in zip(matches, totals)]


def _tiny(matches: Sequence[int], totals: Sequence[int], value: Any, scale: float, length: int) -> Precisions:
    return [_plain(matched, total, scale) if matched else sys.float_info.min for matched, total in zip(matches, totals)]


def _skip(matches: Sequence[int], totals: Sequence[int], value: Any, scale: float, length: int) -> Precisions:
    return [_plain(matched, total, scale) for matched, total in zip(matches, totals) if matched]


def _floor(matches: Sequence[int], totals: Sequence[int], value: Any, scale: float, length: int) -> Precisions:
    return [_plain(matched or value, total, scale) for matched, total in zip(matches, totals)]


def _add_k(matches: Sequence[int], totals: Sequence[int], value: Any, scale: float, length: int) -> Precisions:
    return [
        _plain(matched + (value if n else 0), total + (value if n else 0), scale)
        for n, (matched, total) in enumerate(zip(matches, totals))
    ]


def _add_all(matches: Sequence[int], totals: Sequence[int], value: Any, scale: float, length: int) -> Precisions:
    return [_plain(matched + value, total + value, scale) for matched, total in zip(matches, totals)]


def _exp(matches: Sequence[int], totals: Sequence[int], value: Any, scale: float, length: int) -> Precisions:
    precisions: Precisions = []
    halved = 1
    for matched, total in zip(matches, totals):
        if total and not matched:
            halved *= 2
            precisions.append(scale / (halved * total))
        else:
            precisions.append(_plain(matched, total, scale))
    return precisions


def _exp_by_length(matches: Sequence[int], totals: Sequence[int], value: Any, scale: float, length: int) -> Precisions:
    precisions: Precisions = []
    halved = 1
    for matched, total in zip(matches, totals):
        if total and not matched and length > 1:
            halved *= 2
            precisions.append(1 / (halved * value / math.log(length)) / total)
        else:
            precisions.append(_plain(matched, total, scale))
    return precisions


SMOOTHINGS: dict[str, Callable[[Sequence[int], Sequence[int], Any, float, int], Precisions]] = {
    "none": _none,
    "tiny": _tiny,
    "skip": _skip,
    "floor": _floor,
    "add-k": _add_k,
    "add-all": _add_all,
    "exp": _exp,
    "exp-by-length": _exp_by_length,
}


# -------------------------------------------------------------------------------------------------------------- score


@dataclass(frozen=True)
class Bleu:
    """A score with what it was computed from. Score and precisions are on the tool's scale, 0 to 1 or 0 to 100."""

    score: float
    precisions: tuple[float, ...]
    brevity_penalty: float
    hypothesis_length: int
    reference_length: int
    matches: tuple[int, ...]
    totals: tuple[int, ...]
    scale: float
    signature: str

    @property
    def ratio(self) -> float:
        """Hypothesis length / reference length, 0 without references."""
        return self.hypothesis_length / self.reference_length if self.reference_length else 0.0

    def format(self, width: int = 2) -> str:
        """The line that people know from multi-bleu and sacreBLEU, always from 0 to 100."""
        percent = 100 / self.scale
        precisions = "/".join(f"{percent * precision:.1f}" for precision in self.precisions)
        return (
            f"BLEU|{self.signature} = {percent * self.score:.{width}f} {precisions} (BP = {self.brevity_penalty:.3f} "
            f"ratio = {self.ratio:.3f} hyp_len = {self.hypothesis_length} ref_len = {self.reference_length})"
        )

    def __str__(self) -> str:
        return self.format()


def find(variant: str | Variant) -> Variant:
    """The variant of this name.

    :raises UnknownNameError: there is none
    """
    if isinstance(variant, Variant):
        return variant
    if variant not in VARIANTS:
        raise UnknownNameError(f"unknown variant {variant!r}; use one of {', '.join(VARIANTS)}")
    return VARIANTS[variant]


def score(
    stats: Sequence[Any],
    variant: str | Variant = "sacrebleu",
    weights: Sequence[float] | None = None,
    smoothing: str | None = None,
    smoothing_value: float | None = None,
    effective_order: bool = False,
    short_segments: Sequence[int] | None = None,
) -> Bleu:
    """BLEU of a corpus or of one segment from its statistics.

    :param stats: a row, or the rows of segments, which are added up
    :param variant: a name in :data:`VARIANTS`, or a variant
    :param weights: of the n-gram orders, by default uniform
    :param smoothing: the name of one of the variant's, by default the tool's
    :param smoothing_value: its parameter, by default the tool's
    :param effective_order: leave out the orders that the hypothesis is too short for, as for single sentences
    :param short_segments: for each order how many segments were too short for it. NLTK's definitions need it with a
        summed row; from rows of segments, or the row of one, they know it themselves
    :raises UnknownNameError: there is no such variant or smoothing
    :raises StatisticsError: the statistics cannot be, or NLTK's definition is given a summed row alone
    :raises EmptyHypothesisError: there is no hypothesis token, and the tool divides by their number

    >>> round(score([5, 5, 4, 2, 1, 0, 5, 4, 3, 2]).score, 4)
    42.7287
    >>> round(score([5, 5, 4, 2, 1, 0, 5, 4, 3, 2], "nltk", smoothing="method1").score, 4)
    0.2857
    """
    rules = find(variant)
    row, short = _summed(stats, short_segments, rules)
    order = (len(row) - 2) // 2
    length, reference_length, matches, totals = row[0], row[1], row[2 : 2 + order], row[2 + order :]
    if rules.short_segments_count:
        totals = [total + count for total, count in zip(totals, short)]
    if weights is not None and len(weights) != order:
        raise StatisticsError(f"there are {len(weights)} weights for {order} n-gram orders; give one for each")
    name, kind, default = _smoothing(rules, smoothing)
    if smoothing_value is not None and default is None:
        raise UnknownNameError(f"the smoothing {name!r} of {rules.name} takes no value")
    value = default if smoothing_value is None else smoothing_value
    if length == 0 and rules.empty_hypothesis == "error":
        raise EmptyHypothesisError(
            f"the hypotheses have no token, and {rules.name} divides by their number; other variants give 0"
        )
    penalty = _brevity_penalty(length, reference_length + rules.penalty_adds)
    precisions = [0.0] * order
    number = 0.0
    if length and (rules.no_match_at_all == "smoothed" or any(matches)):
        smoothed = SMOOTHINGS[kind](matches, totals, value, rules.scale, length)
        scored = len(smoothed)
        if None in smoothed:
            first = smoothed.index(None)
            if effective_order:
                scored = first
            if rules.empty_order == "end":
                smoothed[first:] = [0.0] * (len(smoothed) - first)
        of_empty = rules.scale if rules.empty_order == "one" else 0.0
        precisions = [of_empty if precision is None else precision for precision in smoothed]
        number = penalty * _mean(rules, precisions[:scored], weights)
    weighting = "uniform" if weights is None else ",".join(f"{weight:g}" for weight in weights)
    signature = (
        f"variant:{rules.name}|order:{order}|weights:{weighting}|"
        f"smooth:{name if value is None else f'{name}[{value:g}]'}|eff:{'yes' if effective_order else 'no'}"
    )
    return Bleu(
        score=number,
        precisions=tuple(precisions),
        brevity_penalty=penalty,
        hypothesis_length=length,
        reference_length=reference_length,
        matches=tuple(matches),
        totals=tuple(totals),
        scale=rules.scale,
        signature=signature,
    )


def _brevity_penalty(length: int, reference_length: float) -> float:
    if length >= reference_length:
        return 1.0
    return math.exp(1 - reference_length / length) if length else 0.0


def _mean(rules: Variant, precisions: Sequence[float], weights: Sequence[float] | None) -> float:
    """One number from the precisions of the scored orders, on their scale."""
    count = len(precisions)
    used = [1 / count] * count if weights is None else list(weights[:count])
    if weights is not None and count < len(weights) and rules.mean != "exact":
        if not math.fsum(used):
            raise StatisticsError("the weights of the scored orders sum to 0, so they give no mean")
        used = [weight * math.fsum(weights) / math.fsum(used) for weight in used]
    if rules.mean == "exact":
        return math.exp(math.fsum(weight * math.log(p) for weight, p in zip(used, precisions) if p > 0))
    if rules.mean == "arithmetic":
        return math.fsum(weight * precision for weight, precision in zip(used, precisions))
    if any(precision <= 0 and weight for weight, precision in zip(used, precisions)):
        return 0.0
    if weights is None:
        return math.exp(sum([math.log(precision) for precision in precisions]) / count)
    return math.exp(math.fsum(weight * math.log(p) for weight, p in zip(used, precisions) if weight))


def _smoothing(rules: Variant, name: str | None) -> tuple[str, str, float | None]:
    if name is None:
        return rules.smoothings[0]
    for smoothing in rules.smoothings:
        if smoothing[0] == name:
            return smoothing
    names = ", ".join(smoothing[0] for smoothing in rules.smoothings)
    raise UnknownNameError(f"{rules.name} has no smoothing {name!r}; use one of {names}")


def _summed(
    stats: Sequence[Any], short_segments: Sequence[int] | None, rules: Variant
) -> tuple[list[int], Sequence[int]]:
    """The sum of the rows, and for each order how many segments have no n-gram of it."""
    rows = [_row(row) for row in (stats if len(stats) and hasattr(stats[0], "__len__") else [stats])]
    size = len(rows[0])
    if any(len(row) != size for row in rows):
        raise StatisticsError("the rows have different lengths; all must have 2 + 2 * orders entries")
    order = (size - 2) // 2
    total = [sum(column) for column in zip(*rows)]
    if short_segments is None:
        if rules.short_segments_count:
            for position, row in enumerate(rows):
                if any(row[2 + order + n] != max(0, row[0] - n) for n in range(order)):
                    raise StatisticsError(
                        f"row {position} is not that of one segment, and {rules.name} counts n-grams by segments; "
                        "give the segments' rows, or short_segments with their sum"
                    )
        short_segments = [sum(row[2 + order + n] == 0 for row in rows) for n in range(order)]
    elif len(short_segments) != order:
        raise StatisticsError(f"short_segments has {len(short_segments)} entries for {order} n-gram orders")
    return total, short_segments


def _row(values: Sequence[Any]) -> list[int]:
    row = [int(value) for value in values]
    order = (len(row) - 2) // 2
    if len(row) < 4 or len(row) % 2:
        raise StatisticsError(
            f"a row has {len(row)} entries; it must have 2 + 2 * orders: hypothesis length, reference length, matches, "
            "n-grams"
        )
    if any(number != value for number, value in zip(row, values)) or min(row) < 0:
        raise StatisticsError(f"statistics are whole numbers from 0, and these are not: {list(values)}")
    if any(matched > total for matched, total in zip(row[2 : 2 + order], row[2 + order :])):
        raise StatisticsError(f"a row has more matches than n-grams of an order: {row}")
    return row
