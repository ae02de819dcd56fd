"""One pass of batch MIRA over the segments."""

from __future__ import annotations

from math import exp, inf, log

from .._runtime.interrupts import look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .feature_rows import FeatureRows


def mira_pass(
    rows: FeatureRows,
    offsets: Any,
    order: Any,
    stats: Any,
    fixed: Any,
    shares: Any,
    background: Any,
    weights: Any,
    lag: Any,
    updates: int,
    step: float,
    decay: float,
    safe_hope: float,
    model_background: bool,
) -> int:
    """Compare hope and fear of each segment in turn, and move the weights; the number of segments since the start.

    :param order: of the segments
    :param stats: rows of BLEU; or None and `fixed`, the gain of each hypothesis
    :param shares: of the n-gram orders, None where they are uniform
    :param background: a row that grows, changed in place, as are the weights
    :param lag: weights - lag / updates is the average of the weights after each segment
    :param safe_hope: at most so many times the gain counts the value in choosing hope; 0 is no limit
    """
    w, behind, row = weights.tolist(), lag.tolist(), background.tolist()
    parts = None if shares is None else shares.tolist()
    for segment in order.tolist():
        look()
        first, last = int(offsets[segment]), int(offsets[segment + 1])
        values = [rows.value(w, hypothesis) for hypothesis in range(first, last)]
        if stats is None:
            gains = fixed[first:last].tolist()
        else:
            counts = stats[first:last].tolist()
            gains = [_bleu([old + new for old, new in zip(row, own)], parts) for own in counts]
        hope = _highest([value + gain for value, gain in zip(values, gains)])
        if safe_hope > 0 and abs(values[hope]) > 1e-8:
            scale = safe_hope * abs(gains[hope]) / abs(values[hope])
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
                size = min(step, loss / norm)
                for column, change in difference:
                    w[column] += size * change
                    behind[column] += updates * (size * change)
        if stats is not None:
            taken = counts[_highest(values) if model_background else hope]
            row = [decay * old + new for old, new in zip(row, taken)]
        updates += 1
    weights[:], lag[:], background[:] = w, behind, row
    return updates


def _highest(numbers: list[float]) -> int:
    """The place of the first of the highest."""
    return max(range(len(numbers)), key=numbers.__getitem__)


def _bleu(row: list[float], shares: list[float] | None) -> float:
    """BLEU of a row, times the length of its references."""
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
