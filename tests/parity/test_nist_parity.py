"""NIST on the two backends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cybleu import _mirror
from inputs import corpora, long_segments, segments


@given((segments() | long_segments()).map(lambda segment: ([segment[0]], [segment[1]])) | corpora(), st.integers(1, 16))
def test_sums(kernels, corpus, n):
    found = kernels.corpus_nist(*corpus, n)
    if found is not None:
        assert found == _mirror.corpus_nist(*corpus, n)


@pytest.mark.parametrize("n", [0, -1, 17, 2**63, 2.0, True, None])
def test_orders_that_are_declined(kernels, n):
    assert kernels.corpus_nist([[["a"]]], [["a"]], n) is None


@pytest.mark.parametrize(
    "corpus",
    [
        ([[]], [["a"]]),
        ([["a"]], [["a"]]),
        ([[["a"]]], ["a"]),
        ([[["a"]]], [["a"], ["a"]]),
        ([[[1j]]], [["a"]]),
        ([[["a"]]], [[("a",)]]),
        (iter([]), []),
    ],
)
def test_corpora_that_are_declined(kernels, corpus):
    assert kernels.corpus_nist(*corpus, 2) is None
