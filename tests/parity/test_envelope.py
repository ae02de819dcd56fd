"""Line searches: both backends agree bit for bit, although the kernel skips lines for speed."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from cybleu import metrics
from cybleu.nbest import NBest
from cybleu.tuning import line_search
from inputs import on_both_backends

DEFINITIONS = [
    metrics.Bleu(name, smoothing)
    for name in ("moses", "sacrebleu", "mteval-v13a", "arithmetic-mean")
    for smoothing, _, _ in metrics.VARIANTS[name].smoothings
]
# Ties, parallel and equal lines, several that meet in one point, and scales that differ.
numbers = st.one_of(
    st.integers(-3, 3).map(float),
    st.sampled_from([0.1, 0.2, 0.3, 1 / 3, -0.1, 1e-300, 1e100, -0.0]),
    st.floats(-10, 10),
)
KINDS = {
    "scattered": lambda random, count: random.normal(size=(count, 2)),
    "small": lambda random, count: random.normal(size=(count, 2)) * 1e-9,
    "large": lambda random, count: random.normal(size=(count, 2)) * 1e200,
    "on a lattice": lambda random, count: random.integers(-9, 10, (count, 2)).astype(float),
    # that differ in their last digits, as the thresholds then do
    "close": lambda random, count: 1.0 + np.stack([random.integers(0, 99, count) * 1e-13, np.arange(count) % 7.0], 1),
    # that meet where no float is
    "far": lambda random, count: random.normal(size=(count, 2)) * [1e300, 1e-12],
    # tangents of a parabola: all are highest somewhere
    "in convex position": lambda random, count: (np.arange(count) % 50.0)[:, None] ** [2, 1] * [-1.0, 1.0],
    "near one point": lambda random, count: random.normal(size=(count, 1)) * [-0.3, 1.0] + [0.7, 0.0],
}


@st.composite
def lists(draw):
    """The arguments of lists of two features, some so long that most lines are skipped."""
    kind = draw(st.sampled_from(["drawn", *KINDS]))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sizes = draw(st.lists(st.integers(1, 12) if kind == "drawn" else st.integers(1, 2500), min_size=1, max_size=4))
    count = sum(sizes)
    if kind == "drawn":
        features = draw(st.lists(st.tuples(numbers, numbers), min_size=count, max_size=count))
    else:
        features = KINDS[kind](random, count)
    lengths = random.integers(0, 10, (count, 1))
    totals = np.maximum(lengths - np.arange(draw(st.integers(1, 4))), 0)
    stats = np.hstack([lengths, random.integers(0, 10, (count, 1)), random.integers(0, totals + 1), totals])
    return np.cumsum([0, *sizes]), features, stats


@pytest.mark.thread_unsafe(reason="one process has the mirror")
@given(
    lists(),
    st.sampled_from([-math.inf, -1.0, 0.0, -1e-3]),
    st.sampled_from([math.inf, 1.0, 0.5, 1e300]),
    st.sampled_from(DEFINITIONS),
)
def test_line_search(kernels, arguments, lower, upper, metric):
    def found(surface):
        return line_search(NBest(*arguments), [1.0, 0.0], "f1", lower, upper, metric=metric, surface=surface)

    on_both_backends(lambda: found(False))
    on_both_backends(lambda: found(True).surface)
