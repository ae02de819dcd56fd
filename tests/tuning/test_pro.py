"""PRO: the sampled pairs, and the weights of the logistic regression."""

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from brute_force import score_of
from cybleu import columns, errors, metrics
from cybleu.nbest import NBest
from cybleu.tuning import kbmira, pro, pro_pairs
from nbest_lists import sparse_and_dense as lists


def as_array(pairs):
    """Convert compressed rows to a dense array."""
    rows = np.zeros((len(pairs.indptr) - 1, len(pairs.names)))
    rows[np.repeat(np.arange(len(rows)), np.diff(pairs.indptr).tolist()), pairs.columns] = pairs.values
    return rows


def newton_step(X, y, regularisation, weights):
    """The step of Newton's method, which is 0 at the minimum of the loss of logistic regression."""
    chances = 1 / (1 + np.exp(np.minimum(y * (X @ weights), 700)))
    gradient = regularisation * weights - X.T @ (y * chances)
    bends = X.T @ (X * (chances * (1 - chances))[:, None]) + regularisation * np.eye(X.shape[1])
    return np.linalg.solve(bends, gradient)


@example(122, 1e-3, 1e4)  # flat around the minimum
@given(st.integers(0, 10**6), st.sampled_from([1e-3, 0.1, 1.0, 100.0]), st.sampled_from([1.0, 1e-3, 1e4]))
def test_weights_are_those_of_the_regression(seed, regularisation, unit):
    sparse, dense, _ = lists(seed, segments=5, size=6)
    scaled = NBest(dense.offsets, dense.features * ([unit] + [1.0] * 7), dense.stats, dense.names)
    for nbest in (sparse, dense, scaled):
        found = pro(nbest, samples=60, keep=10, regularisation=regularisation)
        X, y = pro_pairs(nbest, samples=60, keep=10)
        X = X if nbest.sparse is None else as_array(X)
        weights = np.array(list(found.weights.values()))
        assert found.pairs == len(y) // 2
        spread = np.abs(X).max(axis=0)
        step = newton_step(X, y, regularisation, weights)
        assert np.abs(step * spread).max() <= 1e-6 * max(1.0, np.abs(weights * spread).max())
        assert found.score == score_of(nbest, weights)


def test_sparse_features_are_as_dense_ones():
    sparse, dense, _ = lists()
    (of_sparse, y) = pro_pairs(sparse)
    (of_dense, same) = pro_pairs(dense)
    assert of_sparse.names == dense.names
    assert (as_array(of_sparse) == of_dense).all()
    assert (y == same).all()
    assert all((np.diff(of_sparse.columns[a:b]) > 0).all() for a, b in zip(of_sparse.indptr, of_sparse.indptr[1:]))
    assert (of_sparse.values != 0).all()
    ours = pro(sparse)
    theirs = pro(dense)
    assert ours.weights == pytest.approx(theirs.weights, rel=1e-7)
    assert (ours.score, ours.pairs, ours.start_score) == (
        theirs.score,
        theirs.pairs,
        pro(sparse, [1] * 3 + [0] * 5).start_score,
    )


def test_a_share_of_the_start():
    nbest, _, hidden = lists()
    alone = pro(nbest)
    mixed = pro(nbest, hidden, interpolation=0.1)
    expected = 0.1 * np.array(list(alone.weights.values())) + 0.9 * hidden
    assert list(mixed.weights.values()) == pytest.approx(expected)
    assert mixed.start_score == score_of(nbest, hidden)
    assert mixed.score == score_of(nbest, mixed.weights.values())


def test_good_weights_are_found():
    nbest, _, hidden = lists(segments=40)
    found = pro(nbest, -hidden)
    assert found.score > 0.95 * score_of(nbest, hidden) > found.start_score
    assert pro(nbest, -hidden) == found != pro(nbest, -hidden, seed=1)
    assert str(found).splitlines()[0] == f"{100 * found.start_score:.4f} -> {100 * found.score:.4f}"


