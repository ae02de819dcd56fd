"""NIST compared with NLTK."""

from collections import deque

import nltk.translate.nist_score as nltk_nist
import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from cybleu import errors, nist_score
from inputs import CATCHES_WARNINGS, assert_same, corpora, long_segments, outcome, segments

pytestmark = CATCHES_WARNINGS

orders = st.sampled_from([5, 1, 2, 3, 9, 16, 17, 0, -1, True])
FEW_WORDS = st.lists(st.sampled_from("aaabbc"), max_size=12)


@given(segments(containers=True, min_references=0) | long_segments(), orders)
@example(([[]], []), 5)
@example(([], ["a"]), 1)
@example(([["a", "b"], ["b", "a", "a"]], ["a"]), 1)
@example(("ab", "ab"), 2)
@example(([["a"]], ["a"]), 2.0)
def test_sentences(segment, n):
    assert_same(outcome(nist_score.sentence_nist, *segment, n), outcome(nltk_nist.sentence_nist, *segment, n))


@given(corpora(), orders)
@example(([], []), 5)
@example(([[["a"]]], []), 5)
@example(([[["a"]]], [[("a",)]]), 1)
@example(([[[("a",)]]], [["a"]]), 1)
@example(([[["a"]], []], [["a"], ["b"]]), 1)
@example(([[[]], [["a"]]], [["x", "y"], ["a"]]), 1)
def test_corpora(corpus, n):
    assert_same(outcome(nist_score.corpus_nist, *corpus, n), outcome(nltk_nist.corpus_nist, *corpus, n))


@given(
    st.lists(st.tuples(st.lists(FEW_WORDS, min_size=1, max_size=4), FEW_WORDS), min_size=1, max_size=6),
    st.integers(1, 5),
)
def test_words_that_are_often_the_same(pairs, n):
    """Ties of references, clipped counts, and weights of n-grams whose prefix occurs in several segments."""
    corpus = [list(side) for side in zip(*pairs)]
    assert_same(outcome(nist_score.corpus_nist, *corpus, n), outcome(nltk_nist.corpus_nist, *corpus, n))


@given(st.floats(0, 100), st.floats(0, 100))
@example(0.0, 1.0)
@example(3, 0)
@example(9, 6)
def test_the_length_penalty(reference, hypothesis):
    lengths = reference, hypothesis
    assert_same(outcome(nist_score.nist_length_penalty, *lengths), outcome(nltk_nist.nist_length_penalty, *lengths))


@pytest.mark.parametrize(
    "lengths", [(0, np.int64(4)), (np.float64(0), 4), (np.int64(0), np.int64(0)), (5, np.int64(0))]
)
def test_the_length_penalty_of_numbers_that_divide_by_zero(lengths):
    with np.errstate(all="ignore"):
        found = nist_score.nist_length_penalty(*lengths)
        expected = nltk_nist.nist_length_penalty(*lengths)
    assert found == expected or (found != found and expected != expected)


@pytest.mark.parametrize(
    ("corpus", "n", "error", "place"),
    [
        (([[["a"]]], [["a"], ["b"]]), 1, errors.LengthMismatchError, "2 hypotheses and 1 lists"),
        (([[["a"]], []], [["a"], ["b"]]), 1, errors.NoReferencesError, r"list_of_references\[1\]"),
        (([[["a", "b"]]], [["a", "b"]]), 3, errors.ShortTextsError, "give n=2 or less"),
        (([[["a"]]], [[]]), 5, errors.ShortTextsError, "no hypothesis has a 1-gram; give one that is not empty"),
        (([[[]]], [["a"]]), 1, errors.ShortTextsError, "references have no token"),
    ],
)
def test_errors_say_where_and_what_to_do(corpus, n, error, place):
    with pytest.raises(error, match=place):
        nist_score.corpus_nist(*corpus, n)


def test_sequences_that_are_no_lists():
    corpus = [[deque("abcab"), ("a", "b", "c")]], [deque("abcb")]
    assert nist_score.corpus_nist(*corpus, 3) == nltk_nist.corpus_nist(*corpus, 3)
