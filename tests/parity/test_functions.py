"""Functions of both backends that return what they compute: equal results, and what kernels decline."""

from array import array

import pytest
from hypothesis import example, given, strategies as st

from cybleu import _mirror
from cybleu._definitions import gleu, nist
from cybleu.bleu_score import parts
from inputs import MODULUS, TOKENS, corpora, is_plain, long_segments, segments

NAN = float("nan")
ORDERS = st.sampled_from([1, 2, 3, 4, 5, 9, 16, 17, 63, 64, 65, 100])
any_segments = segments() | long_segments()
any_corpora = any_segments.map(lambda segment: ([segment[0]], [segment[1]])) | corpora()
tokens = st.lists(st.sampled_from([token for kind in TOKENS.values() for token in kind]), max_size=200)


# For each function its arguments; kernels return None for those that they decline.
ARGUMENTS = {
    "clipped_matches": st.tuples(any_segments, ORDERS).map(lambda drawn: (*drawn[0], drawn[1])),
    "gleu_counts": st.tuples(any_corpora, st.sampled_from([(1, 4), (2, 2), (3, 16)])).map(
        lambda drawn: (*drawn[0], *drawn[1])
    ),
    "corpus_nist": st.tuples(any_corpora, st.integers(1, 16)).map(lambda drawn: (*drawn[0], drawn[1])),
    "types_within": st.tuples(st.lists(tokens | tokens.map(tuple), max_size=4)),
}
DEFINITIONS = {
    "clipped_matches": parts.matches_and_total,
    "gleu_counts": gleu.gleu_counts,
    "corpus_nist": nist.nist_of_corpus,
    "types_within": _mirror.types_within,
}


@pytest.mark.parametrize("name", ARGUMENTS)
@given(st.data())
def test_results(kernels, name, data):
    arguments = data.draw(ARGUMENTS[name])
    found = getattr(kernels, name)(*arguments)
    if found is not None:
        assert found == DEFINITIONS[name](*arguments)
    elif name == "clipped_matches":
        references, hypothesis, order = arguments
        assert order > 64 or not all(map(is_plain, sum(references, hypothesis)))


CORPUS = [[["a"]]], [["a"]]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        *(("corpus_nist", (*CORPUS, order)) for order in (0, -1, 17, 2**63, 2.0, True, None)),
        *(("gleu_counts", (*CORPUS, *orders)) for orders in ((0, 4), (1, 17), (3, 2), (1, 2.0), (True, 2))),
        *(
            (name, (*corpus, *orders))
            for name, orders in (("corpus_nist", [2]), ("gleu_counts", [1, 4]))
            for corpus in (
                ([[]], [["a"]]),
                ([["a"]], [["a"]]),
                ([[["a"]]], ["a"]),
                ([[["a"]]], [["a"], ["a"]]),
                ([[[1j]]], [["a"]]),
                ([[["a"]]], [[("a",)]]),
                (iter([]), []),
            )
        ),
    ],
)
def test_what_is_declined(kernels, name, arguments):
    assert getattr(kernels, name)(*arguments) is None


def numbered(backend, texts):
    """The number of different tokens and their numbers in the order in which tokens first occur."""
    ids = array("i", [-7]) * len(texts)
    different = backend.number_tokens(texts, ids)
    if different is None:
        return None, None
    places = {number: place for place, number in enumerate(dict.fromkeys(ids))}
    assert sorted(places) == list(range(different))
    return different, [places[number] for number in ids]


@given(tokens)
@example([1, True, 1.0, MODULUS + 1, "1", b"1", None])
@example([sign * 2**power - less for power in (0, 29, 30, 31, 52, 60, 62) for sign in (1, -1) for less in (0, 1)])
@example([2**63 - 1, -(2**63), "0", "1", 0, 1])
@example([0, -0.0, False, 0.5, NAN, NAN, float("nan"), float("inf"), 10**300, int(1e300), 1e300, -1, -2])
@example([2**63])
@example(["a"] * 1000 + [*map(str, range(5000)), *range(5000)])
def test_numbers_of_tokens(kernels, texts):
    different, ids = numbered(kernels, texts)
    if all(map(is_plain, texts)):
        assert (different, ids) == numbered(_mirror, texts)
    else:
        assert different is None
