"""Swaps and weighted sums: kernel and mirror agree bit for bit."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cybleu import _mirror, metrics
from cybleu.metrics import VARIANTS
from cybleu.rerank import mbr
from integer_arrays import ints


@st.composite
def lists_of_rows(draw):
    order = draw(st.integers(1, 5))
    sizes = draw(st.lists(st.integers(0, 4), min_size=1, max_size=5))
    rows = []
    for _ in range(sum(sizes)):
        length = draw(st.integers(0, 12))
        totals = [max(0, length - n) for n in range(order)]
        rows.append([length, draw(st.integers(0, 12)), *(draw(st.integers(0, total)) for total in totals), *totals])
    offsets = np.cumsum([0, *sizes], dtype=np.int64)
    now = [int(offsets[i]) + draw(st.integers(0, size - 1)) if size else -1 for i, size in enumerate(sizes)]
    segments = draw(st.permutations(range(len(sizes))))
    stats = np.array(rows, dtype=np.int64).reshape(-1, 2 + 2 * order)
    return order, stats, offsets, np.array(segments, dtype=np.int64), np.array(now, dtype=np.int64)


@given(lists_of_rows(), st.sampled_from(list(VARIANTS)), st.data())
def test_the_same_swaps(kernels, lists, name, data):
    order, stats, offsets, segments, now = lists
    smoothing = data.draw(st.sampled_from(VARIANTS[name].smoothings))[0]
    choices = metrics.Bleu(name, smoothing).without_failures().rules(order)
    highest = data.draw(st.booleans())
    if VARIANTS[name].short_segments_count:
        stats[:, 2 + order :] = np.maximum(stats[:, 2 + order :], 1)
    one, other = now.copy(), now.copy()
    ours = kernels.swap_pass(kernels.Definition(choices), stats, offsets, segments, one, highest)
    theirs = _mirror.swap_pass(_mirror.Definition(choices), stats, offsets, segments, other, highest)
    assert ours == theirs
    assert one.tolist() == other.tolist()


@pytest.mark.parametrize("name", VARIANTS)
def test_swaps_of_hypotheses_that_are_all_empty(kernels, name):
    rules = metrics.Bleu(name).without_failures().rules(4)
    stats = np.array([[0, length, 0, 0, 0, 0, 0, 0, 0, 0] for length in (5, 3, 2)], dtype=np.int64)
    found = [
        backend.swap_pass(backend.Definition(rules), stats, ints(0, 3), ints(0), ints(0), True)
        for backend in (kernels, _mirror)
    ]
    assert found[0] == found[1]


def test_what_does_not_fit_is_an_error_in_the_kernel(kernels):
    definition = kernels.Definition(metrics.Bleu().rules(1))
    stats = np.array([[1, 1, 1, 1]], dtype=np.int64)
    numbers = {"offsets": [0, 1], "order": [0], "chosen": [0]}
    for wrong in ({"offsets": [0, 2]}, {"offsets": [0]}, {"order": [1]}, {"order": [-1]}, {"chosen": [1]}):
        arguments = {name: np.array(value, dtype=np.int64) for name, value in {**numbers, **wrong}.items()}
        with pytest.raises(ValueError, match=r"out of range|do not fit|not of its segment"):
            kernels.swap_pass(definition, stats, *arguments.values(), True)
    with pytest.raises(TypeError, match="got NoneType"):
        kernels.swap_pass(None, stats, ints(0, 1), ints(0), ints(0), True)
    with pytest.raises(ValueError, match="do not fit"):
        kernels.weighted_sums(np.zeros((1, 2)), np.zeros(1), np.zeros(1), 0)


def test_more_orders_than_the_kernel_has_are_declined(kernels):
    definition = kernels.Definition(metrics.Bleu().rules(17))
    stats = np.zeros((1, 36), dtype=np.int64)
    assert kernels.swap_pass(definition, stats, ints(0, 1), ints(0), ints(0), True) is None


def test_what_is_declined_leaves_the_choice_as_it_was(kernels):
    definition = kernels.Definition(metrics.Bleu().rules(1))
    stats = np.array([[4, 4, 0, 4], [4, 4, 4, 4], [2**60, 4, 1, 2**60]], dtype=np.int64)
    chosen = ints(0, 2)
    assert kernels.swap_pass(definition, stats, ints(0, 2, 3), ints(0, 1), chosen, True) is None
    chosen[1] = -1
    assert kernels.swap_pass(definition, stats, ints(0, 2, 3), ints(0, 1), chosen, True)[0] == 1
    assert chosen.tolist() == [1, -1]
    stats[1] = 2**60, 4, 1, 2**60  # found after an exchange
    stats[2] = 4, 4, 4, 4
    chosen[:] = 0, 2
    offsets, order = ints(0, 1, 3), ints(1)
    assert kernels.swap_pass(definition, stats, offsets, order, chosen, True) is None
    assert chosen.tolist() == [0, 2]


PARTS = st.sampled_from([0.0, 1.0, 3.0, 100.0, 1 / 3, *(2.0**-n for n in (1, 52, 53, 54, 106, 107, 159, 600))])
SIGNED = st.builds(lambda size, more, sign: sign * (size + more), PARTS, PARTS, st.sampled_from([1, 1, -1]))
SIZES = st.sampled_from([5e-324, 1e-308, 1e-160, 1e160, 1e290])


@given(st.data())
def test_sums_are_rounded_once(kernels, data):
    """Ties, and sums that differ only far below."""
    number = st.one_of(SIGNED, SIGNED, SIZES) if data.draw(st.booleans()) else SIGNED
    rows, columns = data.draw(st.integers(0, 3)), data.draw(st.integers(0, 12))
    scores = np.array(data.draw(st.lists(number, min_size=rows * columns, max_size=rows * columns)))
    scores = scores.reshape(rows, columns)
    weights = np.array(data.draw(st.lists(number, min_size=columns, max_size=columns)), dtype=np.float64)
    exact = [sum(Fraction(a) * Fraction(b) for a, b in zip(row, weights.tolist())) for row in scores.tolist()]
    try:
        expected = [float(number) for number in exact]
    except OverflowError:
        return
    for backend in (kernels, _mirror):
        sums = np.full(rows, 7.0)
        start = 0
        while (start := backend.weighted_sums(scores, weights, sums, start)) < rows:
            assert backend is kernels
            assert (
                max(map(abs, [*scores[start], *weights])) > 1e100 or min(map(abs, [*scores[start], *weights])) < 1e-100
            )
            sums[start] = expected[start]
            start += 1
        assert sums.tolist() == expected


def test_a_tie_that_a_third_product_decides(backend):
    scores = mbr([["a b c d e"] * 3], [[1.0, 2**-53, 2**-106]], metric="moses", tokenize=str.split).scores
    assert (
        scores.tolist() == [float(1 + Fraction(1, 2**53) + Fraction(1, 2**106)) / math.fsum([1, 2**-53, 2**-106])] * 3
    )
