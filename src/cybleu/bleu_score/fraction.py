"""Fractions with NLTK's interface, in a separate module because importing `fractions` is slow."""

from __future__ import annotations

import fractions
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Fraction(fractions.Fraction):
    """A rational number that keeps its numerator and denominator unreduced: 4/8 stays 4/8.

    Otherwise it compares, hashes and computes like ``fractions.Fraction``. The results of operations are ordinary
    reduced fractions. Instances can be copied and pickled. NLTK's own class of this name behaves differently in
    different versions of Python.

    >>> Fraction(4, 8), Fraction(4, 8) == 0.5, Fraction(4, 8) + 1
    (Fraction(4, 8), True, Fraction(3, 2))
    """

    __slots__ = ("_given",)
    _given: tuple[int, int]

    def __new__(cls, numerator: Any = 0, denominator: Any = None, _normalize: bool = False) -> Fraction:
        self = super().__new__(cls, numerator, denominator)
        kept = isinstance(numerator, int) and isinstance(denominator, int) and not _normalize
        self._given = (numerator, denominator) if kept else self.as_integer_ratio()
        return self

    @property
    def numerator(self) -> int:
        return self._given[0]

    @property
    def denominator(self) -> int:
        return self._given[1]

    def __repr__(self) -> str:
        return f"Fraction({self.numerator}, {self.denominator})"

    def __str__(self) -> str:
        return str(self.numerator) if self.denominator == 1 else f"{self.numerator}/{self.denominator}"

    def __reduce__(self) -> tuple[type[Fraction], tuple[int, int]]:
        return Fraction, self._given

    # Immutable, so a copy can be the object itself.
    def __copy__(self, memo: Any = None) -> Fraction:
        return self

    __deepcopy__ = __copy__


def _reduced(value: object) -> object:
    """Return the reduced fraction of a Fraction of this or NLTK's class, and anything else unchanged."""
    if isinstance(value, fractions.Fraction) and type(value) is not fractions.Fraction:
        return fractions.Fraction(value.numerator, value.denominator)
    return value


def _of_reduced(method: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, *others, **named: method(_reduced(self), *map(_reduced, others), **named)


# The inherited methods read the kept parts, which would leave results unreduced on some versions of Python.
_METHODS = """
    add sub mul truediv floordiv mod divmod pow radd rsub rmul rtruediv rfloordiv rmod rdivmod rpow
    neg pos abs trunc floor ceil round hash bool complex eq lt le gt ge
"""
_SHOWN_REDUCED = "str format" if sys.version_info >= (3, 12) else ""  # as NLTK's class is shown there
for _name in [*(f"__{_name}__" for _name in f"{_METHODS} {_SHOWN_REDUCED}".split()), "limit_denominator"]:
    setattr(Fraction, _name, _of_reduced(getattr(fractions.Fraction, _name)))
