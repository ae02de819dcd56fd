"""Every public function that takes texts, with every form of texts: equal results, one parse for each argument, clear errors."""

from __future__ import annotations

import copy
import sys
from array import array
from collections import Counter, OrderedDict, deque
from functools import partial
from importlib.util import find_spec
from itertools import chain, product

import nltk.translate.bleu_score as nltk_bleu
import numpy as np
import pytest

import cybleu
from arrow_capsules import AsArray, AsStream, integers, lists, texts
from cybleu import errors
from cybleu.bleu_score import SmoothingFunction, sentence_bleu_many
from cybleu.checks import check
from cybleu.columns import rows as column_rows
from cybleu.explanations import explain, explain_blocks, explain_difference
from cybleu.frameworks import CaptionBleu, load
from cybleu.metrics import Bleu, Chrf, Metric, Nist, NistInformation, Ter, find, score, scores
from cybleu.nbest import NBest, prepare_references
from cybleu.pairwise import pairwise_bleu, self_bleu, self_stats
from cybleu.rerank import diverse, mbr
from cybleu.rewards import BleuReward, bleu_rewards
from cybleu.stats import CorpusAccumulator, References, segment_stats
from cybleu.text import Ragged, parsing
from inputs import Labelled, OnADevice

pytestmark = pytest.mark.usefixtures("backend")


class Own(Metric):
    """A metric of the user's, which reads the tokens in Python."""

    name, scale, columns = "own", 1, ("shared", "words")

    def row(self, references, hypothesis):
        return [len({*hypothesis} & {*references[0]}), len({*hypothesis})]

    def evaluate(self, row):
        return row[0] / row[1] if row[1] else 0.0


def accumulated(references, hypotheses, **how):
    corpus = CorpusAccumulator(**how)
    for group, text in zip(references, hypotheses):
        corpus.update(group, text)
    return corpus.row


def of_metric(metric):
    return lambda references, hypotheses, **how: find(metric).rows(references, hypotheses, **how)


# What takes references and hypotheses; the arguments `tokenize` and `lowercase` are passed on.
OF_CORPORA = {
    "segment_stats": segment_stats,
    "segment_stats, threads": lambda *corpus, **how: segment_stats(*corpus, threads=2, **how),
    "segment_stats, owner": lambda *corpus, **how: segment_stats(*corpus, owner=[1, 0], **how),
    "References": lambda references, hypotheses, **how: References(references, **how).stats(hypotheses),
    "bleu_rewards": bleu_rewards,
    "bleu_rewards, gleu": lambda *corpus, **how: bleu_rewards(*corpus, metric="gleu", **how),
    "bleu_rewards, own": lambda *corpus, **how: bleu_rewards(*corpus, metric=Own(), **how),
    "Bleu.rows": of_metric(Bleu("nltk")),
    "Gleu.rows": of_metric("gleu"),
    "Metric.rows": of_metric(Own()),
    "explain_difference": lambda *corpus, **how: str(explain_difference(*corpus, **how)),
    "explain_blocks": lambda *corpus, **how: str(explain_blocks([corpus], **how)),
}
OF_TOKENS = {
    **OF_CORPORA,
    "sentence_bleu_many": lambda *corpus: sentence_bleu_many(*corpus, (0.5, 0.5)),
}
OF_ITERABLES = {  # what reads segments one by one
    "CorpusAccumulator": accumulated,
    "Metric.sum_of": lambda references, hypotheses: Bleu().sum_of(references, hypotheses)[0],
    "check": lambda references, hypotheses: check(references, hypotheses) or 0,
}
OF_RAW_TEXT = {
    **OF_CORPORA,
    "Chrf.rows": lambda *corpus, **how: find("chrf", lowercase=how.get("lowercase")).rows(*corpus),
    "Ter.rows": lambda *corpus, **how: find("ter").rows(*corpus, lowercase=how.get("lowercase", False)),
    "bleu_rewards, chrf": lambda *corpus, **how: bleu_rewards(
        *corpus, metric="chrf++", lowercase=how.get("lowercase", False)
    ),
}
# What takes a list of texts.
OF_TEXTS = {
    "pairwise_bleu": pairwise_bleu,
    "pairwise_bleu, gleu": lambda texts, **how: pairwise_bleu(texts, metric="gleu", **how),
    "self_bleu": lambda texts, **how: self_bleu(texts, (1.0,), **how),
}

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
    if call not in (OF_TOKENS["Metric.rows"], OF_TOKENS["bleu_rewards, own"]) and form is not FORMS_OF_IDS["ragged"]:
        assert listed(call(IDS[0], form[1](IDS[1]))) == listed(call(*IDS))


BATCHES = ("segment_stats", "segment_stats, threads", "segment_stats, owner", "References", "bleu_rewards", "Bleu.rows")


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
    reward = BleuReward("target", tokenize=str.split)
    rewards = reward(completions=column(["a b c", "d e"]), target=column(references))
    assert rewards == reward(completions=["a b c", "d e"], target=references)


