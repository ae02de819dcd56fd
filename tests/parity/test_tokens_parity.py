"""Numbers of tokens and their types: kernel and mirror agree."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cybleu import _mirror
from inputs import MODULUS, TOKENS, is_plain

NAN = float("nan")

tokens = st.lists(st.sampled_from([token for kind in TOKENS.values() for token in kind]), max_size=200)


def numbered(backend, texts):
    """The result of a backend, with numbers in the order in which tokens first occur."""
    ids = array("i", [-7]) * len(texts)
    different = backend.number_tokens(texts, ids)
    if different is None:
        return None, None
    places = {number: place for place, number in enumerate(dict.fromkeys(ids))}
    assert sorted(places) == list(range(different))
    return different, [places[number] for number in ids]


@given(tokens)
@example([1, True, 1.0, MODULUS + 1, "1", b"1", None])
@example(
    [
        number
        for power in (0, 29, 30, 31, 52, 53, 60, 61, 62)
        for number in (2**power, -(2**power), 2**power - 1, 1 - 2**power)
    ]
    + [2**63 - 1, -(2**63), "0", "1"]
)
@example([0, -0.0, False, 0.5, NAN, NAN, float("nan"), float("inf"), -float("inf"), 10**300, int(1e300), 1e300, -1, -2])
@example([2**63])
@example(["a"] * 1000)
def test_numbers(kernels, texts):
    different, ids = numbered(kernels, texts)
    if all(map(is_plain, texts)):
        assert (different, ids) == numbered(_mirror, texts)
    else:
        assert different is None


@pytest.mark.parametrize("count", [1, 31, 32, 33, 64, 5000])
def test_many_different_ones(kernels, count):
    texts = [*map(str, range(count)), *map(str, range(count)), *range(count)]
    assert numbered(kernels, texts) == numbered(_mirror, texts)


def test_ids_for_other_tokens_are_refused(kernels):
    with pytest.raises(ValueError, match="an id for each token"):
        kernels.number_tokens(["a", "b"], array("i", [0]))


@given(st.lists(tokens | tokens.map(tuple), max_size=4))
@example([["a"], range(3), {1.0: 2}, b"ab"])
def test_types(kernels, texts):
    assert kernels.types_within(texts) == _mirror.types_within(texts)


def test_types_of_what_is_no_text(kernels):
    for backend in (kernels, _mirror):
        with pytest.raises(TypeError, match="'int' object is not iterable"):
            backend.types_within([["a"], 1])
