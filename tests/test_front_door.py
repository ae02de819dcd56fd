"""Every public function that takes texts, with every form of texts: equal results, one parse for each argument, clear errors."""

from __future__ import annotations

import copy
import sys
from array import array
from collections import Counter, OrderedDict, deque
from importlib.util import find_spec
from itertools import chain, product

import nltk.translate.bleu_score as nltk_bleu
import numpy as np
import pytest

import cybleu
from arrow_capsules import AsArray, AsStream, integers, lists, texts
from cybleu import References, errors
from cybleu.bleu_score import SmoothingFunction, sentence_bleu_many
from cybleu.checks import check
from cybleu.columns import rows as column_rows
from cybleu.explanations import explain_difference
from cybleu.frameworks import load
from cybleu.metrics import Bleu, Chrf, Ter, find
from cybleu.nbest import NBest
from cybleu.pairwise import self_bleu
from cybleu.rerank import diverse, mbr
from cybleu.rewards import Reward
from cybleu.text import Ragged, reading
from cybleu.text.batches import RawText, TokenIds, TokenLists
from inputs import Labelled, Own

pytestmark = pytest.mark.usefixtures("backend")


def scored(**how):
    return lambda references, hypotheses: cybleu.reward_scores(hypotheses, references, **how)


# What takes references and hypotheses; the arguments `tokenize` and `lowercase` are passed on.
OF_CORPORA = {
    "rows": lambda references, hypotheses, **how: cybleu.rows(hypotheses, references, **how),
    "rows, threads": lambda references, hypotheses, **how: cybleu.rows(hypotheses, references, threads=2, **how),
    "rows, owner": lambda references, hypotheses, **how: cybleu.rows(hypotheses, references, owner=[1, 0], **how),
    "References": lambda references, hypotheses, **how: cybleu.rows(hypotheses, References(references), **how),
    "reward_scores": lambda references, hypotheses, **how: cybleu.reward_scores(hypotheses, references, **how),
    "reward_scores, gleu": lambda *corpus, **how: scored(metric="gleu", **how)(*corpus),
    "reward_scores, own": lambda *corpus, **how: scored(metric=Own(**how))(*corpus),
    "Bleu.rows": lambda references, hypotheses, **how: Bleu("nltk", **how).rows(hypotheses, references),
    "Gleu.rows": lambda references, hypotheses, **how: find("gleu", **how).rows(hypotheses, references),
    "Metric.rows": lambda references, hypotheses, **how: Own(**how).rows(hypotheses, references),
    "explain_difference": lambda *corpus, **how: str(explain_difference(*corpus, **how)),
}
OF_TOKENS = {
    **OF_CORPORA,
    "sentence_bleu_many": lambda *corpus: sentence_bleu_many(*corpus, (0.5, 0.5)),
}
OF_ITERABLES = {"check": lambda references, hypotheses: check(references, hypotheses) or 0}  # segment by segment
OF_RAW_TEXT = {
    **OF_CORPORA,
    "bleu": lambda references, hypotheses, **how: cybleu.bleu(hypotheses, references, **how).score,
    "chrf": lambda references, hypotheses, **how: cybleu.chrf(hypotheses, references, **case(how)).score,
    "ter": lambda references, hypotheses, **how: cybleu.ter(hypotheses, references, **case(how)).score,
    "Chrf.rows": lambda references, hypotheses, **how: Chrf(**case(how)).rows(hypotheses, references),
    "Ter.rows": lambda references, hypotheses, **how: Ter(**case(how)).rows(hypotheses, references),
    "reward_scores, chrf": lambda *corpus, **how: scored(metric="chrf++", **case(how))(*corpus),
}
# What takes a list of texts.
OF_TEXTS = {
    "pairs": cybleu.pairs,
    "pairs, gleu": lambda texts, **how: cybleu.pairs(texts, metric="gleu", **how),
    "self_bleu": lambda texts, **how: self_bleu(texts, (1.0,), **how),
}


def case(how):
    """The options of metrics that have no tokeniser."""
    return {name: value for name, value in how.items() if name == "lowercase"}


