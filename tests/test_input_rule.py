"""The rule by which hypotheses and references are read: a str is raw text, a list is tokens, an array is ids; references are one or several by depth."""

import pickle
from http import HTTPStatus
from itertools import chain, pairwise
from uuid import SafeUUID

import numpy as np
import pytest
from hypothesis import given, strategies as st

import cybleu
from cybleu.errors import CybleuError, MixedTokensError, ShapeWarning, UnknownNameError
from inputs import counted_row, on_both_backends

ARRAY = np.array


def ids(*texts):
    return [ARRAY(text, np.int64) for text in texts]


# (name, hypotheses, references, the same in lists of references of tokens)
READ = [
    ("raw, one each", ["a b", "c"], ["a b", "c d"], [["a b".split()], ["c d".split()]]),
    ("raw, several", ["a b", "c"], [["a b", "a"], ["c"]], [["a b".split(), ["a"]], [["c"]]]),
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
    ("ids, an enumeration", [[HTTPStatus.OK]], [[HTTPStatus.OK]], [[[200]]]),
    ("tokens, an enumeration", [[SafeUUID.safe]], [[SafeUUID.safe]], [[[SafeUUID.safe]]]),
    ("tokens, a class", [[list]], [[list]], [[[list]]]),
    ("lists of int, several", [[5, 6], [3]], [[[5, 6], [7]], [[3]]], [[[5, 6], [7]], [[3]]]),
    ("tuple of 1-D arrays", tuple(ids([5, 6], [0, 2])), tuple(ids([5, 6], [0, 3])), [[[5, 6]], [[0, 3]]]),
    ("lists of int, 2-D array", [[5, 6], [3]], ARRAY([[5, 6], [3, 4]]), [[[5, 6]], [[3, 4]]]),
    (
        "lists of int, 3-D array of objects",
        [[5], [3]],
        ARRAY([[[5], [6]], [[3], [4]]], object),
        [[[5], [6]], [[3], [4]]],
    ),
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
    return [text.split() if isinstance(text, str) else list(text) for text in hypotheses]


@pytest.mark.parametrize(
    ("hypotheses", "references", "lists"), [case[1:] for case in READ], ids=[case[0] for case in READ]
)
def test_forms(hypotheses, references, lists):
    texts = [[getattr(token, "item", lambda token=token: token)() for token in text] for text in tokens_of(hypotheses)]
    expected = cybleu.rows(texts, lists).tolist()
    assert cybleu.rows(hypotheses, references).tolist() == expected
    for metric in ("nltk", "gleu"):
        assert cybleu.rows(hypotheses, references, metric).tolist() == cybleu.rows(texts, lists, metric).tolist()
    if any(isinstance(token, (str, tuple)) for text in texts for token in text) and not isinstance(hypotheses[0], str):
        references = lists  # alone, lists of str are several raw references
    if len(lists):
        assert cybleu.rows(hypotheses, cybleu.References(references)).tolist() == expected


# ----------------------------------------------------------------------------------------------- tokens that are tuples

TUPLES = [("a", "X"), ("b", "Y")]
containers = st.sampled_from([list, tuple])
nested_tokens = st.sampled_from(["a", ("a",), ("a", "b"), (("a",), ("b",)), ("a", ("b",))])


def in_containers(items, max_size):
    return st.builds(lambda make, drawn: make(drawn), containers, st.lists(items, max_size=max_size))


@st.composite
def segments_of_tuples(draw):
    """Hypotheses and entries of references in any nesting of lists and tuples, with tokens of a few kinds."""
    tokens = st.sampled_from(draw(st.lists(nested_tokens, min_size=1, max_size=3)))
    texts = in_containers(tokens, 3)
    hypotheses = draw(st.lists(texts, min_size=1, max_size=2))
    alike = st.sampled_from(hypotheses).map(tuple) | texts
    entries = texts | in_containers(alike, 2) | in_containers(alike | tokens, 2)
    return hypotheses, draw(st.lists(entries, min_size=len(hypotheses), max_size=len(hypotheses)))


def nesting(token):
    return 1 + max(map(nesting, token), default=0) if isinstance(token, tuple) else 0


def kinds_of(texts):
    return {nesting(token) for text in texts for token in text}


def is_several(entry, kinds):
    """Whether the rule reads an entry as several references of tokens, for hypotheses with tokens of these kinds."""
    if kinds <= {0} and any(isinstance(item, str) for item in entry):
        texts = [item for item in entry if isinstance(item, list)]  # beside a str, a tuple is a token
    else:
        texts = [item for item in entry if isinstance(item, list) or (isinstance(item, tuple) and kinds <= {0})]
    if 0 < len(texts) < len(entry):
        raise ValueError("a mixture")
    if not texts and all(isinstance(item, tuple) for item in entry):
        inner = kinds_of(entry)
        if inner <= kinds and (inner - {0} or () in entry):
            raise ValueError("references, or one reference whose tokens are tuples")
    return bool(texts)


def by_rule(hypotheses, references):
    """The references of each segment by the rule of input. ValueError if it does not decide."""
    kinds = kinds_of(hypotheses)
    several = {is_several(entry, kinds) for entry in references if entry}
    if len(several) != 1 or (True in several and not all(references)):
        raise ValueError("different depths, or a segment without references")
    sets = references if True in several else [[entry] for entry in references]
    if kinds and 0 not in kinds and kinds_of(chain.from_iterable(sets)) == {0}:
        raise ValueError("only tokens of hypotheses are tuples, so that none can match")
    return sets


def rows_by_rule(hypotheses, references):
    try:
        sets = by_rule(hypotheses, references)
    except ValueError:
        return None
    return [counted_row(texts, hypothesis, 4) for texts, hypothesis in zip(sets, hypotheses)]


@given(segments_of_tuples())
def test_tuples_are_read_by_the_rule_or_refused(kernels, segments):
    found = on_both_backends(lambda: cybleu.rows(*segments).tolist())
    assert found == rows_by_rule(*segments)


@given(segments_of_tuples())
def test_prepared_tuples_are_read_by_the_rule_or_refused(segments):
    hypotheses, references = segments
    expected = rows_by_rule(hypotheses, references)
    try:
        found = cybleu.rows(hypotheses, cybleu.References(references)).tolist()
    except CybleuError:
        return
    assert expected is None or found == expected


def test_prepared_tuples_that_can_be_tokens_are_refused():
    prepared = pickle.loads(pickle.dumps(cybleu.References([TUPLES])))
    with pytest.raises(MixedTokensError, match="prepare each reference as a list"):
        cybleu.rows([TUPLES], prepared)


def test_prepared_lists_are_no_tuples_after_they_are_pickled():
    prepared = pickle.loads(pickle.dumps(cybleu.References([[["a", "X"]]])))
    assert cybleu.rows([TUPLES], prepared, max_order=1).tolist() == [[2, 2, 0, 2]]


def test_a_tuple_in_one_of_several_columns_is_a_reference():
    table = {"hypothesis": [TUPLES], "first": [tuple(TUPLES)], "second": [None]}
    rows = cybleu.columns.rows(table, "hypothesis", ["first", "second"], max_order=2)
    assert [column.tolist() for column in rows.values()] == [[2], [2], [2], [1], [2], [1]]


# --------------------------------------------------------------------------------------------------------------- others


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
