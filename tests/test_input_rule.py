"""The rule by which hypotheses and references are read: a str is raw text, a list is tokens, an array is ids; references are one or several by depth."""

from itertools import pairwise

import numpy as np
import pytest

import cybleu
from cybleu.errors import ShapeWarning, UnknownNameError

pytestmark = pytest.mark.usefixtures("backend")

ARRAY = np.array


def ids(*texts):
    return [ARRAY(text, np.int64) for text in texts]


# (name, hypotheses, references, the same in lists of references of tokens)
READ = [
    ("raw, one each", ["a b", "c"], ["a b", "c d"], [["a b".split()], ["c d".split()]]),
    ("raw, several", ["a b", "c"], [["a b", "a"], ["c"]], [["a b".split(), ["a"]], [["c"]]]),
    ("raw, an empty reference", ["a b", "c"], ["a b", ""], [["a b".split()], [[]]]),
    ("raw, a missing reference", ["a b", "c"], [["a b", None], ["c"]], [["a b".split()], [["c"]]]),
    ("raw, no hypotheses", [], [], []),
    ("tokens, one each", [["a", "b"], ["c"]], [["a", "b"], ["c"]], [[["a", "b"]], [["c"]]]),
    ("tokens, several", [["a", "b"], ["c"]], [[["a", "b"], ["a"]], [["c"]]], [[["a", "b"], ["a"]], [["c"]]]),
    ("tokens, [] is a text", [["a", "b"], ["c"]], [["a", "b"], []], [[["a", "b"]], [[]]]),
    ("tokens, [[]] is an empty reference", [["a", "b"], ["c"]], [[["a"]], [[]]], [[["a"]], [[]]]),
    ("tokens with blanks", [["a b", "c"], ["d"]], [["a b"], ["d"]], [[["a b"]], [["d"]]]),
    ("tokens that are tuples, one each", [[("a", "X")]], [[("a", "X")]], [[[("a", "X")]]]),
    ("tokens that are tuples, several", [[("a", "X")]], [[[("a", "X")], [("b", "Y")]]], [[[("a", "X")], [("b", "Y")]]]),
    ("tokens, a missing reference", [["a", "b"], ["c"]], [[["a", "b"], None], [None, ["c"]]], [[["a", "b"]], [["c"]]]),
    ("ids, numbers of NumPy", [[np.int64(5), np.int64(6)]], [[np.int64(5)]], [[[5]]]),
    ("lists of int, several", [[5, 6], [3]], [[[5, 6], [7]], [[3]]], [[[5, 6], [7]], [[3]]]),
    ("2-D array, lists of int", ARRAY([[5, 6], [3, 4]]), [[5, 6], [3]], [[[5, 6]], [[3]]]),
    ("tuple of 1-D arrays", tuple(ids([5, 6], [0, 2])), tuple(ids([5, 6], [0, 3])), [[[5, 6]], [[0, 3]]]),
    ("lists of int, 2-D array", [[5, 6], [3]], ARRAY([[5, 6], [3, 4]]), [[[5, 6]], [[3, 4]]]),
    (
        "ragged beside lists",
        cybleu.Ragged(ARRAY([5, 6, 3]), ARRAY([0, 1, 1, 3])),
        [[[5], [6]], [[1]], [[6]]],
        [[[5], [6]], [[1]], [[6]]],
    ),
]


def tokens_of(hypotheses):
    if isinstance(hypotheses, cybleu.Ragged):
        return [hypotheses.ids[begin:end].tolist() for begin, end in pairwise(hypotheses.offsets)]
    return [
        text.split() if isinstance(text, str) else text.decode().split() if isinstance(text, bytes) else list(text)
        for text in hypotheses
    ]


@pytest.mark.parametrize(
    ("hypotheses", "references", "lists"), [case[1:] for case in READ], ids=[case[0] for case in READ]
)
def test_forms(hypotheses, references, lists):
    check_forms(hypotheses, references, lists)


def test_forms_of_columns(pandas):
    column = pandas.Series
    hypotheses, first, second = column(["a b", "c"]), ["a b", "c d"], ["a", "c"]
    several = [[["a", "b"], ["a"]], [["c", "d"], ["c"]]]
    check_forms(hypotheses, column(first), [["a b".split()], ["c d".split()]])
    check_forms(hypotheses, [column(first), column(second)], several)
    check_forms(hypotheses, pandas.DataFrame({"one": first, "two": second}), several)


def check_forms(hypotheses, references, lists):
    texts = [[getattr(token, "item", lambda token=token: token)() for token in text] for text in tokens_of(hypotheses)]
    expected = cybleu.rows(texts, lists).tolist()
    assert cybleu.rows(hypotheses, references).tolist() == expected
    for metric in ("nltk", "gleu"):
        assert cybleu.rows(hypotheses, references, metric).tolist() == cybleu.rows(texts, lists, metric).tolist()
    if any(isinstance(token, (str, tuple)) for text in texts for token in text) and not isinstance(
        hypotheses[0], (str, bytes)
    ):
        references = lists  # alone, lists of str are several raw references
    if len(lists):
        assert cybleu.rows(hypotheses, cybleu.References(references)).tolist() == expected


def test_references_that_look_like_the_tokens_of_one():
    with pytest.warns(ShapeWarning, match="tokens of one reference") as caught:
        cybleu.rows(["the cat sat"], [["the", "cat", "sat"]])
    assert caught[0].filename == __file__


def test_samples_of_one_prompt():
    assert cybleu.rows(["a", "b", "c", "d"], [["r", "s", "t", "u"]], owner=[0] * 4).shape == (4, 10)


def test_options_beside_an_instance():
    with pytest.raises(UnknownNameError, match="tokenize"):
        cybleu.rows(["a b"], ["a b"], cybleu.metrics.Bleu(), tokenize="13a")
    expected = cybleu.rows(["A b."], ["a b."], tokenize="zh", lowercase=True).tolist()
    assert cybleu.rows(["A b."], ["a b."], cybleu.metrics.Bleu(tokenize="zh", lowercase=True)).tolist() == expected


def test_raw_text_of_a_subclass_of_str():
    class Text(str):
        def __str__(self):
            return "another"

    for kind in (Text, np.str_):
        assert cybleu.rows([kind("a b")], [kind("a b")]).tolist() == cybleu.rows(["a b"], ["a b"]).tolist()
