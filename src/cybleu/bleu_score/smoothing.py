"""NLTK's smoothing methods, on precisions as fractions."""

from __future__ import annotations

import sys

from .. import bleu_score
from .._definitions.bleu import halved_by_length, smoothed
from ..errors import OrderError, SmoothingParameterError, ZeroPrecisionError
from .no_match import warn_no_match
from .parts import modified_precision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any


class SmoothingFunction:
    """The smoothing techniques of Chen and Cherry (2014), "A systematic comparison of smoothing techniques for
    sentence-level BLEU", as NLTK numbers and computes them.

    Pass one of its methods, not the object, as `smoothing_function`. A method takes the list of precisions, as
    fractions with `numerator` and `denominator`, and returns the smoothed list. Methods 3 to 7 modify the list in
    place. Methods 4 to 7 also require `references`, `hypothesis` and its length `hyp_len`, which the scoring functions
    pass as keyword arguments.

    :param epsilon: the number of matches that method 1 assumes for an order without a match
    :param alpha: the weight of the prior in method 6
    :param k: the divisor in method 4

    >>> sentence_bleu([["a", "b", "c", "d"]], ["a", "b", "c", "e"], smoothing_function=SmoothingFunction().method2)
    0.6580370064762462
    """

    def __init__(self, epsilon: float = 0.1, alpha: float = 5, k: float = 5):
        self.epsilon = epsilon
        self.alpha = alpha
        self.k = k

    def method0(self, p_n: Sequence[Any], *args: Any, **kwargs: Any) -> list[Any]:
        """Do not smooth: warn of an order without a match, and replace its precision by the smallest positive float."""
        _warn_of_zeros(precision.numerator for precision in p_n)
        return [precision if precision.numerator != 0 else sys.float_info.min for precision in p_n]

    def method1(self, p_n: Sequence[Any], *args: Any, **kwargs: Any) -> list[Any]:
        """Count `epsilon` matches for an order without a match."""
        return [
            precision if precision.numerator != 0 else (precision.numerator + self.epsilon) / precision.denominator
            for precision in p_n
        ]

    def method2(self, p_n: Sequence[Any], *args: Any, **kwargs: Any) -> list[Any]:
        """Add 1 to the matches and n-grams of every order except the first (Lin and Och 2004)."""
        return [
            bleu_score.Fraction(precision.numerator + 1, precision.denominator + 1) if n > 0 else precision
            for n, precision in enumerate(p_n)
        ]

    def method3(self, p_n: list[Any], *args: Any, **kwargs: Any) -> list[Any]:
        """Count 1 / 2**k matches for the k-th order without a match (NIST's mteval-v13a)."""
        zeros = 0
        for n, precision in enumerate(p_n):
            if precision.numerator == 0:
                zeros += 1
                p_n[n] = 1 / (2**zeros * precision.denominator)
        return p_n

    def method4(
        self, p_n: list[Any], references: Any, hypothesis: Any, hyp_len: int | None = None, *args: Any, **kwargs: Any
    ) -> list[Any]:
        """Smooth like method 3, but with fewer matches for shorter hypotheses.

        The j-th order without a match has log(length) / (2**j * k) matches.
        """
        length = hyp_len if hyp_len else len(hypothesis)
        zeros = 0
        for n, precision in enumerate(p_n):
            if precision.numerator == 0 and length > 1:
                zeros += 1
                p_n[n] = halved_by_length(zeros, self.k, length) / precision.denominator
        return p_n

    def method5(
        self, p_n: list[Any], references: Any, hypothesis: Any, hyp_len: int | None = None, *args: Any, **kwargs: Any
    ) -> list[Any]:
        """Replace each precision by the mean of itself, the smoothed previous precision and the next precision.

        The precision before the first one is the first precision plus 1. The precision after the last one is the 5-gram
        precision of the given segment.
        """
        following = [*p_n[1:], modified_precision(references, hypothesis, 5)]
        previous = p_n[0] + 1
        for n, precision in enumerate(p_n):
            previous = p_n[n] = (previous + precision + following[n]) / 3
        return p_n

    def method6(
        self, p_n: list[Any], references: Any, hypothesis: Any, hyp_len: int | None = None, *args: Any, **kwargs: Any
    ) -> list[Any]:
        """Interpolate the precisions of orders 3 and higher with a prior (Gao and He 2013).

        The prior is p(n-1)**2 / p(n-2). It has the weight of `alpha` n-grams.

        :raises OrderError: there are fewer than 3 orders
        :raises ZeroPrecisionError: the trigram precision is 0
        """
        if len(p_n) < 3:
            raise OrderError(f"method6 requires weights for at least 3 n-gram orders, not {len(p_n)}")
        if not p_n[2]:
            raise ZeroPrecisionError(
                "method6 requires a trigram match, but there is none; use another method, such as method1"
            )
        length = len(tuple(hypothesis))
        for n, precision in enumerate(p_n):
            if n < 2:
                continue
            before, before_that = p_n[n - 1], p_n[n - 2]
            prior = 0 if before_that == 0 else before**2 / before_that
            ngrams = max(0, length - n)
            if ngrams + self.alpha == 0:
                raise SmoothingParameterError(
                    f"method6 with alpha={self.alpha} divides by zero: the hypothesis has {ngrams} n-grams of order "
                    f"{n + 1}; use an alpha above 0"
                )
            p_n[n] = (precision.numerator + self.alpha * prior) / (ngrams + self.alpha)
        return p_n

    def method7(
        self, p_n: list[Any], references: Any, hypothesis: Any, hyp_len: int | None = None, *args: Any, **kwargs: Any
    ) -> list[Any]:
        """Apply method 4, then method 5."""
        return self.method5(self.method4(p_n, references, hypothesis, hyp_len), references, hypothesis, hyp_len)