class Tensor:
    """As what ``list(torch_tensor)`` holds."""

    ndim = 0

    def __len__(self):
        raise TypeError("len() of a 0-d tensor")

    def __init__(self, value):
        self.value = value

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
        if name in ("Metric.rows", "bleu_rewards, own"):  # the user's metric reads the tokens
            continue
        for corpus in ((IDS[0], texts), (sets, IDS[1]), (sets, texts)):
            with refused:
                call(*corpus)
    for call in (*OF_TEXTS.values(), self_stats, lambda texts: mbr([texts]), References([[["a"]]] * 2).stats):
        with refused:
            call(texts)
    with pytest.raises(errors.TokensError, match=r"token 0 of hypotheses\[0\] .* into a list with .tolist\(\)"):
        References(IDS[0]).stats(texts)


def test_a_tuple_of_two_arrays_is_two_texts(pandas):
    """Also where the second could be the offsets of the first."""
    ids, offsets = np.array([5, 6, 7, 8]), np.array([0, 2, 4])
    references = [[[5, 6, 7, 8]], [[0, 2, 4]]]
    for pair in ((ids, offsets), [ids, offsets], (memoryview(ids), array("q", offsets))):
        assert segment_stats(references, pair, 1).tolist() == [[4, 4, 4, 4], [3, 3, 3, 3]]
        assert bleu_rewards(references, pair, max_order=1).tolist() == [1.0, 1.0]
        assert pairwise_bleu(pair, metric="gleu").tolist() == [[1.0, 0.0], [0.0, 1.0]]
        assert segment_stats([pair] * 2, [[5, 6, 7, 8], [0, 2]], 1).tolist() == [[4, 4, 4, 4], [2, 3, 2, 2]]
        assert diverse([pair], 2)[0].tolist() == diverse([[ids.tolist(), offsets.tolist()]], 2)[0].tolist()
        reward = BleuReward("r", tokenize=None, max_order=1)
        assert reward(completion_ids=pair, r=references) == [1.0, 1.0]
        with pytest.raises(errors.CybleuError, match=r"references\[0\](\[0\])? (has 1 dimensions|must be a list)"):
            References(pair)
    texts = (of_objects(["a", "b"]), pandas_column(["a", "c"]))
    assert segment_stats([[["a", "b"]]] * 2, texts).tolist() == segment_stats([[["a", "b"]]] * 2, list(texts)).tolist()
    assert pairwise_bleu(texts).tolist() == pairwise_bleu([["a", "b"], ["a", "c"]]).tolist()


def test_ragged_arrays_in_every_place():
    assert Ragged is cybleu.Ragged
    pair = Ragged(np.array([5, 6, 7, 8]), np.array([0, 2, 4]))
    lists = [[5, 6], [7, 8]]
    assert segment_stats([[lists[0]], [lists[1]]], pair).tolist() == segment_stats(pair, lists).tolist()
    assert References([pair]).stats(lists, [0, 0]).tolist() == References([lists]).stats(lists, [0, 0]).tolist()
    for call in (*OF_TEXTS.values(), self_stats, lambda texts: mbr([texts]).scores):
        assert listed(call(pair)) == listed(call(lists))
    for call in (find(Own()).rows, find("gleu").rows, segment_stats, lambda *corpus: accumulated(*corpus)):
        assert listed(call([pair], [[5, 6]])) == listed(call([lists], [[5, 6]]))
    for r in (pair, lists):
        assert BleuReward("r", tokenize=None, max_order=2)(completion_ids=pair, r=r) == [1.0, 1.0]
    check(pair, pair)
    for references, how in (([[["a"]], [["b"]]], {}), ([["a"], ["b"]], {"tokenize": "13a"})):
        with pytest.raises(errors.MixedTokensError):
            segment_stats(references, pair, **how)
    with pytest.raises(errors.ArrayValueError, match="offsets of hypotheses must begin with 0"):
        segment_stats([[["a"]]], Ragged(np.array([1]), np.array([0, 2])))


def test_owners_in_columns_and_no_owners(pandas):
    prepared = References(IDS[0])
    for owner in ([1, 0], pandas_column([1, 0]), of_objects([1, 0]), [np.array(1), np.array(0)]):
        assert prepared.stats(IDS[1], owner).tolist() == prepared.stats(IDS[1], np.array([1, 0])).tolist()
    for nothing in ([], np.array([]), of_objects([])):
        assert prepared.stats([], nothing).shape == (0, 10)


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
    expected = segment_stats([[row] for row in texts.tolist()], texts.tolist(), 2).tolist()
    assert segment_stats([[row] for row in texts], list(texts), 2).tolist() == expected
    assert References(texts[:, None, :], 2).stats(texts).tolist() == expected
    assert References([[text] for text in texts.astype("S")], 2).stats(texts.astype("S")).tolist() == expected
    for call in (*OF_TEXTS.values(), lambda texts: mbr([texts]).scores, lambda texts: diverse([texts], 2)[0]):
        assert listed(call(texts)) == listed(call(texts.tolist()))


