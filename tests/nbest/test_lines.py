"""The lines of each format: Moses's, Joshua's, plain texts with a table of features.

tests/parity/test_fields.py compares the readers of lines on any text.
"""

import pytest

from cybleu.errors import FeatureError, InputFileError
from cybleu.nbest import NBest
from nbest_lists import REFERENCES, line, sparse_of, written

LAYOUTS = {
    "as Moses writes it": "0 ||| the cat ||| d= 1 2.5 lm= -3 p_a= 4 ||| -1.5\n",
    "labels with a colon": "0 ||| the cat ||| d: 1 2.5 lm: -3 p_a: 4 ||| -1.5\n",
    "no blanks around fields": "0|||the cat|||d= 1 2.5 lm= -3 p_a= 4|||-1.5\n",
    "tabs and several blanks": " 0 \t|||  the \t cat \t||| d=  1\t2.5 lm=\t-3  p_a= 4 |||\t-1.5 \n",
    "a carriage return": "0 ||| the cat ||| d= 1 2.5 lm= -3 p_a= 4 ||| -1.5\r\n",
    "no line end": "0 ||| the cat ||| d= 1 2.5 lm= -3 p_a= 4 ||| -1.5",
    "an alignment": "0 ||| the cat ||| d= 1 2.5 lm= -3 p_a= 4 ||| -1.5 ||| 0-0 1-1\n",
    "two more fields": "0 ||| the cat ||| d= 1 2.5 lm= -3 p_a= 4 ||| -1.5 ||| ||| x=y | z\n",
}


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS)
def test_layouts_of_moses(tmp_path, text):
    nbest = NBest.from_files(written(tmp_path, text), REFERENCES)
    assert (nbest.names, nbest.features.tolist()) == (("d_0", "d_1", "lm_0"), [[1, 2.5, -3]])
    assert sparse_of(nbest) == [{"p_a": (4.0).hex()}]
    assert nbest.model_scores.tolist() == [-1.5]
    assert nbest.texts[0].split() == ["the", "cat"]
    assert nbest.stats.tolist() == [[2, 4, 2, 1, 0, 0, 2, 1, 0, 0]]


@pytest.mark.parametrize("text", ["", "a=b = c:", "the | cat || sat", "é 猫 পিরালী 🐈", "the\xa0cat"])
@pytest.mark.parametrize("features", ["d= 1", "d_0=1"], ids=["moses", "joshua"])
def test_tokens_may_look_like_other_fields(tmp_path, text, features):
    nbest = NBest.from_files(written(tmp_path, line(0, text, features)), [[text]])
    assert (nbest.texts, nbest.names) == ([text], ("d_0",))
    assert nbest.stats[0, 2] == len(text.split())


def test_labels_with_signs(tmp_path):
    nbest = NBest.from_files(written(tmp_path, line(features="a=b= 1 x:= 2 p_b=c= 3")), REFERENCES)
    assert (nbest.names, nbest.sparse.names) == (("a=b_0", "x:_0"), ("p_b=c",))


def test_numbers_are_those_of_python(tmp_path):
    numbers = "0 -0 +1 1. .5 1E5 -2.5e+3 007 9007199254740993 123456789012345678901 1e22 1e23 5e-324 1e-400".split()
    lines = "".join(line(0, "a", f"d= {number} p_a= {number}", number) for number in numbers)
    nbest = NBest.from_files(written(tmp_path, lines), REFERENCES)
    expected = [float(number).hex() for number in numbers]
    for found in (nbest.features[:, 0], nbest.sparse.values, nbest.model_scores):
        assert list(map(float.hex, found.tolist())) == expected


@pytest.mark.parametrize("features", ["F0= -1.5 F1= 2", "F0=-1.5"])
@pytest.mark.parametrize(
    "before", [["0-0 1-1"], ["0.9,0.1 1e-05,0.99999"], ["WordScores= -0.1 -1.4"], ["0-0", "WordScores= -1.5"]]
)
def test_fields_of_marian_before_the_features(tmp_path, features, before):
    marian = "0 ||| the cat ||| {} ||| {} ||| -0.5\n".format(" ||| ".join(before), features)
    found = NBest.from_files(written(tmp_path, marian + line(1, features=features) + marian), REFERENCES)
    assert found.texts == ["the cat"] * 3 and found.model_scores.tolist() == [-0.5, -0.5, -1]
    plain = line(features=features)
    expected = NBest.from_files(written(tmp_path, plain), REFERENCES)
    assert found.names == expected.names
    assert found.features.tolist() == expected.features.tolist() * 3


# ---------------------------------------------------------------------------------------------------------- plain texts


def test_plain_texts_with_a_table_of_features(tmp_path):
    texts = written(tmp_path, "the cat\ncat\n\nit rains\nso it is\nso\n")
    table = written(tmp_path, "1 2\n3 4\n5 6\n7 8\n9 0\n1 1\n", "table")
    nbest = NBest.from_files(texts, REFERENCES, size=2, features=table, names=["a", "b"])
    assert (nbest.names, nbest.model_scores, nbest.offsets.tolist()) == (("a", "b"), None, [0, 2, 4, 6])
    assert nbest.texts == ["the cat", "cat", "", "it rains", "so it is", "so"]
    assert nbest.features.tolist() == [[1, 2], [3, 4], [5, 6], [7, 8], [9, 0], [1, 1]]
    assert nbest.stats[:, 2].tolist() == [2, 1, 0, 2, 3, 1]


def test_plain_texts_alone(tmp_path):
    nbest = NBest.from_files(written(tmp_path, "a\nb\nc\n"), REFERENCES, "plain", size=1)
    assert (nbest.features.shape, nbest.texts) == ((3, 0), ["a", "b", "c"])


@pytest.mark.parametrize(
    ("table", "error", "reason"),
    [
        ("1 2\n3 4\n", InputFileError, "table: has 2 lines, fewer than .*list"),
        ("1 2\n" * 9, InputFileError, "table: has 9 lines, more than .*list"),
        ("1 2\n3\n5 6\n", InputFileError, "table, line 2: has 1 features, and the lines before have 2"),
        ("1 2\n3 4\n5 nan\n", InputFileError, "table, line 3: a feature is nan"),
        ("1\n3\n5\n", FeatureError, "there are 2 names, but 1 features"),
    ],
)
def test_feature_tables_that_do_not_fit(tmp_path, table, error, reason):
    texts = written(tmp_path, "a\nb\nc\n")
    table = written(tmp_path, table, "table")
    with pytest.raises(error, match=reason):
        NBest.from_files(texts, REFERENCES, size=1, features=table, names=["a", "b"])