def nltk_3_2(p_n: Sequence[Any], *args: Any, **kwargs: Any) -> list[Any]:
    """Skip orders without a match, as NLTK did up to version 3.2.

    The remaining orders get the first weights, so scores are higher than in later versions. Use this function as
    `smoothing_function` to reproduce the scores of tutorials from that time.

    :param p_n: the precisions, which the scoring function passes
    :return: the precisions above 0

    >>> sentence_bleu([["it", "is", "ship"]], ["it", "ship"], smoothing_function=nltk_3_2)
    0.6065306597126334
    """
    return [precision for precision in p_n if precision.numerator != 0]


def _warn_of_zeros(matches: Iterable[int]) -> None:
    unmatched = sum([1 << n for n, matched in enumerate(matches) if matched == 0])
    if unmatched:
        warn_no_match(unmatched)


# The kernels number them in this order. Methods 5 to 7 require the segment; `cli/texts.py` and `pairwise.py` name them.
METHODS = tuple(getattr(SmoothingFunction, f"method{number}") for number in range(8))


def method_number(smoothing_function: Any) -> int | None:
    """Return the number of this method of a SmoothingFunction; None for methods of subclasses and other callables."""
    function = getattr(smoothing_function, "__func__", None)
    if type(getattr(smoothing_function, "__self__", None)) is not SmoothingFunction:
        return None
    return next((number for number, method in enumerate(METHODS) if method is function), None)


def smoothed_counts(
    smoothing_function: Any, matches: Sequence[int], denominators: Sequence[int], length: int
) -> list[Any] | None:
    """Apply method 0 to 4 to counts, which is faster than to fractions; None if fractions are required."""
    number = method_number(smoothing_function)
    if number is None or number > 4 or (number == 4 and length < 2):  # which smooths nothing, so k does not matter
        return None
    if number == 0:
        _warn_of_zeros(matches)
    kind, parameter = _DEFINITIONS[number]
    # The parameter is read only where it is used, as in NLTK, so that a mistaken one is an error only there.
    value = getattr(smoothing_function.__self__, parameter) if parameter and 0 in matches else 1
    return smoothed(kind, matches, denominators, value, 1, length)


# the smoothings of BLEU's definitions that are methods 0 to 4, each with the attribute of its parameter
_DEFINITIONS = (("tiny", None), ("floor", "epsilon"), ("add-k", None), ("exp", None), ("exp-by-length", "k"))
