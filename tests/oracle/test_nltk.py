"""Compare the drop-in with NLTK: same values, types and warnings, compatible exceptions."""

import inspect
import warnings
from types import MethodType

import nltk.translate.bleu_score as nltk_bleu
import numpy as np
import pytest
from hypothesis import example, given, strategies as st

import cybleu
from cybleu import bleu_score
from inputs import (
    CATCHES_WARNINGS,
    TOKENS,
    assert_same,
    corpora,
    long_segments,
    number,
    outcome,
    segments,
    several_weights,
    smoothing_parameters,
    spliced_segments,
    token_lists,
    weight_vectors,
)

pytestmark = CATCHES_WARNINGS

METHODS = [None, *(f"method{number}" for number in range(8))]


def smoothing(module, method, parameters):
    return None if method is None else getattr(module.SmoothingFunction(**parameters), method)


def compare(name, *args, method=None, parameters=None, **kwargs):
    """Call a function of both modules; arguments that can be read only once are given as functions that make them."""
    calls = []
    for module in (bleu_score, nltk_bleu):
        if method is not None:
            kwargs["smoothing_function"] = smoothing(module, method, parameters or {})
        fresh = [arg() if getattr(arg, "__name__", "") == "<lambda>" else arg for arg in args]
        calls.append(outcome(getattr(module, name), *fresh, **kwargs))
    assert_same(*calls)


@given(
    segments() | segments(containers=True, min_references=0),
    several_weights,
    st.sampled_from(METHODS),
    st.booleans(),
)
@example((([["a"] * 4]), ["a", "b", "a", "a"]), (0.25,) * 4, "method6", False)
@example(([[*"abcdef"]], [*"abcdxf"]), (0.25,) * 4, "method7", False)
def test_sentence(segment, weights, method, auto_reweigh):
    compare("sentence_bleu", *segment, weights, auto_reweigh=auto_reweigh, method=method)


@pytest.mark.parametrize(
    "of",
    [
        set,
        frozenset,
        dict.fromkeys,
        lambda texts: dict(enumerate(texts)).values(),
        lambda texts: dict(enumerate(texts)),
    ],
)
def test_containers_without_positions(of):
    """NLTK takes the texts of a set and the keys of a dict."""
    tokens = ("the", "cat", "sat", "on", "it")
    other = ("the", "cat", "sat", "down", "here")
    unordered = of(tokens)
    compare("sentence_bleu", [tokens, other], unordered)
    compare("sentence_bleu", [unordered], tokens)
    compare("sentence_bleu", of([tokens, other]), tokens)
    compare("corpus_bleu", of([(tokens,), (other,)]), [tokens, other])
    compare("corpus_bleu", [(tokens, other), (other,)], of([tokens, other]))
    compare("corpus_bleu", [of([tokens]), of([other])], [tokens, other])


@given(segments(), weight_vectors, st.sampled_from(METHODS), smoothing_parameters)
def test_odd_smoothing_parameters(segment, weights, method, parameters):
    compare("sentence_bleu", *segment, weights, method=method, parameters=parameters)


@given(long_segments(), weight_vectors, st.sampled_from(METHODS))
def test_long_sentence(segment, weights, method):
    compare("sentence_bleu", *segment, weights, method=method)


ORDERS_5_TO_16 = [(1 / n,) * n for n in range(5, 17)]


@given(spliced_segments(), st.sampled_from([None, "method1", "method2"]))
@example(([[*"abcdxbcde"]], [*"abcde"]), None)
@example(([[*"abcdefghijklmnopxbcdefghijklmnopq"]], [*"abcdefghijklmnopq"]), None)
def test_orders_5_to_16_of_a_sentence(segment, method):
    compare("sentence_bleu", *segment, ORDERS_5_TO_16, method=method)


@given(st.lists(spliced_segments(), min_size=2, max_size=4))
def test_orders_5_to_16_of_a_corpus(corpus):
    compare("corpus_bleu", [references for references, _ in corpus], [text for _, text in corpus], ORDERS_5_TO_16)


@given(corpora(), several_weights, st.sampled_from(METHODS), st.booleans())
def test_corpus(corpus, weights, method, auto_reweigh):
    compare("corpus_bleu", *corpus, weights, auto_reweigh=auto_reweigh, method=method)


@given(segments(containers=True, min_references=0), st.integers(1, 17))
def test_modified_precision(segment, n):
    compare("modified_precision", *segment, n)


