"""Validate numeric arguments, and format counts."""

from __future__ import annotations

from collections.abc import Mapping, Set
from math import isfinite, nan
from numbers import Integral

from ..errors import SampleError, UnknownNameError
from .sequences import check_unmasked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container
    from typing import Any

    from ..errors import CybleuError

#: Bootstrap samples take 8 bytes each, and larger numbers of samples are impractically slow.
MOST_SAMPLES = 100_000_000

#: Restarts and passes over a whole list take longer than a sample.
MOST_REPEATS = 1_000_000


def check_whole(number: Any, name: str, least: int, most: int | None = None, *, error: type[CybleuError]) -> int:
    """Validate a whole number in a range, and return it as an int, since numbers of NumPy overflow.

    :raises CybleuError: the value is not a whole number from `least` to `most`; `error` is its class
    """
    whole = isinstance(number, Integral) and not isinstance(number, bool)
    if not whole or number < least or (most is not None and number > most):
        to = "" if most is None else f" to {most:,}"
        raise error(f"{name} is {number!r}; it must be a whole number from {least:,}{to}")
    return int(number)


def check_samples(samples: Any, seed: Any) -> None:
    """Validate a number of samples and a seed.

    :raises SampleError: either is out of range
    """
    check_whole(samples, "samples", 1, MOST_SAMPLES, error=SampleError)
    check_whole(seed, "seed", 0, error=SampleError)


def as_number(value: Any) -> float:
    """Convert to float; NaN, which is in no range, if the value is not a number or out of the range of a float."""
    try:
        # An array of one number converts to float, too, and so does the str of one.
        is_one = not isinstance(value, (str, bytes, bytearray)) and getattr(value, "shape", ()) == ()
        return float(value) if is_one else nan
    except (TypeError, ValueError, OverflowError):
        return nan


def plain_number(value: Any) -> float:
    """Return an int or a float as it is, and any other value as :func:`as_number` does."""
    number = as_number(value)
    return value if type(value) in (int, float) and number == number else number


def check_flags(options: Any, *names: str) -> None:
    """Validate fields that are True or False.

    :raises UnknownNameError: one is something else
    """
    for name in names:
        value = getattr(options, name)
        if as_number(value) not in (0, 1):
            raise UnknownNameError(f"{name} is {value!r}; use True or False")


def is_one_of(value: Any, names: Container[str]) -> bool:
    """Whether the value is a str among these; a value of another type, such as an array, may fail to compare."""
    return isinstance(value, str) and value in names


def finite_numbers(values: Any, name: str) -> tuple[float, ...] | None:
    """Convert to a tuple of floats; None if the value is not a sequence of finite numbers.

    :raises ArrayValueError: entries are masked
    """
    check_unmasked(values, name)
    if isinstance(values, (str, bytes, bytearray, Mapping, Set)):
        return None
    try:
        numbers = tuple(map(as_number, values))
    except TypeError:
        return None
    return numbers if all(map(isfinite, numbers)) else None


def counted(number: int, one: str, several: str = "") -> str:
    """Format a count with its noun: `1 segment`, `2 segments`.

    :param several: the plural, by default with an s
    """
    return f"{number} {one if number == 1 else several or one + 's'}"
