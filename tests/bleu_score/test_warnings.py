"""Warnings can be filtered like NLTK's."""

import warnings

from cybleu import (
    SmoothingFunction,
    corpus_bleu,
    sentence_bleu,
    sentence_bleu_many,
)

WORDS = ["a", "b", "c", "d", "e"]


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


def test_the_warning_shows_the_line_of_the_caller():
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
        # Free-threaded Pythons keep them for each context, from 3.14 on.
        filters = getattr(warnings, "_get_filters", lambda: warnings.filters)()
        filters.pop(0)
        filters.insert(0, ("always", None, UserWarning, None, 0))
        sentence_bleu([WORDS], ["a", "b", "x"])
        assert len(caught) == 2
