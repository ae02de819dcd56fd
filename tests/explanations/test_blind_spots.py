"""Texts that BLEU scores at least as high as a hypothesis."""

from __future__ import annotations

from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cybleu import errors, metrics
from cybleu.explanations import blind_spots

TOKENS = st.lists(st.sampled_from("abcd"), max_size=6)
DEFINITIONS = [
    metrics.Bleu(variant, smoothing=smoothing[0])
    for variant in metrics.VARIANTS.values()
    for smoothing in variant.smoothings
    if smoothing[1] != "skip"
]


@given(st.lists(TOKENS, min_size=1, max_size=2), TOKENS.filter(bool), st.sampled_from(DEFINITIONS), st.integers(1, 4))
def test_each_text_scores_at_least_as_high(references, hypothesis, metric, max_order):
    metric = metric.with_choices(max_order=max_order).of_sentences()

    def scored(text):
        try:
            return metric.score(metric.row(references, text)).score
        except ZeroDivisionError:
            return 0  # the tool divides by the length of the references

    spots = blind_spots(references, hypothesis, metric)
    texts = list(spots.texts())
    assert sum(spots.blocks, ()) == tuple(hypothesis) == texts[0]
    orders = {*permutations(spots.blocks)}
    assert spots.count == len(texts) == len(orders)
    assert {*texts} == {sum(order, ()) for order in orders}
    score = scored(hypothesis)
    assert all(scored(list(text)) >= score for text in {*texts})
    for place in spots.replaceable:
        changed = [*hypothesis]
        changed[place] = "in no reference"
        assert scored(changed) == score


@given(st.lists(TOKENS, min_size=1, max_size=2), TOKENS, st.integers(1, 4))
def test_blocks_are_cut_where_a_bigram_is_in_no_reference(references, hypothesis, max_order):
    spots = blind_spots(references, hypothesis, max_order=max_order)
    pairs = {pair for reference in references for pair in pairwise(reference)} if max_order > 1 else set()
    assert all(pair in pairs for block in spots.blocks for pair in pairwise(block))
    assert not any((left[-1], right[0]) in pairs for left, right in pairwise(spots.blocks))


def test_large_counts_are_exact():
    words = [*map(str, range(60))]
    assert (
        blind_spots([["in no hypothesis"]], words).count
        == 8320987112741390144276341183223364380754172606361245952449277696409600000000000000
    )


def test_raw_text():
    spots = blind_spots(["The cat sat."], "The cat: dogs", "sacrebleu", tokenize="13a", lowercase=True)
    assert spots.blocks == (("the", "cat"), (":",), ("dogs",)) and spots.replaceable == (2, 3)


@pytest.mark.parametrize(
    ("metric", "choices", "error", "advice"),
    [
        ("chrf", {}, errors.UnknownNameError, "variant of BLEU"),
        ("gleu", {}, errors.UnknownNameError, "variant of BLEU"),
        ("nltk-3.2", {}, errors.SmoothingParameterError, "another smoothing"),
        (
            "sacrebleu",
            {"smoothing": "floor", "smoothing_value": 2},
            errors.SmoothingParameterError,
            "another smoothing",
        ),
        ("nltk", {"weights": (1.5, -0.5)}, errors.SmoothingParameterError, "negative weight"),
    ],
)
def test_scores_that_a_match_can_lower(metric, choices, error, advice):
    with pytest.raises(error, match=advice):
        blind_spots([["a", "b"]], ["b", "a"], metric, **choices)
