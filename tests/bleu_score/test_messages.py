"""Errors say what is wrong, where, and how to fix it; warnings can be filtered like NLTK's."""

from __future__ import annotations

import pickle
import warnings

import pytest

from cybleu import (
    SmoothingFunction,
    corpus_bleu,
    errors,
    explain,
    modified_precision,
    sentence_bleu,
    sentence_bleu_many,
)

pytestmark = pytest.mark.usefixtures("backend")

WORDS = ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize(
    ("call", "error", "also", "text"),
    [
        (lambda: corpus_bleu([[WORDS]], []), errors.LengthMismatchError, AssertionError, "0 hypotheses and 1 lists"),
        (lambda: sentence_bleu([], WORDS), errors.NoReferencesError, KeyError, "no reference for the hypothesis"),
        (lambda: sentence_bleu(iter([WORDS]), WORDS), errors.OneShotReferencesError, KeyError, "only once"),
        (lambda: sentence_bleu([WORDS], iter(WORDS)), errors.SequenceTypeError, TypeError, "the hypothesis must be"),
        (lambda: sentence_bleu([iter(WORDS)], WORDS), errors.SequenceTypeError, TypeError, "reference 0 must be"),
        (lambda: corpus_bleu(iter([[WORDS]]), [WORDS]), errors.SequenceTypeError, TypeError, "lists of references"),
        (
            lambda: corpus_bleu([[WORDS], [["a", []]]], [WORDS, WORDS]),
            *(errors.UnhashableTokenError, TypeError, "segment 1: token 1 of reference 0 is a list"),
        ),
        (lambda: corpus_bleu([[WORDS], []], [WORDS, WORDS]), errors.NoReferencesError, KeyError, "segment 1: "),
        (lambda: explain([WORDS], WORDS, ["0.5"]), errors.WeightsError, TypeError, r"not \['0.5'\]"),
        (lambda: sentence_bleu([WORDS], WORDS, 0.25), errors.WeightsError, TypeError, "float has no length"),
        (lambda: sentence_bleu([WORDS], WORDS, "uniform"), errors.WeightsError, TypeError, "order, not 'uniform'"),
        *(
            (
                call,
                errors.SmoothingTypeError,
                TypeError,
                rf"instance, SmoothingFunction\(\).{name}, without calling it$",
            )
            for name in (f"method{number}" for number in range(8))
            for call in (
                lambda name=name: getattr(SmoothingFunction(), name)(),
                lambda name=name: getattr(SmoothingFunction, name)(),
                lambda name=name: sentence_bleu([WORDS], WORDS, smoothing_function=getattr(SmoothingFunction, name)),
                lambda name=name: corpus_bleu([[WORDS]], [WORDS], (1,), getattr(SmoothingFunction, name)),
            )
        ),
        *(
            (call, errors.SmoothingTypeError, TypeError, r"such as SmoothingFunction\(\).method1")
            for smoothing in ("method1", SmoothingFunction, SmoothingFunction())
            for call in (
                lambda smoothing=smoothing: sentence_bleu([WORDS], WORDS, (0.5, 0.5), smoothing),
                lambda smoothing=smoothing: corpus_bleu([[WORDS]], [WORDS], smoothing_function=smoothing),
            )
        ),
        (lambda: modified_precision([WORDS], WORDS, -1), errors.OrderError, ValueError, "negative, and it is -1"),
        (
            lambda: sentence_bleu([WORDS], ["a"], smoothing_function=SmoothingFunction().method6),
            *(errors.ZeroPrecisionError, AssertionError, "trigram match"),
        ),
        (
            lambda: sentence_bleu([WORDS], WORDS, (0.5, 0.5), SmoothingFunction().method6),
            *(errors.OrderError, IndexError, "at least 3 n-gram orders, not 2"),
        ),
        (
            lambda: sentence_bleu([WORDS], ["a", "b"], smoothing_function=SmoothingFunction(k=0).method4),
            *(errors.SmoothingParameterError, ZeroDivisionError, "k=0"),
        ),
        (
            lambda: sentence_bleu([WORDS], WORDS[:3], smoothing_function=SmoothingFunction(alpha=0).method6),
            *(errors.SmoothingParameterError, ZeroDivisionError, "alpha=0"),
        ),
    ],
)
def test_errors(call, error, also, text):
    with pytest.raises(error, match=text) as caught:
        call()
    assert isinstance(caught.value, also)
    assert isinstance(caught.value, errors.CybleuError)
    assert not str(caught.value).startswith(("'", '"'))
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def collect(action, calls=1, **kwargs):
    with warnings.catch_warnings(record=True) as caught:
        warnings.resetwarnings()
        warnings.filterwarnings(action, **kwargs)
        for _ in range(calls):
            sentence_bleu([WORDS], ["a", "b", "x"])
    return caught


def test_one_warning_for_each_order():
    texts = [str(warning.message) for warning in collect("always")]
    assert [text.split("\n")[1] for text in texts] == [
        f"The hypothesis contains 0 counts of {n}-gram overlaps." for n in (3, 4)
    ]
    assert all(text.startswith("\n") for text in texts)
    assert {warning.category for warning in collect("always")} == {UserWarning}


def test_the_warning_shows_the_line_of_the_caller(backend):
    line = collect.__code__.co_firstlineno + 5
    assert [(found.filename, found.lineno) for found in collect("always")] == [(__file__, line)] * 2
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        corpus_bleu([[WORDS]], [["a", "b", "x"]])
        sentence_bleu([WORDS], ["a", "b", "x"], smoothing_function=SmoothingFunction().method0)
        sentence_bleu_many([[WORDS]], [["a", "b", "x"]])
    assert {found.filename for found in caught} == {__file__} and len({found.lineno for found in caught}) == 3


def test_filters_by_message_and_module():
    assert collect("ignore", module=r"cybleu\.bleu_score") == []
    assert collect("ignore", message=r"\nThe hypothesis contains 0 counts") == []
    (caught,) = collect("ignore", message=r"\nThe hypothesis contains 0 counts of 3-gram")
    assert "4-gram" in str(caught.message)


def test_a_filter_that_does_not_match_silences_nothing():
    for kwargs in ({"category": DeprecationWarning}, {"message": "other"}, {"module": "other"}, {"lineno": 1}):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warnings.filterwarnings("ignore", **kwargs)
            sentence_bleu([WORDS], ["a", "b", "x"])
        assert len(caught) == 2, kwargs


def test_filters_that_change_are_asked_again():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        sentence_bleu([WORDS], ["a", "b", "x"])
        assert not caught
        warnings.filters.pop(0)
        warnings.filters.insert(0, ("always", None, UserWarning, None, 0))
        sentence_bleu([WORDS], ["a", "b", "x"])
        assert len(caught) == 2
