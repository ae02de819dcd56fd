"""Sums and MIRA passes on rows of dense and compressed features: kernel and mirror agree."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cybleu import _mirror
from statistics_rows import ints

NUMBERS = st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.1, 1 / 3, -2.5, 1e10, 1e-10, 1e308])


@st.composite
def tables(draw, numbers=NUMBERS):
    """The arguments of the class."""
    count, width, compressed = draw(st.integers(1, 9)), draw(st.integers(0, 6)), draw(st.integers(0, 5))
    dense = draw(st.lists(numbers, min_size=count * width, max_size=count * width))
    parts = ()
    if compressed or not width or draw(st.booleans()):
        compressed = compressed or 1
        rows = [sorted(draw(st.sets(st.integers(0, compressed - 1)))) for _ in range(count)]
        columns = [column for row in rows for column in row]
        values = draw(st.lists(numbers, min_size=len(columns), max_size=len(columns)))
        indptr = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        parts = indptr, np.array(columns, dtype=np.int64), np.array(values), compressed
    return np.array(dense).reshape(count, width), *parts


def both(kernels, table):
    return kernels.FeatureRows(*table), _mirror.FeatureRows(*table)


def same(one, other):
    assert one.tobytes() == other.tobytes() or np.array_equal(one, other, equal_nan=True)


@given(tables(), st.data())
def test_the_same_sums(kernels, table, data):
    count, size = len(table[0]), table[0].shape[1] + (table[4] if len(table) > 1 else 0)
    weights = np.array(data.draw(st.lists(NUMBERS, min_size=size, max_size=size)))
    starts = data.draw(st.sets(st.integers(1, count - 1))) if count > 1 else ()
    offsets = ints(0, *sorted(starts), count)
    found = []
    for rows in both(kernels, table):
        values, chosen = np.full(count, 7.0), np.full(len(offsets) - 1, -1, dtype=np.int64)
        with np.errstate(all="ignore"):
            rows.weigh(weights, values)
            rows.winners(offsets, weights, values, values, 0.0, 0.0, chosen)
        # values that are not finite have no winner
        found.append((values, chosen if np.isfinite(values).all() else values))
    for one, other in zip(*found):
        same(one, other)


@given(tables(st.sampled_from([0.0, 1.0, -1.0, 0.5, 3.0, 1 / 3, 0.1])), st.data())
def test_the_same_passes(kernels, table, data):
    count, size = len(table[0]), table[0].shape[1] + (table[4] if len(table) > 1 else 0)
    starts = data.draw(st.sets(st.integers(1, count - 1))) if count > 1 else ()
    offsets = np.array([0, *sorted(starts), count], dtype=np.int64)
    order = np.array(data.draw(st.permutations(range(len(offsets) - 1))), dtype=np.int64)
    orders = data.draw(st.integers(1, 4))
    fixed = shares = stats = None
    if data.draw(st.booleans()):
        rows = data.draw(st.lists(st.lists(st.integers(0, 5), min_size=2 + 2 * orders, max_size=2 + 2 * orders),
                                  min_size=count, max_size=count))  # fmt: skip
        stats = np.array(rows, dtype=np.int64)
        if data.draw(st.booleans()):
            shares = np.array(
                data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, -2.0, 1e301]), min_size=orders, max_size=orders))
            )
    else:
        fixed = np.array(
            data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 40.0, -1.0]), min_size=count, max_size=count))
        )
    start = np.array(data.draw(st.lists(st.sampled_from([0.0, 1.0, -0.3, 7.0]), min_size=size, max_size=size)))
    first_background = data.draw(st.sampled_from([0.0, 1.0, 0.25]))
    how = (
        data.draw(st.sampled_from([0.01, 1.0, 1e3])),
        data.draw(st.sampled_from([0.0, 0.999, 1.0])),
        data.draw(st.sampled_from([0.0, 5.0])),
        data.draw(st.booleans()),
    )
    found = []
    for backend in (kernels, _mirror):
        rows = backend.FeatureRows(*table)
        weights, lag, background = start.copy(), np.zeros(size), np.full(2 + 2 * orders, first_background)
        updates = 0
        for _ in range(3):
            updates = rows.mira_pass(offsets, order, stats, fixed, shares, background, weights, lag, updates, *how)
        found.append((weights, lag, background, np.array([updates])))
    for one, other in zip(*found):
        same(one, other)
    assert updates == 3 * len(order)