TOKENS = [[["a", "b", "c", "d"]], [["e", "f"], ["e", "g"]]], [["a", "b", "c", "x"], ["e", "g"]]
IDS = [[[5, 6, 7, 8]], [[9, 10], [9, 11]]], [[5, 6, 7, 1], [9, 11]]
ONE_EACH = [[[5, 6, 7, 8]], [[9, 10, 11, 12]]], [[5, 6, 7, 1], [9, 11, 11, 12]]
LINES = [["Die Straße, ΟΔΟΣ.", "Ein İ."], ["猫 rains, often."]], ["die Straße, ΟΔΟΣ sat.", "猫 rains."]


def of_objects(values):
    column = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        column[place] = tuple(value) if isinstance(value, list) else value
    return column


def pandas_column(values):
    import pandas

    return pandas.Series(list(values), index=range(len(values))[::-1], dtype=object)


def pandas_index(values):
    import pandas

    return pandas.Index(of_objects(values), tupleize_cols=False)


def part_of_pandas(values):
    import pandas

    return pandas.Series([None, *values], dtype=object)[1:]


def polars_column(values):
    import polars

    return polars.Series(list(values))


class Column(AsArray):
    """A column of Arrow, and how it is read without kernels."""

    def __init__(self, node, values):
        super().__init__(node)
        self.values = values

    def to_pylist(self):
        return list(self.values)


class Stream(AsStream):
    """A column in two arrays."""

    def __init__(self, values):
        super().__init__([texts(values[:1]), texts(values[1:])])
        self.values = values

    def to_pylist(self):
        return list(self.values)


def in_lists(container):
    return lambda groups: container([container([container(text) for text in group]) for group in groups])


def ragged(values):
    return Ragged(np.array(list(chain(*values))), np.cumsum([0, *map(len, values)]))


def arrow(leaf, depth):
    def nested(values, depth):
        return leaf(values) if not depth else lists(values, lambda parts: nested(parts, depth - 1))

    return lambda values: Column(nested(values, depth), values)


# name -> references and hypotheses in another form than lists
FORMS_OF_TOKENS = {
    "tuples": (in_lists(tuple), lambda values: tuple(map(tuple, values))),
    "labelled": (in_lists(Labelled), lambda values: Labelled(map(Labelled, values))),
    "deques": (in_lists(deque), lambda values: deque(map(deque, values))),
    "objects": (of_objects, of_objects),
    "arrow": (arrow(texts, 2), arrow(texts, 1)),
}
if find_spec("pandas"):
    FORMS_OF_TOKENS |= {
        "pandas": (pandas_column, pandas_column),
        "pandas index": (pandas_index, pandas_index),
        "part of pandas": (part_of_pandas, part_of_pandas),
    }
if find_spec("polars"):  # nox installs both
    FORMS_OF_TOKENS["polars"] = (polars_column, polars_column)
FORMS_OF_IDS = {
    "lists of arrays": (
        lambda sets: [[np.array(text) for text in group] for group in sets],
        lambda v: [*map(np.array, v)],
    ),
    "buffers": (
        lambda sets: [[array("i", text) for text in group] for group in sets],
        lambda v: [array("q", t) for t in v],
    ),
    "tuples of arrays": (
        lambda sets: tuple(tuple(map(np.array, group)) for group in sets),
        lambda v: tuple(map(np.array, v)),
    ),
    "ragged": (lambda sets: [*map(ragged, sets)], ragged),
    "arrow": (arrow(integers, 2), arrow(integers, 1)),
}
FORMS_OF_ONE_EACH = {
    "2-D": (lambda sets: np.array([group[0] for group in sets]), np.array),
    "2-D, int32": (
        lambda sets: np.array([group[0] for group in sets], dtype=np.int32),
        lambda v: np.array(v, dtype=np.uint8),
    ),
    "3-D": (np.array, np.array),
    "lists of 2-D": (lambda sets: [*map(np.array, sets)], np.array),
    "ragged": (lambda sets: ragged([group[0] for group in sets]), ragged),
    "arrow": (lambda sets: arrow(integers, 1)([group[0] for group in sets]), arrow(integers, 1)),
}
FORMS_OF_LINES = {
    "tuples": (lambda sets: tuple(map(tuple, sets)), tuple),
    "bytes": (lambda sets: [list(map(str.encode, group)) for group in sets], lambda v: list(map(str.encode, v))),
    "bytearrays": (lambda sets: sets, lambda v: [bytearray(line.encode()) for line in v]),
    "labelled": (lambda sets: Labelled(map(Labelled, sets)), Labelled),
    "arrow": (arrow(texts, 1), arrow(texts, 0)),
    "stream": (arrow(texts, 1), Stream),
    "columns": (
        lambda sets: [arrow(texts, 0)([group[0] for group in sets]), arrow(texts, 0)([sets[0][1], None])],
        arrow(texts, 0),
    ),
}