# ----------------------------------------------------------------------------------------------------------- one parse

ENTRIES = [
    parsing.parse_groups,
    parsing.parse_list,
    parsing.parse_raw_references,
    parsing.parse_raw_texts,
    parsing.parse_references,
    parsing.parse_segments,
    parsing.parse_texts,
]


def parses(call, *arguments, **how):
    """How often each of the arguments, by its number or name, is parsed; None is for a value that is none of them."""
    names = {function.__code__: function.__code__.co_varnames for function in ENTRIES}
    counts = Counter()
    depth = 0

    def profile(frame, event, _):
        nonlocal depth
        if frame.f_code not in names:
            return
        if event == "call":
            if not depth:
                for name in (
                    ("references", "hypotheses") if frame.f_code is parsing.parse_segments.__code__ else ("values",)
                ):
                    value = frame.f_locals[name]
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
    prepared = References(corpus[0], **how)
    for call in (
        prepared.stats,
        lambda texts: bleu_rewards(prepared, texts),
        lambda texts: find("gleu").rows(prepared, texts),
    ):
        assert parses(call, corpus[1]) == {0: 1}
    for name, call in {
        "mbr": lambda groups: mbr(groups, **how),
        "mbr, evidence": lambda groups: mbr(groups, evidence=[*groups], **how),
        "diverse": lambda groups: diverse(groups, 2, **how),
    }.items():
        found = parses(call, [corpus[1], corpus[1][:1]])
        assert found[0] == 1 and found.total() <= 4, name
    assert parses(lambda groups, sets: NBest.from_texts(groups, sets, **how), corpus[0], corpus[0]) == {0: 2}
    assert parses(lambda sets: prepare_references(sets, **how), corpus[0]) == {0: 1}
    if not how:
        assert parses(self_stats, corpus[1]) == {0: 1}
        assert parses(pairwise_bleu, IDS[1], np.array([[5, 6]])) == {0: 1, 1: 1}
        columns = arrow(texts, 1)(corpus[1])
        assert parses(segment_stats, corpus[0], columns) == {0: 1, 1: 1}
    else:
        found = parses(lambda **table: column_rows(table, **how), hypothesis=LINES[1], reference=LINES[0])
        assert found == {"hypothesis": 1, "reference": 1, None: 2}  # and those of the only block
        assert parses(lambda: check(*corpus, **how)).total() == 2
        nbest = NBest.from_texts([LINES[1]], LINES[0][:1], **how)
        assert parses(lambda references: nbest.with_metric("chrf", references), LINES[0][:1]) == {0: 1, None: 1}
    reward = BleuReward("r", tokenize=how.get("tokenize"))
    scored, texts_of_call = ("completions", LINES[1]) if how else ("completion_ids", IDS[1])
    found = parses(reward, **{scored: texts_of_call}, r=LINES[0] if how else IDS[0])
    assert found == {scored: 1, "r": 1, None: 2}  # and the same texts in lists, as bleu_rewards takes them


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


def test_masked_arrays():
    ids = np.arange(12).reshape(3, 4)
    masked, prepared = np.ma.array(ids, mask=ids == 3), References(ids)
    assert (prepared.stats(np.ma.array(ids)) == prepared.stats(ids)).all()
    for call in (prepared.stats, References, pairwise_bleu, lambda owner: prepared.stats(ids, owner[0, 1:])):
        with pytest.raises(errors.ArrayValueError, match="has masked entries"):
            call(masked)


# by segment, an array of floats is a list of tokens
BY_SEGMENT = ("sentence_bleu_many", "explain_difference", "explain_blocks", "CorpusAccumulator", "Metric.sum_of")


@pytest.mark.parametrize(
    ("name", "text"),
    [*product(BATCHES, NO_TEXTS), *product(BY_SEGMENT, [text for text in NO_TEXTS if text != "floats"])],
)
def test_wrong_texts_are_named(name, text):
    call = (OF_TOKENS | OF_ITERABLES)[name]
    value, error, message = NO_TEXTS[text]
    references, hypotheses = IDS if hasattr(value, "dtype") else TOKENS
    for corpus in ((references, [hypotheses[0], value]), ([references[0], [value]], hypotheses)):
        with pytest.raises(error, match=f"{PLACES}.*({message})|^({message})"):
            call(*corpus)


