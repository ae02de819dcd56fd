"""The teaching helpers."""

from __future__ import annotations

import warnings
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
from inputs import segments, weight_vectors

pytestmark = pytest.mark.usefixtures("backend")

REFERENCES = ["the cat is on the mat".split(), "there is a cat on the mat".split()]
HYPOTHESIS = "the cat and the cat on the mat".split()


def test_the_table_of_the_tutorials():
    counts, clipped = ngram_counts(HYPOTHESIS, 1), clipped_counts(REFERENCES, HYPOTHESIS, 1)
    table = [(word, counts[word,], clipped[word,]) for (word,) in counts]
    assert table == [("the", 3, 2), ("cat", 2, 1), ("and", 1, 0), ("on", 1, 1), ("mat", 1, 1)]


def test_plain_precision():
    assert str(ngram_precision(REFERENCES, ["the"] * 7, 1)) == "7/7"
    assert str(ngram_precision(REFERENCES, HYPOTHESIS, 1)) == "7/8"
    assert str(ngram_precision(REFERENCES, ["the"], 2)) == "0/1"
    assert str(ngram_precision([], ["the"], 1)) == "0/1"


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
def test_the_examples_of_reranking(name, beginning, capsys):
    script = ROOT / "examples" / f"{name}.py"
    exec(compile(script.read_text(), str(script), "exec"), {"__file__": str(script), "__name__": "__main__"})
    assert capsys.readouterr().out.startswith(beginning)
