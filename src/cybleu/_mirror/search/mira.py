"""A pass of batch MIRA over the segments."""

from __future__ import annotations

from math import exp, inf, log

from ..._runtime.interrupts import look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .feature_rows import FeatureRows


def mira_pass(
    rows: FeatureRows,
    offsets: Any,
    order: Any,
    metric: Any,
    weights: Any,
    lag: Any,
    updates: int,
    options: Any,
) -> int:
    """Update the weights by the hope and fear hypotheses of each segment, and return the total number of updates.

    :param order: order in which segments are visited
    :param metric: a :class:`cybleu.tuning.mira.Gains`, whose background is updated
    :param weights: modified in place
    :param options: a :class:`cybleu.tuning.mira.Options`
    :param lag: weights - lag / updates is the average of the weights after each segment
    """
    stats, fixed = metric.stats, metric.fixed
    w, behind, row = weights.tolist(), lag.tolist(), metric.background.tolist()
    parts = None if metric.shares is None else metric.shares.tolist()
    for segment in order.tolist():
        look()
        first, last = int(offsets[segment]), int(offsets[segment + 1])
        values = rows.values(w, first, last)
        if stats is None:
            assert fixed is not None
            gains = fixed[first:last].tolist()
        else:
            counts = stats[first:last].tolist()
            gains = [_bleu([old + new for old, new in zip(row, own)], parts) for own in counts]
        hope = _highest([value + gain for value, gain in zip(values, gains)])
        if options.safe_ratio > 0 and abs(values[hope]) > 1e-8:
            scale = options.safe_ratio * abs(gains[hope]) / abs(values[hope])
            if scale < 1:
                hope = _highest([scale * value + gain for value, gain in zip(values, gains)])
        fear = _highest([value - gain for value, gain in zip(values, gains)])
        delta = gains[hope] - gains[fear]
        if delta > 0:
            difference = rows.difference(first + hope, first + fear)
            norm = product = 0.0
            for column, change in difference:
                norm += change * change
                product += change * w[column]
            loss = delta - product
            if loss > 0 and norm > 0:
                size = min(options.step, loss / norm)
                for column, change in difference:
                    w[column] += size * change
                    behind[column] += updates * (size * change)
        if stats is not None:
            taken = counts[_highest(values) if options.model_background else hope]
            row = [options.decay * old + new for old, new in zip(row, taken)]
        updates += 1
    weights[:], lag[:], metric.background[:] = w, behind, row
    return updates


def _highest(numbers: list[float]) -> int:
    """Return the index of the first maximum."""
    return max(range(len(numbers)), key=numbers.__getitem__)


def _bleu(row: list[float], shares: list[float] | None) -> float:
    """Return the BLEU of a row times its reference length."""
    length, wanted = row[:2]
    order = len(row) // 2 - 1
    if not length > 0:
        return 0.0
    ratio, mean = 1.0, 0.0
    for n, (matches, total) in enumerate(zip(row[2 : 2 + order], row[2 + order :])):
        if shares is not None and shares[n] == 0:
            continue
        if not (matches > 0 and total > 0):
            return 0.0
        if shares is not None:
            mean += shares[n] * log(matches / total)
        else:
            ratio *= matches / total
    if shares is None:
        if not ratio > 0:
            return 0.0
        mean = log(ratio) / order
    if length < wanted:
        mean += 1 - wanted / length
    try:
        power = exp(mean)
    except OverflowError:
        power = inf
    return power * wanted
