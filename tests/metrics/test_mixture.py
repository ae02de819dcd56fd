"""Weighted sums of metrics."""

from __future__ import annotations

import numpy as np
import pytest

import cybleu
from cybleu import References, errors, score
from cybleu.metrics import Mixture, find
from cybleu.rerank import mbr

pytestmark = pytest.mark.usefixtures("backend")

REFERENCES = [["The cat sat on the mat."], ["It rains.", "Rain falls all day."], ["A dog barks."]]
HYPOTHESES = ["The cat sat on a mat.", "Rain falls", ""]


def mixture(**weights):
    return Mixture(tuple((find(name), weight) for name, weight in weights.items()))


@pytest.mark.parametrize(
    "weights", [{"sacrebleu": 0.5, "chrf": 0.5}, {"chrf": 1, "ter": 0.5}, {"nltk": 0.3, "gleu": 0.6, "chrf++": 0.2}]
)
@pytest.mark.parametrize("prepared", [False, True])
def test_rewards_are_the_weighted_means(weights, prepared):
    references = References(REFERENCES) if prepared else REFERENCES
    expected = sum(
        weight * cybleu.reward_scores(HYPOTHESES, REFERENCES, metric=name).astype(float)
        for name, weight in weights.items()
    ) / sum(weights.values())
    for metric in (mixture(**weights), Mixture(weights), weights, Mixture([*weights.items()])):
        found = cybleu.reward_scores(HYPOTHESES, references, metric=metric)
        assert found == pytest.approx(expected, abs=1e-6)
    assert Mixture(weights) == mixture(**weights) == find(weights)


def test_tokens_and_ids():
    references, hypotheses = [[[1, 2, 3, 4, 5]], [[3, 4]]], [[1, 2, 3, 4], [4, 3]]
    found = cybleu.reward_scores(
        np.array([[1, 2, 3, 4], [4, 3, 0, 0]]), references, metric=mixture(sacrebleu=1, nltk=2), pad_id=0
    )
    alone = [cybleu.reward_scores(hypotheses, references, metric=name) for name in ("sacrebleu", "nltk")]
    assert found == pytest.approx(alone[0] / 3 + alone[1] * 2 / 3, abs=1e-6)


def test_corpora_pairs_and_choices():
    metric = mixture(sacrebleu=0.5, chrf=0.5)
    rows = metric.rows(HYPOTHESES, REFERENCES)
    assert rows.shape == (3, len(metric.columns)) and rows.dtype == np.float64
    result = score(rows, metric)
    bleu = score(find("sacrebleu").rows(HYPOTHESES, REFERENCES))
    chrf = score(find("chrf").rows(HYPOTHESES, REFERENCES), "chrf")
    assert result.score == 0.5 * (bleu.score / 100) + 0.5 * (chrf.score / 100)
    tokens = [line.split() for line in HYPOTHESES[:2]]
    of_tokens = mixture(sacrebleu=1, gleu=1)
    assert cybleu.pairs(tokens, metric=of_tokens)[0, 0] == pytest.approx(1)
    characters = mixture(chrf=0.5, ter=0.5)
    assert mbr([HYPOTHESES[:2] * 2 + ["Rain"]], metric=characters).texts == ["Rain falls"]


@pytest.mark.parametrize(
    "parts",
    [
        (),
        {},
        None,
        3,
        [(3, 1)],
        [(find("chrf"), 0)],
        {"bleu": 1, "chrf": -0.1},
        [find("chrf")],
    ],
)
def test_parts_that_are_none(parts):
    with pytest.raises(errors.CybleuError, match="a mixture requires"):
        Mixture(parts)


def test_what_a_mixture_cannot_do():
    with pytest.raises(errors.UnknownNameError, match="unknown metric 'blue'"):
        Mixture({"blue": 1})
    with pytest.raises(errors.UnknownNameError, match="tokenize and lowercase are options of the metrics of a mixture"):
        Mixture({"bleu": 1}, tokenize="zh")
    with pytest.raises(errors.UnknownNameError, match="tokenize"):
        cybleu.reward_scores(HYPOTHESES, REFERENCES, metric={"bleu": 1, "chrf": 1}, tokenize="zh")
    with pytest.raises(errors.SequenceTypeError, match="chrf reads raw text"):
        cybleu.reward_scores([["a"]], [["a"]], metric=mixture(sacrebleu=0.5, chrf=0.5))
    with pytest.raises(errors.UnknownNameError, match="no brevity penalty"):
        cybleu.reward_scores(HYPOTHESES, REFERENCES, metric=mixture(sacrebleu=1, gleu=1), brevity_penalty=False)
