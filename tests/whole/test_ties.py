"""Of equal choices the first is taken, and searches go on until nothing is better."""

import pytest

from cybleu.nbest import NBest
from cybleu.rerank import antioracle, linear, mbr, oracle
from cybleu.tuning import line_search, tune

EQUAL = NBest([0, 3, 6], [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 2, [[4, 4, 2, 1, 4, 3]] * 6)


@pytest.mark.parametrize("restarts", [1, 5, 15])
def test_weights_of_equal_scores(restarts):
    found = tune(EQUAL, [1.0, 2.0], restarts)
    assert (found.best, [*found.weights.values()]) == (0, [1.0, 2.0])
    assert line_search(EQUAL, [1.0, 2.0], "f0").weights == {"f0": 1.0, "f1": 2.0}


def test_hypotheses_of_equal_scores():
    for selection in (
        *(find(EQUAL, level) for find in (oracle, antioracle) for level in ("sentence", "corpus")),
        linear(EQUAL, [0.0, 0.0]),
        mbr([[["a", "b"]] * 3] * 2),
    ):
        assert selection.rows.tolist() == [0, 3]
