"""Every public function that takes texts, with every form of texts: equal results, one parse for each argument, clear errors."""

from array import array
from collections import deque
from importlib.util import find_spec
from itertools import chain

import numpy as np
import pytest

import cybleu
from cybleu import References, errors, sentence_bleu_many
from cybleu.checks import check
from cybleu.explanations import explain, explain_difference
from cybleu.metrics import Bleu, Chrf, Ter, find
from cybleu.nbest import NBest
from cybleu.pairwise import self_bleu
from cybleu.rerank import mbr
from cybleu.rewards import Reward
from cybleu.text import Ragged, tokenizer
from inputs import Labelled, Own

# What takes references and hypotheses; the arguments `tokenize` and `lowercase` are passed on.
OF_CORPORA = {
    "rows": lambda references, hypotheses, **how: cybleu.rows(hypotheses, references, **how),
    "rows, threads": lambda references, hypotheses, **how: cybleu.rows(hypotheses, references, threads=2, **how),
    "rows, owner": lambda references, hypotheses, **how: cybleu.rows(hypotheses, references, owner=[1, 0], **how),
    "References": lambda references, hypotheses, **how: cybleu.rows(hypotheses, References(references), **how),
    "reward_scores": lambda references, hypotheses, **how: cybleu.reward_scores(hypotheses, references, **how),
    "Bleu.rows": lambda references, hypotheses, **how: Bleu("nltk", **how).rows(hypotheses, references),
    "Gleu.rows": lambda references, hypotheses, **how: find("gleu", **how).rows(hypotheses, references),
    "Metric.rows": lambda references, hypotheses, **how: Own(**how).rows(hypotheses, references),
    "explain_difference": lambda references, hypotheses, **how: str(explain_difference(hypotheses, references, **how)),
}
OF_TOKENS = {
    **OF_CORPORA,
    "sentence_bleu_many": lambda *corpus: sentence_bleu_many(*corpus, (0.5, 0.5)),
}
OF_RAW_TEXT = {
    **OF_CORPORA,
    "bleu": lambda references, hypotheses, **how: cybleu.bleu(hypotheses, references, **how).score,
    "chrf": lambda references, hypotheses, **how: cybleu.chrf(hypotheses, references, **case(how)).score,
    "ter": lambda references, hypotheses, **how: cybleu.ter(hypotheses, references, **case(how)).score,
    "Chrf.rows": lambda references, hypotheses, **how: Chrf(**case(how)).rows(hypotheses, references),
    "Ter.rows": lambda references, hypotheses, **how: Ter(**case(how)).rows(hypotheses, references),
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


def in_lists(container):
    return lambda groups: container([container([container(text) for text in group]) for group in groups])


def ragged(values):
    return Ragged(np.array(list(chain(*values))), np.cumsum([0, *map(len, values)]))


def arrow(values):
    import pyarrow

    return pyarrow.array(values)


def stream(values):
    import pyarrow

    return pyarrow.chunked_array([values[:1], values[1:]])


# name -> references and hypotheses in another form than lists
FORMS_OF_TOKENS = {
    "tuples": (in_lists(tuple), lambda values: tuple(map(tuple, values))),
    "labelled": (in_lists(Labelled), lambda values: Labelled(map(Labelled, values))),
    "deques": (in_lists(deque), lambda values: deque(map(deque, values))),
    "objects": (of_objects, of_objects),
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
    "ragged": (lambda sets: [*map(ragged, sets)], ragged),
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
}
FORMS_OF_LINES = {
    "tuples": (lambda sets: tuple(map(tuple, sets)), tuple),
    "bytes": (lambda sets: [list(map(str.encode, group)) for group in sets], lambda v: list(map(str.encode, v))),
    "bytearrays": (lambda sets: sets, lambda v: [bytearray(line.encode()) for line in v]),
    "labelled": (lambda sets: Labelled(map(Labelled, sets)), Labelled),
}
if find_spec("pyarrow"):
    FORMS_OF_TOKENS["arrow"] = FORMS_OF_IDS["arrow"] = (arrow, arrow)
    FORMS_OF_ONE_EACH["arrow"] = (lambda sets: arrow([group[0] for group in sets]), arrow)
    FORMS_OF_LINES |= {
        "arrow": (arrow, arrow),
        "stream": (arrow, stream),
        "columns": (lambda sets: [arrow([group[0] for group in sets]), arrow([sets[0][1], None])], arrow),
    }


def listed(result):
    return np.asarray(result).tolist()


def cases(calls, forms):
    return pytest.mark.parametrize(
        ("call", "form"),
        [pytest.param(call, forms[form], id=f"{name}-{form}") for name, call in calls.items() for form in forms],
    )


@pytest.mark.parametrize("name", [name for name in FORMS_OF_TOKENS if name != "arrow"])
def test_checks_in_every_container(name):
    sets, texts = FORMS_OF_TOKENS[name]
    check(sets(TOKENS[0]), texts(TOKENS[1]))
    with pytest.raises(errors.TokensError, match=r"references\[1\]\[1\] has no token"):
        check(sets([TOKENS[0][0], [["e", "f"], []]]), texts(TOKENS[1]))


@cases(OF_TOKENS, FORMS_OF_TOKENS)
def test_tokens_in_every_form(call, form):
    assert listed(call(form[0](TOKENS[0]), form[1](TOKENS[1]))) == listed(call(*TOKENS))


@cases(OF_TOKENS, FORMS_OF_IDS)
def test_ids_in_every_form(call, form):
    assert listed(call(form[0](IDS[0]), IDS[1])) == listed(call(*IDS))
    if call is not OF_TOKENS["Metric.rows"] and form is not FORMS_OF_IDS["ragged"]:
        assert listed(call(IDS[0], form[1](IDS[1]))) == listed(call(*IDS))


BATCHES = ("rows", "rows, threads", "rows, owner", "References", "reward_scores", "Bleu.rows")


@cases({name: OF_CORPORA[name] for name in BATCHES}, FORMS_OF_ONE_EACH)
def test_arrays_of_ids(call, form):
    assert listed(call(form[0](ONE_EACH[0]), form[1](ONE_EACH[1]))) == listed(call(*ONE_EACH))


SPLITTING = [{"tokenize": "char", "lowercase": True}, {"tokenize": str.split}]
MORE = [
    {"tokenize": "13a"},
    {"tokenize": "zh"},
    {"tokenize": "intl", "lowercase": True},
    {"tokenize": str.split, "lowercase": True},
]


@pytest.mark.parametrize("how", SPLITTING, ids=str)
@cases(OF_RAW_TEXT, FORMS_OF_LINES)
def test_raw_text_in_every_form(call, form, how):
    assert listed(call(form[0](LINES[0]), form[1](LINES[1]), **how)) == listed(call(*LINES, **how))


@pytest.mark.filterwarnings("ignore::UserWarning")  # of orders without a match
@pytest.mark.parametrize("how", [*SPLITTING, *MORE], ids=str)
def test_raw_text_is_its_tokens(how):
    split = tokenizer(how["tokenize"], how.get("lowercase", False))
    sets = [[split(line) for line in group] for group in LINES[0]]
    texts = [split(line) for line in LINES[1]]
    for name, call in OF_CORPORA.items():
        if name != "explain_difference":  # which names the tokeniser
            assert listed(call(*LINES, **how)) == listed(call(sets, texts)), name
    for name, call in OF_TEXTS.items():
        assert listed(call(LINES[1], **how)) == listed(call(texts)), name
    lists = [LINES[1] * 2, LINES[0][0]]
    of_tokens = [texts * 2, sets[0]]
    assert listed(mbr(lists, **how).scores) == listed(mbr(of_tokens).scores)
    nbest = NBest.from_texts(lists, LINES[0], **how)
    assert listed(nbest.stats) == listed(NBest.from_texts(of_tokens, sets).stats)
    assert nbest.texts == [*lists[0], *lists[1]]
    assert str(explain(LINES[1][0], LINES[0][0], **how)) == str(explain(texts[0], sets[0]))
    rewards = Reward(column="r", **how)(completions=LINES[1], r=LINES[0])
    assert rewards == cybleu.reward_scores(texts, sets).tolist()


@pytest.mark.parametrize("call", OF_TEXTS.values(), ids=OF_TEXTS)
def test_lists_of_texts_in_every_form(call):
    for values, forms in ((TOKENS[1], FORMS_OF_TOKENS), (IDS[1], FORMS_OF_IDS), (ONE_EACH[1], FORMS_OF_ONE_EACH)):
        for _, of_texts in forms.values():
            assert listed(call(of_texts(values))) == listed(call(values))
    for how in ({"tokenize": "13a"}, {"tokenize": str.split, "lowercase": True}):
        for _, of_texts in FORMS_OF_LINES.values():
            assert listed(call(of_texts(LINES[1]), **how)) == listed(call(LINES[1], **how))


def test_groups_of_texts_in_every_form():
    for name, (_, of_texts) in FORMS_OF_TOKENS.items():
        group = arrow([TOKENS[1]]) if name == "arrow" else [of_texts(TOKENS[1])]
        assert listed(mbr(group).scores) == listed(mbr([TOKENS[1]]).scores)
    assert listed(mbr([[*map(np.array, IDS[1])]]).scores) == listed(mbr([IDS[1]]).scores)


def test_lists_of_token_lists():
    strings = [["the cat sat", "a cat", ""], ["it rains"]]
    tokens = [[text.split() for text in group] for group in strings]
    references = [["the cat sat"], ["it rained"]]
    expected = NBest.from_texts(strings, references, tokenize="unicode")
    for given in (tokens, [[*map(tuple, group)] for group in tokens]):
        nbest = NBest.from_texts(given, references, tokenize="unicode")
        assert nbest.texts == expected.texts == ["the cat sat", "a cat", "", "it rains"]
        assert nbest.stats.tolist() == expected.stats.tolist()
        assert mbr(nbest).scores.tolist() == mbr(tokens).scores.tolist()
    for text in (["New York"], ["a", ""], [1, 2], ["a", ("b",)]):
        assert NBest.from_texts([[text]], [[text]]).texts is None
