"""Objects are pickled and copied, and no state of theirs makes a kernel crash."""

from __future__ import annotations

import copy
import copyreg
import pickle
import re

import numpy as np
import pytest

import cybleu
from cybleu import References, explain, explain_difference, metrics, rerank, tuning
from cybleu.errors import CybleuError
from cybleu.frameworks import CaptionBleu
from cybleu.metrics import Bleu, Chrf, Gleu, Mixture, Nist, NistInformation, Ter, Variant
from cybleu.nbest import NBest
from cybleu.text import Ragged
from cybleu.text.tokenizers import own_tokenizer
from cybleu.tuning import Iteration, Loop


def sample_nbest():
    return NBest(
        [0, 2, 3], [[0.5, 2.0], [0.25, 1.0], [0.0, 3.0]], [[2, 2, 1, 2], [2, 2, 2, 2], [3, 2, 1, 3]], ["a", "b"]
    )


WORDS = "the cat sat on the mat".split()
OBJECTS = {
    "References of tokens": lambda: References([[WORDS, WORDS[1:]], [[("a", 1), None]]]),
    "References of raw text": lambda: References([["a b. c"], ["d"]]),
    "References of ids": lambda: References(np.arange(6).reshape(2, 3), pad_id=0, unk_id=4),
    "NBest": sample_nbest,
    "SmoothingFunction": cybleu.SmoothingFunction,
    "Reward": lambda: cybleu.Reward(),
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
def test_pickles(name, protocol):
    original = OBJECTS[name]()
    again = pickle.loads(pickle.dumps(original, protocol))
    assert type(again) is type(original) and without_address(again) == without_address(original)


@pytest.mark.parametrize("name", OBJECTS)
@pytest.mark.usefixtures("backend")
def test_copies(name):
    original = OBJECTS[name]()
    for copied in (copy.copy(original), copy.deepcopy(original)):
        assert type(copied) is type(original) and without_address(copied) == without_address(original)


LINES = ["A B. c", "d é <skipped>"]
PREPARED = {
    "tokens": ([[WORDS, WORDS[1:]], [[("a", 1), None, 10**30]]], {}, {}, [WORDS, [10**30, ("a", 1), "x"]]),
    "ids": (
        np.arange(6).reshape(2, 3),
        {"pad_id": 0, "unk_id": 4},
        {"ignore": [(1, 2)]},
        [[1, 2, 3], [3, 4, 5]],
    ),
    "ragged": (Ragged(np.arange(5), np.array([0, 3, 5])), {}, {"max_order": 2}, [[0, 1], [3, 4]]),
    "lines": ([[line] for line in LINES], {}, {"tokenize": "13a", "lowercase": True}, LINES[::-1]),
    "function": ([LINES, LINES], {}, {"tokenize": str.split, "reference_length": "shortest"}, LINES[::-1]),
    "no set": ([], {}, {}, []),
    "empty texts": ([[[]], [[], []]], {}, {}, [["a"], ["b"]]),
}


@pytest.mark.parametrize(("references", "special", "options", "texts"), PREPARED.values(), ids=PREPARED)
@pytest.mark.usefixtures("backend")
def test_pickled_references_count_the_same(references, special, options, texts):
    prepared = References(references, **special)
    expected = cybleu.rows(texts, prepared, **options).tolist()
    for again in (pickle.loads(pickle.dumps(prepared)), copy.deepcopy(prepared)):
        assert cybleu.rows(texts, again, **options).tolist() == expected


@pytest.mark.parametrize("name", metrics.METRICS)
@pytest.mark.usefixtures("backend")
def test_metrics_are_pickled_without_what_they_have_cached(name):
    metric = metrics.find(name)
    if name == "nist":
        metric = metric.with_weights_of([LINES])
    texts = LINES if metric.reads == "text" else [line.split() for line in LINES]

    def used(metric):
        return metric.pairs(texts).tolist(), metric.score(metric.rows(texts, [[text] for text in texts])).score

    expected = used(metric)
    again = pickle.loads(pickle.dumps(metric))
    assert again == metric and used(again) == expected and used(copy.deepcopy(metric)) == expected


def test_lists_are_pickled_without_what_searches_have_cached():
    nbest = sample_nbest()
    expected = tuning.line_search(nbest, [1.0, 1.0], "a").score
    assert tuning.line_search(pickle.loads(pickle.dumps(nbest)), [1.0, 1.0], "a").score == expected


def changed(original, **arguments):
    """Load an object whose pickle has other arguments."""
    build, given = original.__reduce__()
    return build(*given, **arguments)


def with_state(original, **state):
    """Load an object whose pickle has another state."""
    again = copy.copy(original)
    for name, value in state.items():
        object.__setattr__(again, name, value)
    return again


BAD_STATES = {
    "References": lambda: changed(References([[[1, 2]]]), pad_id=2**70),
    "References of raw text": lambda: changed(References([["a"]]), unk_id=1),
    "NBest": lambda: changed(sample_nbest(), offsets=[0, 2**62]),
    "Bleu": lambda: Bleu().__reduce__()[0](Variant, "floor", float("nan")),
    "Variant": lambda: metrics.score([2, 2, 1, 2], with_state(metrics.VARIANTS["sacrebleu"], scale="x")),
    "Chrf": lambda: Chrf().__reduce__()[0](2**40),
    "NistInformation": lambda: NistInformation([["a"]]).__reduce__()[0](5),
    "tokenizer": lambda: copyreg.dispatch_table[type(own_tokenizer("13a"))](own_tokenizer("13a"))[0]("x"),
    "Nist": lambda: with_state(Nist(), max_order=2**40).rows(["a b"], [["a b"]]),
    "Ter": lambda: with_state(Ter(), no_punct=[1]).rows(["a b"], [["a b"]]),
    "Gleu": lambda: with_state(Gleu(), max_len=2**70).rows([["a"]], [[["a"]]]),
    "Mixture": lambda: with_state(Mixture(((Bleu(), 1.0),)), parts=((5, 1.0),)).rows([["a"]], [[["a"]]]),
    "CaptionBleu": lambda: with_state(CaptionBleu(), _n=2**70).compute_score({1: ["a"]}, {1: ["a"]}),
    "Reward": lambda: with_state(cybleu.Reward(), metric=5)(completions=["a"], references=["a"]),
}


@pytest.mark.parametrize("load", BAD_STATES.values(), ids=BAD_STATES)
@pytest.mark.usefixtures("kernels")
def test_bad_states_are_errors(load):
    with pytest.raises((CybleuError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)):
        load()


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
        ("Fields", ()),
        ("FeatureRows", (np.zeros((1, 1)),)),
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
