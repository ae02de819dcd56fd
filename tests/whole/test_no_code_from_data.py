"""Pickles of cybleu contain only data."""

from __future__ import annotations

import copy
import copyreg
import io
import pickle
import re

import numpy as np
import pytest

import cybleu
from cybleu import explain, explain_difference, metrics, rerank, tuning
from cybleu.errors import CybleuError
from cybleu.frameworks import CaptionBleu
from cybleu.nbest import NBest
from cybleu.stats import References
from cybleu.text.raw import Raw
from cybleu.text.tokenizers import own_tokenizer
from cybleu.tuning import Iteration, Loop


def sample_nbest():
    return NBest(
        [0, 2, 3], [[0.5, 2.0], [0.25, 1.0], [0.0, 3.0]], [[2, 2, 1, 2], [2, 2, 2, 2], [3, 2, 1, 3]], ["a", "b"]
    )


WORDS = "the cat sat on the mat".split()
OBJECTS = {
    "References of tokens": lambda: References([[WORDS, WORDS[1:]], [[("a", 1), None]]]),
    "References of raw text": lambda: References([["a b. c"], ["d"]], tokenize="13a"),
    "References of ids": lambda: References(np.arange(6).reshape(2, 3), 2, pad_id=0, unk_id=4, ignore=[(1, 2)]),
    "NBest": sample_nbest,
    "CorpusAccumulator": cybleu.CorpusAccumulator,
    "SmoothingFunction": cybleu.SmoothingFunction,
    "BleuReward": lambda: cybleu.BleuReward(tokenize=None),
    "CaptionBleu": lambda: CaptionBleu(2),
    "Fraction": lambda: cybleu.Fraction(2, 4, _normalize=False),
    "Bleu": lambda: metrics.score([2, 2, 1, 0, 2, 1], "moses"),
    "Variant": lambda: metrics.find("sacrebleu"),
    "Explanation": lambda: explain([WORDS], WORDS),
    "BlindSpots": lambda: explain([WORDS], WORDS).blind_spots,
    "Comparison": lambda: explain_difference([[WORDS]], [WORDS]),
    "Selection": lambda: rerank.linear(sample_nbest(), [1.0, 0.0]),
    "CorpusSelection": lambda: rerank.oracle(sample_nbest(), "corpus"),
    "Perceptron": lambda: rerank.perceptron(sample_nbest(), folds=2, epochs=1),
    "LineSearch": lambda: tuning.line_search(sample_nbest(), [1.0, 1.0], "a", surface=True),
    "Tuning": lambda: tuning.tune(sample_nbest(), restarts=1),
    "CrossValidation": lambda: tuning.cross_validate(sample_nbest(), 2, restarts=0),
    "Mira": lambda: tuning.kbmira(sample_nbest(), iterations=1),
    "Pro": lambda: tuning.pro(sample_nbest(), minimum=0.0),
    "Loop": lambda: Loop((Iteration(1, {"a": 1.0}, 0.0, 1.0, 2, 2),), "stopped"),
    "error": lambda: CybleuError("what was wrong"),
}


def without_address(value):
    return re.sub("0x[0-9a-f]+", "", repr(value))


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("name", OBJECTS)
@pytest.mark.usefixtures("backend")
def test_pickles_name_nothing_but_data(name, protocol):
    """A pickle calls only cybleu's classes, NumPy's arrays, and constructors of objects."""
    original = OBJECTS[name]()
    pickled = pickle.dumps(original, protocol)
    named = set()

    class Unpickler(pickle.Unpickler):
        def find_class(self, module, name):
            named.add((module.partition(".")[0], name))
            return super().find_class(module, name)

    again = Unpickler(io.BytesIO(pickled)).load()
    assert type(again) is type(original) and without_address(again) == without_address(original)
    assert {module for module, _ in named} <= {"cybleu", "numpy", "copyreg", "_codecs", "builtins"}
    assert {name for module, name in named if module in ("copyreg", "_codecs", "builtins")} <= {
        "_reconstructor", "__newobj__", "__newobj_ex__", "encode", "object", "tuple", "float", "bytes"
    }  # fmt: skip


@pytest.mark.parametrize("name", OBJECTS)
@pytest.mark.usefixtures("backend")
def test_copies(name):
    original = OBJECTS[name]()
    for copied in (copy.copy(original), copy.deepcopy(original)):
        assert type(copied) is type(original) and without_address(copied) == without_address(original)


def test_pickled_references_count_the_same():
    for name in ("References of tokens", "References of ids"):
        references = OBJECTS[name]()
        texts = [WORDS, WORDS] if "tokens" in name else [[1, 2, 3], [3, 4, 5]]
        assert (pickle.loads(pickle.dumps(references)).stats(texts) == references.stats(texts)).all()


BROKEN = {
    "nothing": lambda state: (),
    "None": lambda state: None,
    "order": lambda state: (-1, *state[1:]),
    "order of another type": lambda state: ("4", *state[1:]),
    "length": lambda state: (state[0], "longest", *state[2:]),
    "no sets": lambda state: (*state[:2], None, *state[3:]),
    "begins": lambda state: (*state[:2], with_batch(state, begins=np.array([5, 99], dtype=np.int64)), *state[3:]),
    "begins of another type": lambda state: (*state[:2], with_batch(state, begins=np.array([0.0, 3.0])), *state[3:]),
    "ends": lambda state: (*state[:2], with_batch(state, ends=np.array([-5, 2**62], dtype=np.int64)), *state[3:]),
    "ids": lambda state: (*state[:2], with_batch(state, ids=None), *state[3:]),
    "ids of two dimensions": lambda state: (*state[:2], with_batch(state, ids=np.zeros((2, 3), np.int64)), *state[3:]),
    "sets": lambda state: (*state[:2], state[2]._replace(bounds=np.array([0, 9, 2])), *state[3:]),
    "falling sets": lambda state: (*state[:2], state[2]._replace(bounds=np.array([0, -1, 2])), *state[3:]),
    "arguments": lambda state: (*state[:3], (None,), *state[4:]),
    "pad": lambda state: (*state[:3], ("x", None, None), *state[4:]),
    "ignored": lambda state: (*state[:4], [("a",)], *state[5:]),
    "ignored of another type": lambda state: (*state[:4], 7, *state[5:]),
    "raw text of no tokeniser": lambda state: (*state[:6], ["a", "b"]),
    "no raw text": lambda state: (*state[:5], Raw("13a"), None),
    "raw text of fewer lines": lambda state: (*state[:5], Raw("13a"), ["a"]),
    "raw text of another type": lambda state: (*state[:5], Raw("13a"), [1, 2]),
}