def listed(result):
    return np.asarray(result).tolist()


def cases(calls, forms):
    return pytest.mark.parametrize(
        ("call", "form"),
        [pytest.param(call, forms[form], id=f"{name}-{form}") for name, call in calls.items() for form in forms],
    )


@cases(OF_ITERABLES, {name: form for name, form in FORMS_OF_TOKENS.items() if name != "arrow"})
def test_tokens_in_every_container(call, form):
    assert listed(call(form[0](TOKENS[0]), form[1](TOKENS[1]))) == listed(call(*TOKENS))


@cases(OF_TOKENS, FORMS_OF_TOKENS)
def test_tokens_in_every_form(call, form):
    assert listed(call(form[0](TOKENS[0]), form[1](TOKENS[1]))) == listed(call(*TOKENS))


@cases(OF_TOKENS, FORMS_OF_IDS)
def test_ids_in_every_form(call, form):
    assert listed(call(form[0](IDS[0]), IDS[1])) == listed(call(*IDS))
    if call not in (OF_TOKENS["Metric.rows"], OF_TOKENS["reward_scores, own"]) and form is not FORMS_OF_IDS["ragged"]:
        assert listed(call(IDS[0], form[1](IDS[1]))) == listed(call(*IDS))


BATCHES = ("rows", "rows, threads", "rows, owner", "References", "reward_scores", "Bleu.rows")


@cases({name: OF_CORPORA[name] for name in BATCHES}, FORMS_OF_ONE_EACH)
def test_arrays_of_ids(call, form):
    assert listed(call(form[0](ONE_EACH[0]), form[1](ONE_EACH[1]))) == listed(call(*ONE_EACH))


@pytest.mark.parametrize(
    "how",
    [
        {"tokenize": "13a"},
        {"tokenize": "char", "lowercase": True},
        {"tokenize": str.split},
        {"tokenize": str.split, "lowercase": True},
    ],
)
@cases(OF_RAW_TEXT, FORMS_OF_LINES)
def test_raw_text_in_every_form(call, form, how):
    assert listed(call(form[0](LINES[0]), form[1](LINES[1]), **how)) == listed(call(*LINES, **how))


@pytest.mark.parametrize("call", OF_TEXTS.values(), ids=OF_TEXTS)
def test_lists_of_texts_in_every_form(call):
    for values, forms in ((TOKENS[1], FORMS_OF_TOKENS), (IDS[1], FORMS_OF_IDS), (ONE_EACH[1], FORMS_OF_ONE_EACH)):
        for _, of_texts in forms.values():
            assert listed(call(of_texts(values))) == listed(call(values))
    for how in ({"tokenize": "13a"}, {"tokenize": str.split, "lowercase": True}):
        for _, of_texts in FORMS_OF_LINES.values():
            assert listed(call(of_texts(LINES[1]), **how)) == listed(call(LINES[1], **how))


@pytest.mark.parametrize(
    "call", [lambda groups: mbr(groups).scores, lambda groups: diverse(groups, 2)[0]], ids=["mbr", "diverse"]
)
def test_groups_of_texts_in_every_form(call):
    for name, (_, of_texts) in FORMS_OF_TOKENS.items():
        group = arrow(texts, 2)([TOKENS[1]]) if name == "arrow" else [of_texts(TOKENS[1])]
        assert listed(call(group)) == listed(call([TOKENS[1]]))
    assert listed(call([[*map(np.array, IDS[1])]])) == listed(call([IDS[1]]))


FORMS_OF_STRINGS = [Labelled, of_objects] + [
    form
    for name, forms in {"pandas": [pandas_column, part_of_pandas], "polars": [polars_column]}.items()
    if find_spec(name)
    for form in forms
]


@pytest.mark.parametrize("column", FORMS_OF_STRINGS)
def test_strings_in_columns(column):
    texts = [["a b c", "a b"], ["d e", "d f g"]]
    references = [["a b c"], ["d e g"]]
    expected = NBest.from_texts(texts, references, tokenize=str.split)
    for given in (column(texts), [column(part) for part in texts]):
        for prepared in (references, column(references), column([column(part) for part in references])):
            assert NBest.from_texts(given, prepared, tokenize=str.split).stats.tolist() == expected.stats.tolist()
        best = mbr(given, column([[1.0, 2.0], [3.0, 4.0]]), tokenize=str.split)
        assert best.texts == mbr(texts, [[1.0, 2.0], [3.0, 4.0]], tokenize=str.split).texts
    reward = Reward(column="target", tokenize=str.split)
    rewards = reward(completions=column(["a b c", "d e"]), target=column(references))
    assert rewards == reward(completions=["a b c", "d e"], target=references)


