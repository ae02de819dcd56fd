"""Batch MIRA and PRO."""

from __future__ import annotations

import numpy as np
import pytest

from cybleu import errors, metrics
from cybleu.nbest import NBest
from cybleu.tuning import kbmira, pro_pairs, random_search, tune

pytestmark = pytest.mark.usefixtures("backend")


def lists(seed=0, segments=20, size=12, features=4):
    """Hypotheses whose matches grow with a hidden model, but for noise."""
    generator = np.random.default_rng(seed)
    hidden = generator.normal(size=features)
    values = generator.normal(size=(segments * size, features))
    quality = values @ hidden + generator.normal(size=segments * size)
    matches = np.clip((10 + 3 * quality).astype(int), 0, 20)
    stats = np.array([[20, 20, match, max(0, match - 5), 20, 19] for match in matches])
    return NBest(np.arange(0, segments * size + 1, size), values, stats), hidden


def test_kbmira_finds_good_weights():
    nbest, hidden = lists()
    found = kbmira(nbest, -hidden)
    assert found.score == random_search(nbest, [list(found.weights.values())])[0] == max(found.scores)
    assert found.start_score == random_search(nbest, [-hidden])[0]
    best = tune(nbest, restarts=5).score
    assert found.score > found.start_score + 0.8 * (best - found.start_score)
    assert kbmira(nbest, -hidden) == found != kbmira(nbest, -hidden, seed=1)
    assert str(found).splitlines()[0] == f"{100 * found.start_score:.4f} -> {100 * found.score:.4f}"


def test_sparse_features_are_as_dense_ones():
    dense, _ = lists(features=6)
    values = np.where(np.abs(dense.features) > 0.5, np.rint(dense.features * 8) / 8, 0.0)
    dense = NBest(dense.offsets, values, dense.stats, [f"s{column}" for column in range(6)])
    rows, columns = np.nonzero(values[:, 2:])
    indptr = np.append(0, np.cumsum(np.bincount(rows, minlength=len(values))))
    sparse = NBest(
        dense.offsets, values[:, :2], dense.stats, ["s0", "s1"],
        sparse=(indptr, columns, values[:, 2:][rows, columns], ["s2", "s3", "s4", "s5"]),
    )  # fmt: skip
    ours, theirs = kbmira(sparse, iterations=5), kbmira(dense, iterations=5)
    assert ours.weights == pytest.approx(theirs.weights, rel=1e-9)
    assert ours.scores == pytest.approx(theirs.scores, rel=1e-9)
    assert all((a == b).all() for a, b in zip(pro_pairs(sparse), pro_pairs(dense)))
    with pytest.raises(errors.FeatureError, match="4 sparse features"):
        tune(sparse)


def test_pairs_are_ordered_by_the_metric():
    nbest, hidden = lists()
    X, y = pro_pairs(nbest, samples=200, keep=7)
    assert X.shape == (2 * 7 * 20, 4) and y.tolist() == [1, -1] * 140
    assert (X[::2] == -X[1::2]).all()
    scores = metrics.scores(nbest.stats, "moses", smoothing="add")
    known = {
        tuple(nbest.features[a] - nbest.features[b]): scores[a] - scores[b]
        for segment in range(20)
        for a in range(12 * segment, 12 * segment + 12)
        for b in range(12 * segment, 12 * segment + 12)
    }
    differences = [known[tuple(row)] for row in X[::2]]
    assert min(differences) >= 0.05
    assert all(differences[n : n + 7] == sorted(differences[n : n + 7], reverse=True) for n in range(0, 140, 7))
    weights = np.linalg.lstsq(X, y, rcond=None)[0]
    assert weights @ hidden / np.linalg.norm(weights) / np.linalg.norm(hidden) > 0.9
    assert pro_pairs(nbest, minimum=2.0)[0].shape == (0, 4)
    assert (pro_pairs(nbest, seed=1)[0] != pro_pairs(nbest)[0]).any()


def test_any_additive_metric():
    nbest, hidden = lists()
    other = NBest(nbest.offsets, nbest.features, nbest.stats[:, 2] / 20.0)
    assert kbmira(other, -hidden).score > kbmira(other, -hidden).start_score
    assert len(pro_pairs(other)[1]) > 100


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda nbest: kbmira(nbest, step=0.0), errors.WeightsError, "step is 0.0"),
        (lambda nbest: kbmira(nbest, decay=1.5), errors.WeightsError, "decay 1.5"),
        (lambda nbest: kbmira(nbest, iterations=0), errors.WeightsError, "iterations is 0"),
        (lambda nbest: kbmira(nbest, [1.0]), errors.FeatureError, "4 features"),
        (lambda nbest: pro_pairs(nbest, samples=0), errors.ArrayValueError, "samples is 0"),
        (lambda nbest: pro_pairs(nbest, keep=0), errors.ArrayValueError, "keep is 0"),
        (lambda nbest: pro_pairs(nbest, minimum=-1), errors.ArrayValueError, "minimum is -1"),
        (
            lambda nbest: kbmira(NBest([0, 0], np.zeros((0, 1)), np.zeros((0, 4)))),
            errors.EmptyCorpusError,
            "no segment",
        ),
        (lambda nbest: kbmira(NBest([0, 1], [[1.0]], [[1, 1, 1, 1]]), [0.0]), errors.WeightsError, "stay 0"),
    ],
)
def test_messages(call, error, text):
    with pytest.raises(error, match=text):
        call(lists()[0])


def test_without_features_there_is_nothing_to_weigh():
    nbest = NBest.from_texts([["a b", "a c"]], [["a b"]], np.empty((2, 0)), [], tokenize=str.split)
    with pytest.raises(errors.FeatureError, match="no features, so there is nothing to weigh"):
        kbmira(nbest)


def test_pairs_by_the_metric_that_is_asked_for():
    texts, references = [["a b c d", "a b x d e f g", "", "a"]], [["a b c d e"]]
    nbest = NBest.from_texts(texts, references, [[1.0], [2.0], [4.0], [8.0]], tokenize=str.split)
    for metric in ("sacrebleu", "nltk:method1", "huggingface", metrics.Bleu("moses", "add", weights=(1, 0, 0, 0))):
        of_sentences = metrics.find(metric).of_sentences()
        scores = [of_sentences.score(row.tolist()).score if row[0] else 0.0 for row in nbest.stats]
        X, _ = pro_pairs(nbest, keep=5000, minimum=0.0, metric=metric)
        found = {row.tolist()[0] for row in X[::2]}
        features = nbest.features[:, 0]
        better = {features[i] - features[j] for i in range(4) for j in range(4) if scores[i] > scores[j]}
        assert found == better
    given = NBest(nbest.offsets, nbest.features, nbest.stats, score=metrics.find("sacrebleu"))
    assert pro_pairs(given)[0].tolist() == pro_pairs(nbest, metric="sacrebleu")[0].tolist()
