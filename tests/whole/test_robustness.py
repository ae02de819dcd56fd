"""Misbehaving tokens and callers cause no crash, no lost exception and no leak."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import cybleu
from cybleu import (
    References,
    SmoothingFunction,
    corpus_bleu,
    metrics,
    modified_precision,
    sentence_bleu,
)
from cybleu._runtime.collector import collector_paused
from cybleu.pairwise import self_bleu

pytestmark = pytest.mark.usefixtures("backend")

WORDS = "the cat is on the mat and the dog is not".split()


class Refuses(Exception):
    pass


class Hashless:
    def __hash__(self):
        raise Refuses("hash")


class Unequal:
    def __hash__(self):
        return 1

    def __eq__(self, other):
        raise Refuses("eq")


@pytest.mark.parametrize(
    "function", [sentence_bleu, lambda r, h: corpus_bleu([r], [h]), lambda r, h: modified_precision(r, h, 1)]
)
@pytest.mark.parametrize("size", [1, 200])
def test_exceptions_of_tokens_come_out_unchanged(function, size):
    many = WORDS * size
    for token, text in ((Hashless(), "hash"), (Unequal(), "eq")):
        other = type(token)()
        for references, hypothesis in (
            ([[*many, token]], [*many, other]),
            ([many, [token, other]], [token, other, *many]),
        ):
            with pytest.raises(Refuses, match=text):
                function(references, hypothesis)


@pytest.mark.parametrize("container", [list, tuple])
def test_tokens_that_change_the_lists(container):
    for _ in range(20):
        reference = [*WORDS * 20]
        references = [reference, [*WORDS]]
        hypothesis = [*WORDS * 20]

        class Changes:
            def __hash__(self):
                for victim in (hypothesis, reference, references):  # noqa: B023
                    victim.clear()
                return 3

            def __eq__(self, other):
                return True

        hypothesis.insert(5, Changes())
        reference.insert(3, Changes())
        with contextlib.suppress(ValueError, KeyError, ArithmeticError):
            sentence_bleu(container(references), container(hypothesis))


def test_tokens_that_score():
    class Recursive:
        def __hash__(self):
            sentence_bleu([WORDS], WORDS)
            return 5

        def __eq__(self, other):
            sentence_bleu([WORDS], WORDS)
            return True

    tokens = [Recursive() for _ in range(6)]
    assert sentence_bleu([tokens], tokens) == 1.0


@pytest.mark.thread_unsafe(reason="the collector and its callbacks are the process's")
def test_finalizers_that_change_the_lists():
    """Up to CPython 3.11, creating an object may collect garbage, which may run any code."""
    thresholds = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for _ in range(30):
            hypotheses = [[f"h{i}" for i in range(200)] for _ in range(3)]
            references = [[[f"r{j}-{i}" for i in range(70)] for j in range(30)] for _ in range(3)]

            def clear(phase, info, lists=(hypotheses, references, hypotheses[0], references[0], references[0][0])):
                for items in lists:
                    items.clear()

            gc.callbacks.append(clear)
            try:
                with contextlib.suppress(ValueError):
                    corpus_bleu(references, hypotheses)
            finally:
                gc.callbacks.remove(clear)
    finally:
        gc.set_threshold(*thresholds)


@pytest.mark.thread_unsafe(reason="the collector is the process's")
@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_runs_again_after_the_last_pause(enabled):
    before = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        first, second = collector_paused(), collector_paused()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert not gc.isenabled()
        second.__exit__(None, None, None)
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if before else gc.disable)()


@pytest.mark.long
def test_threads_that_change_the_lists():
    references = [[WORDS * 3] for _ in range(50)]
    hypotheses = [WORDS * 3 for _ in range(50)]
    stop = threading.Event()

    def change():
        turn = 0
        while not stop.is_set():
            turn += 1
            hypotheses[turn % 50] = WORDS * (turn % 30)
            references[turn % 50][0].append(f"word {turn}")
            del references[turn % 50][0][50:]

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(500):
            corpus_bleu(references, hypotheses, smoothing_function=SmoothingFunction().method1)
            sentence_bleu(references[0], hypotheses[0], smoothing_function=SmoothingFunction().method1)
    finally:
        stop.set()
        thread.join()


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="there are no interval timers on Windows")
@pytest.mark.thread_unsafe(reason="signals are handled by the main thread")
@pytest.mark.parametrize("delay", [0.0002, 0.0005, 0.001, 0.002, 0.004])
def test_signal_handler_that_frees_the_tokens(delay):
    """The handler replaces the tokens being read, to which nothing else refers, by equal ones."""
    text = " ".join(f"word{number % 30_011}" for number in range(100_000))
    other = " ".join(f"word{number % 20_011}" for number in range(90_000))
    expected = sentence_bleu([other.split()], text.split())
    hypothesis, reference = text.split(), other.split()
    handled = []

    def replace(number, frame):
        hypothesis[:] = text.split()
        reference[:] = other.split()
        handled.append(number)

    previous = signal.signal(signal.SIGALRM, replace)
    signal.setitimer(signal.ITIMER_REAL, delay)
    try:
        while not handled:
            assert sentence_bleu([reference], hypothesis) == expected
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def test_weights_of_pairs_that_the_kernel_declines():
    texts = [[1, 2, 3, 4], [1, 2, 3, 5], [6]]
    weights = (1e300, 0.0, 0.0, 1.0)
    expected = [
        [metrics.score(cybleu.rows([text], [[reference]])[0], "nltk", weights=weights).score for reference in texts]
        for text in texts
    ]
    assert cybleu.pairs(texts, metric="nltk", weights=weights).tolist() == expected


@pytest.mark.parametrize("pad", ["pad_id", "eos_id"])
def test_smoothing_sees_the_texts_without_padding(pad):
    """The kernel declines 17 weights, so the smoothing function is called with the texts."""
    weights, method = (1 / 17,) * 17, SmoothingFunction().method5
    texts = [[1, 2, 3, 4, 5], [1, 2, 3, 4, 6]]
    padded = [[*text, 0, 0, 0] for text in texts]
    expected = [
        sentence_bleu([texts[1]], texts[0], weights, method),
        sentence_bleu([texts[0]], texts[1], weights, method),
    ]
    assert self_bleu(padded, weights, method, **{pad: 0}).tolist() == expected


@pytest.mark.memory
@pytest.mark.thread_unsafe(reason="it measures a process")
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="resident size is read from /proc")
def test_memory_stays_flat(backend):
    """In a new process, because the memory of the test runner varies."""
    script = """
        import warnings
        from cybleu import SmoothingFunction, corpus_bleu, sentence_bleu

        warnings.simplefilter("ignore")
        smoothing = SmoothingFunction().method1
        words = "the cat is on the mat and the dog is not".split()
        odd = [*words, ("a", "tuple"), 1.5]

        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * 4096

        def work(rounds):
            for n in range(rounds):
                sentence_bleu([words, words[3:]], words[n % 9:], smoothing_function=smoothing)
                if n % 10 == 0:
                    sentence_bleu([odd], words)
                    sentence_bleu([words * 9], words * 8)
                    corpus_bleu([[words]] * 3, [words, [], odd], smoothing_function=smoothing)
                    try:
                        sentence_bleu([[*words, []]], words)
                    except TypeError:
                        pass

        work(ROUNDS // 10)
        before = resident()
        work(ROUNDS)
        assert resident() - before < 500_000, resident() - before
    """
    rounds = {"cython": 200_000, "python": 5_000}[backend]
    environment = {**os.environ, "CYBLEU_BACKEND": backend}
    subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script).replace("ROUNDS", str(rounds))], env=environment, check=True
    )


@pytest.mark.parametrize("texts", [[[], []], [[1], []], [[], [], [2, 2]]])
def test_self_bleu_of_texts_without_tokens(texts):
    assert not self_bleu([*texts, []]).any()


def test_ids_that_another_thread_changes():
    """Wrong counts are the responsibility of the caller, but nothing outside the arrays is read or written."""
    generator = np.random.default_rng(0)
    ids = generator.integers(0, 9, (300, 40))
    others = [generator.integers(0, high, ids.shape) for high in (1, 2**40, 3)]
    references = References(ids)
    done = threading.Event()

    def change():
        while not done.is_set():
            for other in others:
                ids[...] = other

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(8):
            rows = cybleu.rows(ids, references)
            assert (rows[:, 2:6] <= rows[:, 6:]).all()
            assert np.isfinite(cybleu.pairs(ids[:40])).all()
            assert np.isfinite(self_bleu(ids[:40], (0.5, 0.5), SmoothingFunction().method1)).all()
    finally:
        done.set()
        thread.join()
