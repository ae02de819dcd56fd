"""The teaching helpers."""

from __future__ import annotations

import warnings
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given

import cybleu
from cybleu import (
    SmoothingFunction,
    clipped_counts,
    explain,
    modified_precision,
    ngram_counts,
    ngram_precision,
    sentence_bleu,
)
from cybleu.metrics import Bleu
from inputs import segments, weight_vectors

pytestmark = pytest.mark.usefixtures("backend")

REFERENCES = ["the cat is on the mat".split(), "there is a cat on the mat".split()]
HYPOTHESIS = "the cat and the cat on the mat".split()


def test_the_table_of_the_tutorials():
    counts, clipped = ngram_counts(HYPOTHESIS, 1), clipped_counts(REFERENCES, HYPOTHESIS, 1)
    table = [(word, counts[word,], clipped[word,]) for (word,) in counts]
    assert table == [("the", 3, 2), ("cat", 2, 1), ("and", 1, 0), ("on", 1, 1), ("mat", 1, 1)]


def test_plain_precision():
    assert repr(ngram_precision(REFERENCES, ["the"] * 7, 1)) == "Fraction(7, 7)"
    assert repr(ngram_precision(REFERENCES, HYPOTHESIS, 1)) == "Fraction(7, 8)"
    assert repr(ngram_precision(REFERENCES, ["the"], 2)) == "Fraction(0, 1)"
    assert repr(ngram_precision([], ["the"], 1)) == "Fraction(0, 1)"


@given(segments())
def test_clipped_counts_are_what_modified_precision_counts(segment):
    for n in range(1, 5):
        precision = modified_precision(*segment, n)
        assert sum(clipped_counts(*segment, n).values()) == precision.numerator
        assert max(1, sum(ngram_counts(segment[1], n).values())) == precision.denominator


@given(segments(), weight_vectors)
def test_an_explained_score_is_the_score(segment, weights):
    for smoothing in (None, SmoothingFunction().method1, SmoothingFunction().method5, cybleu.nltk_3_3):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                expected = sentence_bleu(*segment, weights, smoothing)
            except OverflowError:
                continue
            explanation = explain(*segment, weights, smoothing)
        assert explanation.score == expected
        assert f"{expected:.6g}" in str(explanation)


def test_the_warning_is_given_once():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        explanation = explain(REFERENCES, ["the", "cat", "x"])
    assert len(caught) == 2
    assert "2.225e-308" in str(explanation)


def test_no_match():
    text = str(explain(REFERENCES, ["x", "y"]))
    assert "score = 0, because no word of the hypothesis is in a reference" in text
    assert "exp(1 - 6/2)" in text


def test_a_score_that_underflows_is_not_without_a_match():
    for choices in ({}, {"metric": "moses", "max_order": 1}, {"metric": "arithmetic-mean", "max_order": 1}):
        explanation = explain([["a"] + ["b"] * 999], ["a"], (1,), **choices)
        text = str(explanation)
        assert explanation.score == 0
        assert "no word" not in text
        assert "score = 0 * " in text and text.endswith("= 0")
        assert "1/1" in text


@pytest.mark.parametrize("weights", [(Fraction(1, 2),) * 2, (Fraction(1, 3), Fraction(2, 3)), (Decimal("0.5"), 0.5)])
def test_weights_of_other_kinds(weights):
    floats = tuple(map(float, weights))
    if not any(isinstance(weight, Decimal) for weight in weights):
        explained = explain(REFERENCES, HYPOTHESIS, weights)
        assert str(explained) == str(explain(REFERENCES, HYPOTHESIS, floats))
    for variant in ("moses", "arithmetic-mean"):
        explained = explain(REFERENCES, HYPOTHESIS, metric=Bleu(variant, weights=weights))
        assert str(explained) == str(explain(REFERENCES, HYPOTHESIS, metric=Bleu(variant, weights=floats)))
        assert f"{floats[0]:.4g} * " in str(explained)


def test_order_counts_are_written_in_full():
    text = str(explain([["a", "b"]], ["a", "b"], (0.5, 0.5)))
    assert "2/2 = 1.0000" in text and "1/1 = 1.0000" in text


ROOT = Path(__file__).parents[2]


def test_the_example_script(capsys):
    script = ROOT / "examples" / "score.py"
    exec(compile(script.read_text(), str(script), "exec"), {"__file__": str(script), "__name__": "__main__"})
    printed = capsys.readouterr().out
    assert printed.startswith("corpus BLEU: 0.5223\n")


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("rerank_linear", "BLEU|variant:sacrebleu|order:4|weights:uniform|smooth:exp|eff:no = 29.81 "),
        ("rerank_oracle", "by sentence BLEU: 46.73\nby corpus BLEU: 46.85, 0.11 more"),
        ("rerank_mbr", "kjv: chosen for 180 verses\nasv: chosen for 441 verses\n"),
        ("rerank_perceptron", "held-out BLEU: 40.04 after 6 epochs\n"),
    ],
)
@pytest.mark.long_in_mirror
def test_the_examples_of_reranking(name, beginning, capsys):
    script = ROOT / "examples" / f"{name}.py"
    exec(compile(script.read_text(), str(script), "exec"), {"__file__": str(script), "__name__": "__main__"})
    assert capsys.readouterr().out.startswith(beginning)
