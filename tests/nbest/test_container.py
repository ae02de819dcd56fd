"""Container of n-best lists: attributes, validation, and lists created from texts."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import cybleu
from arrow_capsules import AsArray, texts
from cybleu import References
from cybleu.errors import (
    ArrayValueError,
    FeatureError,
    InputFileError,
    LengthMismatchError,
    MixedTokensError,
    SequenceTypeError,
    StatisticsError,
    UnknownNameError,
)
from cybleu.metrics import find
from cybleu.nbest import NBest, merge
from cybleu.rerank import antioracle, linear, nbest_sorted, oracle, perceptron
from cybleu.tuning import cross_validate, kbmira, line_search, pro, pro_pairs, tune
from inputs import CaseBlind
from nbest_lists import REFERENCES, ROW, made, same, written

pytestmark = pytest.mark.usefixtures("backend")


def test_what_is_not_given():
    nbest = made()
    assert (nbest.names, nbest.texts, nbest.score, nbest.sparse) == (("f0", "f1"), None, None, None)
    assert (nbest.ids.tolist(), nbest.index.tolist(), nbest.inputs) == ([0, 1, 2], [0, 1, 2], 3)
    assert len(nbest) == 3
    assert [nbest.segment(number) for number in range(3)] == [slice(0, 2), slice(2, 2), slice(2, 3)]
    assert nbest.stats.dtype == np.int64


def test_how_many_there_are_of_what():
    assert repr(made()) == "<NBest of 3 segments, 3 hypotheses, 2 features>"
    one = NBest([0, 1], [[1.0]], [ROW], sparse=([0, 1], [0], [0.5], ["a_b"]))
    assert repr(one) == "<NBest of 1 segment, 1 hypothesis, 1 feature and 1 sparse one>"


def test_the_arrays_cannot_be_written_to():
    nbest = made(sparse=([0, 1, 1, 2], [0, 1], [0.5, 1.0], ["a_b", "a_c"]))
    arrays = [nbest.offsets, nbest.features, nbest.stats, nbest.ids, nbest.index, *nbest.sparse[:3]]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(AttributeError):
        nbest.features = np.zeros((3, 2))
    with pytest.raises(AttributeError, match="cannot be changed"):
        del nbest.features


@pytest.mark.parametrize("inputs", [-1, 2, 2**53 + 1, 3.0, "3", np.array(3.5), True])
def test_inputs_that_cannot_be(inputs):
    with pytest.raises(ArrayValueError, match="input"):
        made(inputs=inputs)


def test_large_arrays_are_not_copied_and_their_owner_may_write():
    features, stats = np.zeros((3, 2)), np.array([ROW] * 3, dtype=np.int64)
    nbest = made(features=features, stats=stats)
    assert np.shares_memory(nbest.features, features)
    assert np.shares_memory(nbest.stats, stats)
    features[0, 0] = 5
    offsets = np.array([0, 2, 2, 3])
    nbest = made(offsets=offsets)
    offsets[1] = 99
    assert nbest.offsets.tolist() == [0, 2, 2, 3]


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


def test_pickle():
    nbest = made(
        sparse=([0, 1, 1, 2], [0, 1], [0.5, 1.0], ["a_b", "a_c"]),
        texts=["a", "b", "c"],
        ids=[4, 5, 6],
        index=[3, 1, 7],
        inputs=9,
    )
    assert same(nbest, pickle.loads(pickle.dumps(nbest)))
    assert pickle.loads(pickle.dumps(nbest)).inputs == 9


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"features": [[0, 1], [2, float("nan")], [4, 5]]}, FeatureError, "'f1' of hypothesis 1 of segment 0 is nan"),
        ({"features": [[0, 1], [2, 3], [-np.inf, 5]]}, FeatureError, "'f0' of hypothesis 0 of segment 2 is -inf"),
        ({"features": [0, 1, 2]}, ArrayValueError, "features has 1 dimensions"),
        ({"features": [["a", "b"]] * 3}, ArrayValueError, "features has dtype"),
        ({"offsets": [0, 2, 4]}, ArrayValueError, "must begin with 0 and end with the number of hypotheses, 3"),
        ({"offsets": [1, 3]}, ArrayValueError, "it is 1 to 3"),
        ({"offsets": []}, ArrayValueError, "it is empty"),
        ({"offsets": [0, 3, 2, 3]}, ArrayValueError, "falls from 3 to 2 at 2"),
        ({"offsets": [0, 1.5, 3]}, ArrayValueError, "offsets must be whole numbers"),
        ({"stats": [ROW] * 2}, LengthMismatchError, "stats has 2 entries, and there are 3 hypotheses"),
        ({"stats": [ROW, ROW, [2, 4, 3, 0, 2, 1]]}, StatisticsError, "hypothesis 0 of segment 2 are impossible"),
        ({"stats": [ROW, [2, 4, -1, 0, 2, 1], ROW]}, StatisticsError, "hypothesis 1 of segment 0 are impossible"),
        ({"stats": [[1, 2, 3]] * 3}, StatisticsError, "3 columns.*give score="),
        ({"stats": [[0.5], [np.nan], [1]]}, StatisticsError, "statistic of hypothesis 1 of segment 0 is nan"),
        ({"stats": np.full((3, 6), 2**63, dtype=np.uint64)}, StatisticsError, "above"),
        (
            {"stats": [ROW, ROW, [2, 2**61, 0, 0, 2, 1]]},
            StatisticsError,
            "hypothesis 0 of segment 2 are too large.*3 seg",
        ),
        ({"stats": [[1], [-(2**61)], [1]], "score": sum}, StatisticsError, "hypothesis 1 of segment 0 are too large"),
        ({"stats": [["a"]] * 3}, ArrayValueError, "stats has dtype"),
        ({"stats": [[[1]]] * 3, "score": sum}, ArrayValueError, "3 dimensions"),
        ({"names": ["a"]}, FeatureError, "1 names and 2 features"),
        ({"names": ["a", "a"]}, FeatureError, "'a' appears twice"),
        ({"names": ["a", "b c"]}, FeatureError, "without white space"),
        ({"names": "ab"}, FeatureError, "must be a list"),
        ({"texts": ["a", "b"]}, LengthMismatchError, "2 texts and 3 hypotheses"),
        ({"texts": ["a", ["b"], "c"]}, ArrayValueError, "hypothesis 1 of segment 0 is a list"),
        ({"ids": [1, 2]}, LengthMismatchError, "ids has 2 entries, and there are 3 segments"),
        ({"ids": [1, 2, -3]}, ArrayValueError, "ids holds -3"),
        ({"index": [0, 1, 7]}, ArrayValueError, "index holds 7"),
        ({"model_scores": [1, 2, np.inf]}, StatisticsError, "model score of hypothesis 0 of segment 2 is inf"),
        ({"sparse": ([0, 1], [0], [1.0], ["a"])}, LengthMismatchError, "has 1 hypotheses, and features has 3"),
        ({"sparse": ([0, 0, 0, 1], [1], [1.0], ["a"])}, ArrayValueError, "holds 1, and there are 1 names"),
        ({"sparse": ([0, 0, 0, 1], [0], [1.0], ["f1"])}, FeatureError, "'f1' is both dense and sparse"),
        ({"sparse": ([0, 2, 2, 2], [0, 0], [1.0, 2.0], ["a"])}, ArrayValueError, "not strictly ascending"),
        ({"sparse": ([0, 0, 1, 1], [0], [np.nan], ["a"])}, FeatureError, "'a' of hypothesis 1 of segment 0 is nan"),
    ],
)
def test_arrays_that_cannot_be(changes, error, message):
    with pytest.raises(error, match=message):
        made(**changes)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_feature_that_is_not_finite_is_named_by_the_id_of_its_segment(value):
    with pytest.raises(FeatureError, match=r"feature 'lm' of hypothesis 1 of segment 7 is (nan|inf|-inf)"):
        NBest([0, 1, 3], [[0.0], [1.0], [value]], [ROW] * 3, names=["lm"], ids=[5, 7])


def test_there_is_no_such_segment():
    with pytest.raises(ArrayValueError, match="no segment 3"):
        made().segment(3)


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
    token_lists = [[text.split() for text in texts] for texts in REFERENCES]
    prepared = References(token_lists)
    for references in (token_lists, prepared):
        again = NBest.from_texts(hypotheses, references, max_order=2, tokenize=str.split)
        assert again.stats.tolist() == nbest.stats.tolist()
        assert again.features.shape == (3, 0)


def test_a_flat_list_of_references_is_paths(tmp_path):
    texts, flat = [["it is", "it was"]], ["it is."]
    with pytest.raises(
        InputFileError, match=r"it is\.: cannot be read: .*\[\[text\] for text in references\] if each has one"
    ):
        NBest.from_texts(texts, flat, tokenize=str.split)
    NBest.from_texts(texts, [[text] for text in flat], tokenize=str.split)
    (tmp_path / "wrong").write_bytes(b"\xff\n")
    with pytest.raises(InputFileError, match="byte 0xff") as caught:
        NBest.from_texts(texts, [tmp_path / "wrong"], tokenize=str.split)
    assert "[text]" not in str(caught.value)


def test_from_texts_tokenises():
    by_name = NBest.from_texts([["It is."]], [["It is."]], tokenize="13a")
    by_function = NBest.from_texts([["a-b"]], [["a-b-c"]], tokenize=lambda text: text.split("-"))
    by_ascii = NBest.from_texts([["a\xa0b c"]], [["a\xa0b c"]], tokenize="ascii")
    assert [nbest.stats[0, 0] for nbest in (by_name, by_function, by_ascii)] == [3, 2, 2]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([["a"]], REFERENCES), LengthMismatchError, "1 segments of hypotheses and 3 of references"),
        ((["a", "b", "c"], REFERENCES), SequenceTypeError, r"hypotheses\[0\] must be a list of texts, not str"),
        (([[], [["a"], 7], []], REFERENCES), SequenceTypeError, r"hypotheses\[1\]\[1\] must be a list .* not int"),
    ],
)
def test_texts_that_cannot_be(arguments, error, message):
    with pytest.raises(error, match=message):
        NBest.from_texts(*arguments, tokenize=str.split)


def test_an_unknown_tokeniser():
    with pytest.raises(UnknownNameError, match="nosuch"):
        NBest.from_texts([["a"]], [["a"]], tokenize="nosuch")


@pytest.mark.parametrize("kind", [np.str_, CaseBlind], ids=["numpy", "own equality"])
@pytest.mark.parametrize("tokenize", ["unicode", "ascii"])
def test_references_of_other_texts_than_str_count_in_files_too(tmp_path, kind, tokenize):
    references = [[[kind("a"), kind("b\xa0x"), "c"]]]
    text = "a b\xa0x c"
    path = written(tmp_path, f"0 ||| {text} ||| lm=1 ||| 0\n", "list")
    from_texts = NBest.from_texts([[text]], references, max_order=2, tokenize=tokenize)
    from_files = NBest.from_files(path, references, max_order=2, tokenize=tokenize)
    assert from_files.stats.tolist() == from_texts.stats.tolist()
    assert from_files.stats[0, 2] >= 2


USES = [
    lambda nbest: merge(made(), nbest),
    lambda nbest: linear(nbest, [1.0]),
    lambda nbest: nbest_sorted(nbest, scores=[1.0]),
    oracle,
    antioracle,
    perceptron,
    lambda nbest: line_search(nbest, [1.0], "lm"),
    tune,
    kbmira,
    pro,
    pro_pairs,
    cross_validate,
]


@pytest.mark.parametrize("given", ["dev.nbest.gz", [["a b", "a"]]], ids=["a path", "texts"])
@pytest.mark.parametrize("use", USES)
def test_what_is_no_list_yet(use, given):
    with pytest.raises(
        SequenceTypeError, match=f"of the type {type(given).__name__}; make an NBest first, with NBest.from_files"
    ):
        use(given)


HYPOTHESES = [["The cat sat", "a cat sat. Down", "the"], [], ["it rains", "rain falls", ""]]
SETS = [["the cat sat.", "A cat"], ["nobody"], ["It rains a lot"]]
OWNER = [0, 0, 0, 2, 2, 2]


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("name", ["chrf", "chrf++", "gleu", "nltk:method1"])
def test_another_metric(name, lowercase):
    nbest = NBest.from_texts(HYPOTHESES, SETS, [[float(row)] for row in range(6)], tokenize=str.split, ids=[4, 7, 9])
    metric = find(name)
    tokenize = None if metric.reads == "text" else "13a"
    metric = metric.with_choices(tokenize=tokenize, lowercase=lowercase)
    expected = metric.rows(nbest.texts, SETS, owner=OWNER)
    words = [[text.lower().split() if lowercase else text.split() for text in group] for group in SETS]
    raw = References(SETS)
    columns = [AsArray(texts([group[0] for group in SETS])), AsArray(texts(["A cat", None, None]))]
    found = [
        nbest.with_metric(name, SETS, tokenize=tokenize, lowercase=lowercase, threads=2),
        nbest.with_metric(metric, raw),
        nbest.with_metric(name, columns, tokenize=tokenize, lowercase=lowercase),
    ]
    for other in found:
        assert other.stats.tolist() == expected.tolist() and other.score == metric
        for kept in ("offsets", "features", "ids", "index"):
            assert (getattr(other, kept) == getattr(nbest, kept)).all()
        assert (other.names, other.texts) == (nbest.names, nbest.texts)
    assert oracle(found[0]).rows.tolist() == oracle(found[1]).rows.tolist()
    if metric.reads == "tokens":
        by_words = metric.with_choices(tokenize="unicode").rows(nbest.texts, SETS, owner=OWNER)
        assert nbest.with_metric(name, SETS, lowercase=lowercase).stats.tolist() == by_words.tolist()
        assert nbest.with_metric(name, References(words), lowercase=lowercase).stats.tolist() == by_words.tolist()


def test_another_metric_with_references_in_files(tmp_path):
    """`with_metric` accepts references in the same forms as the constructors."""
    columns = [[group[0] for group in SETS], ["A cat", "", "so it does"]]
    paths = [tmp_path / "first", tmp_path / "second"]
    for path, column in zip(paths, columns):
        path.write_text("".join(f"{line}\n" for line in column))
    sets = [list(group) for group in zip(*columns)]
    nbest = NBest.from_texts(HYPOTHESES, paths, tokenize="13a")
    for name in ("chrf", "gleu", "moses"):
        for given, lists in (
            (paths, sets),
            (str(paths[0]), [[line] for line in columns[0]]),
            (paths[1:], [*zip(columns[1])]),
        ):
            assert nbest.with_metric(name, given).stats.tolist() == nbest.with_metric(name, lists).stats.tolist()
    with pytest.raises(InputFileError, match="nowhere"):
        nbest.with_metric("chrf", "nowhere")


def test_another_metric_that_cannot_count():
    nbest = NBest.from_texts([["a b"], ["c"]], [["a b"], ["c"]], tokenize=str.split)
    with pytest.raises(LengthMismatchError, match="2 segments of hypotheses and 1 of references"):
        nbest.with_metric("chrf", [["a b"]])
    with pytest.raises(UnknownNameError, match="takes no tokeniser"):
        nbest.with_metric("chrf", [["a b"], ["c"]], tokenize="13a")
    with pytest.raises(MixedTokensError, match="prepared references tokens"):
        nbest.with_metric("chrf", References([[["a", "b"]], [["c"]]]))
    with pytest.raises(ArrayValueError, match="texts of the hypotheses are not known"):
        NBest([0, 1], [[1.0]], [[1, 1, 1, 1]]).with_metric("chrf", [["a"]])
