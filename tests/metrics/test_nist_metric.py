"""NIST wherever a metric is taken: weights of a call, and weights that are given."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import cybleu
from arrow_capsules import AsArray
from arrow_capsules import texts as texts_of
from cybleu import References, Reward, columns, errors, score, scores
from cybleu.metrics import Mixture, Nist, NistInformation, find
from cybleu.nbest import NBest
from cybleu.rerank import mbr, oracle, perceptron
from cybleu.significance import bootstrap, compare_systems
from cybleu.tuning import kbmira, line_search, tune
from reranked_texts import FEATURES, LISTS, OWNER, REFERENCES, TEXTS

pytestmark = pytest.mark.usefixtures("backend")


@pytest.fixture
def fixed():
    return Nist(information=NistInformation(REFERENCES))


def test_forms_of_texts(fixed):
    metric = find("nist")
    rows = metric.rows(TEXTS, REFERENCES, owner=OWNER, threads=2)
    assert rows.dtype == np.float64 and rows.shape == (9, 11) == (len(TEXTS), len(metric.columns))
    in_bytes = [text.encode() for text in TEXTS]
    for given in (TEXTS, in_bytes, AsArray(texts_of(TEXTS))):
        assert fixed.rows(given, REFERENCES, owner=OWNER).tolist() == rows.tolist()
    prepared = References(REFERENCES)
    assert metric.rows(TEXTS, prepared, owner=OWNER).tolist() == rows.tolist()
    assert NistInformation(prepared) == fixed.information
    for row, text, owner in zip(rows.tolist(), TEXTS, OWNER):
        assert fixed.count(text, REFERENCES[owner]) == row
    assert scores(rows, metric).tolist() == [metric.evaluate(row) for row in rows.tolist()]
    assert score(rows.tolist(), metric) == score(rows, metric)
    lowered = cybleu.rows(TEXTS, REFERENCES, "nist", owner=OWNER, lowercase=True)
    assert (
        find("nist", lowercase=True).rows(TEXTS, REFERENCES, owner=OWNER).tolist() == lowered.tolist() != rows.tolist()
    )
    assert metric.rows([], []).shape == (0, 11)


def test_lower_case_is_that_of_the_script_with_prepared_references():
    """Only letters of ASCII have a lower case, and weights are those of the corpus in lower case."""
    references, texts = [["The É cat &QUOT; SAT", "a É"], ["it RAINS"]], ['the É CAT " sat', "It rains é"]
    expected = {lowercase: Nist(lowercase=lowercase).rows(texts, references).tolist() for lowercase in (False, True)}
    assert expected[True] != expected[False]
    prepared = References(references)
    information = NistInformation(references)
    for given in (prepared, pickle.loads(pickle.dumps(prepared))):
        assert NistInformation(given) == information
        for lowercase in (False, True):
            for weights in (None, information, NistInformation(given)):
                one = Nist(lowercase=lowercase, information=weights)
                assert one.rows(texts, given).tolist() == expected[lowercase]
                assert one.rows(texts, references).tolist() == expected[lowercase]
    parts = Nist(lowercase=True, information=information), find("mteval-v13a", lowercase=True)
    rows = Mixture([(part, 0.5) for part in parts]).rows(texts, prepared)
    assert rows[:, :11].tolist() == expected[True] and rows[0, 13] == 4
    chrf = find("chrf", lowercase=True)
    assert chrf.rows(texts, prepared).tolist() == chrf.rows(texts, references).tolist()


def test_weights_that_are_given_stay(fixed):
    """Parts add up, and what else is in a call does not matter."""
    whole = fixed.rows(TEXTS, REFERENCES, owner=OWNER)
    assert [fixed.rows([text], [REFERENCES[owner]])[0].tolist() for text, owner in zip(TEXTS, OWNER)] == whole.tolist()
    assert find("nist").rows(TEXTS[:1], REFERENCES[:1]).tolist() != whole[:1].tolist()
    assert fixed.score(whole[:4].sum(axis=0) + whole[4:].sum(axis=0)).score == pytest.approx(fixed.score(whole).score)
    other = fixed.count("the parrot sat on the mat", ["the parrot sat on the mat"])
    known = fixed.information.weight("sat") + fixed.information.weight("on") + 2 * fixed.information.weight("the")
    assert other[1] == pytest.approx(known + fixed.information.weight("mat"))
    assert (
        fixed.information.weight("parrot") == fixed.information.weight("") == fixed.information.weight("x " * 12) == 0
    )
    assert fixed.information.weight("The cat") == 0 < fixed.information.weight("the cat", lowercase=True)


def test_copies(fixed):
    for copied in (copy.deepcopy(fixed), pickle.loads(pickle.dumps(fixed))):
        assert copied == fixed and hash(copied) == hash(fixed) and repr(copied) == repr(fixed)
        assert copied.count(TEXTS[0], REFERENCES[0]) == fixed.count(TEXTS[0], REFERENCES[0])
    assert fixed != Nist() and fixed.information != NistInformation(REFERENCES[:1]) and fixed.information != 1
    assert fixed.signature == f"metric:nist|ngrams:5|case:mixed|tok:13a|info:{fixed.information.signature}"
    assert find("nist", max_order=9, lowercase=True).signature == "metric:nist|ngrams:9|case:lc|tok:13a|info:references"


def test_pairs(fixed):
    expected = [[fixed.evaluate(fixed.count(text, [other])) for other in TEXTS] for text in TEXTS]
    assert cybleu.pairs(TEXTS, metric=fixed).tolist() == expected
    assert cybleu.pairs(TEXTS[:2], TEXTS, metric=fixed, threads=2).tolist() == expected[:2]
    assert (
        cybleu.pairs(TEXTS[:2], metric="nist").tolist()
        == cybleu.pairs(TEXTS[:2], metric=Nist(information=NistInformation([TEXTS[:2]]))).tolist()
    )
    lowered = Nist(lowercase=True, information=fixed.information)
    assert cybleu.pairs(TEXTS, metric=lowered).tolist() == [
        [lowered.evaluate(lowered.count(text, [other])) for other in TEXTS] for text in TEXTS
    ]


def test_a_score_without_an_upper_limit_is_no_reward(fixed):
    for metric in (fixed, "nist", {"nist": 0.5, "bleu": 0.5}):
        with pytest.raises(errors.UnknownNameError, match="nist has no upper limit"):
            cybleu.reward_scores(TEXTS, REFERENCES, OWNER, metric=metric)
        with pytest.raises(errors.UnknownNameError, match="nist has no upper limit"):
            Reward(metric)


def test_mixtures(fixed):
    mixture = Mixture(((Nist(), 0.5), (find("chrf"), 0.5)))
    with pytest.raises(errors.StatisticsError, match="in parts"):
        columns.total({"hypothesis": TEXTS[:3], "reference": REFERENCES}, metric=mixture)
    assert mixture.with_weights_of(REFERENCES) == Mixture(((fixed, 0.5), (find("chrf"), 0.5)))
    rows = mixture.with_weights_of(REFERENCES).rows(TEXTS, REFERENCES, owner=OWNER)
    assert rows.tolist() == mixture.rows(TEXTS, REFERENCES, owner=OWNER).tolist()


def test_lists(fixed):
    made = NBest.from_texts(LISTS, REFERENCES, FEATURES, ["rank", "other"], tokenize=str.split)
    found = made.with_metric(fixed, REFERENCES)
    assert found.stats.tolist() == made.with_metric("nist", REFERENCES).stats.tolist()
    numbers = fixed.scores(found.stats).reshape(3, 3)
    assert oracle(found).positions.tolist() == numbers.argmax(axis=1).tolist()
    assert oracle(found, "corpus").score >= fixed.score(found.stats[[0, 3, 6]]).score
    start = {"rank": 1.0, "other": 0.0}
    assert line_search(found, {"rank": -1.0, "other": 0.0}, "other").score > 0
    assert tune(found, start, restarts=2).score > tune(found, start, restarts=2).start_score
    assert kbmira(found, start).score > 0 and perceptron(found, folds=2, metric=fixed).weights["rank"] < 0
    alike = [["a b c d", "a b c x", "q r s t"]]
    metric = Nist(information=NistInformation(alike))
    means = [np.mean([metric.evaluate(metric.count(text, [other])) for other in alike[0]]) for text in alike[0]]
    chosen = mbr(alike, metric=metric)
    assert chosen.positions.tolist() == [int(np.argmax(means))] and chosen.scores.tolist() == pytest.approx(means)


def test_significance_and_columns(fixed):
    rows = {
        name: fixed.rows(texts * 9, REFERENCES * 9)
        for name, texts in (("good", [x[0] for x in LISTS]), ("bad", [x[1] for x in LISTS]))
    }
    result = compare_systems(rows, fixed, samples=50, resamples=40)
    assert [system.score for system in result.systems] == [fixed.score(table).score for table in rows.values()]
    assert result.differences[0].difference > 0
    assert bootstrap(rows["good"], fixed, samples=20).score == result.systems[0].score
    table = {"hypothesis": [texts[0] for texts in LISTS], "reference": REFERENCES}
    sums = columns.total(table, metric=fixed)
    assert score(sums, fixed).score == pytest.approx(fixed.score(rows["good"][:3]).score)


@pytest.mark.parametrize(
    ("references", "hypothesis", "expected"),
    [(["", ""], "a", 0), (["a"], "", 0), (["a b"], "c", 0), (["a b"], "a b", 1)],
)
def test_short_texts(references, hypothesis, expected):
    metric = Nist()
    row = metric.count(hypothesis, references)
    assert metric.evaluate(row) == scores([row], metric)[0] == metric.score(row).score == expected
