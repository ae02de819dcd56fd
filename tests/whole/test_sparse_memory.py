"""What works on sparse features takes memory for those that are not 0."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from cybleu.nbest import NBest
from cybleu.rerank import linear, perceptron
from cybleu.tuning import cross_validate, kbmira, line_search, pro, pro_pairs, random_search, tune

pytestmark = pytest.mark.memory

FEATURES = 100_000
SEGMENTS, SIZE, EACH = 300, 50, 10  # as a dense matrix 12 gigabytes


@pytest.fixture(scope="module")
def nbest():
    generator = np.random.default_rng(0)
    count = SEGMENTS * SIZE
    # strictly ascending within a hypothesis: one from each of so many parts
    part = FEATURES // EACH
    columns = (generator.integers(0, part, (count, EACH)) + part * np.arange(EACH)).ravel()
    matches = generator.integers(1, 20, count)
    stats = np.stack(
        [0 * matches + 20, 0 * matches + 20, matches, matches // 2, 0 * matches + 20, 0 * matches + 19], axis=1
    )
    return NBest(
        np.arange(0, count + 1, SIZE),
        generator.normal(size=(count, 3)),
        stats,
        sparse=(
            np.arange(0, count * EACH + 1, EACH),
            columns,
            np.ones(len(columns)),
            [f"s{i}" for i in range(FEATURES)],
        ),
    )


START = {"f0": 1.0, "f1": 0.5, "f2": 0.1, "s7": 0.5}


@pytest.mark.parametrize(
    "call",
    [
        lambda nbest: kbmira(nbest, START, 3),
        lambda nbest: pro(nbest, START, samples=500),
        lambda nbest: pro_pairs(nbest, samples=500),
        lambda nbest: tune(nbest, START, restarts=2, searched=["s1", "s2"]),
        lambda nbest: line_search(nbest, START, "s1"),
        lambda nbest: random_search(nbest, np.ones((2, FEATURES + 3))),
        lambda nbest: cross_validate(nbest, 2, start=START, restarts=0),
        lambda nbest: perceptron(nbest, epochs=1, folds=2),
        lambda nbest: linear(nbest, START),
    ],
    ids=[
        "kbmira",
        "pro",
        "pro_pairs",
        "tune",
        "line_search",
        "random_search",
        "cross_validate",
        "perceptron",
        "linear",
    ],
)
def test_memory_grows_with_what_is_not_zero(nbest, call):
    call(nbest)  # imports
    tracemalloc.start()
    try:
        call(nbest)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    entries = len(nbest.sparse.values) + nbest.features.size + nbest.stats.size
    assert peak < 100 * entries + 600 * FEATURES  # 96 megabytes