class Tensor:
    """As what ``list(torch_tensor)`` holds."""

    ndim = 0

    def __init__(self, value):
        self.value = value

    def __len__(self):
        raise TypeError("len() of a 0-d tensor")

    def __index__(self):
        return self.value

    def __hash__(self):
        return id(self)


class PlainTensor(Tensor):
    __hash__ = object.__hash__


@pytest.mark.parametrize("kind", [Tensor, PlainTensor, np.array], ids=["by id", "object", "numpy"])
def test_arrays_without_a_dimension_are_no_tokens(kind):
    """As ``list(tensor)`` holds them: most are hashed by identity, so that none would match."""
    of_text = lambda text: list(map(kind, text))  # noqa: E731
    sets, texts = [[of_text(text) for text in group] for group in IDS[0]], list(map(of_text, IDS[1]))
    refused = pytest.raises(
        (errors.TokensError, errors.UnhashableTokenError),
        match=r"^(segment 0: )?token 0 of .* is a \w*(Tensor|ndarray)",
    )
    for name, call in (OF_TOKENS | OF_ITERABLES).items():
        if name in ("Metric.rows", "reward_scores, own"):  # the user's metric reads the tokens
            continue
        for corpus in ((IDS[0], texts), (sets, IDS[1]), (sets, texts)):
            with refused:
                call(*corpus)
    for call in (*OF_TEXTS.values(), lambda texts: mbr([texts])):
        with refused:
            call(texts)
    with pytest.raises(errors.TokensError, match=r"token 0 of hypotheses\[0\] .* into a list with .tolist\(\)"):
        cybleu.rows(texts, References(IDS[0]))


def test_a_tuple_of_two_arrays_is_two_texts(pandas):
    """Also where the second could be the offsets of the first."""
    ids, offsets = np.array([5, 6, 7, 8]), np.array([0, 2, 4])
    references = [[[5, 6, 7, 8]], [[0, 2, 4]]]
    for pair in ((ids, offsets), [ids, offsets], (memoryview(ids), array("q", offsets))):
        assert cybleu.rows(pair, references, max_order=1).tolist() == [[4, 4, 4, 4], [3, 3, 3, 3]]
        assert cybleu.reward_scores(pair, references, max_order=1).tolist() == [1.0, 1.0]
        assert cybleu.pairs(pair, metric="gleu").tolist() == [[1.0, 0.0], [0.0, 1.0]]
        assert cybleu.rows([[5, 6, 7, 8], [0, 2]], [pair] * 2, max_order=1).tolist() == [[4, 4, 4, 4], [2, 3, 2, 2]]
        assert diverse([pair], 2)[0].tolist() == diverse([[ids.tolist(), offsets.tolist()]], 2)[0].tolist()
        reward = Reward(column="r", max_order=1)
        assert reward(completion_ids=pair, r=references) == [1.0, 1.0]
        assert cybleu.rows(pair, References(pair), max_order=1).tolist() == [[4, 4, 4, 4], [3, 3, 3, 3]]
    texts = (of_objects(["a", "b"]), pandas_column(["a", "c"]))
    assert cybleu.rows(texts, [[["a", "b"]]] * 2).tolist() == cybleu.rows(list(texts), [[["a", "b"]]] * 2).tolist()
    assert cybleu.pairs(texts).tolist() == cybleu.pairs([["a", "b"], ["a", "c"]]).tolist()


