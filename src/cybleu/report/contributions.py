"""Contributions of the orders and the brevity penalty to the difference of two scores."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .._runtime.scales import percent
from ..metrics import Bleu, BleuScore
from .figures import Contributions


def contributions(metric: Bleu, first: BleuScore, second: BleuScore) -> Contributions | None:
    """Compute the parts of a difference; None if a score is 0, or is not a product of a penalty and precisions."""
    both = [_logarithms(metric, score) for score in (first, second)]
    if both[0] is None or both[1] is None:
        return None
    high, low = (float(percent(score.score, metric.scale)) for score in (first, second))
    mean = high if high == low else (high - low) / (math.log(high) - math.log(low))
    penalty, *orders = (mean * (one - other) for one, other in zip(both[0], both[1]))
    return Contributions(high - low, penalty, tuple(orders))


def mean_of(parts: Sequence[Contributions | None]) -> Contributions | None:
    """Return the mean of the contributions of several pairs of runs."""
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or not known:
        return None
    return Contributions(
        math.fsum(part.difference for part in known) / len(known),
        math.fsum(part.penalty for part in known) / len(known),
        tuple(math.fsum(order) / len(known) for order in zip(*(part.orders for part in known))),
    )


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
