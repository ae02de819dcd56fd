"""Of equal choices the first is taken, and searches go on until nothing is better."""

from __future__ import annotations

import pytest

from cybleu.nbest import NBest
from cybleu.rerank import antioracle, linear, mbr, oracle
from cybleu.tuning import line_search, tune
from inputs import using_backend

EQUAL = NBest([0, 3, 6], [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 2, [[4, 4, 2, 1, 4, 3]] * 6)


@pytest.mark.parametrize("restarts", [1, 5, 15])
def test_weights_of_equal_scores(backends, restarts):
    for backend in backends:
        with using_backend(backend):
            found = tune(EQUAL, [1.0, 2.0], restarts)
            assert (found.best, [*found.weights.values()]) == (0, [1.0, 2.0])
            assert line_search(EQUAL, [1.0, 2.0], "f0").weights == {"f0": 1.0, "f1": 2.0}


def test_hypotheses_of_equal_scores(backends):
    for backend in backends:
        with using_backend(backend):
            for selection in (
                *(find(EQUAL, level) for find in (oracle, antioracle) for level in ("sentence", "corpus")),
                linear(EQUAL, [0.0, 0.0]),
                mbr([[["a", "b"]] * 3] * 2),
            ):
                assert selection.rows.tolist() == [0, 3]


# Later passes find better exchanges for these, because others have been made.
OF_SEVERAL_PASSES = [
    ([["c d b c b a b", "c c a d a a b", "d b c a", "a d d c c"], ["c c d", "a a"], ["b d b", "d c c a a c c"]],
     ["d c b d", "b a b", "b d a b a d d"]),
    ([["c a", "d a c c c d b", "b c d d b a"], ["c b b a c d b c", "d a c", "d b a"],
      ["c b d d", "c b b b b b b", "d b d", "c c b a"], ["b b b d d a a", "d b b c", "c c a d", "a d b b b a c a c"]],
     ["d c c b a", "b d b d a a", "c c d c c d c", "d b b b b b"]),
]  # fmt: skip


@pytest.mark.parametrize(("hypotheses", "references"), OF_SEVERAL_PASSES)
def test_passes_of_the_corpus_oracle(hypotheses, references):
    nbest = NBest.from_texts(hypotheses, [[text] for text in references], tokenize=str.split, max_order=2)
    once, found = oracle(nbest, "corpus", passes=1), oracle(nbest, "corpus")
    assert (once.passes, found.passes > 2) == (1, True) and found.score > once.score
    if references[0] == "d c b d":
        assert antioracle(nbest, "corpus").score < antioracle(nbest, "corpus", passes=1).score
