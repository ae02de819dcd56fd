"""Ctrl-C ends every long call and stops its threads."""

import gc
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from functools import partial

import numpy as np
import pytest

import cybleu
from cybleu import Ragged, References, SmoothingFunction, corpus_bleu, gleu_score, metrics, rerank, tuning
from cybleu.nbest import NBest, merge
from cybleu.pairwise import self_bleu

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform == "win32", reason="there are no interval timers on Windows"),
    # Python drops exceptions in callbacks, such as those of weak references.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.thread_unsafe(reason="signals are handled by the main thread"),
]

WORDS = "the cat is on the mat and the dog is not".split()
IDS = np.random.default_rng(0).integers(0, 50_000, 2_000_000)
TEXTS = IDS.reshape(-1, 20)
ROWS = np.tile([20, 20, 15, 10, 5, 2, 20, 19, 18, 17], (1_000_000, 1))


class Interrupted(Exception):
    pass


def check_interrupt(call):
    """Interrupt a call at three moments of processor time, which other load disturbs little."""

    def interrupt(number, frame):
        signal.setitimer(signal.ITIMER_PROF, 10)  # again, in case the exception is lost
        raise Interrupted

    running = threading.active_count()
    callbacks = gc.callbacks[:]
    gc.callbacks.clear()  # exceptions in callbacks, such as those of Hypothesis, are lost
    previous = signal.signal(signal.SIGPROF, interrupt)
    try:
        for moment in (0.02, 0.05, 0.1):
            signal.setitimer(signal.ITIMER_PROF, moment)
            with pytest.raises(Interrupted):
                while True:
                    call()
            signal.setitimer(signal.ITIMER_PROF, 0)
            for _ in range(100):  # a thread that has been told to stop ends a little later
                time.sleep(0.01 * (threading.active_count() > running))
            assert threading.active_count() == running
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)
        gc.callbacks[:] = callbacks


def n_best(segments, size, sparse=False):
    random = np.random.default_rng(0)
    length = random.integers(5, 25, segments * size)
    totals = np.maximum(0, length[:, None] - np.arange(4))
    matches = np.minimum(np.sort(random.integers(0, 25, totals.shape))[:, ::-1], totals)
    stats = np.column_stack([length, np.full(len(length), 15), matches, totals])
    values = random.standard_normal((len(length), 4))
    columns = np.arange(0, 2 * len(values) + 1, 2), np.tile([0, 1], len(values)), np.ones(2 * len(values)), ["x", "y"]
    offsets = np.arange(segments + 1) * size
    return NBest(offsets, values, stats, model_scores=values[:, 0], sparse=columns if sparse else None)


def ragged(ids, *sizes):
    return Ragged(ids, np.cumsum([0, *sizes]))


def line_search(nbest):
    nbest._derived.clear()
    return tuning.line_search(nbest, [1.0, 2.0, 0.5, 1.0], "f0", surface=True)


def raw_lines(count):
    return [f"{number} The cat, it sat on 3.5 mats; «and» so on." for number in range(count)]


def corpus(texts):
    return texts, [[text] for text in texts]


