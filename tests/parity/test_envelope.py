"""Line search: kernel and mirror agree bit for bit, although the kernel skips lines for speed."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cybleu import _backend, metrics
from cybleu._mirror.search.envelope import CROSSING

MIRROR = _backend.load("python")[1]

# Ties, parallel and equal lines, several that meet in one point, and scales that differ.
numbers = st.one_of(
    st.integers(-3, 3).map(float),
    st.sampled_from([0.1, 0.2, 0.3, 1 / 3, -0.1, 1e-300, 1e100, -0.0]),
    st.floats(-10, 10),
)


@st.composite
def lists(draw, dtype):
    large = draw(st.booleans())
    sizes = draw(st.lists(st.integers(1, 150 if large else 12), min_size=1, max_size=4))
    count = sum(sizes)
    if large:
        generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
        columns = {
            "scattered": lambda: generator.normal(size=(2, count)) * draw(st.sampled_from([1.0, 1e-9, 1e6, 1e200])),
            "on a lattice": lambda: generator.integers(-9, 10, (2, count)).astype(float),
            # that differ in their last digits, as the thresholds then do
            "close": lambda: np.array([generator.integers(0, 99, count) * 1e-13, np.arange(count) % 7.0]) + 1.0,
            # that meet where no float is
            "far": lambda: generator.normal(size=(2, count)) * np.array([[1e300], [1e-12]]),
            # tangents of a parabola: all are highest somewhere
            "in convex position": lambda: np.array([-((np.arange(count) % 50.0) ** 2), np.arange(count) % 50.0]),
        }[draw(st.sampled_from(["scattered", "on a lattice", "close", "far", "in convex position"]))]()
    else:
        draw_column = st.lists(numbers, min_size=count, max_size=count)
        columns = np.array([draw(draw_column), draw(draw_column)])
    order = draw(st.integers(1, 4))
    if large:
        lengths = generator.integers(0, 10, count)
    else:
        lengths = np.array(draw(st.lists(st.integers(0, 9), min_size=count, max_size=count)), dtype=np.int64)
        generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if dtype == "int64":
        totals = np.maximum(lengths[:, None] - np.arange(order), 0)
        stats = np.hstack(
            [lengths[:, None], generator.integers(0, 10, (count, 1)), generator.integers(0, totals + 1), totals]
        )
    elif large:
        stats = generator.normal(size=(count, 2))
    else:
        stats = np.array(draw(st.lists(st.tuples(numbers, numbers), min_size=count, max_size=count)))
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    lower = draw(st.sampled_from([-math.inf, -1.0, 0.0, -1e-3]))
    upper = draw(st.sampled_from([math.inf, 1.0, 0.5, 1e300]))
    return columns, offsets, stats, lower, upper


def rows_of(backend, columns):
    return backend.FeatureRows(np.ascontiguousarray(columns.T))


def prepared(backend, columns, offsets):
    sizes = np.diff(offsets)
    order = np.lexsort([columns[1], np.repeat(np.arange(len(sizes)), sizes)]) - np.repeat(offsets[:-1], sizes)
    chosen = np.empty(len(sizes), dtype=np.int64)
    values = np.empty(columns.shape[1])
    rows, weights = rows_of(backend, columns), np.array([1.0, 0.0])
    rows.weigh(weights, values)
    rows.winners(offsets, weights, values, values, 0.0, 0.0, chosen)
    return order.astype(np.int32), chosen, values


def crossings(backend, columns, offsets, lower, upper):
    """The changes of winners on a line."""
    order, chosen, values = prepared(backend, columns, offsets)
    starts, found = np.full(len(chosen), -1, dtype=np.int64), np.empty(len(values), dtype=CROSSING)
    count = backend.crossings(values, columns[1], order, offsets, chosen, lower, upper, starts, found)
    return starts, found[:count]


@given(lists("float64"))
def test_crossings(kernels, drawn):
    columns, offsets, _, lower, upper = drawn
    ours, theirs = prepared(kernels, columns, offsets), prepared(MIRROR, columns, offsets)
    assert all((one == other).all() for one, other in zip(ours, theirs))
    ours, theirs = (crossings(backend, columns, offsets, lower, upper) for backend in (kernels, MIRROR))
    assert (ours[0] == theirs[0]).all() and ours[1].tobytes() == theirs[1].tobytes()


@given(data=st.data())
def test_best_intervals(kernels, data):
    columns, offsets, stats, lower, upper = data.draw(lists("int64"))
    rules = data.draw(st.sampled_from(["moses", "sacrebleu", "mteval-v13a", "arithmetic-mean"]))
    name = data.draw(st.sampled_from([smoothing[0] for smoothing in metrics.VARIANTS[rules].smoothings]))
    choices = metrics.Bleu(rules, name).rules(stats.shape[1] // 2 - 1)
    line = *crossings(kernels, columns, offsets, lower, upper), stats, lower, upper
    found = []
    for backend in (kernels, MIRROR):
        row = np.empty(stats.shape[1], dtype=np.int64)
        found.append((backend.best_interval(*line, backend.Definition(choices), row), row.tolist()))
    assert found[0] == found[1]


@pytest.mark.parametrize("kind", ["normal", "integers", "pencil", "tangents"])
def test_long_segments(kernels, kind):
    """Most lines are skipped before the envelope is computed."""
    generator = np.random.default_rng(5)
    count = 6000
    offsets = np.array([0, 1, 1000, 1001, 4000, count], dtype=np.int64)
    columns = generator.normal(size=(2, count))
    if kind == "integers":
        columns = generator.integers(-20, 21, (2, count)).astype(float)
    elif kind == "pencil":  # all lines of a segment meet near one point
        columns[0] = 0.7 - 0.3 * columns[1]
    elif kind == "tangents":  # each line is highest somewhere
        columns[0] = -(columns[1] ** 2) / 3
    ours, theirs = (
        crossings(backend, np.ascontiguousarray(columns), offsets, -math.inf, math.inf) for backend in (kernels, MIRROR)
    )
    assert len(ours[1]) >= 4
    assert (ours[0] == theirs[0]).all() and ours[1].tobytes() == theirs[1].tobytes()


@given(data=st.data())
def test_the_best_among_those_that_may_be(kernels, data):
    """Bounds as tight as possible, and far too wide."""
    columns, offsets, _, _, _ = data.draw(lists("float64"))
    step = data.draw(st.floats(-4, 4))
    weights = np.array([1.0, 0.0])
    values = prepared(kernels, columns, offsets)[2]
    moved = weights + step * np.array([0.0, 1.0])
    exact = np.empty(len(values))
    rows_of(kernels, columns).weigh(moved, exact)
    first_best = [first + exact[first:last].argmax() for first, last in pairwise(offsets.tolist())]
    about = values + step * columns[1]
    tight = float(np.abs(about - exact).max())
    for error in (tight, tight + 1e-3, 1e300):
        for backend in (kernels, MIRROR):
            chosen = np.full(len(first_best), -1, dtype=np.int64)
            rows_of(backend, columns).winners(offsets, moved, values, columns[1], step, error, chosen)
            assert chosen.tolist() == first_best
