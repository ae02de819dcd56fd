"""Merge n-best lists of several runs without duplicates."""

import numpy as np
from hypothesis import given, strategies as st

from cybleu.nbest import NBest, SparseFeatures, merge
from nbest_lists import lists, made, same, sparse_of


def merged_by_hand(*nbests):
    """Return the positions (list, hypothesis) that are kept in each segment, by comparing each pair."""
    names = nbests[0].names
    kept = []
    for segment in range(len(nbests[0])):
        found = []
        for number, nbest in enumerate(nbests):
            for row in range(nbest.offsets[segment], nbest.offsets[segment + 1]):
                bits = tuple(float(nbest.features[row, nbest.names.index(name)]).hex() for name in names)
                others = {} if nbest.sparse is None else sparse_of(nbest)[row]
                what = bits, others, nbest.stats[row].tolist()
                if what not in [other for other, _, _ in found]:
                    found.append((what, number, row))
        kept.append([(number, row) for _, number, row in found])
    return kept


@st.composite
def several_lists(draw):
    """Lists of as many segments, the last of which has its features in another order."""
    count = draw(st.integers(1, 3))
    nbests = draw(st.lists(lists(["a", "b"], segments=count, few=True), max_size=2))
    return [*nbests, draw(lists(["b", "a"], segments=count, few=True))]


@given(several_lists())
def test_merge(nbests):
    merged = merge(*nbests)
    by_hand = merged_by_hand(*nbests)
    assert np.diff(merged.offsets).tolist() == list(map(len, by_hand))
    places = [place for segment in by_hand for place in segment]
    bases = np.cumsum([0, *(len(nbest.features) for nbest in nbests)]).tolist()
    assert merged.index.tolist() == [bases[number] + row for number, row in places]
    assert merged.inputs == bases[-1]
    for attribute in ("texts", "model_scores", "stats"):
        expected = [getattr(nbests[number], attribute)[row] for number, row in places]
        assert np.array(getattr(merged, attribute)).tolist() == np.array(expected).tolist()
    assert sparse_of(merged) == [sparse_of(nbests[number])[row] for number, row in places]
    for name in merged.names:
        column = [nbests[number].features[row, nbests[number].names.index(name)] for number, row in places]
        assert list(map(float.hex, merged.features[:, merged.names.index(name)].tolist())) == list(
            map(float.hex, column)
        )
    assert same(merge(merged), merged)
    if len(nbests) == 3:
        assert same(merge(merge(*nbests[:2]), nbests[2]), merged)


def test_only_some_lists_have_texts_and_sparse_features():
    first = made(texts=["a", "b", "c"], model_scores=[1, 2, 3])
    second = made(sparse=([0, 1, 1, 2], [0, 1], [0.5, 0.0], ["a_b", "a_c"]), ids=[0, 1, 2])
    merged = merge(first, second)
    assert (merged.texts, merged.model_scores) == (None, None)
    # a feature that is 0 differs from a missing one; hypothesis 1 of segment 0 has no feature in both lists
    assert merged.index.tolist() == [0, 1, 3, 2, 5]
    assert [len(row) for row in sparse_of(merged)] == [0, 0, 1, 0, 1]


def test_sparse_features_whose_names_come_in_another_order():
    one = NBest([0, 1], [[0.0]], [[1.0]], sparse=([0, 2], [0, 1], [1.0, 2.0], ["x", "y"]))
    equal = NBest([0, 1], [[0.0]], [[1.0]], sparse=([0, 2], [0, 1], [2.0, 1.0], ["y", "x"]))
    other = NBest([0, 1], [[0.0]], [[1.0]], sparse=([0, 2], [0, 1], [1.0, 2.0], ["y", "x"]))
    merged = merge(one, equal, other)
    assert merged.index.tolist() == [0, 2]
    assert merged.sparse.columns.tolist() == [0, 1, 0, 1]


def test_names_and_numbers_of_segments_tell_hypotheses_apart():
    sparse = SparseFeatures([0, 1, 2], [0, 1], [1.0, 1.0], ("x", "y"))
    assert merge(NBest([0, 2], [[0.0]] * 2, [[1.0]] * 2, sparse=sparse)).index.tolist() == [0, 1]
    nbest = NBest([0, 2], [[0.0]] * 2, [[1.0]] * 2)
    other = NBest([0, 1], [[1.0]], [[1.0]])
    assert merge(merge(nbest), other).index.tolist() == [0, 2]
