"""Normalise, bound and sample weights."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from math import fsum, inf, isfinite
from typing import Any

from .._files.text import Naming, keyword, listed, shown
from .._runtime.arrays import Floats, floats_given, np
from .._runtime.numbers import as_number
from ..errors import FeatureError, WeightsError
from ..nbest.features import Weights
from .problem import Problem

NORMALISED = ("sum", "largest")


def normalised(weights: Mapping[str, float], how: str | None) -> dict[str, float]:
    """Divide weights by a positive number, which does not change the chosen hypotheses, except by rounding.

    :param weights: the weights by name
    :param how: ``sum`` divides by the sum of their absolute values, and ``largest`` by the largest absolute value; with
        None the weights are not divided
    :raises WeightsError: `how` is unknown, or the weights are not finite numbers by name

    >>> normalised({"lm": 1.0, "tm": -3.0}, "sum")
    {'lm': 0.25, 'tm': -0.75}
    """
    if how is not None and how not in NORMALISED:
        raise WeightsError(f"normalise is {how!r}; it must be one of {', '.join(NORMALISED)}, or None")
    numbers_by_name(weights, "the weights")
    sizes = [abs(weight) for weight in weights.values()]
    largest = max(sizes, default=0.0)
    if how is None or largest == 0.0:
        return dict(weights)
    # the sum of the largest floats overflows
    total = fsum(size / largest for size in sizes) if how == "sum" else 1.0
    return {name: weight / largest / total for name, weight in weights.items()}


def numbers_by_name(weights: Mapping[str, float], name: str) -> dict[str, float]:
    """Validate weights by name, and convert them to floats.

    :param name: the argument, for the message
    :raises WeightsError: these are not finite numbers by name
    """
    by_name = isinstance(weights, Mapping)
    numbers = {feature: as_number(weight) for feature, weight in weights.items()} if by_name else {}
    if not by_name or not all(map(isfinite, numbers.values())):
        raise WeightsError(f"{name} must be finite numbers by name, such as {{'lm': 0.5}}, not {weights!r}")
    return numbers


def check_normalised(
    how: str | None,
    bounds: Mapping[str, tuple[float, float]] | None,
    fixed: Mapping[str, float] | Collection[str],
    naming: Naming = keyword,
) -> None:
    """Check that tuned weights can be :func:`normalised` by this rule.

    :param how: see :func:`normalised`
    :param bounds: see :func:`tune`
    :param fixed: see :func:`tune`
    :param naming: see :meth:`cybleu.nbest.NBest.from_files`
    :raises WeightsError: `how` is unknown, or a bound or a fixed weight would not be kept

    >>> check_normalised("sum", {"lm": (0.0, float("inf"))}, ())
    """
    normalised({}, how)  # raises an error if `how` is unknown
    ends = bounds.values() if isinstance(bounds, Mapping) else ()
    if how and (fixed or any(end not in (0, inf, -inf) for pair in ends for end in np.ravel(pair).tolist())):
        raise WeightsError(
            f"normalised weights cannot be held at a number; leave out {naming('normalise')}, or {naming('fixed')} and "
            "the bounds that are not 0 or infinite"
        )


def checked_space(
    problem: Problem,
    start: Weights | None,
    bounds: Mapping[str, tuple[float, float]] | None,
    fixed: Mapping[str, float] | Collection[str],
) -> tuple[Floats, Floats, Floats]:
    """Validate bounds and fixed weights; return the smallest and largest weights, and the start.

    They are equal for sparse features and those that are fixed.
    """
    dense = problem.nbest.names
    names = problem.nbest.all_names
    if not dense:
        raise FeatureError("all features of the list are sparse; tune their weights with kbmira or pro")
    # a str would be read as a list of letters
    if isinstance(fixed, str):
        fixed = [fixed]
    if not isinstance(fixed, Iterable) or not isinstance(bounds, (Mapping, type(None))):
        raise FeatureError("bounds must be by name, and fixed a list of names, or weights by name")
    vector = problem.start(start)
    low = np.full(len(names), -inf)
    high = np.full(len(names), inf)
    for given, known in ((bounds or (), dense), (fixed, names)):
        for name in given:
            if name not in known:
                raise FeatureError(f"there is no feature {shown(name)}; there are {listed(known)}")
    for name, ends in (bounds or {}).items():
        place = names.index(name)
        pair = floats_given(ends, f"the bounds of {shown(name)}")
        if pair.shape != (2,) or not pair[0] <= pair[1] or pair[0] == inf or pair[1] == -inf:
            raise WeightsError(
                f"the bounds of {shown(name)} are {' and '.join(map(str, np.ravel(ends).tolist()))}; give the smallest "
                "and the largest weight"
            )
        low[place], high[place] = pair
        if start is None:
            # the default start, moved into the bounds
            vector[place] = min(max(1.0, low[place]), high[place])
    if isinstance(fixed, Mapping):
        for name, weight in numbers_by_name(fixed, "fixed").items():
            vector[names.index(name)] = weight
    # only the first one
    for place in np.flatnonzero((vector < low) | (vector > high)).tolist():
        raise WeightsError(
            f"the start weight of {shown(names[place])} is {vector[place]}, out of its bounds {low[place]} to "
            f"{high[place]}"
        )
    if not vector.any():
        raise WeightsError("all start weights are 0, by which all hypotheses are equal; give at least one that is not")
    # line searches order hypotheses along each axis, which sparse features are too many for
    held = [*map(names.index, fixed), *range(len(dense), len(names))]
    low[held] = high[held] = vector[held]
    return low, high, vector


def random_start(
    generator: np.random.Generator,
    vector: Any,
    low: Any,
    high: Any,
    count: int,
    ends: tuple[float, float] | None = None,
) -> Floats:
    """Draw random weights, by default from 0 to the largest absolute weight of the start.

    :param vector: the start; a weight of 0 is drawn on both sides of 0
    :param count: the number of dense features, the first ones
    :param ends: the range of all weights
    """
    largest = np.abs(vector[:count]).max() or 1.0
    smallest, most = ends or (np.where(vector > 0, 0.0, -largest), np.where(vector < 0, 0.0, largest))
    bottom = np.clip(smallest, low, high)
    top = np.clip(most, low, high)
    # bounds outside the range would clip it to a single number, so that there would be no choice
    lost = (bottom == top) & (low < high) & (smallest < most)
    with np.errstate(over="ignore"):
        lowest = np.where(np.isfinite(low), low, np.minimum(-largest, high - largest))
        highest = np.where(np.isfinite(high), high, np.maximum(largest, low + largest))
    bottom = np.where(lost, np.nan_to_num(lowest), bottom)
    top = np.where(lost, np.nan_to_num(highest), top)
    drawn = 2 * (bottom / 2 + generator.random(len(vector)) * (top / 2 - bottom / 2))  # the halves do not overflow
    weights: Floats = np.minimum(np.maximum(drawn, low), high)
    return weights if weights.any() else np.asarray(vector, dtype=np.float64)
