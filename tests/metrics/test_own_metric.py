"""A user-defined metric works in every function that accepts a metric."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

import cybleu
from cybleu import Reward, errors, metrics, score, scores
from cybleu.metrics import Chrf, Gleu, Metric
from cybleu.nbest import NBest, merge
from cybleu.rerank import antioracle, diverse, linear, mbr, oracle, perceptron
from cybleu.significance import paired_test
from cybleu.tuning import cross_validate, kbmira, line_search, pro_pairs, tune

pytestmark = pytest.mark.usefixtures("backend")


@dataclass(frozen=True)
class WordF(Metric):
    """F-score of distinct words, against the reference that shares most."""

    beta: float = 1

    name = "word-f"
    scale = 1
    columns = ("shared", "hypothesis_words", "reference_words")

    def count(self, hypothesis, references):
        words = {*hypothesis}
        shared, _, of_reference = max((len(words & {*text}), -len({*text}), len({*text})) for text in references)
        return [shared, len(words), of_reference]

    def evaluate(self, row):
        shared, of_hypothesis, of_reference = row
        both = self.beta**2 * of_reference + of_hypothesis
        return (1 + self.beta**2) * shared / both if both else 0.0


@pytest.fixture(autouse=True)
def _added(monkeypatch):
    monkeypatch.setitem(metrics.METRICS, "word-f", WordF())


TEXTS = [["the cat sat", "a cat", "the cat sat down"], ["it rains", "it rained a lot", "rain"]]
REFERENCES = [["the cat sat down"], ["it rains a lot", "rain falls"]]
TOKENS = [[text.split() for text in texts] for texts in TEXTS]
SETS = [[text.split() for text in texts] for texts in REFERENCES]
HYPOTHESES = [text for texts in TOKENS for text in texts]
OWNER = [0, 0, 0, 1, 1, 1]


def f(references, hypothesis):
    metric = WordF()
    return metric.evaluate(metric.count(hypothesis, references))


EXPECTED = [f(SETS[owner], text) for owner, text in zip(OWNER, HYPOTHESES)]


@pytest.fixture
def nbest():
    metric = WordF()
    rows = metric.rows(HYPOTHESES, SETS, owner=OWNER)
    features = [[0.0, 1.0], [1.0, 0.5], [0.5, 0.0], [1.0, 0.0], [0.0, 1.0], [2.0, 0.5]]
    texts = [text for texts in TEXTS for text in texts]
    return NBest([0, 3, 6], features, rows, ["lm", "length"], texts, score=metric)


def test_a_metric_without_what_it_needs_is_refused_when_it_is_made():
    class Unfinished(Metric):
        name = "unfinished"

        def count(self, hypothesis, references):
            return [0]

    with pytest.raises(TypeError, match=r"abstract .*evaluate"):
        Unfinished()


def test_rows_and_scores():
    rows = metrics.find("word-f").rows(HYPOTHESES, SETS, owner=OWNER)
    assert scores(rows, "word-f").tolist() == EXPECTED
    result = score(rows, "word-f")
    assert result.score == WordF().evaluate(rows.sum(axis=0).tolist())
    assert str(result) == f"metric:word-f = {100 * result.score:.2f}"
    assert score(rows[0].tolist(), "word-f", beta=2).score == WordF(2).evaluate(rows[0].tolist())


def test_pairs_and_rewards():
    matrix = cybleu.pairs(HYPOTHESES, metric="word-f")
    assert matrix.tolist() == [[f([reference], text) for reference in HYPOTHESES] for text in HYPOTHESES]
    assert cybleu.pairs(HYPOTHESES[:2], metric=WordF()).tolist() == matrix[:2, :2].tolist()
    assert cybleu.reward_scores(HYPOTHESES, SETS, OWNER, metric="word-f").tolist() == np.float32(EXPECTED).tolist()
    reward = Reward("word-f", "column", tokenize=str.split)
    assert reward(completions=TEXTS[0], column=[REFERENCES[0]] * 3) == np.float32(EXPECTED[:3]).tolist()


def test_minimum_bayes_risk():
    utilities = [np.mean([[f([reference], text) for reference in texts] for text in texts], axis=1) for texts in TOKENS]
    best = mbr(TEXTS, metric="word-f", tokenize=str.split)
    assert best.scores == pytest.approx(np.concatenate(utilities))
    assert best.positions.tolist() == [int(values.argmax()) for values in utilities]
    assert [places[0] for places in diverse(TEXTS, 2, metric=WordF(tokenize=str.split))] == best.positions.tolist()


@dataclass(frozen=True)
class WordErrors(Metric):
    """An error rate of tokens: the share of positions at which two texts differ."""

    name, columns, higher_is_better = "word errors", ("errors", "reference_words"), False

    def count(self, hypothesis, references):
        alike = sum(one == other for one, other in zip(references[0], hypothesis))
        return [max(len(references[0]), len(hypothesis)) - alike, len(references[0])]

    def evaluate(self, row):
        return row[0] / row[1]


def test_minimum_bayes_risk_of_an_error_rate():
    texts = ["the cat sat", "the cat sat", "the cat sat down", "completely different words here"]
    best = mbr([texts], metric=WordErrors(tokenize=str.split))
    rates = [
        [WordErrors().evaluate(WordErrors().count(text.split(), [other.split()])) for other in texts] for text in texts
    ]
    assert best.positions.tolist() == [0]
    assert best.scores == pytest.approx(1 - np.mean(rates, axis=1))
    assert diverse([texts], 4, metric=WordErrors(tokenize=str.split))[0].tolist() == [0, 2, 1, 3]


def test_oracles_and_the_perceptron(nbest):
    assert oracle(nbest).scores.tolist() == EXPECTED
    assert oracle(nbest).positions.tolist() == [int(np.argmax(EXPECTED[:3])), int(np.argmax(EXPECTED[3:]))]
    assert antioracle(nbest).positions.tolist() == [int(np.argmin(EXPECTED[:3])), int(np.argmin(EXPECTED[3:]))]
    every = [
        WordF().evaluate((nbest.stats[one] + nbest.stats[other]).tolist()) for one in range(3) for other in range(3, 6)
    ]
    assert oracle(nbest, "corpus").score == max(every)
    assert antioracle(nbest, "corpus").score == min(every)
    trained = perceptron(nbest, folds=2, epochs=2)
    assert trained.score == trained.held_out.corpus_score().score
    assert linear(nbest, trained.weights).corpus_score("word-f").score in every


def test_tuning(nbest):
    tuned = tune(nbest, [1.0, 1.0], restarts=2)
    assert (tuned.metric, tuned.scale) == ("word-f", 1)
    assert tuned.score == WordF().evaluate(nbest.stats[tuned.chosen].sum(axis=0).tolist())
    assert tuned.score == tune(nbest, [1.0, 1.0], restarts=2, metric="word-f").score
    assert line_search(nbest, tuned.weights, "lm").score == tuned.score
    assert kbmira(nbest, [1.0, 1.0], iterations=2).start_score == tuned.start_score
    differences, labels = pro_pairs(nbest, samples=50, keep=3)
    assert len(differences) == len(labels) > 0
    assert cross_validate(nbest, [0, 1], start=[1.0, 1.0], restarts=0).folds[0].metric == "word-f"
    assert len(merge(nbest, nbest).features) == 6


@pytest.mark.parametrize("metric", [Gleu(), Chrf(char_order=1), Chrf(1, 1)])
def test_rows_that_metrics_refuse(metric):
    """Invalid rows are errors in every function that scores them."""
    width = len(metric.columns)
    for row in (
        [],
        [1] * (width - 1),
        [1] * (width + 1),
        ["a"] * width,
        [-1] * width,
        [1.5] * width,
        [None] * width,
        5,
    ):
        for found in (lambda row=row: metric.evaluate(row), lambda row=row: metric.score(row)):
            with pytest.raises(errors.StatisticsError, match=r"whole numbers|entries"):
                found()
    ones = [1] * width
    assert metric.evaluate(ones) == metric.evaluate(tuple(ones)) == metric.evaluate(np.array(ones)) == metric.scale
    with pytest.raises(errors.StatisticsError, match="whole numbers from 0"):
        scores([[-1] * width], metric)


@pytest.mark.parametrize("found", [math.nan, None, "x", 1j, [0.5, 0.5]])
def test_scores_that_are_no_numbers(found):
    @dataclass(frozen=True)
    class Odd(WordF):
        def evaluate(self, row):
            return found

    rows = WordF().rows(HYPOTHESES, SETS, owner=OWNER)
    nbest = NBest.from_texts([["a b", "a"]], [["a b"]], [[0.0], [1.0]], tokenize=str.split).with_metric(
        Odd(), [["a b"]]
    )
    for use in (
        lambda: score(rows, Odd()),
        lambda: scores(rows, Odd()),
        lambda: cybleu.pairs(HYPOTHESES, metric=Odd()),
        lambda: oracle(nbest),
        lambda: tune(nbest, restarts=1),
        lambda: paired_test(rows, rows[::-1], metric=Odd(), samples=10),
    ):
        with pytest.raises(errors.StatisticsError, match=r"gives .* for the row .*must give a number"):
            use()


def test_counts_beyond_64_bits():
    @dataclass(frozen=True)
    class Large(WordF):
        def count(self, hypothesis, references):
            return [0, 2**63, 1]

    with pytest.raises(errors.StatisticsError, match="word-f are beyond 64 bits"):
        Large().rows(HYPOTHESES, SETS, owner=OWNER)