def test_ragged_arrays_in_every_place():
    assert Ragged is cybleu.Ragged
    pair = Ragged(np.array([5, 6, 7, 8]), np.array([0, 2, 4]))
    lists = [[5, 6], [7, 8]]
    assert cybleu.rows(pair, [[lists[0]], [lists[1]]]).tolist() == cybleu.rows(lists, pair).tolist()
    for call in OF_CORPORA.values():
        assert listed(call([pair, [[1]]], lists)) == listed(call([lists, [[1]]], lists))
    for call in (*OF_TEXTS.values(), lambda texts: mbr([texts]).scores):
        assert listed(call(pair)) == listed(call(lists))
    for r in (pair, lists):
        assert Reward(column="r", max_order=2)(completion_ids=pair, r=r) == [1.0, 1.0]
    check(pair, pair)
    for references in ([[["a"]], [["b"]]], [["a"], ["b"]], ["a", "b"]):
        with pytest.raises(errors.MixedTokensError):
            cybleu.rows(pair, references)
    with pytest.raises(errors.ArrayValueError, match="offsets of hypotheses must begin with 0"):
        cybleu.rows(Ragged(np.array([1]), np.array([0, 2])), [[[1]]])


def test_owners_in_columns_and_no_owners(pandas):
    for references in (IDS[0], References(IDS[0])):
        expected = cybleu.rows(IDS[1], references, owner=np.array([1, 0])).tolist()
        for owner in ([1, 0], pandas_column([1, 0]), of_objects([1, 0]), [np.array(1), np.array(0)]):
            assert cybleu.rows(IDS[1], references, owner=owner).tolist() == expected
        for nothing in ([], np.array([]), of_objects([])):
            assert cybleu.rows([], references, owner=nothing).shape == (0, 10)


def test_nltks_names_take_what_nltk_takes():
    for references, hypothesis in ((["abcd"], "abcd"), ([list(map(Tensor, [1, 2]))], [1, 2]), (["ab"], ["a", "b"])):
        assert cybleu.sentence_bleu(references, hypothesis, (1,)) == nltk_bleu.sentence_bleu(
            references, hypothesis, (1,)
        )
        assert cybleu.corpus_bleu([references], [hypothesis], (1,)) == nltk_bleu.corpus_bleu(
            [references], [hypothesis], (1,)
        )


def test_lists_of_token_lists():
    strings = [["the cat sat", "a cat", ""], ["it rains"]]
    tokens = [[text.split() for text in group] for group in strings]
    references = [["the cat sat"], ["it rained"]]
    expected = NBest.from_texts(strings, references, tokenize="unicode")
    for given in (tokens, [[*map(tuple, group)] for group in tokens], [strings[0], tokens[1]]):
        nbest = NBest.from_texts(given, references, tokenize="unicode")
        assert nbest.texts == expected.texts == ["the cat sat", "a cat", "", "it rains"]
        assert nbest.stats.tolist() == expected.stats.tolist()
        assert mbr(nbest).scores.tolist() == mbr(tokens).scores.tolist()
    for text in (["New York"], ["a", ""], [1, 2], ["a", ("b",)]):
        assert NBest.from_texts([[text]], [[text]]).texts is None


def test_arrays_of_texts_are_lists():
    texts = np.array([["a", "b", "c"], ["d", "e", "f"]])
    expected = cybleu.rows(texts.tolist(), [[row] for row in texts.tolist()], max_order=2).tolist()
    assert cybleu.rows(list(texts), [[row] for row in texts], max_order=2).tolist() == expected
    assert cybleu.rows(texts, References(texts[:, None, :]), max_order=2).tolist() == expected
    as_bytes = texts.astype("S")
    assert cybleu.rows(as_bytes, [[text] for text in as_bytes], max_order=2).tolist() == expected
    for call in (*OF_TEXTS.values(), lambda texts: mbr([texts]).scores, lambda texts: diverse([texts], 2)[0]):
        assert listed(call(texts)) == listed(call(texts.tolist()))


# ----------------------------------------------------------------------------------------------------------- one parse

ENTRIES = {  # the functions that read arguments, and the names of these
    reading.read_groups: ["values"],
    reading.read_lines: ["values"],
    reading.read_list: ["values"],
    reading.read_references: ["references"],
    reading.read_sets_of_lines: ["values"],
    reading.read_texts: ["values"],
    reading.segments_of_lists: ["references", "hypotheses"],
}


def parses(call, *arguments, **how):
    """How often each of the arguments, by its number or name, is parsed; None is for a value that is none of them."""
    names = {function.__code__: names for function, names in ENTRIES.items()}
    counts = Counter()
    depth = 0

    def profile(frame, event, _):
        nonlocal depth
        if frame.f_code not in names:
            return
        if event == "call":
            if not depth:
                for name in names[frame.f_code]:
                    value = frame.f_locals[name]
                    if isinstance(value, (TokenIds, TokenLists, RawText)):  # which has been read
                        continue
                    given = chain(enumerate(arguments), how.items())
                    places = [place for place, argument in given if argument is value]
                    counts[places[0] if places else None] += 1
            depth += 1
        elif event == "return":
            depth -= 1

    sys.setprofile(profile)
    try:
        call(*arguments, **how)
    finally:
        sys.setprofile(None)
    return counts


