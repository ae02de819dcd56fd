"""Rows, scores and pairs of each metric of raw text are the same on both backends, to the last bit."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import cybleu
from cybleu.metrics import Bleu, Chrf, Gleu, Nist, References, Ter
from inputs import on_both_backends

pytestmark = pytest.mark.thread_unsafe(reason="one process has the mirror")

METRICS = [
    Bleu("sacrebleu"),
    Bleu("sacrebleu", smoothing="floor", tokenize="intl", reference_length="closest-first"),
    Chrf(),
    Chrf(char_order=4, word_order=2, beta=0.7),
    Chrf(whitespace=True, eps_smoothing=True),
    Gleu(tokenize="13a"),
    Nist(),
    Ter(normalized=True),
]
lines = st.lists(st.sampled_from([*"abc .,é猫\ud800\x1c\xa0", "the ", "cat "]), max_size=25).map("".join)
corpora = st.lists(st.tuples(lines, st.lists(lines, min_size=1, max_size=3)), min_size=1, max_size=4)


@pytest.mark.parametrize("metric", METRICS, ids=repr)
@given(corpora)
@example([("a b c", ["a b c d", "a b"]), ("a b c", ["a b", "a b c d"]), ("a b c", ["b c a b", "a b ."])])  # ties
def test_metrics(kernels, metric, corpus):
    texts, references = [text for text, _ in corpus], [group for _, group in corpus]
    rows, _ = on_both_backends(lambda: (metric.rows(texts, references), metric.rows(texts, References(references))))
    on_both_backends(lambda: (metric.scores(rows), cybleu.score(rows, metric)))
    on_both_backends(lambda: metric.pairs(texts))