@given(st.lists(st.lists(st.just("a"), max_size=9), max_size=5), st.integers(0, 9))
def test_closest_ref_length(references, length):
    compare("closest_ref_length", references, length)
    compare("closest_ref_length", lambda: iter(references), length)


@given(number, number)
def test_brevity_penalty(reference_length, length):
    compare("brevity_penalty", reference_length, length)


# ------------------------------------------------------------------------------------------------- custom smoothing


def keep(p_n, **kwargs):
    return p_n


def halve(p_n, **kwargs):
    return [precision / 2 for precision in p_n]


def shorten(p_n, **kwargs):
    return p_n[:-1]


def generate(p_n, **kwargs):
    return (float(precision) for precision in p_n)


def change(p_n, **kwargs):
    p_n[-1] = 0.5
    p_n.append(1.0)
    return p_n


def arguments(p_n, references, hypothesis, hyp_len):
    return [len(references) / 10, len(hypothesis) / 100 + 0.01, hyp_len / 100, *p_n[:1]]


def lift(p_n, **kwargs):
    return [(precision.numerator + 1) / (precision.denominator + 1) for precision in p_n]


class FalsyCallable:
    def __bool__(self):
        return False

    def __call__(self, *args, **kwargs):
        raise AssertionError("a falsy smoothing function means none")


@given(
    corpora(),
    several_weights,
    st.sampled_from([keep, halve, shorten, generate, change, arguments, lift, FalsyCallable(), 0, ""]),
)
def test_custom_smoothing(corpus, weights, function):
    compare("corpus_bleu", *corpus, weights, function)


@given(segments(), weight_vectors, st.sampled_from(METHODS[1:]))
def test_methods_of_nltk_are_taken_too(segment, weights, method):
    function = getattr(nltk_bleu.SmoothingFunction(), method)
    compare("sentence_bleu", *segment, weights, function)


@given(segments(), weight_vectors)
def test_a_subclass_may_change_a_method(segment, weights):
    def scores(module):
        class Changed(module.SmoothingFunction):
            def method1(self, p_n, *args, **kwargs):
                return [max(float(precision), 0.01) for precision in p_n]

        return outcome(module.sentence_bleu, *segment, weights, Changed().method1)

    assert_same(scores(bleu_score), scores(nltk_bleu))


@given(segments(), st.sampled_from(METHODS[1:]), smoothing_parameters)
@example(([["a", "b", "c", "x", "d", "e"]], ["a", "b", "c", "y", "d", "z"]), "method2", {})
@example(([["a", "b", "c", "x", "d", "e"]], ["a", "b", "c", "y", "d", "z"]), "method3", {})
@example(([["a", "b", "c", "x", "d", "e"]], ["a", "b", "c", "y", "d", "z"]), "method7", {})
def test_methods_called_directly(segment, method, parameters):
    references, hypothesis = segment
    results = []
    for module in (bleu_score, nltk_bleu):
        precisions = outcome(
            lambda module=module: [module.modified_precision(references, hypothesis, n) for n in range(1, 5)]
        )
        if precisions.error is not None:
            results.append(precisions)
            continue
        call = outcome(
            smoothing(module, method, parameters),
            precisions.value,
            references=references,
            hypothesis=hypothesis,
            hyp_len=len(hypothesis),
            unknown="accepted",
        )
        if call.error is None:
            in_place = call.value is precisions.value
            call.value = [in_place, *map(float, call.value)]
        results.append(call)
    assert_same(*results)


# ----------------------------------------------------------------------------------------------------- single cases

WORDS = ["the", "cat", "is", "on", "the", "mat"]
HYPOTHESIS = ["the", "cat", "is", "on", "a", "mat"]


def one_shot(items):
    yield from items


