"""BLEU of a row of statistics by the rules of any tool, and its smoothings."""

from __future__ import annotations

import math
import struct
import sys
from itertools import accumulate

from ..errors import EmptyHypothesisError, SmoothingParameterError, StatisticsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    Precisions = list[float | None]


ROUNDED = 0.015  # as far as weights such as 0.33, 0.33, 0.33 are from 1


def remark_on_weights(weights: Sequence[float]) -> str | None:
    """Return what is unusual about the weights of n-gram orders; None if they are from 0 and add up to about 1."""
    total = math.fsum(weights)
    if min(weights, default=0) < 0:
        return f"the weight {min(weights):g} is negative, so more matches of its order lower the score"
    if abs(total - 1) > ROUNDED:
        return f"the weights add up to {total:g}, not 1, so the score is not on the usual scale"
    return None


# ---------------------------------------------------------------------------------------------------------- smoothing
SMOOTHINGS = (
    "none tiny skip floor add-k add-all exp exp-by-length float32 reciprocal floor-of-one add-one-to-one tiny-over-small "
    "add-logs"
).split()
AT_LEAST_ONE = {"float32", "reciprocal", "floor-of-one", "add-one-to-one"}  # n-grams of an order
ADDS_FROM = {"add-all": 0, "add-k": 1, "add-one-to-one": 1, "add-logs": 1}  # the orders from this one on, less one
# constants of coco-caption
TINY = 1e-15
SMALL = 1e-9
LEAST = sys.float_info.min


def halved_by_length(zeros: int, k: float, length: int) -> float:
    """Return the smoothed count of the `zeros`-th order without a match (NLTK's method 4, Chen and Cherry 2014)."""
    divisor: float = 2**zeros * k / math.log(length)
    if divisor == 0:
        raise SmoothingParameterError(f"method4 with k={k} divides by zero; use another k")
    return 1 / divisor


def _rounded(number: float) -> float:
    """Round to single precision."""
    rounded: float = struct.unpack("f", struct.pack("f", number))[0]
    return rounded


def smoothed(
    smoothing: str, matches: Sequence[int], totals: Sequence[int], value: Any, scale: float, length: int
) -> Precisions:
    """Return the precisions from the matches and n-grams of the orders, the parameter, and the hypothesis length.

    An order without n-grams is None unless smoothing replaces it; the definition handles it.
    """
    precisions: Precisions = []
    zeros = 0
    adds_from = ADDS_FROM.get(smoothing, len(matches))
    for n, (matched, total) in enumerate(zip(matches, totals)):
        top = matched
        bottom = max(1, total) if smoothing in AT_LEAST_ONE else total
        if n >= adds_from:
            top += value
            bottom += value
        if matched:
            precisions.append(_divided(smoothing, top, bottom, scale))
        elif smoothing == "skip":
            continue
        elif smoothing == "tiny":
            precisions.append(scale * LEAST)
        elif smoothing == "exp" and total:
            zeros += 1
            precisions.append(scale / (2**zeros * total))
        elif smoothing == "exp-by-length" and total and length > 1:
            zeros += 1
            precisions.append(scale * halved_by_length(zeros, value, length) / total)
        elif smoothing in ("floor", "floor-of-one"):
            precisions.append(_divided(smoothing, value, bottom, scale))
        else:
            precisions.append(_divided(smoothing, top, bottom, scale))
    return precisions


def _divided(smoothing: str, top: float, bottom: float, scale: float) -> float | None:
    """Divide by the float operations of the tool that smooths in this way; None if there is no n-gram."""
    if smoothing == "float32":
        return scale * _rounded(_rounded(1 / bottom) * top)
    if smoothing == "reciprocal":
        return scale * (1 / bottom * top)
    if smoothing == "add-logs":
        return scale * ((top + LEAST) / (bottom + LEAST))
    if smoothing == "tiny-over-small":
        return scale * ((top + TINY) / (bottom + SMALL))
    return scale * top / bottom if bottom else None


# --------------------------------------------------------------------------------------------------------- definition


def _mean_of_log_differences(matches: Sequence[int], totals: Sequence[int]) -> float:
    """Return the mean of log(matches) - log(n-grams), with 1 added to both from order 2 on (CodeXGLUE)."""
    logs = 0.0
    for n, (matched, total) in enumerate(zip(matches, totals)):
        more = int(n > 0)
        logs += math.log(matched + more + LEAST) - math.log(total + more + LEAST)
    return logs / float(len(matches))


def refuse_failure(rules: Any, row: Sequence[int], penalty: float) -> None:
    """Raise the error for lengths on which the tool itself fails, where it does so.

    :raises EmptyHypothesisError: the tool fails on texts of these lengths
    """
    if rules.fails == "never":  # of single sentences, where the script prints no logarithm
        return
    length = row[0]
    reference_length = row[1]
    empty_hypothesis_alone = rules.fails == "empty-hypothesis"
    if not reference_length and not empty_hypothesis_alone:
        problem = f"the references have no token, and {rules.name} divides by their number"
    elif not length and (reference_length or not empty_hypothesis_alone):
        problem = f"the hypotheses have no token, and {rules.name} divides by their number"
    elif not penalty and rules.fails == "no-penalty":
        problem = f"the brevity penalty is 0, and {rules.name} takes its logarithm"
    else:
        return
    raise EmptyHypothesisError(f"{problem}; other variants give 0")


