"""Ctrl-C comes back from every long call."""

from __future__ import annotations

import signal
import sys
import time

import numpy as np
import pytest

from cybleu import corpus_bleu
from cybleu.pairwise import pairwise_bleu, self_stats
from cybleu.stats import References, scores, segment_stats

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="there are no interval timers on Windows"),
    pytest.mark.thread_unsafe(reason="signals are handled by the main thread"),
]

WORDS = "the cat is on the mat and the dog is not".split()


class Interrupted(Exception):
    pass


def check_interrupt(call):
    def interrupt(number, frame):
        raise Interrupted

    previous = signal.signal(signal.SIGALRM, interrupt)
    started = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(Interrupted):
            while True:
                call()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert time.monotonic() - started < 2


@pytest.mark.parametrize("shape", ["short segments", "long segments", "many references", "text"])
@pytest.mark.usefixtures("backend")
def test_lists(shape):
    arguments = {
        "short segments": ([[WORDS * 3]] * 1_000_000, [WORDS * 3] * 1_000_000),
        "long segments": ([[WORDS * 3000]] * 1000, [WORDS * 3000] * 1000),
        "many references": ([[WORDS * 5] * 1000] * 1000, [WORDS * 5] * 1000),
        "text": ([[WORDS * 200_000]], [WORDS * 200_000]),
    }[shape]
    check_interrupt(lambda: corpus_bleu(*arguments))


# The mirror hands whole texts to collections.Counter, which does not look for interrupts before it is done.
@pytest.mark.parametrize(
    "shape", ["one set", "one text", "texts", "threads", "two long texts", "pairs", "others", "rows"]
)
@pytest.mark.usefixtures("kernels")
def test_arrays(shape):
    ids = np.random.default_rng(0).integers(0, 50_000, 1_000_000)
    texts = ids.reshape(-1, 20)
    one_text, two_texts = (ids, np.array([0, len(ids)])), (ids, np.array([0, len(ids) // 2, len(ids)]))
    prepared = References(texts[:1])
    rows = np.tile([20, 20, 15, 10, 5, 2, 20, 19, 18, 17], (1_000_000 if shape == "rows" else 1, 1))
    call = {
        "one set": lambda: References(one_text),
        "one text": lambda: prepared.stats(one_text),
        "texts": lambda: segment_stats(texts, texts),
        "threads": lambda: segment_stats(texts, texts, threads=2),
        "two long texts": lambda: pairwise_bleu(two_texts),
        "pairs": lambda: pairwise_bleu(texts[:3000]),
        "others": lambda: self_stats(texts),
        "rows": lambda: scores(rows),
    }[shape]
    check_interrupt(call)
