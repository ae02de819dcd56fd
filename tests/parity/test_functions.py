"""Functions of the kernels: results equal to those of the definition, and what they decline."""

from array import array

import pytest
from hypothesis import example, given, strategies as st

from cybleu import _mirror
from cybleu.bleu_score import parts
from inputs import MODULUS, TOKENS, is_plain, segments


@given(segments(), st.sampled_from([1, 2, 3, 4, 5, 9, 16, 17, 63, 64]))
def test_clipped_matches(kernels, segment, order):
    references, hypothesis = segment
    counts = parts.matches_and_total(references, hypothesis, order)
    taken = all(map(is_plain, sum(references, hypothesis)))
    assert kernels.clipped_matches(references, hypothesis, order) == (counts if taken else None)


@pytest.mark.parametrize("order", [0, -1, 17, 2**63, 2.0, True, None])
def test_orders_that_nist_declines(kernels, order):
    assert kernels.corpus_nist([[["a"]]], [["a"]], order) is None


@pytest.mark.parametrize("orders", [(0, 4), (1, 17), (3, 2), (1, 2.0), (True, 2)])
def test_orders_that_gleu_declines(kernels, orders):
    assert kernels.gleu_counts([[["a"]]], [["a"]], *orders) is None


NAN = float("nan")
tokens = st.lists(st.sampled_from([token for kind in TOKENS.values() for token in kind]), max_size=200)


def numbered(backend, texts):
    """The number of different tokens and their numbers in the order in which tokens first occur."""
    ids = array("i", [-7]) * len(texts)
    different = backend.number_tokens(texts, ids)
    if different is None:
        return None, None
    places = {number: place for place, number in enumerate(dict.fromkeys(ids))}
    assert sorted(places) == list(range(different))
    return different, [places[number] for number in ids]


@given(tokens)
@example([1, True, 1.0, MODULUS + 1, "1", b"1", None])
@example([sign * 2**power - less for power in (0, 29, 30, 31, 52, 60, 62) for sign in (1, -1) for less in (0, 1)])
@example([2**63 - 1, -(2**63), "0", "1", 0, 1])
@example([0, -0.0, False, 0.5, NAN, NAN, float("nan"), float("inf"), 10**300, int(1e300), 1e300, -1, -2])
@example([2**63])
@example(["a"] * 1000 + [*map(str, range(5000)), *range(5000)])
def test_numbers_of_tokens(kernels, texts):
    different, ids = numbered(kernels, texts)
    if all(map(is_plain, texts)):
        assert (different, ids) == numbered(_mirror, texts)
    else:
        assert different is None