@pytest.mark.parametrize("form", [dict, OrderedDict, set, frozenset])
@pytest.mark.parametrize("name", [*BATCHES, "sentence_bleu_many", "raw text"])
def test_segments_without_an_order_are_refused(name, form):
    """For drop-in functions NLTK decides, see the tests of these."""
    call = partial(segment_stats, tokenize="13a") if name == "raw text" else OF_TOKENS[name]
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
    expected = segment_stats(*LINES, tokenize="13a").tolist()
    assert segment_stats(LINES[0], hypotheses.keys(), tokenize="13a").tolist() == expected
    references = dict(enumerate(LINES[0])).values()
    assert segment_stats(references, LINES[1], tokenize="13a").tolist() == expected
    texts = dict.fromkeys([("a", "b", "c", "d"), ("b", "c", "d", "e")])
    assert sentence_bleu_many([[text] for text in texts], texts.keys()).tolist() == [1.0, 1.0]


NO_LINES = {
    "None": (None, errors.SequenceTypeError, "is a NoneType; with tokenize each text must be raw text"),
    "number": (5, errors.SequenceTypeError, "is a int; with tokenize"),
    "list": (["a"], errors.SequenceTypeError, "is a list; with tokenize"),
    "not UTF-8": (b"a \xff", errors.NotUtf8Error, "is not UTF-8: byte 0xff at position 2; decode it"),
}


@pytest.mark.parametrize("tokenize", ["13a", str.split])
@pytest.mark.parametrize("line", NO_LINES)
@pytest.mark.parametrize("name", OF_RAW_TEXT)
def test_wrong_lines_are_named(name, line, tokenize):
    call, (value, error, message) = OF_RAW_TEXT[name], NO_LINES[line]
    with pytest.raises(error, match=rf"hypotheses\[1\] {message}"):
        call(LINES[0], [LINES[1][0], value], tokenize=tokenize)
    with pytest.raises(error, match=rf"references\[1\]\[0\] {message}"):
        call([LINES[0][0], [value]], LINES[1], tokenize=tokenize)
    with pytest.raises(errors.NoReferencesError, match=r"references\[1\] has no reference; give at least one"):
        call([LINES[0][0], []], LINES[1], tokenize=tokenize)
    with pytest.raises(
        errors.SequenceTypeError, match=r"references\[0\] is one str; .* \[\[reference\] for reference in"
    ):
        call(LINES[1], LINES[1], tokenize=tokenize)
    with pytest.raises(errors.SequenceTypeError, match="hypotheses is one str; give a list of lines"):
        call(LINES[0], "The cat", tokenize=tokenize)


@pytest.mark.parametrize("call", [OF_TOKENS[name] for name in BATCHES], ids=BATCHES)
def test_wrong_batches_are_named(call):
    for references, hypotheses in ((TOKENS[0], "the cat"), ("the cat", TOKENS[1]), (["the cat"] * 2, TOKENS[1])):
        with pytest.raises(errors.SequenceTypeError, match=r"is a str, not a list .*; put it in a list, and split it"):
            call(references, hypotheses)
    for references, hypotheses in ((TOKENS[0], 5), (None, TOKENS[1]), ([None, None], TOKENS[1])):
        with pytest.raises(errors.SequenceTypeError, match=r"(hypotheses|references|references\[0\]) must be a list"):
            call(references, hypotheses)
    with pytest.raises(errors.NoReferencesError, match=r"references\[1\] has no reference"):
        call([TOKENS[0][0], []], TOKENS[1])
    if call is not OF_TOKENS["segment_stats, owner"]:
        with pytest.raises(errors.LengthMismatchError, match="2 hypotheses and 1 set of references"):
            call(TOKENS[0][:1], TOKENS[1])


@pytest.mark.parametrize("text", ["the cat", b"the cat"])
def test_a_text_that_is_not_split_is_refused_where_scores_are_explained(text):
    kind = type(text).__name__
    for place, call in {
        "the text": lambda: cybleu.ngram_counts(text, 1),
        "the hypothesis": lambda: cybleu.clipped_counts([["the"]], text, 1),
        "reference 1": lambda: cybleu.clipped_counts([["the"], text], ["the"], 1),
        "reference 0": lambda: cybleu.ngram_precision([text], ["the"], 1),
        "the  hypothesis": lambda: cybleu.explain([["the"]], text),
        "reference  0": lambda: cybleu.explain([text], ["the"], metric="sacrebleu"),
    }.items():
        with pytest.raises(errors.SequenceTypeError, match=f"{' '.join(place.split())} is a {kind}, not a list of tok"):
            call()


