"""Scores of rows: kernel and mirror agree bit for bit, and the mirror scores rows that the kernel declines."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from cybleu import _mirror, metrics
from cybleu._definitions.bleu import Formula
from cybleu.errors import CybleuError
from cybleu.metrics import VARIANTS
from cybleu.metrics.variants import SMOOTHINGS
from inputs import DEFINITIONS


@st.composite
def rows_of_segments(draw):
    order = draw(st.integers(1, 16))
    rows = []
    for _ in range(draw(st.integers(1, 4))):
        length = draw(st.one_of(st.integers(0, 6), st.integers(0, 80), st.integers(0, 10**9)))
        totals = [max(0, length - n) for n in range(order)]
        matches = []
        most = length
        for total in totals:
            most = draw(st.sampled_from([0, min(most, total), draw(st.integers(0, min(most, total)))]))
            matches.append(most)
        reference_length = draw(st.one_of(st.just(length), st.integers(0, 90), st.integers(0, 10**9)))
        rows.append([length, reference_length, *matches, *totals])
    return order, rows


@st.composite
def choices(draw, order):
    rules = draw(st.sampled_from(list(VARIANTS.values())))
    if draw(st.booleans()):
        rules = replace(
            rules,
            smoothings=tuple((kind, kind, 1.5) for kind in SMOOTHINGS),
            scale=draw(st.sampled_from([1, 100, 0.1, 1e305])),
            short_segments_count=draw(st.booleans()),
            empty_order=draw(st.sampled_from(["zero", "one", "end"])),
            no_match_at_all=draw(st.sampled_from(["zero", "smoothed", "zero-in-any-order"])),
            mean=draw(st.sampled_from(["exact", "logs", "fractions", "shares", "arithmetic", "exact-or-zero"])),
            penalty=draw(st.sampled_from(["exponential", "none", "ratio", "tiny-over-small", "added-one"])),
            penalty_adds=draw(st.sampled_from([0, 1, 0.3])),
            empty_hypothesis="zero",
        )
    if draw(st.booleans()):
        empty = draw(st.sampled_from(["zero", "scored"]))
        smoothings = VARIANTS["codexglue"].smoothings
        rules = replace(rules, mean="log-differences", smoothings=smoothings, empty_hypothesis=empty)
    name, _, default = draw(st.sampled_from(rules.smoothings))
    value = draw(st.sampled_from([None, 0.5, 3, 1e-9, 1e-320, 1e307])) if default is not None else None
    weight = st.one_of(st.floats(0, 1), st.floats(-2, 2), st.just(0.0), st.just(1 / 3), st.just(1e300))
    weights = draw(st.one_of(st.none(), st.lists(weight, min_size=order, max_size=order)))
    if rules.mean in ("product", "log-differences"):
        weights = None
    effective_order = draw(st.booleans()) and rules.mean != "log-differences"
    return metrics.Bleu(rules, name, value, weights, order, effective_order).rules()


@given(st.data())
def test_rows_score_as_one_by_one(kernels, data):
    order, rows = data.draw(rows_of_segments())
    rules = data.draw(choices(order))
    kernel = kernels.Definition(rules)
    formula = Formula(rules)
    stats = np.array(rows, dtype=np.int64)
    for position in range(len(rows)):
        ours = np.full(1, math.nan)
        row = stats[position : position + 1]
        taken = kernel.score_rows(row, 0, ours)
        try:
            theirs = formula.evaluate(rows[position])
        except (CybleuError, ArithmeticError, ValueError):
            assert taken == 0 and kernel.evaluate(rows[position]) is None
        else:
            assert taken == 0 or ours[0] == theirs[0]
            parts = kernel.evaluate(rows[position])
            assert parts is None or parts == theirs
            small = rules.scale < 1e300 and (rules.value is None or rules.value < 1e300)
            plain = small and (rules.weights is None or all(abs(weight) < 3 for weight in rules.weights))
            declined = rules.mean == "log-differences"
            assert taken == 1 or not plain or declined or not math.isfinite(theirs[0])


ROWS = [[9, 9, 7, 5, 3, 1, 9, 8, 7, 6], [7, 9, 6, 3, 1, 0, 7, 6, 5, 4], [7, 9, 6, 3, 0, 0, 7, 6, 5, 4]]


@pytest.mark.parametrize(("name", "smoothing"), DEFINITIONS)
def test_every_smoothing_of_every_definition(kernels, name, smoothing):
    metric = metrics.Bleu(name, smoothing)
    formula = Formula(metric.rules())
    assert metrics.scores(np.array(ROWS), metric).tolist() == [formula.evaluate(row)[0] for row in ROWS]


@pytest.mark.parametrize("effective_order", [False, True])
def test_parts_of_a_score(kernels, effective_order):
    rules = metrics.Bleu("sacrebleu", effective_order=effective_order).rules()
    row = [3, 4, 3, 1, 0, 0, 3, 2, 1, 0]
    parts = kernels.Definition(rules).evaluate(row)
    assert (parts is None) is not effective_order  # 0 is not taken apart
    assert parts in (None, Formula(rules).evaluate(row))


@pytest.mark.parametrize(
    "row",
    [[3] * 8, [2**63] * 10, [3.5] * 10, [np.float32(3)] * 10],
    ids=["width", "beyond 64 bits", "fractions", "float"],
)
def test_rows_of_other_numbers_are_declined(kernels, row):
    assert kernels.Definition(metrics.Bleu("nltk").rules()).evaluate(row) is None


@given(rows_of_segments(), st.integers(0, 3))
def test_sums(kernels, drawn, change):
    order, rows = drawn
    stats = np.array(rows, dtype=np.int64)
    column = change % stats.shape[1]
    stats[len(rows) // 2, column] += (0, 1, -1, 10**6)[change]
    results = []
    for backend in (kernels, _mirror):
        totals = np.zeros(2 + 2 * order, dtype=np.int64)
        short = np.zeros(order, dtype=np.int64)
        impossible, too_many, largest, zeros = backend.sum_rows(stats, totals, short)
        assert impossible >= 0 or largest >= stats.max()
        results.append((impossible, too_many, totals.tolist(), short.tolist(), zeros))
    if results[0][0] >= 0:
        assert results[0][0] == results[1][0]
    else:
        assert results[0] == results[1]
