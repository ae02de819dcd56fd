"""Columns where there are no kernels: read by the methods of their producer, or by pyarrow."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from cybleu import columns, segment_stats
from cybleu.errors import ArrowError, CybleuError, SequenceTypeError
from inputs import using_backend

HYPOTHESES = ["The cat sat.", "", "é" * 30, "the the the"]
REFERENCES = ["The cat sits.", "x", "é" * 30, "the cat"]
TOKENS, OTHERS = ([text.split() for text in texts] for texts in (HYPOTHESES, REFERENCES))


@pytest.fixture(autouse=True)
def mirror():
    with using_backend("python"):
        yield


def wanted():
    return segment_stats([[text] for text in REFERENCES], HYPOTHESES, tokenize="13a").tolist()


class Producer:
    """Implements the interface, and has its values as Python objects."""

    def __init__(self, **methods):
        vars(self).update(methods)

    def __arrow_c_stream__(self, requested_schema=None):
        raise AssertionError("not called")


@pytest.mark.parametrize("method", ["to_pylist", "to_list"])
def test_columns_are_read_by_the_methods_of_their_producer(method):
    def column(values):
        return Producer(**{method: lambda: values})

    assert segment_stats(column(REFERENCES), column(HYPOTHESES), tokenize="13a").tolist() == wanted()
    tokens = segment_stats(column(OTHERS), column([tuple(text) for text in TOKENS])).tolist()
    assert tokens == segment_stats([[text] for text in OTHERS], TOKENS).tolist()
    assert (
        segment_stats(column([[1, 2]]), column([np.array([1, 3])])).tolist()
        == segment_stats([[[1, 2]]], [[1, 3]]).tolist()
    )
    for missing in (None, float("nan")):
        with pytest.raises(SequenceTypeError, match=r"hypotheses\[1\] is null"):
            segment_stats([["a"]] * 2, column(["a", missing]), tokenize="13a")
    for values in (["a", 1], [["a"], "a"], [1.5], [True, "a"], [[[["a"]]]], [2**63, 1], [{}]):
        with pytest.raises(CybleuError):
            segment_stats(column(values), column(values), tokenize="13a")


def test_tables_are_read_by_fetchall():
    rows = list(zip(HYPOTHESES, REFERENCES))
    table = Producer(columns=["hypothesis", "reference"], fetchall=lambda: rows)
    assert columns.statistics(columns.rows(table)).tolist() == wanted()
    assert len(columns.rows(Producer(columns=["hypothesis", "reference"], fetchall=list))["hyp_len"]) == 0


def test_other_columns_require_pyarrow(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ArrowError, match=r"Producer .* pip install pyarrow"):
        segment_stats([["a"]], Producer(), tokenize="13a")


def test_other_columns_are_read_by_pyarrow(pyarrow):
    for table in (pyarrow.table({"hypothesis": HYPOTHESES, "reference": REFERENCES}),):
        for handed in (Handing(table), Handing(table.to_batches()[0])):
            assert columns.statistics(columns.rows(handed)).tolist() == wanted()
        assert (
            segment_stats(Handing(table["reference"]), Handing(table["hypothesis"].chunk(0)), tokenize="13a").tolist()
            == wanted()
        )
    with pytest.raises(ArrowError):
        segment_stats([["a"]], Handing(pyarrow.array([1.5])), tokenize="13a")


class Handing:
    """Implements the interface and nothing else."""

    def __new__(cls, producer):
        methods = {
            name: lambda self, requested_schema=None, name=name: getattr(producer, name)()
            for name in ("__arrow_c_array__", "__arrow_c_stream__")
            if hasattr(producer, name)
        }
        return object.__new__(type("Handing", (), methods))
