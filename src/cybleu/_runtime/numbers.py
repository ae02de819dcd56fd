"""Numbers that somebody gives."""

from __future__ import annotations

from collections.abc import Mapping, Set
from math import isfinite, isnan, nan

from ..errors import StatisticsError
from .sequences import refuse_masked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..errors import CybleuError


def check_whole(number: Any, name: str, least: int, most: int | None = None, *, error: type[CybleuError]) -> None:
    """:raises CybleuError: the number is no int from `least` to `most`; of the class that is given"""
    if type(number) is not int or number < least or (most is not None and number > most):
        to = "" if most is None else f" to {most}"
        raise error(f"{name} is {number!r}; it must be a whole number from {least}{to}")


def as_number(value: Any) -> float:
    """The number as a float; NaN, which is in no range, where it is none or one that no float holds."""
    try:
        return nan if isinstance(value, (str, bytes, bytearray)) else float(value)
    except (TypeError, ValueError, OverflowError):
        return nan


def finite_numbers(values: Any, name: str) -> tuple[float, ...] | None:
    """The numbers as floats; None where this is no sequence of finite ones.

    :raises ArrayTypeError: numbers are masked
    """
    refuse_masked(values, name)
    if isinstance(values, (str, bytes, bytearray, Mapping, Set)):
        return None
    try:
        given = tuple(values)
        numbers = tuple(map(float, given))
    except (TypeError, ValueError, OverflowError):
        return None
    are_numbers = not any(isinstance(value, (str, bytes, bytearray)) for value in given)
    return numbers if are_numbers and all(map(isfinite, numbers)) else None


def score_given(found: Any, row: Sequence[int]) -> float:
    """What a metric gives for a row, as a float.

    :raises StatisticsError: it is no number
    """
    try:
        number = float(found)
    except (TypeError, ValueError, OverflowError):
        number = nan
    if isnan(number):
        raise StatisticsError(
            f"the metric gives {found!r} for the row {list(row)}; it must give a number for every row"
        )
    return number
