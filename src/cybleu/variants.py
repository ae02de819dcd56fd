"""Definitions of corpus BLEU on the same counts, by name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

SMOOTHING_DEFAULTS = {"none": None, "exp": None, "floor": 0.1, "add-k": 1.0}


@dataclass(frozen=True)
class Bleu:
    """A score from 0 to 100 with what it was computed from."""

    score: float
    precisions: tuple[float, ...]
    brevity_penalty: float
    hypothesis_length: int
    reference_length: int
    matches: tuple[int, ...]
    totals: tuple[int, ...]

    @property
    def ratio(self) -> float:
        """Hypothesis length / reference length, 0 without references."""
        return self.hypothesis_length / self.reference_length if self.reference_length else 0.0


def sacrebleu(
    row: Sequence[int],
    smoothing: str = "exp",
    value: float | None = None,
    weights: Sequence[float] | None = None,
    effective_order: bool = False,
) -> Bleu:
    """BLEU as sacreBLEU 2 computes it from counts, by the same float operations.

    :param row: hypothesis length, reference length, clipped matches by order, n-grams by order
    :param smoothing: for orders without a match: ``exp``, ``floor``, ``add-k`` or ``none``. With ``none`` the score is
        also that of multi-bleu.perl
    :param value: what ``floor`` and ``add-k`` add, by default 0.1 and 1
    :param weights: of the orders, by default uniform
    :param effective_order: leave out the orders that the hypothesis is too short for, as for single sentences

    >>> sacrebleu([5, 5, 4, 2, 1, 0, 5, 4, 3, 2]).score
    42.72870063962342
    """
    if smoothing not in SMOOTHING_DEFAULTS:
        raise ValueError(f"unknown smoothing {smoothing!r}; use one of {', '.join(SMOOTHING_DEFAULTS)}")
    order = (len(row) - 2) // 2
    length, reference_length = row[0], row[1]
    matches, totals = list(row[2 : 2 + order]), list(row[2 + order :])
    penalty = 1.0
    if length < reference_length:
        penalty = math.exp(1 - reference_length / length) if length > 0 else 0.0
    precisions = [0.0] * order
    scored = order
    added = SMOOTHING_DEFAULTS[smoothing] if value is None else value
    if any(matches):
        halvings = 1.0
        for n in range(order):
            matched: float = matches[n]
            total: float = totals[n]
            if smoothing == "add-k" and n > 0:
                matched += added or 0
                total += added or 0
            if total == 0:
                break
            if effective_order:
                scored = n + 1
            if matched != 0:
                precisions[n] = 100.0 * matched / total
            elif smoothing == "exp":
                halvings *= 2
                precisions[n] = 100.0 / (halvings * total)
            elif smoothing == "floor":
                precisions[n] = 100.0 * (added or 0) / total
        score = penalty * math.exp(_mean_log(precisions[:scored], weights))
    else:
        score = 0.0
    return Bleu(score, tuple(precisions), penalty, length, reference_length, tuple(matches), tuple(totals))


def _mean_log(precisions: Sequence[float], weights: Sequence[float] | None) -> float:
    # sacreBLEU's logarithm of 0, which makes the score exactly 0
    logs = [math.log(precision) if precision != 0.0 else -9999999999 for precision in precisions]
    if weights is None:
        return sum(logs) / len(logs)
    used = weights[: len(logs)]
    mean = math.fsum(weight * log for weight, log in zip(used, logs, strict=True) if weight)
    if len(used) == len(weights):
        return mean
    if not math.fsum(used):
        raise ValueError("the weights of the orders that the segment is long enough for sum to 0, so they give no mean")
    return mean * math.fsum(weights) / math.fsum(used)
