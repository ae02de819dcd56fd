"""NLTK's BLEU in plain Python floats, for one weight vector and any smoothing method."""

from __future__ import annotations

import math

from ..errors import CybleuError
from .counting import clipped_matches, segment_counts
from .smoothing import recognised, smoothed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .smoothing import Pair

QUARTERS = (0.25, 0.25, 0.25, 0.25)


class Scorer:
    """The common scores from Python lists; see the class of this name in :mod:`cybleu._kernels`."""

    def __init__(self, smoothing_type: type, methods: Sequence[Callable[..., Any]], warn: Callable[[int], None]):
        self._smoothing_type = smoothing_type
        self._methods = tuple(methods)
        self._warn = warn

    def sentence(
        self, references: Any, hypothesis: Any, weights: Any, smoothing_function: Any, auto_reweigh: Any
    ) -> float | None:
        return self._score([references], [hypothesis], weights, smoothing_function, auto_reweigh)

    def corpus(
        self, list_of_references: Any, hypotheses: Any, weights: Any, smoothing_function: Any, auto_reweigh: Any
    ) -> float | None:
        if type(list_of_references) not in (list, tuple) or type(hypotheses) not in (list, tuple):
            return None
        if len(list_of_references) != len(hypotheses) or not hypotheses:
            return None
        return self._score(list_of_references, hypotheses, weights, smoothing_function, auto_reweigh)

    def _score(
        self, list_of_references: Any, hypotheses: Any, weights: Any, smoothing_function: Any, auto_reweigh: Any
    ) -> float | None:
        method = (
            0 if smoothing_function is None else recognised(smoothing_function, self._smoothing_type, self._methods)
        )
        instance = getattr(smoothing_function, "__self__", None)
        plain_weights = type(weights) in (list, tuple) and all(type(weight) in (int, float) for weight in weights)
        if method is None or not plain_weights or not weights or type(auto_reweigh) is not bool:
            return None
        for references, hypothesis in zip(list_of_references, hypotheses):
            if not self._is_plain(references, hypothesis):
                return None
        order = len(weights)
        matches = [0] * order
        denominators = [0] * order
        length = reference_length = 0
        for references, hypothesis in zip(list_of_references, hypotheses):
            try:
                row = segment_counts(references, hypothesis, order)
            except CybleuError:
                return None  # the general path says it with the number of the segment
            length += row[0]
            reference_length += row[1]
            for n in range(order):
                matches[n] += row[2 + n]
                denominators[n] += max(1, row[2 + order + n])
        if matches[0] == 0:
            return 0
        if auto_reweigh and length < 4 and weights == QUARTERS:
            weights = (1 / length,) * length
        if method == 0:
            for n in range(order):
                if matches[n] == 0:
                    self._warn(n + 1)

        def five_grams() -> Pair:
            matched, total = clipped_matches(references, hypothesis, 5)
            return matched, total or 1

        precisions = smoothed(method, instance, matches, denominators, length, hypothesis, five_grams)
        if precisions is None:
            return None
        total = math.fsum(
            weight * math.log(precision) for weight, precision in zip(weights, precisions) if precision > 0
        )
        penalty = 1.0 if length > reference_length else math.exp(1 - reference_length / length)
        return penalty * math.exp(total)

    @staticmethod
    def _is_plain(references: Any, hypothesis: Any) -> bool:
        return (
            type(references) in (list, tuple)
            and len(references) > 0
            and type(hypothesis) in (list, tuple)
            and all(type(reference) in (list, tuple) for reference in references)
        )
