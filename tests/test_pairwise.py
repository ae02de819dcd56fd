"""All pairs of texts, and each text against all others, beside scores one by one, which tests/oracle compares with tools."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import cybleu
from cybleu import SmoothingFunction, errors, metrics, nltk_3_2, sentence_bleu
from cybleu.metrics import score
from cybleu.pairwise import self_bleu
from inputs import DEFINITIONS, ID_KINDS, WORD_KINDS, long_lists, outcome, texts_of_one_kind


@given(st.sampled_from([WORD_KINDS, ID_KINDS]), st.data())
def test_every_definition_scores_as_one_by_one(kinds, data):
    references = data.draw(texts_of_one_kind(kinds))
    hypotheses = data.draw(texts_of_one_kind(kinds))
    order = data.draw(st.integers(1, 6))
    weights = data.draw(st.one_of(st.none(), st.lists(st.floats(0, 1), min_size=order, max_size=order)))
    effective_order = data.draw(st.booleans())
    each_other = data.draw(st.booleans())
    texts = (references,) if each_other else (hypotheses, references)
    metric = metrics.Bleu(*data.draw(st.sampled_from(DEFINITIONS)), None, weights, order, effective_order)

    def one(hypothesis, reference):
        rows = cybleu.rows([hypothesis], [[reference]], max_order=order)
        try:
            return score(rows[0], metric).score
        except errors.EmptyHypothesisError:
            return metric.scores(rows)[0]  # which does not fail where the tool does

    try:
        expected = [
            [one(text, reference) for reference in references] for text in (references if each_other else hypotheses)
        ]
    except errors.CybleuError as error:
        with pytest.raises(type(error)):
            cybleu.pairs(*texts, metric=metric)
    else:
        assert cybleu.pairs(*texts, metric=metric).tolist() == expected


@pytest.mark.long_in_mirror
@given(st.lists(long_lists(), min_size=1, max_size=4), st.sampled_from([1, 4, 16, 18]))
def test_long_texts_and_high_orders(texts, order):
    texts = [[str(token) for token in text] for text in texts]
    scores = cybleu.pairs(texts, max_order=order)
    for i, hypothesis in enumerate(texts):
        for j, reference in enumerate(texts):
            row = cybleu.rows([hypothesis], [[reference]], max_order=order)[0]
            assert scores[i, j] == score(row, effective_order=True).score


def add_references(p_n, references, hypothesis, hyp_len):
    """A smoothing of the user's, which sees the texts."""
    return [(p.numerator + len(references)) / (p.denominator + len(hypothesis)) for p in p_n]


METHODS = [None, nltk_3_2, add_references, *(getattr(SmoothingFunction(), f"method{number}") for number in range(8))]
WEIGHTS = [(0.25,) * 4, (0.5, 0.5), [(1.0,), (0.2,) * 5]]


@pytest.mark.thread_unsafe(reason="it catches warnings")
@pytest.mark.parametrize("method", METHODS)
@given(texts_of_one_kind(min_size=2), st.sampled_from(WEIGHTS), st.booleans())
def test_self_bleu_is_the_loop_over_sentence_bleu(method, texts, weights, auto_reweigh):
    others = [texts[:place] + texts[place + 1 :] for place in range(len(texts))]
    loop = outcome(lambda: [sentence_bleu(*pair, weights, method, auto_reweigh) for pair in zip(others, texts)])
    found = outcome(lambda: self_bleu(texts, weights, method, auto_reweigh).tolist())
    assert found.value == loop.value
    assert loop.error is None or type(found.error) is type(loop.error)


def test_a_sample_of_self_bleu():
    texts = [[f"w{i % 7}", f"w{i % 3}", "x", f"w{i % 5}"] for i in range(40)]
    method = SmoothingFunction().method1
    scores = self_bleu(texts, smoothing_function=method)
    sample = self_bleu(texts, smoothing_function=method, sample=10, seed=5)
    assert len(sample) == 10
    assert (sample == self_bleu(texts, smoothing_function=method, sample=10, seed=5)).all()
    assert set(sample.tolist()) <= set(scores.tolist())
    assert (self_bleu(texts, smoothing_function=method, sample=40) == scores).all()
    lines = list(map(" ".join, texts))
    assert (self_bleu(lines, smoothing_function=method, tokenize=str.split) == scores).all()


@pytest.mark.parametrize("count", [255, 256, 257])
def test_a_token_that_is_repeated_more_often_than_a_byte_can_count(count):
    hypothesis = ["a"] * count + ["b", "c"]
    references = [["a"] * (number % 6) + ["b", "c", "d"] for number in range(20)]
    found = cybleu.pairs([hypothesis], references)[0]
    rows = [cybleu.rows([hypothesis], [[reference]])[0] for reference in references]
    assert found.tolist() == [score(row, effective_order=True).score for row in rows]


@pytest.mark.parametrize("different", [(4, 4), (4, 30), (30, 4)])
def test_equal_texts_among_many(different):
    random = np.random.default_rng(0)
    refs, hyps = ([random.integers(0, 3, random.integers(1, 7)).tolist() for _ in range(count)] for count in different)
    refs, hyps = ([texts[k] for k in random.integers(0, len(texts), 30)] for texts in (refs, hyps))
    for texts in ((refs,), (hyps, refs)):
        found = cybleu.pairs(*texts, metric="moses", smoothing="add")
        for i, hypothesis in enumerate(texts[0]):
            for j, reference in enumerate(refs):
                row = cybleu.rows([hypothesis], [[reference]])[0]
                assert found[i, j] == score(row, "moses", smoothing="add").score
        assert (cybleu.pairs(*texts, metric="moses", smoothing="add", threads=3) == found).all()


@pytest.mark.parametrize("dtype", ["float64", "complex64", "M8[s]", "U1", "i4,i4", object])
def test_an_array_without_entries_is_an_empty_text(dtype):
    texts = [np.array([], dtype), np.array([1, 2])]
    assert cybleu.pairs(texts).tolist() == cybleu.pairs([[], [1, 2]]).tolist()


@pytest.mark.parametrize("metric", ["bleu", "nltk", "chrf", "ter", "gleu"])
def test_an_empty_list_beside_texts_of_any_kind(metric):
    texts = [["a b", "c"]] if metric in ("chrf", "ter") else [["a b", "c"], [["a"], ["b", "c"]], [[1], [2, 3]]]
    for others in texts:
        assert cybleu.pairs([], others, metric=metric).shape == (0, 2)
        assert cybleu.pairs(others, [], metric=metric).shape == (2, 0)
    assert cybleu.pairs([], [], metric=metric).shape == cybleu.pairs([], metric=metric).shape == (0, 0)
