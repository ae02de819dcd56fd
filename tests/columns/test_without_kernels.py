"""Columns where there are no kernels: read by the methods of their producer, or by pyarrow."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import cybleu
from cybleu import columns
from cybleu.errors import ArrowError, CybleuError, SequenceTypeError
from inputs import side_by_side, using_backend

HYPOTHESES = ["The cat sat.", "", "é" * 30, "the the the"]
REFERENCES = ["The cat sits.", "x", "é" * 30, "the cat"]
TOKENS, OTHERS = ([text.split() for text in texts] for texts in (HYPOTHESES, REFERENCES))


@pytest.fixture(autouse=True)
def mirror():
    with using_backend("python"):
        yield


def wanted():
    return cybleu.rows(HYPOTHESES, [[text] for text in REFERENCES], tokenize="13a").tolist()


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

    assert cybleu.rows(column(HYPOTHESES), column(REFERENCES), tokenize="13a").tolist() == wanted()
    tokens = cybleu.rows(column([tuple(text) for text in TOKENS]), column(OTHERS)).tolist()
    assert tokens == cybleu.rows(TOKENS, [[text] for text in OTHERS]).tolist()
    assert (
        cybleu.rows(column([np.array([1, 3])]), column([[1, 2]])).tolist() == cybleu.rows([[1, 3]], [[[1, 2]]]).tolist()
    )
    for missing in (None, float("nan")):
        with pytest.raises(SequenceTypeError, match=r"hypotheses\[1\] is null"):
            cybleu.rows(column(["a", missing]), [["a"]] * 2, tokenize="13a")
    for values in (["a", 1], [["a"], "a"], [1.5], [True, "a"], [[[["a"]]]], [2**63, 1], [{}]):
        with pytest.raises(CybleuError):
            cybleu.rows(column(values), column(values), tokenize="13a")


def test_tables_are_read_by_fetchall():
    rows = list(zip(HYPOTHESES, REFERENCES))
    table = Producer(columns=["hypothesis", "reference"], fetchall=lambda: rows)
    assert side_by_side(columns.rows(table)) == wanted()
    assert len(columns.rows(Producer(columns=["hypothesis", "reference"], fetchall=list))["hyp_len"]) == 0


def test_other_columns_require_pyarrow(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ArrowError, match=r"Producer .* pip install pyarrow"):
        cybleu.rows(Producer(), [["a"]], tokenize="13a")


def test_other_columns_are_read_by_pyarrow(pyarrow):
    for table in (pyarrow.table({"hypothesis": HYPOTHESES, "reference": REFERENCES}),):
        for handed in (Handing(table), Handing(table.to_batches()[0])):
            assert side_by_side(columns.rows(handed)) == wanted()
        assert (
            cybleu.rows(Handing(table["hypothesis"].chunk(0)), Handing(table["reference"]), tokenize="13a").tolist()
            == wanted()
        )
    with pytest.raises(ArrowError):
        cybleu.rows(Handing(pyarrow.array([1.5])), [["a"]], tokenize="13a")


class Handing:
    """Implements the interface and nothing else."""

    def __new__(cls, producer):
        methods = {
            name: lambda self, requested_schema=None, name=name: getattr(producer, name)()
            for name in ("__arrow_c_array__", "__arrow_c_stream__")
            if hasattr(producer, name)
        }
        return object.__new__(type("Handing", (), methods))
