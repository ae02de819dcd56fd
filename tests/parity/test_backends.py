"""Compare kernels and definitions in Python: counts, scores, declined input, exceptions."""

import ast
import sys
from inspect import signature
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

import cybleu
from cybleu import _mirror
from cybleu.bleu_score import SmoothingFunction, corpus_bleu, parts, sentence_bleu
from cybleu.bleu_score.no_match import warn_no_match
from cybleu.bleu_score.smoothing import METHODS
from inputs import MODULUS, TOKENS, assert_same, corpora, is_plain, number, outcome, segments
from on_mirror import on_mirror


def plain(segment):
    """Whether the kernels must not decline the tokens; all containers are lists here."""
    references, hypothesis = segment
    return all(is_plain(token) for text in [*references, hypothesis] for token in text)


orders = st.sampled_from([0, 1, 2, 3, 4, 5, 9, 16, 17, 63, 64, 65, 100])


@given(segments(), orders)
@example(([[]], []), 4)
@example(([["a"] * 64], ["a"] * 64), 64)
@example(([["a"] * 65, [], ["a"] * 63], ["a"] * 64), 65)
@example(([["a"] * 3] * 300 + [["a", "b"] * 9], ["a", "b"] * 9), 8)
@example(([[], ["a"] * 65], []), 4)
@example(([[], ["a"]], ["a"] * 65), 4)
@example(([["a", "b"]] * 1100 + [["a"] * 4], ["a", "b", "c"]), 4)
@example(([["a", "b"] * 40] * 1100, ["a"] * 65), 4)
@example(([[1, MODULUS + 1, True, 1.0]], [MODULUS + 1, 1, 1, 1.0]), 4)
def test_segment_counts(kernels, segment, max_order):
    counts = kernels.segment_counts(*segment, max_order)
    if plain(segment):
        assert counts == parts.segment_counts(*segment, max_order)
    else:
        assert counts is None


@pytest.mark.parametrize("name", sorted(TOKENS))
@pytest.mark.parametrize("length", [1, 15, 16, 17, 62, 63, 64, 65, 66, 127, 128, 129, 1024])
def test_every_pair_of_lengths(kernels, name, length):
    tokens = TOKENS[name] * (1 + 1100 // len(TOKENS[name]))
    for other in (0, 1, 63, 64, 65, 130):
        references = [tokens[3 : 3 + other], tokens[:other]]
        hypothesis = tokens[:length]
        for first, second in ((references, hypothesis), ([hypothesis], references[0])):
            counts = kernels.segment_counts(first, second, 4)
            assert counts == (parts.segment_counts(first, second, 4) if plain((first, second)) else None)


weights_in_range = st.lists(number, min_size=1, max_size=16).map(tuple) | st.lists(
    st.lists(number, max_size=16), min_size=1, max_size=16
).filter(lambda vectors: vectors[0])


def owed(weights, method, general):
    """Whether the kernel must not decline plain text, given the result of the general path."""
    orders = max(map(len, weights)) if isinstance(weights, list) else len(weights)
    if general.error is not None or (method >= 5 and orders > 4):  # fractions that 64 bits need not hold
        return False
    values = general.value if isinstance(general.value, list) else [general.value]
    return max(values) < 1e290  # beyond which Python decides what is too large


def compare(kernel, general, is_owed):
    assert not is_owed or kernel.value is not None
    if kernel.value is None:
        assert kernel.error is None and kernel.warned == []
    else:
        assert general.error is None
        assert_same(kernel, general)


@pytest.mark.thread_unsafe(reason="one process has the mirror")
@pytest.mark.parametrize("method", range(len(METHODS)))
@given(segments(), weights_in_range, st.booleans())
def test_scores(kernels, method, segment, weights, auto_reweigh):
    arguments = *segment, weights, getattr(SmoothingFunction(), f"method{method}"), auto_reweigh

    def declined(references, hypothesis, weights=None, smoothing_function=None, auto_reweigh=False):
        return None

    general = on_mirror(outcome, sentence_bleu, *arguments)
    kernel = outcome(kernels.sentence_bleu(declined, SmoothingFunction, METHODS, warn_no_match), *arguments)
    compare(kernel, general, plain(segment) and owed(weights, method, general))


@pytest.mark.thread_unsafe(reason="one process has the mirror")
@pytest.mark.parametrize("method", range(len(METHODS)))
@given(corpora(), weights_in_range, st.booleans())
def test_scores_of_corpora(kernels, method, corpus, weights, auto_reweigh):
    arguments = *corpus, weights, getattr(SmoothingFunction(), f"method{method}"), auto_reweigh
    general = on_mirror(outcome, corpus_bleu, *arguments)
    kernel = outcome(kernels.Scorer(SmoothingFunction, METHODS, warn_no_match).corpus, *arguments)
    compare(kernel, general, all(map(plain, zip(*corpus))) and method < 5 and owed(weights, method, general))


def test_same_names(kernels):
    for module, names in _mirror.NAMES.items():
        for name in names.split():
            assert getattr(kernels, name).__module__ == kernels.__name__
            assert getattr(_mirror, name).__module__ == f"{_mirror.__name__}.{module}"


@pytest.mark.thread_unsafe(reason="up to CPython 3.12 reading source in several threads at once can fail")
def test_the_stub_describes_the_kernels(kernels):
    """With it, mypy checks the code that calls them; the session `types` checks this code with the mirror, too."""
    stub = ast.parse(Path(cybleu.__file__).with_name("_kernels").joinpath("kernels.pyi").read_text("utf-8"))
    described = {node.name: node for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    assert sorted(described) == sorted(" ".join(_mirror.NAMES.values()).split())
    for name, node in described.items():
        found = getattr(kernels, name)
        if isinstance(node, ast.FunctionDef):
            assert [*signature(found).parameters] == [parameter.arg for parameter in node.args.args], name
        else:
            members = [part.name if isinstance(part, ast.FunctionDef) else part.target.id for part in node.body]
            assert {*members} <= {*dir(found)}, name


def test_the_other_process_has_the_mirror(kernels):
    assert (cybleu.BACKEND, on_mirror(lambda: cybleu.BACKEND)) == ("cython", "python")


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
        ([plain], [2**63]),
        ([plain], [-(2**63) - 1, b"a", 1.0, True, None]),
        ([], plain),
        (None, plain),
        ([plain], None),
    ):
        for lengthened in (1, 100):
            if type(hypothesis) is list:
                hypothesis = hypothesis * lengthened
            assert kernels.segment_counts(references, hypothesis, 2) is None


def test_lists_that_have_become_too_short_are_declined(kernels):
    rows = np.zeros((5, 10), dtype=np.int64)
    for count in range(5):
        assert kernels.segment_rows([[["a"]]] * count, [["a"]] * 5, 4, 0, 5, rows) == count
        assert kernels.segment_rows([[["a"]]] * 5, [["a"]] * count, 4, 0, 5, rows) == count


def test_tokens_are_released(kernels):
    tokens = [f"token {number}" for number in range(100)]
    rows = np.zeros((3, 10), np.int64)

    def count_often():
        unhashable = [*tokens, []]
        for hypothesis in (tokens[:50], tokens, unhashable, unhashable[60:]):
            for references in ([tokens], [tokens[:30], unhashable], []):
                for _ in range(50):
                    kernels.segment_counts(references, hypothesis, 4)
                    kernels.segment_rows([references] * 3, [hypothesis] * 3, 4, 0, 3, rows)

    before = [sys.getrefcount(token) for token in tokens]
    count_often()
    assert [sys.getrefcount(token) for token in tokens] == before
