"""Perceptron training of weights for reranking."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import cybleu
import nbest_lists
from cybleu.errors import FeatureError
from cybleu.nbest import NBest
from cybleu.rerank import linear, oracle, perceptron
from marks import long

TEXT = "a b c d e f g h i j k l m n o p q r s t u v w x y z".split()


def made(segments=12, size=6, features=None):
    """Create lists of hypotheses of which a different number of first tokens is right.

    No single feature ranks the hypotheses by quality; their sum does.
    """
    random = np.random.default_rng(5)
    hypotheses = []
    rows = []
    references = []
    for segment in range(segments):
        text = [TEXT[(segment + place) % len(TEXT)] for place in range(12)]
        references.append([" ".join(text)])
        hypotheses.append([])
        for right in random.permutation(size).tolist():
            kept = 12 - 2 * right
            hypotheses[-1].append(" ".join(text[:kept] + ["-"] * (12 - kept)))
            noise = float(random.normal()) / 2
            rows.append([-right + noise, -noise, 7.0])
    return NBest.from_texts(
        hypotheses,
        references,
        rows if features is None else features(np.array(rows)),
        ["x", "y", "z"],
        tokenize=str.split,
    )


def test_what_can_be_learnt_is_learnt():
    nbest = made()
    trained = perceptron(nbest, folds=4, bad=0.9, margin=5.0, epochs=50)
    assert linear(nbest, trained.weights).rows.tolist() == oracle(nbest).rows.tolist()
    assert trained.held_out.rows.tolist() == oracle(nbest).rows.tolist()
    assert trained.score == pytest.approx(100)
    assert trained.weights["z"] == 0.0
    assert trained.epochs == 1 + trained.epoch_scores.index(max(trained.epoch_scores))


@given(st.sampled_from([2.0, 0.5, 2.0**40, 2.0**-40]), st.integers(0, 3))
def test_the_scale_of_a_feature_makes_no_difference(factor, seed):
    def scaled(rows):
        return rows * [factor, 1.0, 1.0]

    plain = perceptron(made(), seed=seed)
    other = perceptron(made(features=scaled), seed=seed)
    assert other.epoch_scores == plain.epoch_scores
    assert other.weights["x"] * factor == pytest.approx(plain.weights["x"])


@pytest.mark.parametrize("names", [["lm"], []])
@pytest.mark.parametrize(("number", "deviation"), [(1e-310, "5e-311"), (5e-324, "4.94066e-324")])
def test_weights_that_would_be_too_large_are_refused(names, number, deviation):
    numbers = [number, 0.0, number, 0.0]
    sparse = None if names else (range(5), [0] * 4, numbers, ["lm"])
    nbest = NBest(
        [0, 2, 4],
        [[number] for number in numbers] if names else np.zeros((4, 0)),
        cybleu.rows([["a", "b"], ["a"]] * 2, [[["a", "b"]]] * 4),
        names,
        sparse=sparse,
    )
    with pytest.raises(FeatureError, match=f"weight of 'lm' is too large .* within segments is {deviation}; multiply"):
        perceptron(nbest, folds=2)


def test_weights_are_what_the_algorithm_says():
    """One update computed by hand: two segments, one of them held out, with one pair each."""
    nbest = NBest.from_texts(
        [["a b", "c"], ["d e", "f"]], [["a b"], ["d e"]], [[3.0], [1.0], [3.0], [1.0]], tokenize=str.split
    )
    trained = perceptron(nbest, folds=2, epochs=1, margin=1.0, good=0.5, bad=0.5)
    # the features are divided by their standard deviation, 1: the first update adds 3 - 1, which satisfies the margin
    assert trained.weights == {"f0": 2.0}


@pytest.mark.parametrize("dense", [3, 0], ids=["beside dense ones", "alone"])
@pytest.mark.parametrize(
    "how",
    [long({}), {"margin": 5.0, "bad": 0.9, "epochs": 30, "folds": 3, "seed": 4}],
    ids=str,
)
def test_sparse_features_are_trained_as_dense_ones(how, dense):
    nbest, as_dense, _ = nbest_lists.sparse_and_dense(share=0.3, dense=dense, sparse=6)
    ours = perceptron(nbest, **how)
    theirs = perceptron(as_dense, **how)
    assert ours.weights == pytest.approx(theirs.weights, rel=1e-9, abs=1e-12)
    assert (ours.epoch_scores, ours.fold_scores) == (theirs.epoch_scores, theirs.fold_scores)
    assert (ours.held_out.rows == theirs.held_out.rows).all()


def test_sparse_features_that_are_equal_within_each_segment_get_no_weight():
    nbest, _, _ = nbest_lists.sparse_and_dense()
    count = len(nbest.features)
    # each hypothesis of a segment has the feature "alike", with the number of the segment, and none has "absent"
    sparse = range(count + 1), [0] * count, np.repeat(np.arange(20.0), 12), ["alike", "absent"]
    with_both = NBest(nbest.offsets, nbest.features, nbest.stats, nbest.names, sparse=sparse)
    without = NBest(nbest.offsets, nbest.features, nbest.stats, nbest.names)
    assert perceptron(with_both).weights == {**perceptron(without).weights, "alike": 0.0, "absent": 0.0}
