"""NLTK's BLEU in plain Python floats, for one weight vector and any smoothing method."""

from __future__ import annotations

import math

from ..errors import CybleuError
from .segments import clipped_matches, segment_counts
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

    def sentences(
        self,
        list_of_references: Any,
        hypotheses: Any,
        weights: Any,
        smoothing_function: Any,
        auto_reweigh: Any,
        start: int,
        scores: Any,
    ) -> int:
        for position in range(start, len(scores)):
            number = self.sentence(
                list_of_references[position], hypotheses[position], weights, smoothing_function, auto_reweigh
            )
            if number is None:
                return position
            scores[position, 0] = number
        return len(scores)

    def rows(
        self, stats: Any, weights: Any, smoothing_function: Any, auto_reweigh: Any, start: int, scores: Any
    ) -> int:
        method = self._method(weights, smoothing_function, auto_reweigh)
        if method is None:
            return start
        order = stats.shape[1] // 2 - 1
        for position in range(start, len(scores)):
            length, reference_length, *counts = stats[position].tolist()
            matches, totals = counts[:order], counts[order:]

            def five_grams(matches: list[int] = matches, totals: list[int] = totals) -> Pair:
                return matches[4], totals[4] or 1

            number = self._score_counts(
                matches[: len(weights)],
                [total or 1 for total in totals[: len(weights)]],
                length,
                reference_length,
                weights,
                method,
                smoothing_function,
                auto_reweigh,
                range(length),
                five_grams,
            )
            if number is None:
                return position
            scores[position, 0] = number
        return len(scores)

    def _method(self, weights: Any, smoothing_function: Any, auto_reweigh: Any) -> int | None:
        """The number of the smoothing method, or None where an argument is of another kind."""
        plain_weights = type(weights) in (list, tuple) and all(type(weight) in (int, float) for weight in weights)
        if not plain_weights or not weights or type(auto_reweigh) is not bool:
            return None
        if smoothing_function is None:
            return 0
        return recognised(smoothing_function, self._smoothing_type, self._methods)

    def _score(
        self, list_of_references: Any, hypotheses: Any, weights: Any, smoothing_function: Any, auto_reweigh: Any
    ) -> float | None:
        method = self._method(weights, smoothing_function, auto_reweigh)
        if method is None:
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

        def five_grams() -> Pair:
            matched, total = clipped_matches(references, hypothesis, 5)
            return matched, total or 1

        return self._score_counts(
            matches,
            denominators,
            length,
            reference_length,
            weights,
            method,
            smoothing_function,
            auto_reweigh,
            hypothesis,
            five_grams,
        )

    def _score_counts(
        self,
        matches: list[int],
        denominators: list[int],
        length: int,
        reference_length: int,
        weights: Any,
        method: int,
        smoothing_function: Any,
        auto_reweigh: bool,
        hypothesis: Any,
        five_grams: Callable[[], Pair],
    ) -> float | None:
        if matches[0] == 0:
            return 0
        if auto_reweigh and length < 4 and weights == QUARTERS:
            weights = (1 / length,) * length
        if method == 0:
            for n, matched in enumerate(matches, start=1):
                if matched == 0:
                    self._warn(n)
        instance = getattr(smoothing_function, "__self__", None)
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
