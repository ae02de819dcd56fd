"""Kernels check the sizes that they compute with, also those that only another caller than the package would pass."""

from __future__ import annotations

import sys
from contextlib import suppress

import numpy as np
import pytest

from arrow_capsules import AsArray, texts
from cybleu.errors import ArrowError
from cybleu.metrics import Bleu

MOST = sys.maxsize  # 2**63 - 1, or 2**31 - 1
ORDERS = [-MOST - 1, -1, MOST // 2, MOST // 2 + 1, MOST - 1, MOST]
NOTHING = np.zeros(0, np.int64)
BEGIN, END = np.zeros(1, np.int64), np.ones(1, np.int64)
NO_COLUMNS = np.zeros((1, 0), np.int64)


@pytest.mark.parametrize("order", ORDERS)
def test_orders_that_no_row_can_have(kernels, order):
    tokenizer, one = kernels.Tokenizer("13a"), kernels.RawTexts(["a"])
    segment = [[["a"]], ["a"]]
    sets = np.array([0, 1], dtype=np.int64)
    for call in (
        lambda: kernels.segment_counts(*segment, order),
        lambda: kernels.segment_rows([segment[0]], [segment[1]], order, 0, 1, NO_COLUMNS),
        lambda: kernels.raw_row(tokenizer, "a", ["a"], order, "closest"),
        lambda: kernels.raw_rows(tokenizer, one, one, sets, order, "closest", 0, 1, NO_COLUMNS),
        lambda: kernels.leave_one_out(BEGIN, BEGIN, END, order, NO_COLUMNS),
        lambda: kernels.PreparedReferences(BEGIN, BEGIN, END, sets, END, sets, order, None, None).count_rows(
            BEGIN, BEGIN, END, BEGIN, 0, 1, NO_COLUMNS
        ),
    ):
        with pytest.raises((ValueError, MemoryError)):
            call()


@pytest.mark.parametrize("ignored", [(), (BEGIN,), (BEGIN, END, END), []])
def test_ngrams_to_ignore_without_offsets(kernels, ignored):
    sets = np.array([0, 1], dtype=np.int64)
    with pytest.raises(ValueError, match="unpack"):
        kernels.PreparedReferences(BEGIN, BEGIN, END, sets, END, sets, 4, None, ignored)


def test_fewer_weights_than_orders(kernels):
    rules = Bleu("nltk").rules(4)
    with pytest.raises(ValueError, match="weights"):
        kernels.Definition(rules._replace(weights=(1.0,), order=4))


@pytest.mark.parametrize("name", ["lines_of_counts", "lines_of_numbers"])
def test_lines_of_more_bytes_than_a_size_holds(kernels, name):
    zero = {"lines_of_counts": np.int64(0), "lines_of_numbers": np.float64(0)}[name]
    with pytest.raises(MemoryError):
        getattr(kernels, name)(np.broadcast_to(zero, ((MOST + 1) >> 30, 2**26)))


@pytest.mark.parametrize("compressed", [-1, MOST])
def test_features_of_no_possible_number(kernels, compressed):
    with pytest.raises(ValueError, match="features"):
        kernels.FeatureRows(np.zeros((1, 2)), compressed=compressed)
    with pytest.raises(ValueError, match="features"):
        kernels.FeatureRows(np.zeros((1, 2)), np.zeros(2, np.int64), NOTHING, np.zeros(0), compressed)


def test_parts_of_raw_text(kernels):
    texts, bounds = kernels.RawTexts(["a", "b"]), np.zeros(3, np.int64)
    with pytest.raises(ValueError, match="start"):
        kernels.RawTexts.side_by_side([texts, texts], [0], bounds)
    with pytest.raises(TypeError):
        kernels.RawTexts.side_by_side([None], [0], bounds)
    with pytest.raises(TypeError):
        kernels.RawTexts.row_by_row([None], [BEGIN], [END], bounds[:2])
    with pytest.raises(TypeError):
        kernels.ArrowValues([None])


def test_what_is_made_once_stays_as_it_is(kernels):
    definition = kernels.Definition(Bleu(max_order=1).rules())
    texts = kernels.PairwiseTexts(BEGIN, BEGIN, END, 1)
    texts.prepare(definition)
    with suppress(TypeError):
        definition.__init__(Bleu(max_order=4).rules())
    scores = np.empty((1, 1))
    texts.score_each_other(definition, 0, 1, scores)
    assert round(scores[0, 0], 6) == 100.0


def test_a_column_that_was_not_read(kernels):
    kind = type(next(kernels.arrow_arrays(AsArray(texts([])))[1]))
    column = kind.__new__(kind)
    assert (len(column), column.names) == (0, None)
    assert len(kernels.ArrowValues([column])) == 0
    with pytest.raises(ArrowError):
        column.field(0)
