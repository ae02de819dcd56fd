"""Container of n-best lists: attributes, validation, and lists created from texts."""

from dataclasses import replace

import numpy as np
import pytest

import cybleu
from cybleu import References
from cybleu.metrics import find
from cybleu.nbest import NBest, merge
from cybleu.rerank import oracle
from nbest_lists import REFERENCES, made


def test_what_is_not_given():
    nbest = made()
    assert (nbest.names, nbest.texts, nbest.score, nbest.sparse) == (("f0", "f1"), None, None, None)
    assert (nbest.ids.tolist(), nbest.index.tolist(), nbest.inputs) == ([0, 1, 2], [0, 1, 2], 3)
    assert len(nbest) == 3
    assert [nbest.segment(number) for number in range(3)] == [slice(0, 2), slice(2, 2), slice(2, 3)]
    assert nbest.stats.dtype == np.int64


def test_attributes_cannot_be_changed():
    nbest = made()
    with pytest.raises(AttributeError):
        nbest.features = np.zeros((3, 2))
    with pytest.raises(AttributeError, match="cannot delete"):
        del nbest.features


SPARSE_LINES = "0 ||| it rains ||| lm= -1 w_a= 2 ||| -1\n0 ||| rain falls ||| lm= -2 w_a= 1 w_b= 3 ||| -2\n"


def given(folder):
    return made(sparse=([0, 1, 1, 2], [0, 1], [0.5, 1.0], ["a_b", "a_c"]))


def read(folder):
    path = folder / "nbest"
    path.write_text(SPARSE_LINES)
    return NBest.from_files(path, [["it rains"]])


def read_and_merged(folder):
    nbest = read(folder)
    return merge(nbest, nbest)


@pytest.mark.parametrize("make", [given, read, read_and_merged])
def test_no_array_can_be_made_writeable(tmp_path, make):
    nbest = make(tmp_path)
    for array in (nbest.offsets, nbest.features, nbest.stats, nbest.ids, nbest.index, *nbest.sparse[:3]):
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True


@pytest.mark.parametrize("name", ["features", "stats", "model_scores", "values"])
def test_a_change_of_an_array_that_was_given_does_not_change_the_list(name):
    arrays = {
        "features": np.ones((3, 2)),
        "stats": np.ones((3, 4), np.int64),
        "model_scores": np.ones(3),
        "values": np.ones(2),
    }
    values = arrays["values"]
    sparse = ([0, 1, 1, 2], [0, 1], values, ["a", "b"])
    nbest = NBest([0, 3], arrays["features"], arrays["stats"], sparse=sparse, model_scores=arrays["model_scores"])
    arrays[name][...] = 0
    kept = nbest.sparse.values if name == "values" else getattr(nbest, name)
    assert kept.all()


@pytest.mark.parametrize(
    ("stats", "score", "expected"),
    [
        ([0.5, 0.25, 1.0], None, [[0.5], [0.25], [1.0]]),
        ([[0.5, -1], [0, 2], [1, 1]], None, [[0.5, -1], [0, 2], [1, 1]]),
        ([3, 2, 1], sum, [[3], [2], [1]]),
        ([[3, 9, -4]] * 3, sum, [[3, 9, -4]] * 3),
        (np.full((3, 6), 1, dtype=np.uint8), None, [[1] * 6] * 3),
    ],
)
def test_statistics_of_any_metric(stats, score, expected):
    assert made(stats=stats, score=score).stats.tolist() == expected


# ----------------------------------------------------------------------------------------------------------- from texts


def test_from_texts():
    hypotheses = [["the cat", "a cat sat"], [], ["so it is"]]
    nbest = NBest.from_texts(
        hypotheses, REFERENCES, [[1.0], [2.0], [3.0]], ["lm"], max_order=2, model_scores=[3, 2, 1], tokenize=str.split
    )
    tokens = [[text.split() for text in REFERENCES[0]]] * 2 + [[text.split() for text in REFERENCES[2]]]
    assert nbest.stats.tolist() == cybleu.rows([text.split() for text in nbest.texts], tokens, max_order=2).tolist()
    assert nbest.offsets.tolist() == [0, 2, 2, 3]
    assert (nbest.names, nbest.model_scores.tolist()) == (("lm",), [3, 2, 1])
    prepared = References([[text.split() for text in texts] for texts in REFERENCES])
    again = NBest.from_texts(hypotheses, prepared, max_order=2, tokenize=str.split)
    assert (again.stats.tolist(), again.features.shape) == (nbest.stats.tolist(), (3, 0))


HYPOTHESES = [["The cat sat", "a cat sat. Down", "the"], [], ["it rains", "rain falls", ""]]
SETS = [["the cat sat.", "A cat"], ["nobody"], ["It rains a lot"]]
OWNER = [0, 0, 0, 2, 2, 2]


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("name", ["chrf", "chrf++", "gleu", "nltk:method1"])
def test_another_metric(name, lowercase):
    nbest = NBest.from_texts(HYPOTHESES, SETS, [[float(row)] for row in range(6)], tokenize=str.split, ids=[4, 7, 9])
    metric = find(name)
    tokenize = None if metric.reads == "text" else "13a"
    metric = replace(metric, tokenize=tokenize, lowercase=lowercase)
    expected = metric.rows(nbest.texts, SETS, owner=OWNER)
    words = [[text.lower().split() if lowercase else text.split() for text in group] for group in SETS]
    raw = References(SETS)
    found = [
        nbest.with_metric(name, SETS, tokenize=tokenize, lowercase=lowercase, threads=2),
        nbest.with_metric(metric, raw),
    ]
    for other in found:
        assert other.stats.tolist() == expected.tolist() and other.score == metric
        for kept in ("offsets", "features", "ids", "index"):
            assert (getattr(other, kept) == getattr(nbest, kept)).all()
        assert (other.names, other.texts) == (nbest.names, nbest.texts)
    assert oracle(found[0]).rows.tolist() == oracle(found[1]).rows.tolist()
    if metric.reads == "tokens":
        by_words = replace(metric, tokenize="unicode").rows(nbest.texts, SETS, owner=OWNER)
        assert nbest.with_metric(name, SETS, lowercase=lowercase).stats.tolist() == by_words.tolist()
        assert nbest.with_metric(name, References(words), lowercase=lowercase).stats.tolist() == by_words.tolist()


def test_the_words_of_rouge_beside_references_of_tokens():
    nbest = NBest.from_texts([["A b's"]], [["a"]], [[1.0]])
    found = nbest.with_metric("rouge1", [[["a", "b", "s"]]], tokenize="rouge")
    assert found.stats[0, 2] == 1
