"""Compare GLEU with NLTK's."""

from collections import deque
from itertools import chain

import nltk
import nltk.translate.gleu_score as nltk_gleu
import numpy as np
import pytest
from hypothesis import assume, example, given, strategies as st

import cybleu
from cybleu import References, chrf_score, gleu_score, install_as_nltk, score, scores
from cybleu.metrics import Gleu
from cybleu.text import tokenizer
from inputs import (
    CATCHES_WARNINGS,
    assert_same_calls,
    corpora,
    long_segments,
    matches_nothing,
    numbered_alike,
    segments,
)

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


WORDS = st.lists(st.integers(1, 4), max_size=9)


@given(
    st.lists(st.lists(WORDS, min_size=1, max_size=3), min_size=1, max_size=3),
    st.lists(st.tuples(WORDS, st.integers(0, 99)), max_size=8),
    st.sampled_from([(1, 4), (2, 3), (1, 1)]),
)
@example([[[], [1]], [[]]], [([], 0), ([2, 3], 0), ([], 1)], (1, 4))
def test_prepared_references(sets, hypotheses, orders):
    metric = Gleu(*orders)
    of_raw = Gleu(*orders, tokenize="none")
    texts = [text for text, _ in hypotheses]
    owner = [place % len(sets) for _, place in hypotheses]
    expected = [nltk_gleu.sentence_gleu(sets[number], text, *orders) for text, number in zip(texts, owner)]
    lines = [" ".join(map(str, text)) for text in texts]
    raw = [[" ".join(map(str, text)) for text in group] for group in sets]
    token_lists = [list(map(str, text)) for text in texts]
    ids = np.zeros((len(texts), 9), np.int64)
    for place, text in enumerate(texts):
        ids[place, : len(text)] = text
    of_words = References([[list(map(str, text)) for text in group] for group in sets])
    of_lines = References(raw)
    of_ids = References([[np.array(text, int) for text in group] for group in sets], pad_id=0)
    for one, given_, prepared in ((metric, token_lists, of_words), (of_raw, lines, of_lines), (metric, ids, of_ids)):
        found = one.rows(given_, prepared, owner=owner, threads=2)
        assert scores(found, one).tolist() == expected
        assert cybleu.reward_scores(given_, prepared, owner, metric=one).tolist() == np.float32(expected).tolist()


def test_a_reference_without_ngrams_counts_where_the_hypothesis_has_some():
    assert gleu_score.corpus_gleu([[[]], [["a"]]], [["x", "y"], ["a"]]) == 0.25


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


def is_batch(corpus):
    references, hypotheses = corpus
    return hypotheses and numbered_alike(corpus) and not matches_nothing(list(chain(*references)), hypotheses)


@given(corpora().filter(is_batch), st.integers(1, 2), st.integers(2, 5))
def test_the_metric(corpus, min_len, max_len):
    references, hypotheses = corpus
    metric = Gleu(min_len, max_len)
    rows = metric.rows(hypotheses, references)
    wanted = [nltk_gleu.sentence_gleu(*pair, min_len, max_len) for pair in zip(references, hypotheses)]
    assert scores(rows, metric).tolist() == wanted
    assert score(rows, metric).score == nltk_gleu.corpus_gleu(references, hypotheses, min_len, max_len)
    assert metric.total(rows) == rows.sum(axis=0).tolist()


@given(corpora().filter(is_batch), st.booleans(), st.data())
def test_rows_of_texts_in_any_form(corpus, alone, data):
    references, hypotheses = corpus
    if alone:
        references = [texts[:1] for texts in references]
    assume(not any(matches_nothing(texts, [text]) for texts in references for text in hypotheses))
    metric = Gleu()
    wanted = [metric.count(*pair[::-1]) for pair in zip(references, hypotheses)]
    assert metric.rows(hypotheses, references, threads=2).tolist() == wanted
    assert metric.rows(list(map(list, hypotheses)), tuple(map(tuple, references))).tolist() == wanted
    owners = data.draw(
        st.lists(st.integers(0, len(references) - 1), min_size=len(hypotheses), max_size=len(hypotheses))
    )
    owned = [metric.count(text, references[number]) for number, text in zip(owners, hypotheses)]
    assert metric.rows(hypotheses, references, owner=owners).tolist() == owned


@pytest.mark.filterwarnings("ignore::cybleu.errors.ShapeWarning")  # references of one word
@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(["a", "b", "c."]), max_size=6).map(" ".join),
            st.lists(st.lists(st.sampled_from(["a", "B", "c."]), max_size=6).map(" ".join), min_size=1, max_size=3),
        ),
        max_size=5,
    )
)
def test_rows_of_raw_text(segments):
    hypotheses = [text for text, _ in segments]
    references = [texts for _, texts in segments]
    split = tokenizer("13a")
    wanted = [Gleu().count(split(line.lower()), [split(text.lower()) for text in texts]) for line, texts in segments]
    found = Gleu(lowercase=True).rows(hypotheses, references)
    assert (found.dtype, found.shape, found.tolist()) == (np.int64, (len(segments), 2), wanted)


def test_with_one_reference_it_comes_out_of_the_rows_of_bleu():
    rows = cybleu.rows(["a b x d e f".split()], [["a b c d e".split()]])
    matches = rows[0, 2:6].sum()
    assert Gleu().count(["a", "b", "x", "d", "e", "f"], [["a", "b", "c", "d", "e"]]) == [matches, rows[0, 6:].sum()]


@pytest.mark.thread_unsafe(reason="NLTK is replaced for the whole process")
def test_installation():
    names = [("gleu_score", name, gleu_score) for name in ("corpus_gleu", "sentence_gleu")]
    names += [
        ("chrf_score", name, chrf_score)
        for name in ("chrf_precision_recall_fscore_support", "corpus_chrf", "sentence_chrf")
    ]

    def there():
        return [getattr(getattr(nltk.translate, module), name) for module, name, _ in names]

    before = there(), nltk.gleu, nltk.chrf, nltk.translate.gleu, nltk.translate.chrf
    with install_as_nltk():
        assert there() == [getattr(module, name) for _, name, module in names]
        assert nltk.gleu is nltk.translate.gleu is gleu_score.sentence_gleu
        assert nltk.chrf is nltk.translate.chrf is chrf_score.sentence_chrf
    assert (there(), nltk.gleu, nltk.chrf, nltk.translate.gleu, nltk.translate.chrf) == before


def test_an_empty_reference_of_raw_text_is_no_match():
    assert Gleu(tokenize="none").rows([""], [["", "a b c"]]).tolist() == [[0, 6]]
