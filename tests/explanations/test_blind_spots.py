"""Texts that BLEU scores at least as high as a hypothesis."""

import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise, permutations, starmap

import pytest
from hypothesis import given, strategies as st

from cybleu import SmoothingFunction, errors, explain, metrics
from cybleu.explanations import blind_spots
from inputs import DEFINITIONS

TOKENS = st.lists(st.sampled_from("abcd"), max_size=6)
# these leave an order out of the mean if its precision is 0, so a match can lower the score
OF_PRECISIONS_ABOVE_0 = [
    *(metrics.Bleu("nltk", smoothing, 0) for smoothing in ("method1", "method2")),
    metrics.Bleu(metrics.Variant("mine", mean="exact")),
]
METRICS = [*starmap(metrics.Bleu, DEFINITIONS), *OF_PRECISIONS_ABOVE_0]


def found_or_none(references, hypothesis, metric):
    """The blind spots, or None if a new match lowers the score, which must be so for a reason."""
    try:
        return blind_spots(hypothesis, references, metric)
    except errors.SmoothingParameterError:
        rules = metric.rules()
        assert rules.mean == "exact" and (rules.smoothing in ("none", "skip") or rules.value == 0)
        blocks = blind_spots(hypothesis, references, max_order=metric.order).blocks
        pairs = {pair for reference in references for pair in pairwise(reference)}
        assert any((left[-1], right[0]) in pairs for left, right in permutations(blocks, 2))
        return None


def score_of(metric, references, text):
    try:
        return metric.score(metric.count(text, references)).score
    except ZeroDivisionError:
        return 0  # the tool divides by the length of the references


@given(
    st.lists(TOKENS, min_size=1, max_size=2),
    st.lists(st.sampled_from("abcd"), max_size=5),
    st.sampled_from(METRICS),
    st.integers(1, 4),
)
def test_all_permutations(references, hypothesis, metric, max_order):
    """Of all permutations of the words, those that break no bigram with a match are the texts, and each scores as high."""
    metric = replace(metric, max_order=max_order).of_sentences()
    spots = found_or_none(references, hypothesis, metric)
    if spots is None:
        return
    pairs = {pair for reference in references for pair in pairwise(reference)} if max_order > 1 else ()
    kept = [place for place, pair in enumerate(pairwise(hypothesis)) if pair in pairs]
    orders = [
        order
        for order in permutations(range(len(hypothesis)))
        if all(order.index(place + 1) == order.index(place) + 1 for place in kept)
    ]
    expected = {tuple(hypothesis[place] for place in order) for order in orders}
    texts = list(spots.texts())
    assert texts[0] == sum(spots.blocks, ()) == tuple(hypothesis)
    assert {*texts} == expected
    assert spots.count == len(texts)
    assert len(orders) == spots.count * math.prod(map(math.factorial, Counter(spots.blocks).values()))
    score = score_of(metric, references, hypothesis)
    assert all(score_of(metric, references, [*text]) >= score for text in expected)


@given(st.lists(TOKENS, min_size=1, max_size=2), TOKENS.filter(bool), st.sampled_from(METRICS))
def test_words_of_no_reference_do_not_matter(references, hypothesis, metric):
    metric = metric.of_sentences()
    spots = found_or_none(references, hypothesis, metric)
    for place in spots.replaceable if spots else ():
        changed = [*hypothesis]
        changed[place] = "in no reference"
        assert score_of(metric, references, changed) == score_of(metric, references, hypothesis)


def test_large_counts_are_exact():
    words = [*map(str, range(60))]
    assert blind_spots(words, [["in no hypothesis"]]).count == math.factorial(60)


def test_raw_text():
    spots = blind_spots("The cat: dogs", ["The cat sat."], "sacrebleu", tokenize="13a", lowercase=True)
    assert spots.blocks == (("the", "cat"), (":",), ("dogs",)) and spots.replaceable == (2, 3)


@pytest.mark.parametrize(
    ("metric", "choices", "error", "advice"),
    [
        ("chrf", {}, errors.UnknownNameError, "definition of BLEU"),
        ("gleu", {}, errors.UnknownNameError, "definition of BLEU"),
        ("nltk-3.2", {}, errors.SmoothingParameterError, "another smoothing"),
        ("sacrebleu", {"smoothing": "floor", "smoothing_value": 2}, errors.SmoothingParameterError, "another smooth"),
        ("nltk", {"weights": (1.5, -0.5)}, errors.SmoothingParameterError, "negative weight"),
        *((metric, {}, errors.SmoothingParameterError, "another smoothing") for metric in OF_PRECISIONS_ABOVE_0),
    ],
)
def test_scores_that_a_match_can_lower(metric, choices, error, advice):
    with pytest.raises(error, match=advice):
        blind_spots(["b", "a"], [["a", "b"]], metric, **choices)


def test_definitions_that_a_match_can_lower():
    """If no order of the blocks has a new match, all of them have the same score."""
    assert blind_spots(["a", "b", "x"], [["a", "b"]], "nltk-3.2").count == 2
    assert blind_spots(["a", "b", "x"], [["a", "b"]], weights=(1.5, -0.5)).count == 2


@pytest.mark.filterwarnings("ignore:the weight")
def test_explanations():
    references = ["the cat sat on the mat".split()]
    hypothesis = "the cat on the mat slept".split()
    ending = [
        "blind spots: 3 blocks can be put in any of 6 orders without lowering the score, such as",
        '             "the" "cat" "slept" "on" "the" "mat"',
        'replaceable by any word that is in no reference: "slept"',
    ]
    smoothing = SmoothingFunction()
    for arguments in ({"weights": (0.5, 0.5)}, {"metric": "sacrebleu"}, {"smoothing_function": smoothing.method2}):
        explained = explain(hypothesis, references, **arguments)
        assert str(explained).splitlines()[-3:] == ending
        assert explained.blind_spots == blind_spots(hypothesis, references)
    for arguments in (
        {"metric": "nltk-3.2"},
        {"weights": (1.5, -0.5)},
        {"weights": (1,), "smoothing_function": smoothing.method7},
        {"smoothing_function": SmoothingFunction(epsilon=0).method1},
        {"smoothing_function": lambda p_n, **_: [1, 1, 1, 1]},
    ):
        explained = explain(["sat", "the", "cat"], references, **arguments)
        assert explained.blind_spots is None and "blind spots" not in str(explained)
    assert explain(references[0], references).blind_spots.count == 1
