"""The F-score of chrF (Popović 2015, 2017), as sacreBLEU computes it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_EPSILON = 1e-16


def f_score(row: Sequence[int], beta: float, eps_smoothing: bool) -> float:
    """Return the score of a row, from 0 to 100, by the float operations of sacreBLEU in the same order.

    :param row: for each order the n-grams of the hypothesis, those of the reference, and the matches
    :param beta: the weight of recall relative to precision
    :param eps_smoothing: average the F-scores of the orders, instead of precisions and recalls
    """
    factor = beta**2
    scores = precisions = recalls = 0.0
    effective = 0
    for of_hypothesis, of_reference, shared in zip(row[::3], row[1::3], row[2::3]):
        precision = shared / of_hypothesis if of_hypothesis > 0 else _EPSILON
        recall = shared / of_reference if of_reference > 0 else _EPSILON
        both = factor * precision + recall
        scores += (1 + factor) * precision * recall / both if both > 0 else _EPSILON
        if of_hypothesis > 0 and of_reference > 0:
            precisions += precision
            recalls += recall
            effective += 1
    if eps_smoothing:
        return 100 * scores / (len(row) // 3)
    if not effective:
        return 0.0
    precisions /= effective
    recalls /= effective
    both = factor * precisions + recalls
    if not (precisions + recalls and both):
        return 0.0
    return 100 * ((1 + factor) * precisions * recalls / both)
