"""NLTK's smoothing methods on counts: precisions as plain floats.

The methods of :class:`cybleu.bleu_score.SmoothingFunction` compute the same on fractions, which is slower than counting.
Where they are exact, rational numbers here are pairs of ints, (numerator, denominator), which are not reduced. A single
correctly rounded division converts them to floats, as for fractions.
"""

from __future__ import annotations

from .._mirror.scoring.definitions import SMOOTHINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Sequence
    from typing import Any, TypeAlias

    Pair: TypeAlias = tuple[int, int]


def recognised(smoothing_function: Any, smoothing_type: type, methods: Sequence[Callable[..., Any]]) -> int | None:
    """Return the number of this method of SmoothingFunction; None for other callables and replaced methods."""
    instance = getattr(smoothing_function, "__self__", None)
    function = getattr(smoothing_function, "__func__", None)
    if type(instance) is not smoothing_type:
        return None
    for number, method in enumerate(methods):
        if function is method:
            parts = (4, 5) if number == 7 else ()
            for part in parts:
                called = getattr(instance, f"method{part}", None)
                if getattr(called, "__func__", None) is not methods[part]:
                    return None
                if getattr(called, "__self__", None) is not instance:
                    return None
            return number
    return None


def smoothed(
    method: int,
    instance: Any,
    matches: Sequence[int],
    denominators: Sequence[int],
    length: int,
    hypothesis: Collection[Hashable],
    five_grams: Callable[[], Pair],
) -> list[float] | None:
    """Return the precisions after `method` 0 to 7, or None if fractions must compute them, or raise their error.

    :param length: the sum of the hypothesis lengths
    :param hypothesis: the last hypothesis, whose n-grams method 6 counts
    :param five_grams: a function that returns the clipped 5-gram matches and 5-grams of the last segment, for methods 5 and 7
    """
    if method in (4, 7):
        k = getattr(instance, "k", None)
        if type(k) not in (int, float) or k == 0:
            return None
    if method < 5:
        return _floats(method, instance, matches, denominators, length)
    pairs = list(zip(matches, denominators))
    if method == 6:
        interpolated = _interpolated(pairs, getattr(instance, "alpha", None), hypothesis)
        return None if interpolated is None else [top / bottom for top, bottom in interpolated]
    if method == 7 and 0 in matches and length > 1:
        return _averaged_floats(_floats(4, instance, matches, denominators, length), pairs, five_grams())
    return _averaged(pairs, five_grams())


def _floats(method: int, instance: Any, matches: Sequence[int], denominators: Sequence[int], length: int) -> list[Any]:
    """Methods 0 to 4."""
    kind, parameter = _SMOOTHINGS[method]
    value = getattr(instance, parameter) if parameter and 0 in matches else 1
    return SMOOTHINGS[kind](matches, denominators, value, 1, length)


# The smoothings of BLEU's definitions that methods 0 to 4 correspond to, each with the attribute of its parameter.
_SMOOTHINGS = (("tiny", None), ("floor", "epsilon"), ("add-k", None), ("exp", None), ("exp-by-length", "k"))


def _averaged(precisions: list[Pair], after_the_last: Pair) -> list[float]:
    """Apply method 5 to rational numbers."""
    top, bottom = precisions[0]
    top += bottom
    averages = []
    for (matched, total), (next_matched, next_total) in zip(precisions, [*precisions[1:], after_the_last]):
        common = total * next_total
        top = top * common + bottom * (matched * next_total + next_matched * total)
        bottom *= 3 * common
        averages.append(top / bottom)
    return averages


def _averaged_floats(smoothed: list[float], pairs: list[Pair], after_the_last: Pair) -> list[float]:
    """Apply method 5 if orders without a match are already floats. A sum is exact until it includes a float."""
    precisions: list[Pair | float] = [pair if pair[0] > 0 else precision for pair, precision in zip(pairs, smoothed)]
    previous = _add(precisions[0], (1, 1))
    averages = []
    for precision, following in zip(precisions, [*precisions[1:], after_the_last]):
        previous = _add(_add(previous, precision), following)
        previous = (previous[0], previous[1] * 3) if isinstance(previous, tuple) else previous / 3
        averages.append(_float(previous))
    return averages


def _interpolated(precisions: list[Pair], alpha: Any, hypothesis: Collection[Hashable]) -> list[Pair] | None:
    """Apply method 6 if it is defined and `alpha` is an int, so that every step is rational.

    The number of digits doubles with every order, so for more than a few orders reduced fractions are faster.
    """
    if type(alpha) is not int or alpha <= 0 or not 3 <= len(precisions) <= 6 or precisions[2][0] == 0:
        return None
    ngrams = len(tuple(hypothesis)) - 1
    for n in range(2, len(precisions)):
        ngrams -= 1
        (top, bottom), (older_top, older_bottom) = precisions[n - 1], precisions[n - 2]
        if older_top == 0:
            return None
        prior_top, prior_bottom = top * top * older_bottom, bottom * bottom * older_top
        numerator = precisions[n][0] * prior_bottom + alpha * prior_top
        denominator = prior_bottom * (max(0, ngrams) + alpha)
        precisions[n] = numerator, denominator
    return precisions


def _add(first: Pair | float, second: Pair | float) -> Pair | float:
    if isinstance(first, tuple) and isinstance(second, tuple):
        return first[0] * second[1] + second[0] * first[1], first[1] * second[1]
    return _float(first) + _float(second)


def _float(number: Pair | float) -> float:
    return number[0] / number[1] if isinstance(number, tuple) else number