def test_pairs_are_ordered_by_the_metric():
    _, rounded, _ = lists(sparse=1, share=1.0)
    noise = np.random.default_rng(1).normal(size=rounded.features.shape) / 1000  # so that no two differences are equal
    nbest = NBest(rounded.offsets, rounded.features + noise, rounded.stats)
    X, y = pro_pairs(nbest, samples=200, keep=7)
    assert X.shape == (2 * 7 * 20, 4)
    assert y.tolist() == [1, -1] * 140
    assert (X[::2] == -X[1::2]).all()
    scores = metrics.scores(nbest.stats, "moses", smoothing="add")
    known = {
        tuple(nbest.features[a] - nbest.features[b]): scores[a] - scores[b]
        for first in range(0, 240, 12)
        for a, b in product(range(first, first + 12), repeat=2)
    }
    differences = [known[tuple(row)] for row in X[::2]]
    assert all(differences[n : n + 7] == sorted(differences[n : n + 7], reverse=True) for n in range(0, 140, 7))
    assert min(differences) >= 0.05
    assert (pro_pairs(nbest, seed=1)[0] != pro_pairs(nbest)[0]).any()


def test_pairs_by_the_metric_that_is_asked_for():
    texts = [["a b c d", "a b x d e f g", "", "a"]]
    references = [["a b c d e"]]
    nbest = NBest.from_texts(texts, references, [[1.0], [2.0], [4.0], [8.0]], tokenize=str.split)
    for metric in ("sacrebleu", "nltk:method1", "huggingface", metrics.Bleu("moses", "add", weights=(1, 0, 0, 0))):
        of_sentences = metrics.find(metric).of_sentences()
        scores = [of_sentences.score(row.tolist()).score if row[0] else 0.0 for row in nbest.stats]
        X, _ = pro_pairs(nbest, keep=5000, minimum=0.0, metric=metric)
        found = {row.tolist()[0] for row in X[::2]}
        features = nbest.features[:, 0]
        better = {features[i] - features[j] for i in range(4) for j in range(4) if scores[i] > scores[j]}
        assert found == better


@pytest.mark.parametrize("unit", [1e300, 1e160, 1e-300])
def test_features_whose_squares_are_no_numbers(unit):
    nbest = lists()[1]
    extreme = NBest(nbest.offsets, nbest.features * unit, nbest.stats)
    with pytest.raises(errors.FeatureError, match="squares of the features are beyond the range of numbers"):
        pro(extreme)


@pytest.mark.parametrize("metric", [{"bleu": 0.5, "gleu": 0.5}, {"bleu": 0.25, "chrf": 0.75}])
def test_mixtures_score_single_sentences(metric):
    """Without a match of 4 words the BLEU of a corpus is near 0, and that of a sentence is smoothed."""
    mixture = metrics.find(metric)
    texts = ["a b c", "a b x", "a c b", "b a x", "d e", "d f", "f"]
    references = [["a b c"], ["d e"]]
    rows = mixture.rows(texts, references, owner=[0, 0, 0, 0, 1, 1, 1])
    offsets = [0, 4, 7]
    features = [[1.0], [2.0], [4.0], [8.0], [1.0], [3.0], [7.0]]
    nbest = NBest(offsets, features, rows, score=mixture)
    table = {"hypothesis": texts, "reference": ["a b c"] * 4 + ["d e"] * 3}
    scores = [columns.segment_scores(table, metric=name) / metrics.find(name).scale for name in metric]
    points = np.average(scores, axis=0, weights=[*metric.values()])
    of_scores = NBest(offsets, features, points[:, None])
    for minimum in (0.0, 0.1, 0.2, 0.4, 0.6):
        options = {"samples": 50, "keep": 3, "minimum": minimum}
        for found, expected in zip(pro_pairs(nbest, **options), pro_pairs(of_scores, **options)):
            assert found.tolist() == expected.tolist()
    of_points = NBest(offsets, features, 100 * points[:, None])
    tuned = [kbmira(one, return_best_dev=False).weights["f0"] for one in (nbest, of_points)]
    assert tuned[0] == pytest.approx(tuned[1])