@pytest.mark.parametrize("text", ["the cat", b"the cat"])
def test_lists_of_texts_are_split_only_when_asked(text, tmp_path):
    kind = type(text).__name__
    tokens = ["the", "cat"]
    for place, call in {
        r"hypotheses\[0\]\[1\]": lambda **more: mbr([[tokens, text]], **more),
        r"evidence\[1\]\[0\]": lambda **more: mbr([[tokens], [tokens]], evidence=[[tokens], [text]], **more),
        r"hypotheses\[0\]\[0\]": lambda **more: diverse([[text]], 1, **more),
        r"hypotheses\[1\]\[0\]": lambda **more: NBest.from_texts([[tokens], [text]], [[tokens]] * 2, **more),
        r"references\[0\]\[1\]": lambda **more: NBest.from_texts([[tokens]], [[tokens, text]], **more),
        r"references\[0\]\[0\]": lambda **more: prepare_references([[text]], **more),
    }.items():
        advice = "tokenize='13a'" if kind == "str" else "decode"
        with pytest.raises(errors.SequenceTypeError, match=f"{place} is a {kind}, not a list of tokens; .*{advice}"):
            call()
        if kind == "str":
            call(tokenize=str.split)
            call(tokenize="13a")
        else:
            with pytest.raises(errors.SequenceTypeError, match=place):
                call(tokenize=str.split)


class SizedOnADevice(OnADevice):
    def __len__(self):
        return 1


