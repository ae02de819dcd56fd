"""Compare GLEU with NLTK's."""

from collections import deque

import nltk.translate.gleu_score as nltk_gleu
import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from cybleu import References, gleu_score, score, scores
from cybleu.metrics import Gleu
from cybleu.text import tokenizer
from inputs import CATCHES_WARNINGS, assert_same_calls, batches, corpora, long_segments, segments

pytestmark = CATCHES_WARNINGS

orders = st.fixed_dictionaries(
    {}, optional={"min_len": st.sampled_from([1, 2, 3, 0, -1]), "max_len": st.sampled_from([1, 2, 4, 9, 16, 20, 0, -1])}
)


@given(segments(containers=True, min_references=0) | long_segments(), orders)
@example(([[]], []), {})
@example(([], ["a"]), {})
@example(([["a", "b"], ["a"]], ["a"]), {})
@example(("ab", "ab"), {})
def test_sentences(segment, options):
    assert_same_calls(gleu_score.sentence_gleu, nltk_gleu.sentence_gleu, *segment, **options)


@given(corpora(), orders)
@example(([[[]], [["a"]]], [["x", "y"], ["a"]]), {})
def test_corpora(corpus, options):
    assert_same_calls(gleu_score.corpus_gleu, nltk_gleu.corpus_gleu, *corpus, **options)


FORMS = {
    "tokens": str.split,
    "ids": lambda line: np.array([ord(word) for word in line.split()], int),
    "raw text": lambda line: line,
}
LINES = st.lists(st.sampled_from(["a", "B", "b", "é"]), max_size=9).map(" ".join)


@pytest.mark.filterwarnings("ignore::cybleu.errors.ShapeWarning")  # references of one word
@pytest.mark.parametrize("prepared", [list, References], ids=["as given", "prepared"])
@pytest.mark.parametrize("form", FORMS)
@given(
    st.lists(st.lists(LINES, min_size=1, max_size=3), min_size=1, max_size=3),
    st.lists(st.tuples(LINES, st.integers(0, 99)), max_size=8),
    st.sampled_from([(1, 4), (2, 3), (1, 1)]),
)
@example([["", "a"], [""]], [("", 0), ("b é", 0), ("", 1)], (1, 4))
def test_the_metric_of_texts_that_share_references(form, prepared, sets, hypotheses, orders):
    read = FORMS[form]
    metric = Gleu(*orders, lowercase=form == "raw text")
    owner = [place % len(sets) for _, place in hypotheses]
    references = prepared([[*map(read, group)] for group in sets])
    rows = metric.rows([read(line) for line, _ in hypotheses], references, owner=owner, threads=2)
    split = tokenizer("none", lowercase=metric.lowercase)
    expected = [
        nltk_gleu.sentence_gleu([*map(split, sets[place])], split(line), *orders)
        for (line, _), place in zip(hypotheses, owner)
    ]
    assert scores(rows, metric).tolist() == expected


@pytest.mark.parametrize(
    "given_",
    [
        ([["a"]], [["a"], ["b"]]),
        ([], []),
        ([[[["a"]]]], [[["a"]]]),
        ([1], [["a"]]),
        ([[1]], [["a"]]),
        ([[["a"]]], [None]),
        ([deque([("a",)])], (deque("a"),)),
    ],
)
def test_errors(given_):
    assert_same_calls(gleu_score.corpus_gleu, nltk_gleu.corpus_gleu, *given_)


@pytest.mark.parametrize("kind", [iter, list, str])
def test_iterators_are_read_once(kind):
    def called(function):
        return function(iter([iter("ab"), iter("abc")]), kind("abcd"))

    assert called(gleu_score.sentence_gleu) == called(nltk_gleu.sentence_gleu)


@given(batches(min_size=1), st.integers(1, 2), st.integers(2, 5))
def test_the_metric(corpus, min_len, max_len):
    references, hypotheses = corpus
    metric = Gleu(min_len, max_len)
    rows = metric.rows(hypotheses, references)
    wanted = [nltk_gleu.sentence_gleu(*pair, min_len, max_len) for pair in zip(references, hypotheses)]
    assert scores(rows, metric).tolist() == wanted
    assert score(rows, metric).score == nltk_gleu.corpus_gleu(references, hypotheses, min_len, max_len)
