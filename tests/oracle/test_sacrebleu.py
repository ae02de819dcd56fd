"""The standard definition against sacreBLEU itself, from any counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from cybleu.variants import sacrebleu


@st.composite
def rows(draw):
    """Statistics that segments can sum to: no more matches than n-grams."""
    order = draw(st.integers(1, 6))
    lengths = draw(st.lists(st.integers(0, 30), max_size=4))
    totals = [sum(max(0, length - n) for length in lengths) for n in range(order)]
    matches = [draw(st.integers(0, total)) for total in totals]
    return [sum(lengths), draw(st.integers(0, 100)), *matches, *totals]


@given(rows(), st.sampled_from(["none", "exp", "floor", "add-k"]), st.sampled_from([None, 0.5, 2, 1e-6]), st.booleans())
def test_equal_scores(row, smoothing, value, effective_order):
    order = (len(row) - 2) // 2
    theirs = BLEU.compute_bleu(
        list(row[2 : 2 + order]), list(row[2 + order :]), row[0], row[1], smoothing, value, effective_order, order
    )
    ours = sacrebleu(row, smoothing, value, effective_order=effective_order)
    assert (ours.score, list(ours.precisions), ours.brevity_penalty) == (theirs.score, theirs.precisions, theirs.bp)
    assert ours.ratio == theirs.ratio


def test_unknown_smoothing():
    with pytest.raises(ValueError, match="unknown smoothing 'exponential'; use one of none, exp, floor, add-k"):
        sacrebleu([4, 4, 4, 4], "exponential")
