"""Scores from NLTK's documentation and from well-known tutorials."""

from __future__ import annotations

import sys

import pytest

from cybleu import (
    SmoothingFunction,
    brevity_penalty,
    closest_ref_length,
    corpus_bleu,
    explain,
    modified_precision,
    nltk_3_2,
    sentence_bleu,
)

pytestmark = pytest.mark.usefixtures("backend")

PARTY = "It is a guide to action which ensures that the military always obeys the commands of the party".split()
TROOPS = "It is to insure the troops forever hearing the activity guidebook that party direct".split()
REFERENCES = [
    "It is a guide to action that ensures that the military will forever heed Party commands".split(),
    "It is the guiding principle which guarantees the military forces always being under the command of the Party".split(),
    "It is the practical guide for the army always to heed the directions of the party".split(),
]
BOOK = "he read the book because he was interested in world history".split()
BOOK_REFERENCE = "he was interested in world history because he read the book".split()


@pytest.mark.parametrize(
    ("method", "expected"),
    list(enumerate([0.4118, 0.4118, 0.4452, 0.4118, 0.4118, 0.4905, 0.4135, 0.4905])),
)
def test_smoothing_methods(method, expected):
    function = getattr(SmoothingFunction(), f"method{method}")
    assert int(sentence_bleu(REFERENCES[:1], PARTY, smoothing_function=function) * 10000) == round(expected * 10000)


def test_no_trigram_match():
    with pytest.warns(UserWarning, match="0 counts of [34]-gram overlaps"):
        assert round(sentence_bleu(REFERENCES, TROOPS), 4) == 0
    smoothed = sentence_bleu(REFERENCES, TROOPS, smoothing_function=SmoothingFunction().method1)
    assert int(smoothed * 10000) == 370


def test_corpus():
    corpus = [REFERENCES, [BOOK_REFERENCE]], [PARTY, BOOK]
    assert int(corpus_bleu(*corpus) * 10000) == 5920
    weights = [(0.5, 0.5), (0.333, 0.333, 0.334), (0.25,) * 4, (0.2,) * 5]
    assert [int(score * 10000) for score in corpus_bleu(*corpus, weights)] == [8242, 7067, 5920, 4719]
    assert int(corpus_bleu(*corpus, (0.1, 0.3, 0.5, 0.1)) * 10000) == 5818


@pytest.mark.parametrize(
    ("lengths", "hypothesis", "expected"),
    [
        ((12, 15, 17), 12, 1.0),
        ((28, 28), 12, 0.2635971381157267),
        ((13, 2), 12, 0.9200444146293233),
        ((13, 11), 12, 1),
        ((11, 8), 7, 0.8668778997501817),
        ((11, 8, 6, 7), 7, 1.0),
    ],
)
def test_brevity_penalty(lengths, hypothesis, expected):
    closest = closest_ref_length([["a"] * length for length in lengths], hypothesis)
    penalty = brevity_penalty(closest, hypothesis)
    assert penalty == expected
    assert type(penalty) is type(expected)


def test_cat_on_the_mat():
    references = ["the cat is on the mat".split(), "there is a cat on the mat".split()]
    hypothesis = "the cat and the cat on the mat".split()
    precisions = [str(modified_precision(references, hypothesis, n)) for n in (1, 2, 3, 4)]
    # from CPython 3.12 on, NLTK's class prints what Python's own has reduced
    assert precisions == ["5/8", "4/7", "2/6" if sys.version_info < (3, 12) else "1/3", "1/5"]
    assert sentence_bleu(references, hypothesis) == 0.392814650900513
    assert explain(references, hypothesis).orders[0].clipped == {
        ("the",): 2,
        ("cat",): 1,
        ("and",): 0,
        ("on",): 1,
        ("mat",): 1,
    }


@pytest.mark.parametrize(
    ("hypothesis", "expected"),
    [
        ("it is a ship", 0.8408964152537145),
        ("it", 0.1353352832366127),
        ("it it it it it it it", 0.6147881529512643),
        ("it a b c d e f g h i j k l m n", 0.6042750794713536),
        ("ship ship ship", 0.7598356856515925),
        ("it ship", 0.6065306597126334),
    ],
)
def test_rule_of_nltk_3_2(hypothesis, expected):
    references = [text.split() for text in ("this is a ship", "it is ship", "ship it is", "a ship, it is")]
    assert sentence_bleu(references, hypothesis.split(), smoothing_function=nltk_3_2) == expected