@pytest.mark.thread_unsafe(reason="counts the calls of one thread")
@pytest.mark.parametrize("how", [{}, {"tokenize": "13a"}, {"tokenize": str.split}], ids=["tokens", "raw", "function"])
def test_each_argument_is_parsed_once(how):
    corpus = LINES if how else TOKENS
    for name, call in (OF_RAW_TEXT if how else OF_TOKENS).items():
        assert parses(call, *corpus, **how) == {0: 1, 1: 1}, name
    for name, call in OF_TEXTS.items():
        found = parses(call, corpus[1], **how)
        assert found == {0: 1}, name
    prepared = References(corpus[0])
    for call in (
        lambda texts: cybleu.rows(texts, prepared, **how),
        lambda texts: cybleu.reward_scores(texts, prepared, **how),
        lambda texts: find("gleu", **how).rows(texts, prepared),
    ):
        assert parses(call, corpus[1]) == {0: 1}
    for name, call in {
        "mbr": lambda groups: mbr(groups, **how),
        "mbr, evidence": lambda groups: mbr(groups, evidence=[*groups], **how),
        "diverse": lambda groups: diverse(groups, 2, **how),
    }.items():
        found = parses(call, [corpus[1], corpus[1][:1]])
        assert found[0] == 1 and found.total() <= 4, name
    assert parses(lambda groups, sets: NBest.from_texts(groups, sets, **how), corpus[0], [*corpus[0]]).total() <= 2
    if not how:
        assert parses(cybleu.pairs, IDS[1], np.array([[5, 6]])) == {0: 1, 1: 1}
        columns = arrow(texts, 1)(corpus[1])
        assert parses(OF_CORPORA["rows"], corpus[0], columns) == {0: 1, 1: 1}
    else:
        found = parses(lambda **table: column_rows(table, **how), hypothesis=LINES[1], reference=LINES[0])
        assert found == {"hypothesis": 1, "reference": 1, None: 2}  # and those of the only block
        assert parses(lambda: check(*corpus, **how)).total() == 2
        nbest = NBest.from_texts([LINES[1]], LINES[0][:1], **how)
        assert parses(lambda references: nbest.with_metric("chrf", references), LINES[0][:1]) == {0: 1, None: 1}
    reward = Reward(column="r", **how)
    scored, texts_of_call = ("completions", LINES[1]) if how else ("completion_ids", IDS[1])
    found = parses(reward, **{scored: texts_of_call}, r=LINES[0] if how else IDS[0])
    assert found == {scored: 1, "r": 1, None: 2}  # and the same texts in lists, as reward_scores takes them


@pytest.mark.parametrize("name", ["bleu", "google_bleu"])
def test_each_argument_of_frameworks_is_parsed_once(name):
    found = parses(load(name).compute, predictions=LINES[1], references=LINES[0])
    assert found["predictions"] == found["references"] == 1


# -------------------------------------------------------------------------------------------------------------- errors

NO_TEXTS = {  # in the place of a text: classes of error, and what the message says
    "str": ("abcd", errors.SequenceTypeError, "is a str, not a list of tokens; split it"),
    "bytes": (b"abcd", errors.SequenceTypeError, "is a bytes, not a list of tokens; split it"),
    "None": (None, errors.SequenceTypeError, "must be a list of tokens.*not NoneType|is None"),
    "number": (5, errors.SequenceTypeError, "must be a list of tokens.*not int|is an int"),
    "iterator": (iter("a"), errors.SequenceTypeError, "must be a list of tokens.*not str_.*iterator|read only once"),
    "set": ({"a", "b"}, errors.SequenceTypeError, "is a set, which has no order"),
    "dict": ({"a": 1}, errors.SequenceTypeError, "is a dict, which has no order"),
    "0-d": (np.array(3), errors.CybleuError, "without a dimension|0 dimensions"),
    "floats": (np.array([0.5]), errors.CybleuError, "dtype float64|token ids"),
    "2-D": (np.array([[1]]), errors.CybleuError, "2 dimensions|not a number or a str|token ids"),
    "masked": (np.ma.array([1, 2], mask=[0, 1]), errors.ArrayValueError, "has masked entries"),
}
PLACES = r"(hypotheses\[1\]|references\[1\]\[0\]|the hypothesis|reference 0)"