def with_batch(state, **changes):
    return state[2]._replace(texts=state[2].texts._replace(**changes))


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.usefixtures("kernels")
def test_broken_pickles_of_references(name):
    state = References(np.arange(6).reshape(2, 3)).__getstate__()
    fresh = References.__new__(References)
    with pytest.raises(CybleuError):
        fresh.__setstate__(BROKEN[name](state))


@pytest.mark.parametrize(
    "place, value", [(0, [0, 5]), (1, [[np.nan, 0.0]] * 3), (2, [[1]] * 3), (3, ["a"]), (8, [9, 9, 9])]
)
def test_broken_pickles_of_lists(place, value):
    state = sample_nbest().__getstate__()
    with pytest.raises(CybleuError):
        NBest.__new__(NBest).__setstate__({**state, list(state)[place]: value})


CHECKED = [
    *(name for name in OBJECTS if name not in ("Fraction", "error")),
    *(name for name in metrics.METRICS if name not in OBJECTS),
]


def loaded(original, state):
    again = type(original).__new__(type(original))
    again.__setstate__(state)
    return again


@pytest.mark.parametrize("name", CHECKED)
@pytest.mark.usefixtures("backend")
def test_states_that_were_changed_are_refused(name):
    original = OBJECTS[name]() if name in OBJECTS else metrics.find(name)
    state = original.__reduce_ex__(2)[2]  # objects have a method __getstate__ from Python 3.11 on
    if isinstance(state, tuple):
        state = dict(enumerate(state))
        made = lambda values: loaded(original, tuple(values.values()))  # noqa: E731
    else:
        made = lambda values: loaded(original, values)  # noqa: E731
        with pytest.raises(CybleuError):
            made([])
    for field in state:
        with pytest.raises(CybleuError):
            made({key: value for key, value in state.items() if key != field})
        for value in (object(), [object()], {}, -(2**63), 2**63, np.zeros((2, 3)), "\ud800"):
            try:
                again = made({**state, field: value})
            except CybleuError:
                continue
            repr(again)  # a value that the arguments may have, too


@pytest.mark.parametrize("parts", [("x",), (1, 0), (1, 2, 3, 4), (None, [])])
def test_fractions_and_tokenisers_that_were_changed(parts):
    make = cybleu.Fraction(2, 4).__reduce__()[0]
    with pytest.raises(CybleuError):
        make(*parts)


@pytest.mark.parametrize("name", [(), ("x",), (None,), ([],), ("13a", "zh")])
@pytest.mark.usefixtures("kernels")
def test_tokenisers_that_were_changed(name):
    make = copyreg.dispatch_table[type(own_tokenizer("13a"))](own_tokenizer("13a"))[0]
    with pytest.raises(CybleuError):
        make(*name)


@pytest.mark.parametrize("order", [-1, 0, 2**31, 2**63 - 1, 2**63, 1.0, None])
@pytest.mark.usefixtures("backend")
def test_the_order_of_an_accumulator_cannot_be_changed(order):
    corpus = cybleu.CorpusAccumulator(2)
    corpus.update([WORDS], WORDS)
    for name in ("max_order", "reference_length", "tokenize", "lowercase", "row", "short_segments", "segments"):
        with pytest.raises(AttributeError):
            setattr(corpus, name, order)
    corpus.row.clear()  # a copy
    assert corpus.row == [6, 6, 6, 5, 6, 5]
    with pytest.raises(CybleuError):
        loaded(corpus, {**corpus.__getstate__(), "max_order": order})


COMPILED = {
    "PairwiseTexts": lambda kernels, made: kernels.PairwiseTexts.score_each_other(
        made, kernels.Definition(metrics.Bleu("moses", max_order=1).rules()), 0, 0, np.zeros((0, 0))
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("ArrowValues", ([],)),
        ("CharacterF", (6, 0, 2, "dropped", False)),
        ("Definition", (metrics.Bleu().rules(),)),
        ("FeatureRows", (np.zeros((1, 1)),)),
        ("NBestLines", ((b"lm=",), (0,), False)),
        ("NamedValues", ()),
        ("PairwiseTexts", None),
        ("RawTexts", (["a"],)),
        ("Scorer", (cybleu.SmoothingFunction, (), print)),
    ],
)
def test_compiled_classes_are_not_pickled(kernels, name, arguments):
    kind = getattr(kernels, name)
    made = kind.__new__(kind) if arguments is None else kind(*arguments)
    for action in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="cannot pickle"):
            action(made)
    assert not [attribute for attribute in dir(kind) if "cython" in attribute]


@pytest.mark.parametrize("name", COMPILED)
def test_compiled_classes_that_were_not_prepared(kernels, name):
    kind = getattr(kernels, name)
    with pytest.raises(RuntimeError, match="not prepared"):
        COMPILED[name](kernels, kind.__new__(kind))
