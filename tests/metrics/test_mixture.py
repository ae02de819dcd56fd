"""Weighted sums of metrics."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from cybleu import References, bleu_rewards, errors, pairwise_bleu, score
from cybleu.metrics import Mixture, find
from cybleu.rerank import mbr

pytestmark = pytest.mark.usefixtures("backend")

REFERENCES = [["The cat sat on the mat."], ["It rains.", "Rain falls all day."], ["A dog barks."]]
HYPOTHESES = ["The cat sat on a mat.", "Rain falls", ""]


def mixture(**weights):
    return Mixture(tuple((find(name), weight) for name, weight in weights.items()))


def alone(name, references, hypotheses, **arguments):
    raw = find(name).of_raw_text
    return bleu_rewards(references, hypotheses, metric=name, tokenize=None if raw else "13a", **arguments).astype(float)


@pytest.mark.parametrize(
    "weights", [{"sacrebleu": 0.5, "chrf": 0.5}, {"chrf": 1, "ter": 0.5}, {"nltk": 0.3, "gleu": 0.7, "chrf": -0.1}]
)
@pytest.mark.parametrize("prepared", [False, True])
def test_rewards_are_the_weighted_sums(weights, prepared):
    references = References(REFERENCES, tokenize="13a") if prepared else REFERENCES
    metric = mixture(**weights)
    tokenize = None if prepared or metric.of_raw_text else "13a"
    found = bleu_rewards(references, HYPOTHESES, metric=metric, tokenize=tokenize)
    expected = sum(weight * alone(name, REFERENCES, HYPOTHESES) for name, weight in weights.items())
    assert found == pytest.approx(expected, abs=1e-6)


def test_tokens_and_ids():
    references, hypotheses = [[[1, 2, 3, 4, 5]], [[3, 4]]], [[1, 2, 3, 4], [4, 3]]
    found = bleu_rewards(
        references, np.array([[1, 2, 3, 4], [4, 3, 0, 0]]), metric=mixture(sacrebleu=1, nltk=2), pad_id=0
    )
    expected = bleu_rewards(references, hypotheses) + 2.0 * bleu_rewards(references, hypotheses, metric="nltk")
    assert found == pytest.approx(expected, abs=1e-6)


def test_corpora_pairs_and_choices():
    metric = mixture(sacrebleu=0.5, chrf=0.5)
    rows = metric.rows(REFERENCES, HYPOTHESES, tokenize="13a")
    assert rows.shape == (3, len(metric.columns)) and rows.dtype == np.float64
    result = score(rows, metric)
    bleu = score(find("sacrebleu").rows(REFERENCES, HYPOTHESES, tokenize="13a"))
    chrf = score(find("chrf").rows(REFERENCES, HYPOTHESES), "chrf")
    assert result.score == 0.5 * (bleu.score / 100) + 0.5 * (chrf.score / 100)
    tokens = [line.split() for line in HYPOTHESES[:2]]
    of_tokens = mixture(sacrebleu=1, gleu=1)
    assert pairwise_bleu(tokens, metric=of_tokens)[0, 0] == pytest.approx(2)
    characters = mixture(chrf=0.5, ter=0.5)
    assert mbr([HYPOTHESES[:2] * 2 + ["Rain"]], metric=characters).texts == ["Rain falls"]


def test_pickles():
    metric = mixture(sacrebleu=0.5, chrf=0.5)
    assert pickle.loads(pickle.dumps(metric)) == metric and hash(pickle.loads(pickle.dumps(metric))) == hash(metric)


@pytest.mark.parametrize(
    "parts", [(), None, [("sacrebleu", 1)], [(find("chrf"), "x")], [(find("chrf"), float("nan"))], [find("chrf")]]
)
def test_parts_that_are_none(parts):
    with pytest.raises(errors.CybleuError, match="a mixture requires"):
        Mixture(parts)


def test_raw_text_and_tokens_require_a_tokeniser():
    with pytest.raises(errors.UnknownNameError, match="requires tokenize="):
        bleu_rewards(REFERENCES, HYPOTHESES, metric=mixture(sacrebleu=0.5, chrf=0.5))
    with pytest.raises(errors.UnknownNameError, match="no brevity penalty"):
        bleu_rewards(REFERENCES, HYPOTHESES, metric=mixture(sacrebleu=1, gleu=1), brevity_penalty=False)


@pytest.mark.parametrize("width", [0, 10, 25])
def test_rows_of_another_width(width):
    with pytest.raises(errors.StatisticsError, match="entries"):
        mixture(chrf=0.5, gleu=0.5).evaluate([0] * width)
