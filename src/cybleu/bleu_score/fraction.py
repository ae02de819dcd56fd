"""Fractions with NLTK's interface, in a separate module because importing `fractions` is slow."""

from __future__ import annotations

import fractions
import operator
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Fraction(fractions.Fraction):
    """A rational number that keeps its numerator and denominator as given: 4/8 stays 4/8.

    Otherwise it compares, hashes and computes like ``fractions.Fraction``, and the results of operations are ordinary
    reduced fractions. It can be copied and pickled. (NLTK's own class with this name does these things
    differently in different versions of Python.)

    >>> Fraction(4, 8), Fraction(4, 8) == 0.5, Fraction(4, 8) + 1
    (Fraction(4, 8), True, Fraction(3, 2))
    """

    __slots__ = ("_given_denominator", "_given_numerator")

    _given_numerator: int
    _given_denominator: int

    def __new__(cls, numerator: Any = 0, denominator: Any = None, _normalize: bool = False) -> Fraction:
        self = super().__new__(cls, numerator, denominator)
        if denominator is None or _normalize or not (isinstance(numerator, int) and isinstance(denominator, int)):
            number = fractions.Fraction(numerator, denominator)
            numerator, denominator = number.numerator, number.denominator
        self._given_numerator = numerator
        self._given_denominator = denominator
        return self

    @property
    def numerator(self) -> int:
        return self._given_numerator

    @property
    def denominator(self) -> int:
        return self._given_denominator

    def as_integer_ratio(self) -> tuple[int, int]:
        number: fractions.Fraction = _number(self)
        return number.as_integer_ratio()

    def limit_denominator(self, max_denominator: int = 1000000) -> fractions.Fraction:
        number: fractions.Fraction = _number(self)
        return number.limit_denominator(max_denominator)

    def __repr__(self) -> str:
        return f"Fraction({self._given_numerator}, {self._given_denominator})"

    def __str__(self) -> str:
        if sys.version_info >= (3, 12):  # NLTK's class prints the reduced fraction there
            return str(_number(self))
        top, bottom = self._given_numerator, self._given_denominator
        return str(top) if bottom == 1 else f"{top}/{bottom}"

    def __format__(self, spec: str) -> str:
        return format(_number(self), spec) if spec else str(self)

    def __reduce__(self) -> Any:
        return Fraction, (self._given_numerator, self._given_denominator)

    def __copy__(self) -> Fraction:
        return self

    def __deepcopy__(self, memo: Any) -> Fraction:
        return self

    def __float__(self) -> float:
        return self._given_numerator / self._given_denominator


def _number(value: Any) -> Any:
    """Return the reduced fraction of a Fraction of this or NLTK's class, and anything else unchanged."""
    if isinstance(value, fractions.Fraction) and type(value) is not fractions.Fraction:
        return fractions.Fraction(value.numerator, value.denominator)
    return value


def _on_numbers(operation: Callable[..., Any], name: str, reflected: bool) -> Callable[..., Any]:
    def method(self: Any, *others: Any) -> Any:
        arguments = [_number(self), *map(_number, others)]
        return operation(*(reversed(arguments) if reflected else arguments))

    method.__name__ = name
    return method


# The inherited methods read the kept parts, which would leave results unreduced on some Python versions.
_UNARY = ("neg", "pos", "abs", "trunc", "floor", "ceil", "round", "hash", "bool", "complex")
_BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")
_COMPARISONS = ("eq", "lt", "le", "gt", "ge")

for _name in _BINARY:
    _operation = getattr(operator, _name)
    setattr(Fraction, f"__{_name}__", _on_numbers(_operation, f"__{_name}__", False))
    setattr(Fraction, f"__r{_name}__", _on_numbers(_operation, f"__r{_name}__", True))
for _name in ("divmod", "rdivmod"):
    setattr(Fraction, f"__{_name}__", _on_numbers(divmod, f"__{_name}__", _name == "rdivmod"))
for _name in _COMPARISONS:
    setattr(Fraction, f"__{_name}__", _on_numbers(getattr(operator, _name), f"__{_name}__", False))
for _name in _UNARY:
    setattr(Fraction, f"__{_name}__", _on_numbers(getattr(fractions.Fraction, f"__{_name}__"), f"__{_name}__", False))