class Formula:
    """The score of a row by rules.

    :param rules: what :meth:`cybleu.metrics.Bleu.rules` returns; the kernels read its attributes, too
    """

    def __init__(self, rules: Any):
        self.order: int = rules.order
        self.rules = rules
        # multi-bleu.perl averages fractions and multiplies by the scale at the end
        of_fractions = rules.mean in ("fractions", "log-differences")
        self._scale: float = 1.0 if of_fractions else rules.scale
        self._times: float = rules.scale if of_fractions else 1.0
        if rules.weights is not None and rules.mean in ("product", "log-differences"):
            raise StatisticsError(f"the orders of {rules.name} have equal weights; leave weights out")
        if rules.effective_order and rules.mean == "log-differences":
            raise StatisticsError(f"{rules.name} scores all orders; leave effective_order out")

    def evaluate(self, row: Sequence[int]) -> tuple[float, list[float], float]:
        """Return the score, the precisions and the brevity penalty of a valid row."""
        length = row[0]
        reference_length = row[1]
        matches = row[2 : 2 + self.order]
        totals = row[2 + self.order :]
        if self.rules.short_segments_count:
            totals = [max(total, 1) for total in totals]
        penalty = self._brevity_penalty(length, reference_length + self.rules.penalty_adds)
        if (
            (not length and self.rules.empty_hypothesis != "scored")
            or (self.rules.no_match_at_all == "zero" and not any(matches))
            or (self.rules.no_match_at_all == "zero-in-any-order" and not all(matches))
        ):
            return 0.0, [0.0] * self.order, penalty
        smoothed, scored = self.smoothed(matches, totals, length)
        # such tools stop at the first order that has no n-gram
        if None in smoothed and self.rules.empty_order == "end":
            first = smoothed.index(None)
            smoothed[first:] = [0.0] * (len(smoothed) - first)
        of_empty = self._scale if self.rules.empty_order == "one" else 0.0
        precisions = [of_empty if precision is None else precision for precision in smoothed]
        if self.rules.mean == "log-differences":
            logs = _mean_of_log_differences(matches, totals)
            score = self._times * math.exp(logs + self._log_penalty(length, reference_length))
        else:
            score = self._times * (penalty * self._mean(precisions[:scored]))
        return score, [self._times * precision for precision in precisions], penalty

    def smoothed(self, matches: Sequence[int], totals: Sequence[int], length: int) -> tuple[Precisions, int]:
        """Return the precisions (None for an order without n-grams and smoothing) and the number of scored orders."""
        precisions = smoothed(self.rules.smoothing, matches, totals, self.rules.value, self._scale, length)
        if self.rules.effective_order and None in precisions:
            return precisions, precisions.index(None)
        return precisions, len(precisions)

    def _brevity_penalty(self, length: int, reference_length: float) -> float:
        if self.rules.penalty == "added-one":
            return math.exp(self._log_penalty(length, reference_length))
        if self.rules.penalty == "tiny-over-small":
            ratio = (length + TINY) / (reference_length + SMALL)
            return math.exp(1 - 1 / ratio) if ratio < 1 else 1.0
        if self.rules.penalty == "none" or length >= reference_length:
            return 1.0
        # the same penalty by other roundings
        if self.rules.penalty == "ratio":
            return math.exp(1 - 1.0 / (length / reference_length)) if length else 0.0
        return math.exp(1 - reference_length / length) if length else 0.0

    def _log_penalty(self, length: int, reference_length: float) -> float:
        return min(0, 1 - float(reference_length + 1) / (length + 1)) if self.rules.penalty == "added-one" else 0.0

    def weights_of(self, count: int) -> list[float]:
        """Return the weights for scoring only the first `count` orders."""
        if self.rules.weights is None:
            # weights of orders that smoothing skipped are not redistributed
            return [1 / (self.order if self.rules.smoothing == "skip" else count)] * count
        used = list(self.rules.weights[:count])
        if count < self.order and self.rules.mean != "exact":
            if not math.fsum(used):
                raise StatisticsError("the weights of the scored orders sum to 0, so they give no mean")
            used = [weight * math.fsum(self.rules.weights) / math.fsum(used) for weight in used]
        return used

    def _mean(self, precisions: Sequence[float]) -> float:
        """Combine the precisions of the scored orders into their mean, on the same scale."""
        count = len(precisions)
        if count == 0:
            return 0.0
        used = self.weights_of(count)
        if self.rules.mean == "product":
            product = math.prod([precision / self._scale for precision in precisions])
            return float(self._scale * product ** (1 / count))
        if self.rules.mean == "exact-or-zero":
            return 0.0 if min(precisions) <= 0 else self._weighted(zip(used, precisions))
        if self.rules.mean == "exact":
            return self._weighted((weight, p) for weight, p in zip(used, precisions) if p > 0)
        if self.rules.mean == "arithmetic":
            return math.fsum(weight * precision for weight, precision in zip(used, precisions))
        if any(precision <= 0 and weight for weight, precision in zip(used, precisions)):
            return 0.0
        if self.rules.weights is None:
            logs = [math.log(precision) for precision in precisions]
            if self.rules.mean == "shares":
                return math.exp(sum([1.0 / count * log for log in logs]))
            # the tool rounds at each step; `sum` is compensated from Python 3.12 on
            total = [*accumulate(logs)][-1] if self.rules.mean == "fractions" else sum(logs)
            return math.exp(total / count)
        return self._weighted((weight, p) for weight, p in zip(used, precisions) if weight)

    def _weighted(self, weights_and_precisions: Iterable[tuple[float, float]]) -> float:
        """Return the weighted mean on the scale, whatever the weights sum to."""
        scale: float = self._scale
        return scale * math.exp(
            math.fsum(weight * math.log(precision / scale) for weight, precision in weights_and_precisions)
        )