@pytest.mark.parametrize(
    ("references", "hypothesis"),
    [
        ([], HYPOTHESIS),
        ([], []),
        ([[]], []),
        ([[]], HYPOTHESIS),
        ([WORDS], []),
        (None, HYPOTHESIS),
        ([None], HYPOTHESIS),
        ([WORDS], None),
        ([], None),
        (5, HYPOTHESIS),
        ([5], HYPOTHESIS),
        ([WORDS], 5),
        (WORDS, HYPOTHESIS),
        ("the cat", "the cat"),
        (["the cat"], "the cat sat"),
        ([["the", ["cat"]]], HYPOTHESIS),
        ([["the", ["cat"]]], []),
        ([WORDS], ["the", ["cat"]]),
        ([WORDS], ["the", {}]),
        ([WORDS], ["the", ("cat", [])]),
        ({tuple(WORDS)}, tuple(HYPOTHESIS)),
        ({"a": 1}, {"a": 1, "b": 2}),
        ([np.array([1, 2, 3, 4, 5])], np.array([1, 2, 3, 4])),
        ([np.array(WORDS)], np.array(HYPOTHESIS)),
        ([range(9)], range(5)),
        ([b"abcdefg"], b"abcdex"),
        ([bytearray(b"abcdefg")], b"abcdex"),
        ([np.array([[1, 2], [3, 4]])], np.array([[1, 2]])),
    ],
)
@pytest.mark.parametrize("weights", [(0.25,) * 4, (1,), (), [(1,), (0.5, 0.5)]])
def test_strange_containers(references, hypothesis, weights):
    compare("sentence_bleu", references, hypothesis, weights)
    compare("modified_precision", references, hypothesis, 9)


@pytest.mark.parametrize("weights", [(0.25,) * 4, (1,), ()])
@pytest.mark.parametrize("length", [0, 1, 6])
def test_iterators_cannot_be_references(weights, length):
    for references in (
        lambda: iter([WORDS]),
        lambda: one_shot([WORDS]),
        lambda: [iter(WORDS)],
        lambda: map(list, [WORDS]),
    ):
        compare("sentence_bleu", references, HYPOTHESIS[:length], weights)
    compare("sentence_bleu", [WORDS], lambda: iter(HYPOTHESIS), weights)


@pytest.mark.parametrize(
    "weights",
    [
        (1.0, 1.0, 1.0, float("inf")),
        (float("-inf"), float("inf")),
        (float("nan"), 1),
        (-1e9,),
        (-1e300, 1e300),
        (1e308, 1e308),
        (0, 0, 0, 0),
        (True, False),
        np.full(4, 0.25),
        tuple(np.full(4, 0.25)),
        np.array([[0.5, 0.5], [0.25, 0.75]]),
        np.array([[0.5, 0.5]]),
        np.array(0.5),
        {0.5: 1, 0.25: 2},
        {0: {0: 1}},
        iter([0.5, 0.5]),
        [iter([0.5])],
        [[(0.5, 0.5)]],
        "0.25",
        ("0.25",),
        (1 / 17,) * 17,
    ],
)
@pytest.mark.parametrize("auto_reweigh", [False, True, "yes"])
@pytest.mark.parametrize("hypothesis", [HYPOTHESIS, ["the", "cat"], ["dog"]], ids=len)
def test_strange_weights(weights, auto_reweigh, hypothesis):
    compare("sentence_bleu", [WORDS], hypothesis, weights, auto_reweigh=auto_reweigh)


def test_auto_reweigh_compares_with_the_tuple():
    class Weights(tuple):
        __slots__ = ()

    for weights in ((0.25,) * 4, [0.25] * 4, Weights((0.25,) * 4), tuple(np.full(4, 0.25)), [(0.25,) * 4, [0.25] * 4]):
        for length in range(1, 7):
            compare("sentence_bleu", [WORDS], HYPOTHESIS[:length], weights, auto_reweigh=True)
            compare("corpus_bleu", [[WORDS]] * 2, [WORDS[:length]] * 2, weights, auto_reweigh=True)


def test_corpus_shapes():
    for arguments in (
        ([], []),
        ([[WORDS]], []),
        ([], [WORDS]),
        ([[WORDS], [WORDS]], [WORDS]),
        ([[WORDS], []], [WORDS, HYPOTHESIS]),
        ([[WORDS], []], [WORDS, []]),
        ([[WORDS], [WORDS]], [WORDS, []]),
        ([[WORDS], [WORDS]], [[], []]),
        ([[WORDS], [[["nested"]]]], [WORDS, HYPOTHESIS]),
        (None, [WORDS]),
        ([[WORDS]], None),
        (iter([[WORDS]]), [WORDS]),
        ({1: 2}, {3: 4}),
    ):
        for weights in ((0.25,) * 4, (), (1,), [(1,), (0.5, 0.5)]):
            compare("corpus_bleu", *arguments, weights)


