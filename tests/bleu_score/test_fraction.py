"""Fraction keeps its parts, and otherwise behaves like the number."""

import fractions
import math
import operator

import nltk.translate.bleu_score as nltk_bleu
import pytest
from hypothesis import given, strategies as st

from cybleu import Fraction

parts = st.tuples(st.integers(-50, 50), st.integers(1, 50))
others = st.one_of(
    parts.map(lambda pair: Fraction(*pair)),
    parts.map(lambda pair: fractions.Fraction(*pair)),
    st.integers(-9, 9),
    st.floats(-9, 9),
    st.complex_numbers(max_magnitude=9),
)


@pytest.mark.parametrize("numbers", [(4, 8), (8, 1), (0, 1), (3, 1), (0, 7), (-3, 6), (3, -6)], ids=str)
def test_parts_are_kept_and_shown_as_by_nltk(numbers):
    ours = Fraction(*numbers)
    theirs = nltk_bleu.Fraction(*numbers)
    assert [str(ours), f"{ours}"] == [str(theirs), f"{theirs}"]
    assert repr(ours) == f"Fraction{numbers}"  # as NLTK's, which from Python 3.12 on is reduced
    assert (ours.numerator, ours.denominator) == (theirs.numerator, theirs.denominator)


@pytest.mark.parametrize("number", [5, 0, "1/3", 0.5])
def test_a_single_number_is_shown_as_by_nltk(number):
    assert str(Fraction(number)) == str(nltk_bleu.Fraction(number))


def test_a_fraction_is_reduced_if_that_is_asked_for():
    assert Fraction(4, 8, _normalize=True).numerator == 1


def test_a_denominator_of_0_is_refused():
    with pytest.raises(ZeroDivisionError):
        Fraction(1, 0)


CONVERSIONS = [float, bool, hash, int, math.floor, math.ceil, round, abs, operator.neg, operator.pos, complex]
CONVERSIONS += [lambda number: number.as_integer_ratio(), lambda number: number.limit_denominator(7)]


@given(parts)
def test_is_the_number(pair):
    ours = Fraction(*pair)
    plain = fractions.Fraction(*pair)
    assert ours == plain == ours == nltk_bleu.Fraction(*pair)
    assert [convert(ours) for convert in CONVERSIONS] == [convert(plain) for convert in CONVERSIONS]


@given(parts, others)
def test_computes_as_the_number(pair, other):
    ours = Fraction(*pair)
    plain = fractions.Fraction(*pair)
    names = "add sub mul truediv floordiv mod eq ne lt le".split()
    for operation in (divmod, *(getattr(operator, name) for name in names)):
        for values in ((lambda number: (number, other)), (lambda number: (other, number))):
            try:
                expected = operation(*values(plain))
            except (ZeroDivisionError, TypeError) as error:
                with pytest.raises(type(error)):
                    operation(*values(ours))
                continue
            result = operation(*values(ours))
            assert result == expected
            assert not isinstance(result, Fraction)
            if isinstance(result, fractions.Fraction):
                assert math.gcd(result.numerator, result.denominator) == 1