# One long call for each kind of loop. On the mirror, a call for a part of the input takes as long.
CASES = {
    "segments": lambda part: partial(corpus_bleu, *corpus([WORDS * 3] * (400_000 // part))[::-1]),
    "a text": lambda part: partial(corpus_bleu, *corpus([WORDS * (200_000 // part)])[::-1]),
    "many references": lambda part: partial(corpus_bleu, [[WORDS * 5] * (1_000_000 // part)], [WORDS * 5]),
    "one long text": lambda part: partial(cybleu.rows, ragged(IDS[::part], len(IDS[::part])), References(TEXTS[:1])),
    "many texts": lambda part: partial(cybleu.rows, TEXTS[::part], TEXTS[::part], pad_id=0, eos_id=2),
    "many texts in threads": lambda part: partial(cybleu.rows, TEXTS[::part], TEXTS[::part], threads=2),
    "references of strings": lambda part: lambda: References([[list(map(str, IDS[::part].tolist()))]]),
    "pairs": lambda part: partial(cybleu.pairs, TEXTS[: 3000 // part]),
    "pairs in threads": lambda part: partial(cybleu.pairs, TEXTS[: 3000 // part], threads=2),
    "many texts against all others": lambda part: partial(self_bleu, TEXTS[::part], (1.0,)),
    "scores of rows": lambda part: partial(metrics.scores, ROWS[::part]),
    "scores by a function": lambda part: partial(
        self_bleu, TEXTS[::part], smoothing_function=SmoothingFunction().method1
    ),
    "raw lines": lambda part: partial(cybleu.rows, *corpus(raw_lines(300_000 // part)), threads=2),
    "a long raw line": lambda part: partial(cybleu.rows, *corpus([" ".join(raw_lines(200_000 // part))])),
    "chrf": lambda part: partial(metrics.find("chrf++").rows, *corpus(raw_lines(40_000 // part))),
    "chrf of pairs": lambda part: partial(cybleu.pairs, raw_lines(1000 // part), metric="chrf"),
    "gleu": lambda part: partial(gleu_score.corpus_gleu, *corpus(TEXTS[: 50_000 // part].tolist())[::-1]),
    "line search": lambda part: partial(line_search, n_best(5000 // part, 100)),
    "tune": lambda part: partial(tuning.tune, n_best(1000 // part, 100), restarts=1),
    "tune in threads": lambda part: partial(tuning.tune, n_best(1000 // part, 100), restarts=3, threads=2),
    "mira": lambda part: partial(tuning.kbmira, n_best(1000 // part, 100, sparse=True), iterations=20),
    "pro": lambda part: partial(tuning.pro, n_best(200 // part, 100, sparse=True), samples=200),
    "oracle": lambda part: partial(rerank.oracle, n_best(5000 // part, 100), "corpus"),
    "perceptron": lambda part: partial(rerank.perceptron, n_best(1000 // part, 100), folds=2, epochs=2),
    "merging": lambda part: partial(merge, *[n_best(2000 // part, 100)] * 2),
    "risk": lambda part: partial(rerank.mbr, [TEXTS[: 2000 // part].tolist()]),
}


@pytest.mark.parametrize("name", CASES)
def test_calls(name, backend):
    check_interrupt(CASES[name](1 if backend == "cython" else 20))


def longest_wait(call):
    """The longest processor time between two signals that are handled in the call."""
    handled = []
    gc.collect()
    gc.freeze()  # a collection of all that other tests have left is one long step
    previous = signal.signal(signal.SIGPROF, lambda number, frame: handled.append(time.process_time()))
    try:
        handled.append(time.process_time())
        signal.setitimer(signal.ITIMER_PROF, 0.01, 0.01)
        while handled[-1] - handled[0] < 0.2 or len(handled) < 2:
            call()
            handled.append(time.process_time())
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)
        gc.unfreeze()
    return max(np.diff(handled))


# Of one text of two million tokens a part is read without a look.
ONE_TEXT = {"a text", "a long raw line"}


@pytest.mark.parametrize("name", sorted({*CASES} - ONE_TEXT))
def test_kernels_look(name, kernels):
    """Kernels let signals be handled within a call. Another process can make one wait longer, but not each."""
    call = CASES[name](1)
    assert any(longest_wait(call) < 0.2 for _ in range(4))


def test_an_error_stops_the_other_threads(backend):
    nbest = n_best(200 if backend == "cython" else 10, 100)
    helped = threading.Event()

    def metric(row):
        if threading.current_thread() is not threading.main_thread():
            helped.set()
            raise Interrupted
        assert helped.wait(60)
        return float(row.sum())

    with pytest.raises(Interrupted):
        tuning.tune(nbest, restarts=3, threads=2, metric=metric)


# where the tests run in the background of a shell, interrupts are ignored
START = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
import cybleu.__main__
import cybleu.cli
cybleu.__main__.main()
"""


@pytest.mark.parametrize(
    "arguments",
    ["score - others", "score --threads 2 - others", "rerank mbr - --format plain --size 40 --output output"],
)
def test_commands(arguments, tmp_path):
    """Commands print one word to standard error, no traceback, and no output that looks complete."""
    text = b"the cat sat on the mat\n" * 200_000
    (tmp_path / "others").write_bytes(text * 2)
    command = [sys.executable, "-c", START, *arguments.split()]
    with subprocess.Popen(command, cwd=tmp_path, stdin=-1, stdout=-1, stderr=-1) as running:
        running.stdin.write(text)  # more than a pipe holds, so the command reads, and waits for more
        for _ in range(60):  # Python loses one that comes while it loads a module, for example
            running.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                running.wait(2)
                break
        running.kill()
        output, errors = running.stdout.read(), running.stderr.read()
    assert (running.returncode, output) == (1, b"")
    assert errors.endswith(b"Aborted!\n") and b"Traceback" not in errors
    assert not list(tmp_path.glob(".output*"))
