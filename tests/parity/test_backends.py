"""The kernels and the mirror in one assertion, at the seam: counts, scores, what is declined, what is raised."""

from __future__ import annotations

import sys
from unittest.mock import Mock

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cybleu import _mirror
from cybleu.bleu_score import SmoothingFunction
from cybleu.bleu_score.smoothing import METHODS
from inputs import MODULUS, TOKENS, corpora, long_segments, number, segments

orders = st.sampled_from([0, 1, 2, 3, 4, 5, 9, 16, 17, 63, 64, 65, 100])


@given(segments(), orders)
@example(([[]], []), 4)
@example(([["a"] * 64], ["a"] * 64), 64)
@example(([["a"] * 65, []], ["a"] * 64), 65)
@example(([["a"] * 3] * 300 + [["a", "b"] * 9], ["a", "b"] * 9), 8)
@example(([[], ["a"] * 65], []), 4)
@example(([[], ["a"]], ["a"] * 65), 4)
@example(([["a", "b"]] * 1100, ["a", "b", "c"]), 4)
@example(([[1, MODULUS + 1, True, 1.0]], [MODULUS + 1, 1, 1, 1.0]), 4)
def test_segment_counts(kernels, segment, max_order):
    counts = kernels.segment_counts(*segment, max_order)
    plain = all(
        type(token) in (str, bytes, int, float, bool, type(None))
        for text in [*segment[0], segment[1]]
        for token in text
    )
    if plain or max_order == 0:
        assert counts == _mirror.segment_counts(*segment, max_order)
    else:
        assert counts is None


@given(long_segments(), orders)
def test_long_segment_counts(kernels, segment, max_order):
    assert kernels.segment_counts(*segment, max_order) == _mirror.segment_counts(*segment, max_order)


@given(corpora(), orders)
def test_corpus_counts(kernels, corpus, max_order):
    counts = kernels.corpus_counts(*corpus, max_order)
    if counts is not None:
        assert counts == _mirror.corpus_counts(*corpus, max_order)


@given(segments(), st.integers(1, 70))
def test_clipped_matches(kernels, segment, n):
    counts = kernels.clipped_matches(*segment, n)
    if counts is not None:
        assert counts == _mirror.clipped_matches(*segment, n)


@pytest.mark.parametrize("name", sorted(TOKENS))
@pytest.mark.parametrize("length", [1, 15, 16, 17, 62, 63, 64, 65, 66, 127, 128, 129, 1024])
def test_every_pair_of_lengths(kernels, name, length):
    tokens = TOKENS[name] * (1 + 1100 // len(TOKENS[name]))
    for other in (0, 1, 63, 64, 65, 130):
        references, hypothesis = [tokens[3 : 3 + other], tokens[:other]], tokens[:length]
        for first, second in ((references, hypothesis), ([hypothesis], references[0])):
            counts = kernels.segment_counts(first, second, 4)
            assert counts is None or counts == _mirror.segment_counts(first, second, 4)


@given(
    segments(),
    st.lists(number, min_size=1, max_size=16).map(tuple) | st.lists(st.lists(number, max_size=16), min_size=1),
    st.integers(0, 7),
    st.booleans(),
)
def test_scores(kernels, segment, weights, method, auto_reweigh):
    function = getattr(SmoothingFunction(), f"method{method}")
    warned = []
    results = []
    for module in (kernels, _mirror):
        warn = Mock()
        scorer = module.Scorer(SmoothingFunction, METHODS, warn)
        try:
            results.append(scorer.sentence(*segment, weights, function, auto_reweigh))
        except OverflowError:
            results.append(None)
        warned.append([call.args for call in warn.mock_calls])
    if None not in results:
        assert results[0] == results[1]
        assert type(results[0]) is type(results[1])
        assert warned[0] == warned[1]
    elif results[0] is None:
        assert warned[0] == []


def test_same_names(kernels):
    assert set(kernels.__all__) == set(_mirror.__all__)


def test_kernels_decline_what_could_run_code(kernels):
    class Text(str):
        __slots__ = ()

    class Texts(list):
        pass

    plain = ["a", "b"]
    for references, hypothesis in (
        ([plain], [Text("a")]),
        ([[Text("a")]], plain),
        ([plain], Texts(plain)),
        ([Texts(plain)], plain),
        (Texts([plain]), plain),
        ([plain], "ab"),
        (["ab"], plain),
        ([plain], [("a",)]),
        ([plain], [10**400, object()]),
        ([], plain),
        (None, plain),
        ([plain], None),
    ):
        for lengthened in (1, 100):
            if type(hypothesis) is list:
                hypothesis = hypothesis * lengthened
            assert kernels.segment_counts(references, hypothesis, 2) is None
            assert kernels.corpus_counts([references], [hypothesis], 2) is None


def test_tokens_are_released(kernels):
    tokens = [f"token {number}" for number in range(100)]

    def count_often():
        unhashable = [*tokens, []]
        for hypothesis in (tokens[:50], tokens, unhashable, unhashable[60:]):
            for references in ([tokens], [tokens[:30], unhashable], []):
                for _ in range(50):
                    kernels.segment_counts(references, hypothesis, 4)
                    kernels.corpus_counts([references] * 3, [hypothesis] * 3, 4)

    before = [sys.getrefcount(token) for token in tokens]
    count_often()
    assert [sys.getrefcount(token) for token in tokens] == before
