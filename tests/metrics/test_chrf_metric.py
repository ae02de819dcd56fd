"""chrF in every function that accepts a metric."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import sacrebleu
from hypothesis import example, given
from hypothesis import strategies as st

import cybleu
from arrow_capsules import AsArray
from arrow_capsules import texts as texts_of
from cybleu import References, Reward, score, scores
from cybleu.metrics import Chrf, find
from cybleu.nbest import NBest
from cybleu.rerank import diverse, mbr, oracle
from cybleu.tuning import tune

pytestmark = pytest.mark.usefixtures("backend")

TEXTS = ["the cat sat", "a cat sat down", "the cat sat down", "it rains", "it rained a lot", "Rain falls"]
REFERENCES = [["The cat sat down."], ["It rains a lot.", "Rain falls."]]
OWNER = [0, 0, 0, 1, 1, 1]
NAMES = {"chrf": 0, "chrf+": 1, "chrf++": 2}


def theirs(line, references, word_order=0, **options):
    return sacrebleu.metrics.CHRF(word_order=word_order, **options).sentence_score(line, references).score


@pytest.mark.parametrize(("name", "order"), NAMES.items())
def test_rows_and_scores(name, order):
    metric = find(name)
    rows = metric.rows(TEXTS, REFERENCES, owner=OWNER, threads=2)
    expected = [theirs(text, REFERENCES[owner], order) for text, owner in zip(TEXTS, OWNER)]
    assert scores(rows, name).tolist() == expected
    assert metric.columns[:4] == ("hyp_1", "ref_1", "match_1", "hyp_2")
    assert len(metric.columns) == rows.shape[1] == 18 + 3 * order
    lower = find(name, lowercase=True)
    in_bytes = [text.upper().encode() for text in TEXTS]
    assert lower.rows(in_bytes, REFERENCES, owner=OWNER).tolist() == lower.rows(TEXTS, REFERENCES, owner=OWNER).tolist()
    assert str(score(rows, metric)).startswith(f"metric:{name}|nc:6|nw:{order}|beta:2|eff:yes|space:no|case:mixed = ")
    as_lists = score(rows.tolist(), metric)
    assert as_lists == score(rows, metric) and as_lists.score == metric.evaluate(rows.sum(axis=0).tolist())


PIECES = [*"ab .,(é猫\x1c\xa0A", "\U0001f600", "the ", "".join(map(chr, range(0x4E00, 0x4E00 + 260)))]
LINES = st.lists(st.sampled_from(PIECES), max_size=20).map("".join)


@pytest.mark.filterwarnings("ignore::cybleu.errors.ShapeWarning")
@given(
    st.lists(st.lists(LINES, min_size=1, max_size=3), min_size=1, max_size=4),
    st.lists(st.tuples(LINES | st.none(), st.integers(0, 99)), max_size=70),
    st.sampled_from(["chrf", "chrf++"]),
    st.booleans(),
)
@example([["ab", "ba"], ["a"]], [("ab", 0), (None, 1)] * 40, "chrf++", False)
@example([["a b " * 70, "b a a"]], [("a b " * 70, 0), ("b a", 0), ("", 0)], "chrf++", True)
def test_prepared_references(sets, hypotheses, name, lowercase):
    owner = [place % len(sets) for _, place in hypotheses]
    texts = [sets[number][0][::-1] if text is None else text for (text, _), number in zip(hypotheses, owner)]
    metric, prepared = find(name, lowercase=lowercase), References(sets)
    rows = metric.rows(texts, prepared, owner=owner, threads=2)
    options = {"word_order": NAMES[name], "lowercase": lowercase}
    assert scores(rows, metric).tolist() == [
        theirs(text, sets[number], **options) for text, number in zip(texts, owner)
    ]
    assert rows.tolist() == metric.rows(texts, sets, owner=owner).tolist()
    each = metric.rows(texts, [sets[number] for number in owner])
    assert rows.tolist() == each.tolist()
    rewards = cybleu.reward_scores(texts, prepared, owner, metric=metric)
    assert rewards.tolist() == cybleu.reward_scores(texts, sets, owner, metric=metric).tolist()
    first = [group[0] for group in sets]
    assert metric.rows(first, prepared).tolist() == metric.rows(first, sets).tolist()


def test_prepared_references_of_other_kinds():
    expected = find("chrf++").rows(TEXTS, REFERENCES, owner=OWNER).tolist()
    in_bytes = [[line.encode() for line in group] for group in REFERENCES]
    columns = [AsArray(texts_of(["The cat sat down.", "It rains a lot."])), AsArray(texts_of([None, "Rain falls."]))]
    for references in (REFERENCES, in_bytes, columns):
        prepared = References(references)
        for made in (prepared, copy.deepcopy(prepared), pickle.loads(pickle.dumps(prepared))):
            assert find("chrf++").rows(TEXTS, made, owner=OWNER).tolist() == expected
            assert find("chrf++").rows(AsArray(texts_of(TEXTS)), made, owner=OWNER).tolist() == expected
    lower = References(columns)
    assert (
        Chrf(lowercase=True).rows(TEXTS, lower, owner=OWNER).tolist()
        == Chrf(lowercase=True).rows(TEXTS, REFERENCES, owner=OWNER).tolist()
    )


def test_pairs_and_rewards():
    expected = [[theirs(line, [other]) for other in TEXTS] for line in TEXTS]
    assert cybleu.pairs(TEXTS, metric="chrf").tolist() == expected
    assert cybleu.pairs(TEXTS[:2], TEXTS, metric="chrf", threads=2).tolist() == expected[:2]
    lower = cybleu.pairs(TEXTS, REFERENCES[1], metric="chrf", lowercase=True).tolist()
    assert lower == [[theirs(line, [other], lowercase=True) for other in REFERENCES[1]] for line in TEXTS]
    rewards = cybleu.reward_scores(TEXTS, REFERENCES, OWNER, metric="chrf++")
    wanted = [theirs(text, REFERENCES[owner], 2) / 100 for text, owner in zip(TEXTS, OWNER)]
    assert rewards.tolist() == np.float32(wanted).tolist()
    reward = Reward("chrf++", "column")
    assert reward(completions=TEXTS, column=[REFERENCES[owner] for owner in OWNER]) == rewards.tolist()


def test_minimum_bayes_risk_and_oracles():
    lists = [TEXTS[:3], [*TEXTS[3:], ""]]
    best = mbr(lists, metric="chrf")
    utilities = [[np.mean([theirs(line, [other]) for other in texts]) for line in texts] for texts in lists]
    assert best.scores.tolist() == pytest.approx([value for values in utilities for value in values])
    assert best.positions.tolist() == [int(np.argmax(values)) for values in utilities]
    assert [places[0] for places in diverse(lists, 2, metric="chrf")] == best.positions.tolist()
    metric = find("chrf++")
    rows = metric.rows(TEXTS, REFERENCES, owner=OWNER)
    nbest = NBest([0, 3, 6], [[0.0, 1.0], [1.0, 0.5], [0.5, 0.0]] * 2, rows, ["lm", "length"], TEXTS, score=metric)
    expected = [theirs(text, REFERENCES[owner], 2) for text, owner in zip(TEXTS, OWNER)]
    assert oracle(nbest).scores.tolist() == expected
    every = [score(rows[[one, other]], metric).score for one in range(3) for other in range(3, 6)]
    assert oracle(nbest, "corpus").score == max(every)
    tuned = tune(nbest, [1.0, 1.0], restarts=2)
    assert tuned.score == score(nbest.stats[tuned.chosen], metric).score