def test_signatures_are_those_of_nltk():
    def parameters(function):
        return [(p.name, p.default, p.kind) for p in inspect.signature(function).parameters.values()]

    for name in ("sentence_bleu", "corpus_bleu", "modified_precision", "closest_ref_length", "brevity_penalty"):
        assert parameters(getattr(bleu_score, name)) == parameters(getattr(nltk_bleu, name))
    for name in ["__init__", *METHODS[1:]]:
        ours = bleu_score.SmoothingFunction
        theirs = nltk_bleu.SmoothingFunction
        assert parameters(getattr(ours, name)) == parameters(getattr(theirs, name))


@given(token_lists(TOKENS["words"]), token_lists(TOKENS["words"]))
def test_arguments_are_never_changed(reference, hypothesis):
    references = [reference]
    before = ([list(reference)], list(hypothesis))
    for method in METHODS:
        outcome(bleu_score.sentence_bleu, references, hypothesis, smoothing_function=smoothing(bleu_score, method, {}))
    assert (references, hypothesis) == before


def test_replaced_methods_and_missing_parameters():
    def results(module):
        changed = module.SmoothingFunction()
        changed.method4 = lambda p_n, *args, **kwargs: [0.5] * len(p_n)
        without = module.SmoothingFunction()
        del without.epsilon, without.k, without.alpha

        class Unhashable:
            __hash__ = None

            def __call__(self, instance, p_n, **kwargs):
                return p_n

        functions = [changed.method7, without.method1, without.method4, without.method6, without.method7]
        functions.append(MethodType(Unhashable(), module.SmoothingFunction()))
        for name in ("method4", "method5"):  # of another instance, whose parameters count
            borrowing = module.SmoothingFunction()
            setattr(borrowing, name, getattr(module.SmoothingFunction(k=9), name))
            functions += [borrowing.method7, getattr(borrowing, name)]
        return [
            outcome(module.sentence_bleu, [WORDS], hypothesis, smoothing_function=function)
            for function in functions
            for hypothesis in (WORDS, HYPOTHESIS, ["the", "cat"])
        ]

    for ours, theirs in zip(results(bleu_score), results(nltk_bleu)):
        assert_same(ours, theirs)


@pytest.mark.parametrize("hypothesis", [HYPOTHESIS, [], ["a"]], ids=len)
@pytest.mark.parametrize(
    "n",
    [
        *(-1, 0, 9, 65, 2**31, 2**63 - 1, 2**63, True, 2.0, 9.0, "2", None),
        *(np.int64(-1), np.int64(9), np.int8(0), np.float64(1)),
    ],
)
def test_orders_of_any_size_and_type(n, hypothesis):
    compare("modified_precision", [WORDS], hypothesis, n)


def test_a_replaced_function_that_warns_is_called(monkeypatch):
    given = []
    monkeypatch.setattr(warnings, "warn", lambda *arguments, **keywords: given.append((len(arguments), keywords)))
    for module in (bleu_score, nltk_bleu):
        module.sentence_bleu([["a", "b", "c"]], ["a", "b", "d"])
        module.corpus_bleu([[["a", "b", "c"]]], [["a", "b", "d"]])
        module.sentence_bleu([["a", "b"]], ["a", "d"], smoothing_function=module.SmoothingFunction().method0)
    assert len(given) == 14
    assert given[:7] == given[7:]
    monkeypatch.setattr(warnings, "warn", lambda *arguments: None)
    assert bleu_score.sentence_bleu([["a", "b", "c"]], ["a", "b", "d"]) > 0


def test_the_error_of_a_token_comes_before_that_of_an_iterator():
    for references in (lambda: iter([["a", []]]), lambda: iter([[Refuses()]]), lambda: iter([iter("a")])):
        compare("sentence_bleu", references, HYPOTHESIS)


class Refuses:
    def __hash__(self):
        raise RuntimeError("no hash")


@pytest.mark.parametrize(
    ("hypothesis", "expected"),
    [
        ("it is a ship", 0.8408964152537145),
        ("it", 0.1353352832366127),
        ("it it it it it it it", 0.6147881529512643),
        ("it a b c d e f g h i j k l m n", 0.6042750794713536),
        ("ship ship ship", 0.7598356856515925),
        ("it ship", 0.6065306597126334),
    ],
)
def test_rule_of_nltk_3_2(hypothesis, expected):
    """As NLTK 3.2 printed it; later versions do not have this rule."""
    references = [text.split() for text in ("this is a ship", "it is ship", "ship it is", "a ship, it is")]
    assert cybleu.sentence_bleu(references, hypothesis.split(), smoothing_function=cybleu.nltk_3_2) == expected