# by segment, an array of floats is a list of tokens
BY_SEGMENT = ("sentence_bleu_many", "explain_difference")


@pytest.mark.parametrize(("name", "text"), [*product(BY_SEGMENT, [text for text in NO_TEXTS if text != "floats"])])
def test_wrong_texts_are_named_by_functions_of_nltk(name, text):
    value, error, message = NO_TEXTS[text]
    references, hypotheses = IDS if hasattr(value, "dtype") else TOKENS
    for corpus in ((references, [hypotheses[0], value]), ([references[0], [value]], hypotheses)):
        with pytest.raises(error, match=f"{PLACES}.*({message})|^({message})"):
            OF_TOKENS[name](*corpus)


NO_ORDER = r"references\[1\]\[0\] is a (set|dict), which has no order"
ONE_REFERENCE = r"references\[1\] is one reference, and references\[0\] a list of references"
WRONG_TEXTS = {  # what the rule says of a text, and of the only reference of a segment beside lists of references
    "str": (r"hypotheses\[1\] is a str and hypotheses\[0\] a list", ONE_REFERENCE),
    "bytes": (r"hypotheses\[1\] is a bytes and hypotheses\[0\] a list", ONE_REFERENCE),
    "None": (r"hypotheses\[1\] must be .* not None; leave out the segment", r"references\[1\] has no reference"),
    "number": (r"hypotheses\[1\] must be .* not an int", ONE_REFERENCE),
    "iterator": (r"hypotheses\[1\] must be .* not a str_.*iterator", ONE_REFERENCE),
    "set": (r"hypotheses\[1\] is a set, which has no order", NO_ORDER),
    "dict": (r"hypotheses\[1\] is a dict, which has no order", NO_ORDER),
    "0-d": (r"hypotheses\[1\] is an array without a dimension", ONE_REFERENCE),
    "floats": (r"hypotheses\[1\] has dtype float64", r"references\[1\]\[0\] has dtype float64"),
    "2-D": (r"hypotheses\[1\] has 2 dimensions", r"references\[1\]\[0\] has 2 dimensions"),
    "masked": ("has masked entries", "has masked entries"),
}


@pytest.mark.parametrize(("name", "text"), [*product(BATCHES, NO_TEXTS)])
def test_wrong_texts_are_named(name, text):
    value = NO_TEXTS[text][0]
    references, hypotheses = IDS if hasattr(value, "dtype") else TOKENS
    wrong_hypothesis, wrong_reference = WRONG_TEXTS[text]
    with pytest.raises(errors.CybleuError, match=wrong_hypothesis):
        OF_TOKENS[name](references, [hypotheses[0], value])
    with pytest.raises(errors.CybleuError, match=wrong_reference):
        OF_TOKENS[name]([references[0], [value]], hypotheses)


@pytest.mark.parametrize("form", [dict, OrderedDict, set, frozenset])
@pytest.mark.parametrize("name", [*BATCHES, "sentence_bleu_many", "raw text"])
def test_segments_without_an_order_are_refused(name, form):
    """For drop-in functions NLTK decides, see the tests of these."""
    call = OF_TOKENS["rows" if name == "raw text" else name]
    references, hypotheses = LINES if name == "raw text" else TOKENS
    plain = [tuple(text) if isinstance(text, list) else text for text in hypotheses]
    hashable = [tuple(tuple(text) if isinstance(text, list) else text for text in group) for group in references]
    unordered = (lambda texts: form(enumerate(texts))) if issubclass(form, dict) else form
    advice = r"give a list in the order of the segments, such as list\(\w+.values\(\)\)"
    advice = advice if issubclass(form, dict) else "no order of segments and no equal ones; give a list"
    for corpus in ((unordered(hashable), hypotheses), (references, unordered(plain))):
        with pytest.raises(errors.SequenceTypeError, match=rf"^\w+ is an? {form.__name__}, .*{advice}$"):
            call(*corpus)