ONE = References([[[1, 2, 3]]])
RAW = References([["a"]], tokenize="13a")
IGNORING = References([["a"]], tokenize="13a", ignore=[("a",)])
REFUSED = {
    errors.ArrayValueError: [
        (lambda: ONE.stats(np.array([[1.0, 2.0]])), "hypotheses has dtype float64"),
        (lambda: ONE.stats(np.array([[True, False]])), "dtype bool"),
        (lambda: ONE.stats(np.array([1, 2])), "has 1 dimensions; it must have 2"),
        (lambda: ONE.stats(OnADevice()), r"on the device cuda:0; copy it to the CPU"),
        (lambda: ONE.stats([SizedOnADevice()]), r"hypotheses\[0\] is an array on the device"),
        (lambda: References(OnADevice()), "references is an array on the device"),
        (lambda: References([np.array([1, 2])]), r"references\[0\] has 1 dimensions"),
        (lambda: ONE.stats(np.ones((1, 3), int), lengths=[np.nan]), "lengths has dtype float64"),
        (lambda: ONE.stats(Ragged(np.ones(3, int), np.array([0.0, 3.0]))), "the offsets of hypotheses"),
        (lambda: ONE.stats([[1]], owner=[0.5]), "owner has dtype float64"),
        (lambda: ONE.stats(np.array([[2**63]], dtype=np.uint64)), "does not fit int64"),
        (lambda: ONE.stats(np.ones((1, 3), int), lengths=[4]), r"lengths\[0\] is 4, .* 0 to 3"),
        (lambda: ONE.stats(np.ones((1, 3), int), lengths=[-1]), r"lengths\[0\] is -1"),
        (lambda: ONE.stats(np.ones((1, 3), int), lengths=[1, 1]), "2 entries for 1 texts"),
        (lambda: ONE.stats([[1]], lengths=[1]), "lengths are for a 2-D array"),
        (lambda: ONE.stats(Ragged(np.ones(3, int), np.array([0, 2]))), "offsets of hypotheses must begin"),
        (lambda: ONE.stats(Ragged(np.ones(3, int), np.array([0, 2, 1, 3]))), "offset 2 is 1 after 2"),
        (lambda: ONE.stats([[1]], owner=[1]), r"owner\[0\] is 1, which is not from 0 to 0"),
        (lambda: ONE.stats([[1]], owner=[-1]), r"owner\[0\] is -1"),
        (lambda: References([[[1]]], pad_id="x"), "pad_id is 'x'"),
        (lambda: References([[[1]]], unk_id=2**63), "unk_id"),
        (lambda: References(np.ones((2, 3, 4), int), lengths=np.ones((3, 2), int)), r"shape \(3, 2\); .* \(2, 3\)"),
        (lambda: bleu_rewards(ONE, [[1]], weights=(1,)), "max_order=4, and sacrebleu counts with 1"),
        (lambda: bleu_rewards(ONE, [[1]], pad_id=0), "are prepared"),
        (lambda: pairwise_bleu([[1]], pad_id=0.5), "pad_id is 0.5"),
        (lambda: segment_stats([[1]], [[1]], pad_id=np.array([[-1, -1]])), "pad_id is array"),
        (lambda: References([[[1]]], unk_id=np.array([1])), "unk_id is array"),
        (lambda: bleu_rewards([[[1]]], [[1]], eos_id=np.array([[1, 1]])), "eos_id is array"),
        (lambda: BleuReward(tokenize=None, pad_id=np.array([[-1, -1]])), "pad_id is array"),
        (lambda: BleuReward(tokenize=None, eos_id="</s>"), "eos_id is '</s>'"),
        (lambda: BleuReward(tokenize=None, unk_id=True), "unk_id is True"),
        (lambda: self_bleu([[1], [2]], pad_id=2**63), "pad_id is 9223372036854775808"),
        (lambda: self_bleu([[1], [2]], eos_id=True), "eos_id is True"),
        (lambda: find("ter").rows([["a"]], ["a"], pad_id=0), "pad_id is for token ids"),
        (lambda: segment_stats([["a"]], ["a"], tokenize="13a", pad_id=0), "pad_id is for token ids"),
        (lambda: bleu_rewards([["a"]], ["a"], tokenize="13a", pad_id=2), "pad_id is for token ids"),
        (lambda: bleu_rewards(RAW, ["a"], tokenize="13a"), "the references are prepared, so tokenize is theirs"),
        (lambda: pairwise_bleu(["a"], tokenize="13a", eos_id=2), "eos_id is for token ids"),
        (lambda: find("chrf").rows([["a"]], ["a"], pad_id=0), "pad_id is for token ids"),
        (lambda: find("nist").rows([["a"]], ["a"], pad_id=0), "pad_id is for token ids"),
        (lambda: NistInformation(References([[[1]]])), "prepared as tokens"),
        (lambda: find("chrf").rows([["a"]], ["a"], owner=[1]), "owner"),
        (lambda: find("chrf").rows(References([[["a"]]]), ["a"]), "prepared as tokens"),
        (lambda: Chrf(lowercase=True).rows(References([[["a"]]]), ["a"]), "prepared as tokens"),
        (lambda: find("chrf").rows(RAW, ["a"], owner=[1]), r"owner\[0\] is 1"),
        (lambda: find("chrf").rows(RAW, ["a"], lowercase=True), "lowercase is theirs"),
        (lambda: find("chrf").rows(RAW, ["a"], tokenize="13a"), "tokenize is theirs"),
        (lambda: find("chrf").rows(RAW, ["a"], lengths=[1]), "lengths is for token ids"),
        (lambda: Chrf(lowercase=True).rows(RAW, ["a"]), r"References\(lowercase=True\)"),
        (lambda: find("chrf").rows(IGNORING, ["a"]), "chrf leaves no n-grams out"),
    ],
    errors.MixedTokensError: [
        (lambda: ONE.stats(np.array([["a", "b"]])), "a str, and the references hold token ids"),
        (lambda: ONE.stats([["a"]]), r"token 0 of hypotheses\[0\] is a str"),
        (lambda: ONE.stats([[1, 2.0]]), r"token 1 of hypotheses\[0\] is a float, and the references hold token ids"),
        (lambda: ONE.stats([[1, None]]), r"token 1 of hypotheses\[0\] is a NoneType"),
        (lambda: References([[[1]]], pad_id=0).stats([[1, 2**63]]), "does not fit int64"),
        (lambda: References([[["a"]]]).stats([[1]]), "hypotheses are token ids"),
        (lambda: References([[["a"]]]).stats(np.array([[1]])), "hypotheses are token ids"),
        (lambda: References([[["a"]]], pad_id=0), "are for token ids"),
        (lambda: References([[[1]]], ignore=[("a",)]), "ignore holds"),
        (lambda: segment_stats([[["a"]]], [[1]]), "token ids and the other strings"),
        (lambda: segment_stats([[[1]]], [["a"]]), "token ids and the other strings"),
        (lambda: pairwise_bleu([["a"]], [[1]]), "token ids"),
    ],
    errors.SequenceTypeError: [
        (lambda: ONE.stats([OnADevice()]), r"hypotheses\[0\] must be a list of tokens"),
        (lambda: ONE.stats([np.array([1]), 5]), r"hypotheses\[1\] must be a list of tokens"),
        (lambda: pairwise_bleu([["a"]], "a b"), "hypotheses is a str, not a list of token lists"),
        (lambda: pairwise_bleu([["a"]], metric="chrf"), r"references\[0\]"),
        (lambda: mbr([[["a"]]], metric="chrf"), "must be a str"),
        (
            lambda: self_bleu([["a"], ["b"]], tokenize="13a"),
            r"texts\[0\] is a list; with tokenize each text must be raw",
        ),
        (lambda: check([["a"]], "a", tokenize="13a"), "hypotheses is a str, not a list of hypotheses"),
        (lambda: check(["a"], ["a"], tokenize="13a"), r"references\[0\] is one str; .* \[\[reference\] for"),
        (lambda: find("chrf").rows(RAW, [["a"]]), r"hypotheses\[0\] is a list"),
        (lambda: load("bleu").add_batch(predictions="a", references=["a"]), "predictions is one str; give a list"),
        (
            lambda: load("bleu").add_batch(predictions=["a"], references={"a"}),
            "references is a set, which has no order of segments",
        ),
        (lambda: column_rows({"hypothesis": "a", "reference": ["a"]}), "hypothesis is one str; give a list"),
        (lambda: column_rows({"hypothesis": ["a"], "reference": None}), "reference is one NoneType; give a list"),
        (lambda: load("bleu").add(prediction=["a"], reference="a"), r"predictions\[0\]"),
        (lambda: load("bleu").add(prediction="a", reference=[["a"]]), r"references\[0\] holds"),
        (lambda: load("bleu").add(prediction="a", reference=1), r"references\[0\] is one int"),
        (lambda: CaptionBleu().compute_score({1: ["a"]}, {1: ["a", "b"]}), "one caption"),
        (lambda: CaptionBleu().compute_score({1: ["a"]}, {1: "a"}), "one caption"),
        (lambda: CaptionBleu().compute_score({1: "a"}, {1: ["a"]}), r"gts\[1\]"),
    ],
    errors.LengthMismatchError: [
        (lambda: ONE.stats([[1], [1]]), "2 hypotheses and 1 set .* owner"),
        (lambda: segment_stats([[["a"]]], []), "0 hypotheses and 1"),
        (lambda: segment_stats([["a"]], ["a", "b"], tokenize="13a"), "2 hypotheses and 1 set"),
        (lambda: check([["a"], ["b"]], ["a"], tokenize="13a"), "there are 1 hypotheses and 2 lists of references"),
        (lambda: find("chrf").rows([["a"]], ["a", "b"]), "2 hypotheses and 1 set"),
        (lambda: find("chrf").rows(RAW, ["a", "b"]), "2 hypotheses and 1 set"),
        (lambda: load("bleu").add_batch(predictions=["a"], references=[]), "1 predictions"),
        (lambda: CaptionBleu().compute_score({1: ["a"]}, {2: ["a"]}), "keys differ; give both for each image"),
    ],
    errors.NoReferencesError: [
        (lambda: References(np.zeros((2, 0, 3), int)), "no reference"),
        (lambda: References(np.array([[[1, 2], [0, 0]]]), pad_id=0), r"references\[0, 1\] is empty"),
        (lambda: self_bleu([["a"]]), "there are 1, give at least two"),
        (lambda: self_bleu([]), "there are 0"),
        (lambda: CorpusAccumulator(tokenize="13a").update([], "a"), "there is no reference"),
        (lambda: load("bleu").add(prediction="a", reference=[]), r"references\[0\]"),
        (lambda: CaptionBleu().compute_score({1: []}, {1: ["a"]}), r"gts\[1\]"),
        (lambda: NistInformation([[]]), r"references\[0\]"),
    ],
    errors.OrderError: [
        (lambda: References([[["a"]]], max_order=0), "max_order is 0"),
        (lambda: References([[["a"]]], max_order=2.0), "max_order is 2.0"),
        (lambda: References([[["a"]]], max_order=65, ignore=[("a",)]), "up to order 64"),
        (lambda: self_stats([["a"], ["b"]], 0), "max_order is 0"),
        (lambda: pairwise_bleu([["a"]], weights=(1,), max_order=2), "max_order is 2, and there are 1"),
        (lambda: CaptionBleu(0), "n is 0"),
        (lambda: Chrf(0), "both 0"),
        (lambda: Chrf(-1), "char_order is -1"),
        (lambda: Chrf(6, 65), "word_order is 65"),
        (lambda: Nist(10), "max_order is 10"),
    ],
    errors.UnknownNameError: [
        (lambda: References([[["a"]]], reference_length="longest"), "closest, closest-first, shortest, average"),
        (lambda: segment_stats([[["a"]]], [["a"]], reference_length="mean"), "closest"),
        (lambda: bleu_rewards([[["a"]]], [["a"]], smoothing="method1"), "no smoothing"),
        (lambda: pairwise_bleu([["a"]], variant="bleu"), "unknown metric"),
        (lambda: segment_stats([["a"]], ["a"], tokenize="13b"), "unknown tokeniser '13b'"),
        (lambda: segment_stats([["a"]], [["a"]], lowercase=True), "lowercase is for raw text"),
        (lambda: check([["a"]], ["a"], lowercase=True), "lowercase is for raw text"),
        (lambda: self_bleu([["a"], ["b"]], lowercase=True), "lowercase is for raw text"),
        (lambda: mbr([["a"]], lowercase=True), "lowercase is for raw text"),
        (lambda: diverse([["a"]], 2, lowercase=True), "lowercase is for raw text"),
        (lambda: NBest.from_texts([["a"]], [["a"]], lowercase=True), "lowercase is for raw text"),
        (lambda: prepare_references([["a"]], lowercase=True), "lowercase is for raw text"),
        (lambda: pairwise_bleu([["a"]], smoothing="method1"), "sacrebleu has no smoothing"),
        (lambda: pairwise_bleu(["a"], metric="chrf", tokenize="13a"), "takes no tokeniser"),
        (lambda: mbr([["a"]], metric="chrf", tokenize=str.split), "takes no tokeniser"),
        (lambda: BleuReward(metric="chrf", tokenize=None), "takes no tokeniser"),
        (lambda: find("chrf").rows([["a"]], ["a"], tokenize="13a"), "takes no tokeniser"),
        (lambda: find("ter").rows([["a"]], ["a"], tokenize="13a"), "takes no tokeniser"),
        (lambda: find("chrf", smoothing="exp"), "has no 'smoothing'"),
        (lambda: find("ter", smoothing="exp"), "has no 'smoothing'"),
        (lambda: find("nist", smoothing="exp"), "has no 'smoothing'"),
        (lambda: find("nist").rows([["a"]], ["a"], tokenize="13a"), "takes no tokeniser"),
        (lambda: Nist(information=[["a"]]), "give a NistInformation"),
        (lambda: explain([["a"]], ["a"], metric="chrf"), "the metric is chrf"),
        (lambda: load("rouge"), "use one of bleu, sacrebleu, google_bleu, chrf"),
        (lambda: ONE.stats([[1]], threads=0), "threads is 0"),
        (lambda: segment_stats([[["a"]]], [["a"]], threads=0), "threads is 0"),
        (lambda: pairwise_bleu([["a"]], threads=-1), "threads is -1"),
        (lambda: References([[["a"]]], ignore=["a"]), "an n-gram is a tuple"),
    ],
    errors.StatisticsError: [
        (lambda: score([np.nan, 2, 1, 2]), "whole numbers from 0"),
        (lambda: score([2, 2, 1, np.inf]), "whole numbers from 0"),
        (lambda: score(["x", 2, 1, 2]), "whole numbers from 0"),
        (lambda: score([2, 2, 1, 2], "nltk", short_segments=[-1]), "short_segments are whole"),
        (lambda: scores(np.array([[2, 2, 3, 2]])), "row 0 has more matches"),
        (lambda: scores(np.array([[2, 2, 1, 2], [2, 2, -1, 2]])), "whole numbers from 0"),
        (lambda: scores(np.array([[2.0, 2, 1, 2]])), "dtype float64"),
        (lambda: scores(np.array([2, 2, 1, 2])), "1 dimensions"),
        (lambda: scores(np.array([[2, 2, 1]])), "a row has 3 entries"),
        (lambda: scores(np.zeros((1, 4), int), "chrf"), "18 entries"),
        (lambda: scores(np.zeros((1, 4)), "ter"), "2 entries"),
        (lambda: scores([[1.0, -2.0]], "ter"), "finite numbers from 0"),
        (lambda: score([float("nan"), 2.0], "ter"), "finite numbers"),
        (lambda: Ter().evaluate([1.0]), "2 entries"),
        (lambda: scores(np.zeros((1, 4)), "nist"), "11 entries"),
        (lambda: scores(-np.ones((1, 11)), "nist"), "finite numbers from 0"),
        (lambda: Nist(1).evaluate([1.0, float("inf"), 1.0]), "finite numbers from 0"),
        (lambda: column_rows({"hypothesis": [], "reference": []}, metric="nist"), "in parts"),
        (lambda: BleuReward(metric="nist"), r"of_corpus\(references\)"),
        (
            lambda: CorpusAccumulator(tokenize="13a").merge(CorpusAccumulator()),
            "13a', lowercase=False and with tokenize=N",
        ),
        (lambda: Chrf(beta=float("nan")), "beta is nan"),
        (lambda: Chrf(beta="2"), "beta is '2'"),
    ],
    errors.EmptyHypothesisError: [
        (lambda: pairwise_bleu([["a"]], [[]], variant="multi-bleu"), r"hypotheses\[0\]"),
        (lambda: load("bleu").compute(predictions=[""], references=["a"]), "hypotheses have no token"),
    ],
    errors.EmptyCorpusError: [
        (lambda: load("bleu").compute(), "no text"),
        (lambda: CaptionBleu().compute_score({}, {}), "no image"),
    ],
    errors.TokensError: [(lambda: check([[" "]], ["a"], tokenize="13a"), r"references\[0\]\[0\] has no token")],
    errors.NotUtf8Error: [
        (lambda: CorpusAccumulator(tokenize="13a").update([b"\x80"], "a"), r"^reference(s\[| )0\]? is not UTF-8"),
        (lambda: CorpusAccumulator(tokenize=str.split).update([b"\x80"], "a"), r"^reference(s\[| )0\]? is not UTF-8"),
    ],
    errors.SampleError: [(lambda: self_bleu([["a"], ["b"]], sample=3), "from 1 to 2")],
    errors.UnhashableTokenError: [(lambda: References([[["a", []]]]), "token 1 of reference")],
}


@pytest.mark.parametrize(
    ("error", "call", "message"), [(error, *row) for error, rows in REFUSED.items() for row in rows]
)
def test_what_is_refused(error, call, message):
    with pytest.raises(error, match=message):
        call()


def test_a_copy_of_a_smoothing_function_keeps_its_parameters_and_methods():
    changed = SmoothingFunction(epsilon=0.2)
    changed.method4 = max
    assert vars(copy.copy(changed)) == vars(changed)
