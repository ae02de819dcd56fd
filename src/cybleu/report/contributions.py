"""Contributions of the orders and the brevity penalty to the difference of two scores."""

from __future__ import annotations

import math
from collections.abc import Iterable

from .._runtime.scales import percent
from ..metrics import Bleu, BleuScore
from .figures import Contributions


def contributions(metric: Bleu, pairs: Iterable[tuple[BleuScore, BleuScore]]) -> Contributions | None:
    """Compute the mean parts of differences; None if a score is 0, or is not a product of a penalty and precisions."""
    parts = []
    for first, second in pairs:
        ones, others = _logarithms(metric, first), _logarithms(metric, second)
        if ones is None or others is None:
            return None
        high, low = (float(percent(score.score, metric.scale)) for score in (first, second))
        mean = high if high == low else (high - low) / (math.log(high) - math.log(low))
        parts.append([high - low, *(mean * (one - other) for one, other in zip(ones, others))])
    difference, penalty, *orders = (math.fsum(part) / len(parts) for part in zip(*parts))
    return Contributions(difference, penalty, tuple(orders))


def _logarithms(metric: Bleu, score: BleuScore) -> list[float] | None:
    """Return the logarithm of the penalty, and the weighted logarithms of the precisions."""
    orders = len(score.precisions)
    weights = metric.weights or (1 / orders,) * orders
    precisions = [precision / metric.scale for precision in score.precisions]
    if score.score <= 0 or score.brevity_penalty <= 0 or min(precisions) <= 0:
        return None
    parts = [
        math.log(score.brevity_penalty),
        *(weight * math.log(precision) for weight, precision in zip(weights, precisions)),
    ]
    product = math.exp(math.fsum(parts))
    return parts if math.isclose(product, score.score / metric.scale, rel_tol=1e-9) else None
