"""Functions of sparse features require memory only for values that are not 0."""

import tracemalloc

import numpy as np
import pytest

from cybleu.nbest import NBest
from cybleu.rerank import linear, perceptron
from cybleu.tuning import kbmira, line_search, pro, pro_pairs, tune

pytestmark = pytest.mark.memory

FEATURES = 100_000
SEGMENTS = 300
SIZE = 50
EACH = 10  # as a dense matrix 12 gigabytes


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


CALLS = {
    kbmira: ((START, 3), {}),
    pro: ((START,), {"samples": 500}),
    pro_pairs: ((), {"samples": 500}),
    tune: ((START,), {"restarts": 2}),
    line_search: ((START, "s1"), {}),
    perceptron: ((), {"epochs": 1, "folds": 2}),
    linear: ((START,), {}),
}


@pytest.mark.parametrize("function", CALLS, ids=lambda function: function.__name__)
def test_memory_grows_with_what_is_not_zero(nbest, function):
    args, kwargs = CALLS[function]
    function(nbest, *args, **kwargs)  # imports
    tracemalloc.start()
    try:
        function(nbest, *args, **kwargs)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    entries = len(nbest.sparse.values) + nbest.features.size + nbest.stats.size
    assert peak < 100 * entries + 600 * FEATURES  # 96 megabytes
