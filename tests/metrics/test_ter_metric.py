"""TER wherever a metric is taken: lower is better."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import sacrebleu

import cybleu
from arrow_capsules import AsArray
from arrow_capsules import texts as texts_of
from cybleu import References, Reward, score, scores
from cybleu.metrics import Ter, find
from cybleu.nbest import NBest
from cybleu.rerank import antioracle, diverse, mbr, oracle, perceptron
from cybleu.significance import bootstrap, compare_systems, paired_test
from cybleu.tuning import kbmira, line_search, pro, tune
from reranked_texts import FEATURES, LISTS, OWNER, REFERENCES, TEXTS

pytestmark = pytest.mark.usefixtures("backend")


def theirs(line, references, **options):
    return sacrebleu.metrics.TER(**options).sentence_score(line, references).score


def nbest():
    made = NBest.from_texts(LISTS, REFERENCES, FEATURES, ["rank", "other"], tokenize=str.split)
    return made.with_metric("ter", REFERENCES)


def test_rows_and_scores():
    metric = find("ter")
    rows = metric.rows(TEXTS, REFERENCES, owner=OWNER, threads=2)
    expected = [theirs(text, REFERENCES[owner]) for text, owner in zip(TEXTS, OWNER)]
    assert scores(rows, "ter").tolist() == expected
    assert rows.dtype == np.float64 and metric.columns == ("edits", "ref_len")
    in_bytes = metric.rows([text.upper().encode() for text in TEXTS], REFERENCES, owner=OWNER)
    assert in_bytes.tolist() == rows.tolist()
    exact = find("ter", case_sensitive=True, lowercase=True)
    assert scores(exact.rows(TEXTS, REFERENCES, owner=OWNER), exact).tolist() == expected
    prepared = References(REFERENCES)
    assert metric.rows(TEXTS, prepared, owner=OWNER).tolist() == rows.tolist()
    as_column = metric.rows(AsArray(texts_of(TEXTS)), REFERENCES, owner=OWNER)
    assert as_column.tolist() == rows.tolist()
    assert str(score(rows, metric)).startswith("metric:ter|case:lc|tok:tercom|norm:no|punct:yes|asian:no = ")
    assert score(rows.tolist(), metric) == score(rows, metric)
    options = find("ter", normalized=True, no_punct=True, asian_support=True, case_sensitive=True)
    assert options.signature == "metric:ter|case:mixed|tok:tercom|norm:yes|punct:no|asian:yes"
    assert not metric.higher_is_better and find("chrf").higher_is_better
    for copied in (copy.deepcopy(options), pickle.loads(pickle.dumps(options))):
        assert copied == options and copied.count("A.", ["a."]) == options.count("A.", ["a."])


def test_pairs_and_rewards():
    expected = [[theirs(text, [other]) for other in TEXTS] for text in TEXTS]
    assert cybleu.pairs(TEXTS, metric="ter").tolist() == expected
    assert cybleu.pairs(TEXTS[:2], TEXTS, metric="ter", threads=2).tolist() == expected[:2]
    rewards = cybleu.reward_scores(TEXTS, REFERENCES, OWNER, metric="ter")
    rates = [theirs(text, REFERENCES[owner]) for text, owner in zip(TEXTS, OWNER)]
    assert max(rates) > 100
    assert rewards.tolist() == [np.float32(max(0.0, 100 - rate) / 100) for rate in rates]
    reward = Reward("ter", "column")
    assert reward(completions=TEXTS[:1], column=REFERENCES[:1]) == [float(rewards[0])]


def test_choices():
    """The lowest TER is chosen, and utilities are 100 - TER."""
    list_ = nbest()
    rates = np.array([theirs(text, REFERENCES[owner]) for text, owner in zip(TEXTS, OWNER)])
    best = [0, int(rates[3:6].argmin()), int(rates[6:9].argmin())]
    worst = [int(rates[:3].argmax()), int(rates[3:6].argmax()), int(rates[6:9].argmax())]
    for level in ("sentence", "corpus"):
        assert oracle(list_, level).positions.tolist() == best
        assert antioracle(list_, level).positions.tolist() == worst
    assert oracle(list_).scores.tolist() == rates.tolist()
    assert oracle(list_, "corpus").score == score(list_.stats[oracle(list_, "corpus").rows], "ter").score
    alike = [["a b c d", "a b c x", "q r s t"]]
    chosen = mbr(alike, metric="ter")
    means = [np.mean([100 - theirs(text, [other]) for other in alike[0]]) for text in alike[0]]
    assert chosen.positions.tolist() == [int(np.argmax(means))]
    assert chosen.scores.tolist() == pytest.approx(means)
    assert diverse(alike, 2, metric="ter")[0].tolist() == [0, 2]


def test_tuning():
    """What is tuned is 100 - TER of the whole, so that higher is better everywhere."""
    list_ = nbest()
    best = 100 - oracle(list_, "corpus").score
    found = line_search(list_, {"rank": -1.0, "other": 0.0}, "other")
    assert found.score == 100 - score(list_.stats[[0, 3, 6]], "ter").score
    tuned = tune(list_, {"rank": 1.0, "other": 0.0}, restarts=3)
    assert tuned.metric == "1-ter" and tuned.start_score < tuned.score <= best
    start = {"rank": 1.0, "other": 0.0}
    for trained in (kbmira(list_, start), pro(list_, start)):
        assert trained.score > trained.start_score
    assert perceptron(list_, folds=2, metric="ter").weights["rank"] < 0


def test_significance():
    rows = {
        name: find("ter").rows(texts * 9, REFERENCES * 9)
        for name, texts in (("good", [x[0] for x in LISTS]), ("bad", [x[1] for x in LISTS]))
    }
    result = compare_systems(rows, "ter", samples=50, resamples=40)
    assert [system.name for system in result.systems] == ["good", "bad"]
    assert [system.score for system in result.systems] == [score(table, "ter").score for table in rows.values()]
    (found,) = result.differences
    assert found.first == "good" and found.difference < 0 and found.wins == 27
    assert compare_systems(rows, "ter", samples=50, resamples=40, lower_is_better=False).systems[0].name == "bad"
    assert bootstrap(rows["good"], "ter", samples=20).score == result.systems[0].score
    assert paired_test(*rows.values(), "ter", samples=50).p < 0.05


@pytest.mark.parametrize(("row", "expected"), [([0, 0], 0.0), ([3, 0], 100.0), ([3, 2.5], 120.0)])
def test_texts_without_words(row, expected):
    assert Ter().evaluate(row) == scores([row], "ter")[0] == expected
