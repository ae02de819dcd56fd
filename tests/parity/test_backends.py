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
from cybleu.bleu_score import SmoothingFunction, parts
from cybleu.bleu_score.no_match import warn_no_match
from cybleu.bleu_score.smoothing import METHODS
from inputs import MODULUS, TOKENS, is_plain, segments
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
@example(([["a", "b"]] * 1100, ["a"] * 65), 4)
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
    for other in (0, 63, 64, 65):
        references = [tokens[3 : 3 + other], tokens[:other]]
        hypothesis = tokens[:length]
        for first, second in ((references, hypothesis), ([hypothesis], references[0])):
            counts = kernels.segment_counts(first, second, 4)
            assert counts == (parts.segment_counts(first, second, 4) if plain((first, second)) else None)


TEXT = "a b c a b d e f c a".split()
SEGMENT = [TEXT, TEXT[2:7]], TEXT[1:]
QUARTERS = (0.25,) * 4


@pytest.fixture
def compiled(kernels):
    """The compiled `sentence_bleu` without the function that computes what it declines."""

    def declined(references, hypothesis, weights=QUARTERS, smoothing_function=None, auto_reweigh=False):
        return None

    return kernels.sentence_bleu(declined, SmoothingFunction, METHODS, warn_no_match)


@pytest.fixture
def corpus_of_kernel(kernels):
    """The same of `corpus_bleu`."""
    return kernels.Scorer(SmoothingFunction, METHODS, warn_no_match).corpus


# tests/oracle compares scores with NLTK's; a kernel that declined these would take long, and no score would show it.


@pytest.mark.parametrize("method", METHODS)
def test_no_method_is_declined(compiled, method):
    assert compiled(*SEGMENT, QUARTERS, method.__get__(SmoothingFunction())) is not None


@pytest.mark.parametrize("method", METHODS[:5])
def test_no_method_of_the_sum_is_declined(corpus_of_kernel, method):
    corpus = [SEGMENT[0]], [SEGMENT[1]]
    assert corpus_of_kernel(*corpus, QUARTERS, method.__get__(SmoothingFunction()), False) is not None


@pytest.mark.filterwarnings("ignore::UserWarning")  # that an order has no match
@pytest.mark.parametrize(
    ("segment", "weights"),
    [
        (SEGMENT, [0.5, 0.5]),
        (SEGMENT, [(1.0,), (0.2,) * 5]),
        (([[*range(9)]], [*range(1, 9)]), QUARTERS),
        (([TEXT * 9], TEXT[::-1] * 8), (1 / 16,) * 16),
        (([TEXT], ["x", "y"]), QUARTERS),
        (([TEXT], []), QUARTERS),
    ],
    ids=["a list of weights", "several weights", "ids", "long texts", "no match", "no token"],
)
def test_no_plain_tokens_are_declined(compiled, segment, weights):
    assert compiled(*segment, weights) is not None


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
