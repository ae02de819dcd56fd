"""Reranking: swaps for a corpus oracle, and expected utilities."""

from __future__ import annotations

import math
from fractions import Fraction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..scoring.definitions import Definition


def swap_pass(
    definition: Definition, stats: Any, offsets: Any, order: Any, chosen: Any, highest: bool
) -> tuple[int, float]:
    """See the function of this name in :mod:`cybleu._kernels`."""
    rows = stats.tolist()
    total = [sum(column) for column in zip([0] * stats.shape[1], *(rows[row] for row in chosen if row >= 0))]
    sign = 1 if highest else -1

    def score(row: list[int]) -> float:
        return definition.evaluate(row, [0] * definition.order)[0]

    swaps = 0
    for segment in order.tolist():
        now = int(chosen[segment])
        if now < 0:
            continue
        others = [sum_ - count for sum_, count in zip(total, rows[now])]
        sums = {
            row: [sum_ + count for sum_, count in zip(others, rows[row])]
            for row in range(offsets[segment], offsets[segment + 1])
        }
        scores = {row: sign * score(sums[row]) for row in sums}
        found = max(scores, key=scores.__getitem__)  # the first of several maxima
        if scores[found] > scores[now]:
            chosen[segment], total = found, sums[found]
            swaps += 1
    return swaps, score(total)


def weighted_sums(scores: Any, weights: Any, sums: Any, start: int) -> int:
    """See the function of this name in :mod:`cybleu._kernels`."""
    shares = weights.tolist()
    for i in range(start, len(sums)):
        row = scores[i].tolist()
        if all(map(math.isfinite, row + shares)):
            sums[i] = float(
                sum([Fraction(score) * Fraction(share) for score, share in zip(row, shares) if score and share])
            )
        else:
            sums[i] = math.fsum([score * share for score, share in zip(row, shares)])
    return len(sums)
