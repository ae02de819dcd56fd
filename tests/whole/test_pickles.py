"""Objects are pickled and copied, and no state of theirs makes a kernel crash."""

import copy
import copyreg
import pickle
import re
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

import cybleu
from cybleu import References, explain, explain_difference, metrics, rerank, significance, tuning
from cybleu.errors import CybleuError
from cybleu.frameworks import CaptionBleu
from cybleu.metrics import Bleu, NistInformation
from cybleu.metrics.combined import Accuracy
from cybleu.nbest import NBest
from cybleu.text.tokenizers import own_tokenizer
from cybleu.tuning import Iteration, Loop


def sample_nbest():
    features = [[0.5, 2.0], [0.25, 1.0], [0.0, 3.0]]
    rows = [[2, 2, 1, 2], [2, 2, 2, 2], [3, 2, 1, 3]]
    texts = ["x y", "x", "z"]
    metric = metrics.find("moses")
    return NBest([0, 2, 3], features, rows, ["a", "b"], texts, metric, model_scores=[3.0, 2.0, 1.0])


WORDS = "the cat sat on the mat".split()
OBJECTS = {
    "References of tokens": lambda: References([[WORDS, WORDS[1:]], [[("a", 1), None]]]),
    "References of raw text": lambda: References([["a b. c"], ["d"]]),
    "References of ids": lambda: References(np.arange(6).reshape(2, 3), pad_id=0, unk_id=4),
    "NBest": sample_nbest,
    "SmoothingFunction": lambda: cybleu.SmoothingFunction(0.3),
    "Reward": lambda: cybleu.Reward(),
    "RepetitionPenalty": lambda: cybleu.rewards.RepetitionPenalty(2),
    "NistInformation": lambda: NistInformation([["a b"]]),
    "CaptionBleu": lambda: CaptionBleu(2),
    "Fraction": lambda: cybleu.Fraction(2, 4, _normalize=False),
    "Bleu": lambda: metrics.score([2, 2, 1, 0, 2, 1], "moses"),
    "Variant": lambda: metrics.find("sacrebleu"),
    "Explanation": lambda: explain(WORDS, [WORDS]),
    "BlindSpots": lambda: explain(WORDS, [WORDS]).blind_spots,
    "Comparison": lambda: explain_difference([WORDS], [[WORDS]]),
    "Bootstrap": lambda: significance.bootstrap([0.5, 1.0], scale=1),
    "Selection": lambda: rerank.linear(sample_nbest(), [1.0, 0.0]),
    "CorpusSelection": lambda: rerank.oracle(sample_nbest(), "corpus"),
    "Perceptron": lambda: rerank.perceptron(sample_nbest(), folds=2, epochs=1),
    "LineSearch": lambda: tuning.line_search(sample_nbest(), [1.0, 1.0], "a", surface=True),
    "Tuning": lambda: tuning.tune(sample_nbest(), restarts=1),
    "Mira": lambda: tuning.kbmira(sample_nbest(), passes=1),
    "Pro": lambda: tuning.pro(sample_nbest(), minimum=0.0),
    "Loop": lambda: Loop((Iteration(1, {"a": 1.0}, 0.0, 1.0, 2, 2, None, {"a": 0.5}, 0.0),), "stopped"),
    "error": lambda: CybleuError("what was wrong"),
}


def state(value):
    """What an object shows and its attributes, without those that are computed when they are first used, and addresses in memory."""
    attributes = getattr(value, "__dict__", None)
    if isinstance(value, References):
        attributes = value.lists(), value._ids
    elif is_dataclass(value):
        attributes = {field.name: getattr(value, field.name) for field in fields(value)}
    return re.sub("0x[0-9a-fA-F]+", "", repr([value, attributes]))


@pytest.mark.parametrize("name", OBJECTS)
def test_pickles_and_copies(name):
    original = OBJECTS[name]()
    for again in (pickle.loads(pickle.dumps(original)), copy.copy(original), copy.deepcopy(original)):
        assert type(again) is type(original) and state(again) == state(original)


LINES = ["A B. c", "d é <skipped>"]


@pytest.mark.parametrize("name", ["Bootstrap", "LineSearch", "Tuning"])
def test_results_that_hold_arrays_are_compared(name):
    assert OBJECTS[name]() == OBJECTS[name]()


@pytest.mark.parametrize("name", metrics.METRICS)
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


def changed(original, **arguments):
    """Load an object whose pickle has other arguments."""
    build, given, *_ = original.__reduce__()
    return build(*given, **arguments)


def with_state(original, **state):
    """Load an object whose pickle has another state."""
    again = copy.copy(original)
    for name, value in state.items():
        object.__setattr__(again, name, value)
    return again


BAD_STATES = {
    "References": lambda: changed(References([[[1, 2]]]), pad_id=2**70),
    "NBest": lambda: changed(sample_nbest(), offsets=[0, 2**62]),
    "Bleu": lambda: with_state(Bleu(), weights=("a",)).pairs([["a"]]),
    "NistInformation": lambda: NistInformation([["a"]]).__reduce__()[0](5),
    "tokenizer": lambda: copyreg.dispatch_table[type(own_tokenizer("13a"))](own_tokenizer("13a"))[0]("x"),
    "Reward": lambda: with_state(cybleu.Reward(), metric=5)(completions=["a"], references=["a"]),
}


@pytest.mark.parametrize("load", BAD_STATES.values(), ids=BAD_STATES)
@pytest.mark.usefixtures("kernels")
def test_bad_states_are_errors(load):
    with pytest.raises((CybleuError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)):
        load()


# Metrics with fields that their constructors refuse.
FORGED = {
    "orders of GLEU": lambda: with_state(metrics.Gleu(), min_len=-(2**70)),
    "orders of NIST": lambda: with_state(metrics.Nist(), max_order=2**31),
    "orders of characters": lambda: with_state(metrics.Chrf(), char_order=2**31),
    "orders of BLEU": lambda: with_state(Bleu(), max_order=2**70),
    "flags of TER": lambda: with_state(metrics.Ter(), normalized=5),
    "a part of a mixture": lambda: with_state(metrics.Mixture({"bleu": 1}), parts=((FORGED["orders of BLEU"](), 1.0),)),
    "weights of a mixture": lambda: with_state(metrics.Mixture({"bleu": 1}), parts=((Bleu(), -1.0),)),
    "an error rate": lambda: with_state(Accuracy(metrics.find("ter")), metric=FORGED["flags of TER"]()),
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
def test_a_forged_metric_is_refused_when_it_is_loaded(forge):
    pickled = pickle.dumps(forge())
    with pytest.raises(CybleuError):
        pickle.loads(pickled)


@pytest.mark.parametrize("name", ["orders of GLEU", "orders of BLEU"])
def test_a_forged_metric_is_refused_when_it_is_copied(name):
    with pytest.raises(CybleuError):
        copy.copy(FORGED[name]())


def test_a_mixture_keeps_its_weights_to_the_last_bit():
    mixture = metrics.Mixture(dict(zip(("bleu", "chrf", "ter", "gleu"), (0.1, 0.1, 0.2, 0.7))))
    assert mixture != metrics.Mixture(mixture.parts)  # the sum of its weights is not quite 1
    assert pickle.loads(pickle.dumps(mixture)) == mixture
