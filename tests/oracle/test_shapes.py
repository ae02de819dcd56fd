"""Warnings about arguments of the wrong shape, of functions and classes whose numbers are those of another tool."""

import re

import nltk.translate.bleu_score
import nltk.translate.chrf_score
import nltk.translate.gleu_score
import nltk.translate.nist_score
import numpy as np
import pytest
import sacrebleu

import cybleu
from cybleu import install_as_sacrebleu, sacrebleu_compat
from cybleu.bleu_score import SmoothingFunction
from cybleu.chrf_score import corpus_chrf, sentence_chrf
from cybleu.errors import ShapeWarning
from cybleu.gleu_score import corpus_gleu, sentence_gleu
from cybleu.nist_score import corpus_nist, sentence_nist
from cybleu.sacrebleu_compat import BLEU, CHRF, TER
from inputs import CATCHES_WARNINGS, assert_same, called, outcome

pytestmark = CATCHES_WARNINGS

HYPOTHESES = ["the cat sat on a mat", "it rains a lot today"]
REFERENCES = ["the cat sat on the mat", "today it rains a lot"]
DOCUMENTS = [
    ([[line] for line in REFERENCES], "transposed: .* only the first 1 hypotheses count; .*for lines in zip"),
    ([[REFERENCES[0], REFERENCES[0]], [REFERENCES[1]]], "transposed: .* of 1 to 2 lines, .*itertools.zip_longest"),
    (REFERENCES, r"a list of str, .*; give \[references\]"),
    (REFERENCES[0], r"one str, .*; give \[\[references\]\]"),
    ([[*REFERENCES, "x"]], "hypotheses is 2, .* list of references is 3, so only the first 2 hypotheses count"),
    ([REFERENCES[:1], REFERENCES, REFERENCES], "list of references is 1 to 2, so only the first 1 hypotheses count"),
]
FUNCTIONS = {
    "BLEU": (sacrebleu_compat.corpus_bleu, "corpus_bleu", BLEU),
    "CHRF": (sacrebleu_compat.corpus_chrf, "corpus_chrf", CHRF),
    "TER": (sacrebleu_compat.corpus_ter, "corpus_ter", TER),
}


def assert_one_warning(call, pattern, expected=None):
    """Assert that a call warns once, here, and returns a number of another tool."""
    value, error, caught = called(call)
    assert error is None
    found = [warning for warning in caught if warning.category is ShapeWarning]
    assert len(found) == 1 and re.search(pattern, str(found[0].message)), found
    assert found[0].filename == __file__
    assert expected is None or value.score == expected


@pytest.mark.parametrize(("references", "pattern"), DOCUMENTS, ids=[pattern for _, pattern in DOCUMENTS])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_documents(name, references, pattern):
    function, theirs, cls = FUNCTIONS[name]
    expected = getattr(sacrebleu, theirs)(HYPOTHESES, references).score
    calls = [
        lambda: function(HYPOTHESES, references),
        lambda: cls().corpus_score(HYPOTHESES, references),
        lambda: cls(references=references).corpus_score(HYPOTHESES, None),
    ]
    for call in calls:
        assert_one_warning(call, pattern, expected)
    with install_as_sacrebleu():
        for call in (*calls, lambda: getattr(sacrebleu, theirs)(HYPOTHESES, references)):
            assert_one_warning(call, pattern, expected)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_other_documents(name):
    function, _, cls = FUNCTIONS[name]
    assert_one_warning(lambda: function(HYPOTHESES[0], [[*HYPOTHESES[0]]]), "hypotheses are one str")
    assert_one_warning(
        lambda: function(HYPOTHESES[:1], [REFERENCES]), "transposed: they are 1 lists, one for each hypothesis"
    )
    for right in ([REFERENCES], [REFERENCES, [None, "x"]], [[line, line] for line in REFERENCES]):
        function(HYPOTHESES, right)
        cls(references=right).corpus_score(HYPOTHESES, None)
        cls().corpus_score(HYPOTHESES, right, 2)
        cls().sentence_score(HYPOTHESES[0], REFERENCES)


BOTH = r"references and the hypothesis are str, so each character counts as a reference .*; split both .* \[reference.split\(\)\]"
ONE = r"the references are a str, so each of its characters counts as a reference; split it .* \[reference.split\(\)\]"
AS_TOKENS = "so each of its characters counts as a token; "
TOKENS = [
    ("the cat sat on a mat", "the cat sat on the mat", BOTH),
    (np.str_("a cat"), np.str_("a cat"), BOTH),
    ("the cat sat on a mat", "the cat sat on the mat".split(), ONE),
    (np.array(["the cat sat on a mat"]), np.array("the cat sat on the mat".split()), "a reference is a str"),
    (["the cat sat on a mat"], "the cat sat on the mat", "the hypothesis is a str"),
    (["the cat sat on a mat".split()], "the cat sat on the mat", "the hypothesis is a str"),
    ("the cat sat on a mat".split(), "the cat sat on the mat".split(), "a reference is a str"),
]


@pytest.mark.parametrize(("references", "hypothesis", "pattern"), TOKENS)
def test_strings_in_place_of_tokens(references, hypothesis, pattern):
    smoothing = SmoothingFunction().method1
    for call in (
        lambda: cybleu.sentence_bleu(references, hypothesis, smoothing_function=smoothing),
        lambda: cybleu.corpus_bleu([[["a"]], references], [["a"], hypothesis], smoothing_function=smoothing),
        lambda: sentence_gleu(references, hypothesis),
        lambda: corpus_gleu([[["a"]], references], [["a"], hypothesis]),
        lambda: sentence_nist(references, hypothesis, 1),
        lambda: corpus_nist([[["a"]], references], [["a"], hypothesis], 1),
    ):
        assert_one_warning(call, pattern if pattern in (BOTH, ONE) else f"{pattern}, {AS_TOKENS}")


def test_chrf_warns_of_a_str_in_place_of_a_list_of_texts():
    text = HYPOTHESES[0]
    other = REFERENCES[0][: len(HYPOTHESES[0])]
    theirs = nltk.translate.chrf_score.corpus_chrf
    assert_same(outcome(corpus_chrf, other, text), outcome(theirs, other, text))
    both = r"references and hypotheses are str, so each character counts as a segment; give \[references\] and \[hypotheses\]"
    assert_one_warning(lambda: corpus_chrf(other, text), both)
    assert_one_warning(
        lambda: corpus_chrf([*other], text),
        r"^hypotheses is a str, so each character counts as a segment; give \[hypotheses\]$",
    )
    for right in ([other], np.array([other])):
        assert corpus_chrf(right, [text]) == sentence_chrf(other, text) == sentence_chrf(other.split(), text.split())