def test_views_of_a_dict_are_in_order():
    hypotheses = dict.fromkeys(LINES[1])
    expected = cybleu.rows(*LINES[::-1]).tolist()
    assert cybleu.rows(hypotheses.keys(), LINES[0]).tolist() == expected
    references = dict(enumerate(LINES[0])).values()
    assert cybleu.rows(LINES[1], references).tolist() == expected
    texts = dict.fromkeys([("a", "b", "c", "d"), ("b", "c", "d", "e")])
    assert sentence_bleu_many([[text] for text in texts], texts.keys()).tolist() == [1.0, 1.0]


MISSING = (errors.SequenceTypeError, r"hypotheses\[1\] must be raw text.*not None")
NONE_LEFT = (errors.NoReferencesError, r"references\[1\] has no reference")
HOLDS_TOKENS = (errors.MixedTokensError, r"references\[1\] holds tokens")
WRONG_LINES = {
    "None": (None, MISSING, NONE_LEFT),
    "number": (5, (errors.SequenceTypeError, r"hypotheses\[1\] must be raw text.*not an int"), HOLDS_TOKENS),
    "list": (["a"], (errors.MixedTokensError, r"hypotheses\[0\] is a str and hypotheses\[1\] a list"), HOLDS_TOKENS),
}


@pytest.mark.parametrize("tokenize", ["13a", str.split])
@pytest.mark.parametrize("name", [name for name in OF_RAW_TEXT if not name.startswith("explain")])
def test_wrong_lines_are_named(name, tokenize):
    call = OF_RAW_TEXT[name]
    for value, (error, message), (error_of_reference, message_of_reference) in WRONG_LINES.values():
        with pytest.raises(error, match=message):
            call(LINES[0], [LINES[1][0], value], tokenize=tokenize)
        with pytest.raises(error_of_reference, match=message_of_reference):
            call([LINES[0][0], [value]], LINES[1], tokenize=tokenize)
    right, wrong = [[b"a"], [b"b"]], [b"a", b"a \xff"]
    for corpus, place in (((right, wrong), "hypotheses"), (([*right[:1], wrong[1:]], right[0] * 2), "references")):
        with pytest.raises(errors.NotUtf8Error, match=rf"{place}\[1\](\[0\])? is not UTF-8: byte 0xff at position 2"):
            call(*corpus, tokenize=tokenize)
    with pytest.raises(errors.NoReferencesError, match=r"references\[1\] has no reference; give at least one"):
        call([LINES[0][0], []], LINES[1], tokenize=tokenize)
    with pytest.raises(errors.SequenceTypeError, match="hypotheses is one str; pass a list"):
        call(LINES[0], "The cat", tokenize=tokenize)


@pytest.mark.parametrize("call", [OF_TOKENS[name] for name in BATCHES], ids=BATCHES)
def test_wrong_batches_are_named(call):
    for references, hypotheses, error, message in (
        (TOKENS[0], "the cat", errors.SequenceTypeError, "hypotheses is one str; pass a list"),
        ("the cat", TOKENS[1], errors.SequenceTypeError, "references must be a list .*, not a str"),
        (["the cat"] * 2, TOKENS[1], errors.MixedTokensError, "raw text"),
        (TOKENS[0], 5, errors.SequenceTypeError, "hypotheses must be a list of texts, not an int"),
        (None, TOKENS[1], errors.SequenceTypeError, "references must be a list .*, not None"),
        ([None, None], TOKENS[1], errors.NoReferencesError, "references has no reference"),
        ([TOKENS[0][0], []], TOKENS[1], errors.NoReferencesError, r"references\[1\] has no reference"),
        ([TOKENS[0][0], None], TOKENS[1], errors.NoReferencesError, r"references\[1\] has no reference"),
        ([TOKENS[0][0], 5], TOKENS[1], errors.SequenceTypeError, r"references\[1\] must be a reference or a list"),
        ([TOKENS[0][0], [["a"], "b"]], TOKENS[1], errors.MixedTokensError, r"references\[1\]\[1\] is a str and ref"),
    ):
        with pytest.raises(error, match=message):
            call(references, hypotheses)
    if call is not OF_TOKENS["rows, owner"]:
        with pytest.raises(errors.LengthMismatchError, match=r"2 hypotheses and 1 (set|entry) of references"):
            call(TOKENS[0][:1], TOKENS[1])


def test_a_copy_of_a_smoothing_function_keeps_its_parameters_and_methods():
    changed = SmoothingFunction(epsilon=0.2)
    changed.method4 = max
    assert vars(copy.copy(changed)) == vars(changed)
