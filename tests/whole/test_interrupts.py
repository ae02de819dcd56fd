"""Ctrl-C ends every long call, stops its threads and frees its memory."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import suppress
from functools import partial
from itertools import count

import numpy as np
import pytest

import cybleu
from cybleu import (
    Ragged,
    References,
    SmoothingFunction,
    corpus_bleu,
    gleu_score,
    metrics,
    nist_score,
    rerank,
    sacrebleu_compat,
    sentence_bleu,
    sentence_bleu_many,
    tuning,
)
from cybleu.bleu_score import closest_ref_length, modified_precision
from cybleu.metrics import scores
from cybleu.nbest import NBest, merge
from cybleu.pairwise import self_bleu
from inputs import MODULUS, using_backend

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform == "win32", reason="there are no interval timers on Windows"),
    # Python drops exceptions in callbacks, such as those of weak references.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.thread_unsafe(reason="signals are handled by the main thread"),
]

WORDS = "the cat is on the mat and the dog is not".split()


class Interrupted(Exception):
    pass


def delays(call, moments=(0.02, 0.05, 0.1)):
    """Processor time from each interrupt to the end of the call, which other load disturbs little."""
    delivered = []

    def interrupt(number, frame):
        signal.setitimer(signal.ITIMER_PROF, 10)  # again, in case the exception is lost
        delivered.append(time.process_time())
        raise Interrupted

    running = threading.active_count()
    callbacks = gc.callbacks[:]
    gc.callbacks.clear()  # exceptions in callbacks, such as those of Hypothesis, are lost
    previous = signal.signal(signal.SIGPROF, interrupt)
    try:
        for moment in moments:
            delivered.clear()
            started = time.process_time()
            signal.setitimer(signal.ITIMER_PROF, moment)
            with pytest.raises(Interrupted):
                while True:
                    call()
            signal.setitimer(signal.ITIMER_PROF, 0)
            yield delivered[0] - started - moment + time.process_time() - delivered[-1]
            assert threading.active_count() == running
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)
        gc.callbacks[:] = callbacks


def check_interrupt(call):
    """Interrupt a call three times."""
    assert len([*delays(call)]) == 3


def n_best(segments, size, features=4):
    random = np.random.default_rng(0)
    length = random.integers(5, 25, segments * size)
    totals = np.maximum(0, length[:, None] - np.arange(4))
    matches = np.minimum(np.sort(random.integers(0, 25, totals.shape))[:, ::-1], totals)
    stats = np.column_stack([length, np.full(len(length), 15), matches, totals])
    values = random.standard_normal((len(length), features))
    return NBest(np.arange(segments + 1) * size, values, stats, model_scores=values[:, 0])


def ragged(ids, *sizes):
    return Ragged(ids, np.cumsum([0, *sizes]))


IDS = np.random.default_rng(0).integers(0, 50_000, 2_000_000)
TEXTS = IDS.reshape(-1, 20)
ROWS = np.tile([20, 20, 15, 10, 5, 2, 20, 19, 18, 17], (1_000_000, 1))

RAW_LINE = "The cat, it sat on 3.5 mats; «and» so on."


def one_text(part, *shorter):
    """One text of all ids, or several texts, of which all but the first have these lengths."""
    size = len(IDS[::part])
    return ragged(IDS[:size], size - sum(shorter), *shorter)


def triangle(most):
    return ragged(IDS[: most * (most - 1) // 2], *range(1, most))


def two_texts(part):
    half = len(IDS[::part]) // 2
    return ragged(IDS[: 2 * half], half, half)


def with_sparse_features(nbest):
    count = len(nbest.features)
    sparse = np.arange(0, 2 * count + 1, 2), np.tile([0, 1], count), np.ones(2 * count), ["x", "y"]
    return NBest(nbest.offsets, nbest.features, nbest.stats, sparse=sparse)


def line_search(nbest, **options):
    nbest._derived.clear()
    return tuning.line_search(nbest, [1.0, 2.0, 0.5, 1.0], "f0", **options)


def raw_lines(count):
    return [f"{number} {RAW_LINE}" for number in range(count)]


def sets_of(texts):
    return [[text] for text in texts]


def texts_of(count):
    return [" ".join(map(str, text)) for text in TEXTS[:count].tolist()]


def chrf_of_prepared_references(part):
    texts = texts_of(40_000 // part)
    prepared = References(sets_of(texts[::16]))
    return partial(metrics.find("chrf++").rows, texts, prepared, owner=np.arange(len(texts)) // 16)


DIFFERENT = [f"word {number}" for number in range(500_000)]
# Ints beyond 64 bits that collide in a dict, whose lookups nothing interrupts.
EQUAL_HASHES = [number * MODULUS for number in range(2_000)]

# Functions that make a long call. On the mirror, a call for a part of the input takes as long.
CASES = {
    "segments": lambda part: partial(
        corpus_bleu, [[WORDS * 3]] * (1_000_000 // part), [WORDS * 3] * (1_000_000 // part)
    ),
    "long segments": lambda part: partial(
        corpus_bleu, [[WORDS * 3000]] * (1000 // part), [WORDS * 3000] * (1000 // part)
    ),
    "a text": lambda part: partial(corpus_bleu, [[WORDS * (200_000 // part)]], [WORDS * (200_000 // part)]),
    "many references": lambda part: partial(
        corpus_bleu, [[WORDS * 5] * 1000] * (1000 // part), [WORDS * 5] * (1000 // part)
    ),
    "different words": lambda part: partial(corpus_bleu, [[DIFFERENT[::part]]], [DIFFERENT[::part]]),
    "ints with equal hashes": lambda part: partial(corpus_bleu, [[EQUAL_HASHES]] * 50, [EQUAL_HASHES] * 50),
    "references of one text": lambda part: lambda: cybleu.rows(TEXTS[:1], References(one_text(part)), owner=[0]),
    "references of strings": lambda part: lambda: cybleu.rows([WORDS], [[list(map(str, IDS[::part].tolist()))]]),
    "one long text": lambda part: partial(cybleu.rows, one_text(part), References(TEXTS[:1])),
    "ignored n-grams": lambda part: partial(cybleu.rows, one_text(part), References(TEXTS[:1]), ignore=[(1, 2)]),
    "many texts": lambda part: partial(cybleu.rows, TEXTS[::part], TEXTS[::part]),
    "padding": lambda part: partial(cybleu.rows, *[np.zeros((20_000 // part, 500), np.int64)] * 2, pad_id=0, eos_id=2),
    "pairs of two long texts": lambda part: partial(cybleu.pairs, two_texts(part)),
    "pairs of many texts": lambda part: partial(cybleu.pairs, TEXTS[: 3000 // part]),
    "pairs of many lengths": lambda part: partial(cybleu.pairs, triangle(1400 // part)),
    "many texts against all others": lambda part: partial(self_bleu, TEXTS[::part], (1.0,)),
    "a long text against all others": lambda part: partial(self_bleu, one_text(part, 7), (1.0,)),
    "scores of rows": lambda part: partial(scores, ROWS[::part]),
    "sum of rows": lambda part: partial(metrics.score, ROWS),
    "scores by a function": lambda part: partial(
        self_bleu, TEXTS[::part], smoothing_function=SmoothingFunction().method1
    ),
    "line search": lambda part: partial(line_search, n_best(5000 // part, 100), surface=True),
    "line search of one segment": lambda part: partial(line_search, n_best(1, 500_000 // part)),
    "tune": lambda part: partial(tuning.tune, n_best(1000 // part, 100), restarts=1),
    "mira": lambda part: partial(tuning.kbmira, n_best(1000 // part, 100), iterations=20),
    "mira with sparse features": lambda part: partial(
        tuning.kbmira, with_sparse_features(n_best(1000 // part, 100)), iterations=20
    ),
    "one segment of mira": lambda part: partial(
        tuning.kbmira, with_sparse_features(n_best(1, 200_000 // part)), iterations=2
    ),
    "pairs for ranking": lambda part: partial(tuning.pro_pairs, n_best(1000 // part, 100)),
    "ranking": lambda part: partial(tuning.pro, with_sparse_features(n_best(200 // part, 100)), samples=200),
    "oracle": lambda part: partial(rerank.oracle, n_best(5000 // part, 100), "corpus"),
    "perceptron": lambda part: partial(rerank.perceptron, n_best(1000 // part, 100), folds=2, epochs=2),
    "merging": lambda part: partial(merge, *[n_best(2000 // part, 100)] * 2),
    "risk": lambda part: partial(rerank.mbr, [TEXTS[: 2000 // part].tolist()]),
    "diverse": lambda part: partial(rerank.diverse, [TEXTS[: 1000 // part].tolist()], 20),
    "raw lines": lambda part: partial(cybleu.rows, *[raw_lines(1_000_000 // part)] * 2, tokenize="13a"),
    "a long raw line": lambda part: partial(
        cybleu.rows, *[[" ".join(raw_lines(200_000 // part))]] * 2, tokenize="intl"
    ),
    "references of raw text": lambda part: lambda: References(sets_of(raw_lines(200_000 // part))),
    "chrf": lambda part: partial(metrics.find("chrf++").rows, *[texts_of(40_000 // part)] * 2),
    "chrf of prepared references": chrf_of_prepared_references,
    "chrf of a long text": lambda part: partial(
        metrics.find("chrf++").rows, *[[" ".join(texts_of(30_000 // part))]] * 2
    ),
    "chrf of pairs": lambda part: partial(cybleu.pairs, texts_of(1000 // part), metric="chrf"),
    "gleu": lambda part: partial(
        gleu_score.corpus_gleu, sets_of(TEXTS[: 50_000 // part].tolist()), TEXTS[: 50_000 // part].tolist()
    ),
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


WIDE = [f"word {number}" for number in range(250)]
WIDE_TEXT, OTHER_TEXT = " ".join(map(str, range(250))), " ".join(map(str, range(250, 500)))
LONG_TEXT = " ".join(map(str, IDS[:200_000].tolist()))

# Loops over references, with many of them.
OF_MANY_REFERENCES = {
    "sentence_bleu": lambda: sentence_bleu([WIDE] * 200_000, WORDS),
    "corpus_bleu": lambda: corpus_bleu([[WORDS] * 2_000_000], [WORDS]),
    "sentence_bleu_many": lambda: sentence_bleu_many([[WORDS] * 2_000_000], [WORDS]),
    "modified_precision": lambda: modified_precision([WORDS] * 4_000_000, WORDS, 1),
    "closest_ref_length": lambda: closest_ref_length([WORDS] * 10_000_000, 5),
    "sentence_gleu": lambda: gleu_score.sentence_gleu([WORDS] * 3_000_000, WORDS),
    "corpus_gleu": lambda: gleu_score.corpus_gleu([[WIDE] * 100_000], [WIDE]),
    "sentence_nist": lambda: nist_score.sentence_nist([WORDS] * 1_500_000, WORDS),
    "rows": lambda: cybleu.rows([WORDS], [[WORDS] * 2_000_000]),
    "rows of raw text": lambda: cybleu.rows([WIDE_TEXT], [[OTHER_TEXT] * 200_000]),
    "References": lambda: References([[WORDS] * 300_000]),
    "ter": lambda: metrics.find("ter").rows([WIDE_TEXT], [[OTHER_TEXT] * 20_000]),
    "chrf": lambda: metrics.find("chrf++").rows([WIDE_TEXT], [["a a"] * 400_000]),
    "nist": lambda: metrics.find("nist").rows([WIDE_TEXT], [[OTHER_TEXT] * 15_000]),
    "nist of a long text": lambda: metrics.Nist(max_order=9).rows([LONG_TEXT], [[LONG_TEXT]]),
    "gleu": lambda: metrics.find("gleu").rows([WORDS], [[WORDS] * 300_000]),
    "sacrebleu_compat": lambda: sacrebleu_compat.sentence_bleu(WIDE_TEXT, [OTHER_TEXT] * 100_000),
}


@pytest.mark.parametrize("name", OF_MANY_REFERENCES)
def test_many_references_of_one_segment(name, kernels):
    with using_backend("cython"):
        # Another process can make one wait longer; what the code itself needs, it needs in each call.
        assert any(longest_wait(OF_MANY_REFERENCES[name]) < 0.2 for _ in range(4))


# One text of two million tokens, part of which is read without a look.
ONE_TEXT = {"a text", "a long raw line", "different words", "pairs of two long texts"}

# Python checks for interrupts between the short kernel calls of these, and of the segments of a corpus.
IN_PYTHON = {
    "segments",
    "many references",
    "ints with equal hashes",
    "scores by a function",
    "perceptron",
    "risk",
    "diverse",
    "merging",
}


@pytest.mark.parametrize("name", sorted({*CASES} - IN_PYTHON - ONE_TEXT))
def test_kernels_look(name, kernels):
    """Kernels let signals be handled within a call."""
    with using_backend("cython"):
        call = CASES[name](1)
        assert any(longest_wait(call) < 0.2 for _ in range(4))


@pytest.mark.parametrize("name", ["texts", "raw text", "pairs", "tune"])
def test_threads(name, backend):
    part = 1 if backend == "cython" else 20
    ids = IDS[::part]
    long_texts = ragged(ids, *[len(ids) // 4] * 4)
    nbest = n_best(1000 // part, 100)
    prepared = References(TEXTS[:1])
    lines = raw_lines(1_000_000 // part)
    call = {
        "raw text": partial(cybleu.rows, lines, sets_of(lines), tokenize="13a", threads=2),
        "texts": lambda: cybleu.rows(long_texts, prepared, owner=[0, 0, 0, 0], threads=2),
        "pairs": lambda: cybleu.pairs(long_texts, threads=2),
        "tune": lambda: tuning.tune(nbest, restarts=3, threads=2),
    }[name]
    check_interrupt(call)


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


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="resident size is read from /proc")
def test_memory_is_given_back(backend):
    script = """
        import gc, signal
        import numpy as np
        from cybleu import Ragged, References, corpus_bleu, pairs, rows, self_bleu

        class Interrupted(Exception):
            pass

        def interrupt(number, frame):
            raise Interrupted

        def resident():
            gc.collect()
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * 4096

        signal.signal(signal.SIGPROF, interrupt)
        ids = np.random.default_rng(0).integers(0, 50_000, SIZE)
        text = Ragged(ids, np.array([0, len(ids)]))
        texts = Ragged(ids, np.array([0, len(ids) // 2, len(ids)]))
        words = list(map(str, ids.tolist()))
        prepared = References(Ragged(ids[:100], np.array([0, 100])))
        calls = [
            lambda: rows(text, References(text)),
            lambda: rows([words], References([[words]])),
            lambda: rows(text, prepared),
            lambda: rows(texts, prepared, owner=[0, 0], threads=2),
            lambda: pairs(texts),
            lambda: self_bleu(texts, (1.0,)),
            lambda: corpus_bleu([[words]], [words]),
        ]

        def work(rounds):
            for number in range(rounds):
                for call in calls:
                    try:
                        try:
                            signal.setitimer(signal.ITIMER_PROF, 0.004 + 0.013 * (number % 10))
                            call()
                        finally:
                            signal.setitimer(signal.ITIMER_PROF, 0)
                    except Interrupted:
                        pass

        work(10)
        before = resident()
        work(10)
        assert resident() - before < 50_000_000, resident() - before
    """
    size = {"cython": 500_000, "python": 50_000}[backend]
    environment = {**os.environ, "CYBLEU_BACKEND": backend}
    subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script).replace("SIZE", str(size))], env=environment, check=True
    )


@pytest.mark.parametrize("command", ["score", "score in threads", "rerank", "mert"])
def test_commands(command, tmp_path):
    """Commands print one word to standard error, no traceback, and no output that looks complete."""
    nbest = n_best(2500, 40)
    texts = [" ".join(map(str, text)) for text in TEXTS.tolist()]
    NBest(nbest.offsets, nbest.features, nbest.stats, texts=texts, model_scores=nbest.model_scores).write(
        tmp_path / "list"
    )
    (tmp_path / "references").write_text("a b c\n" * 2500)
    endless = [tmp_path / "hypotheses", tmp_path / "others"]
    for pipe in endless:
        os.mkfifo(pipe)
    arguments = {
        "score": ["score", *map(str, endless)],
        "score in threads": ["score", "--threads", "2", *map(str, endless)],
        "rerank": ["rerank", "mbr", "hypotheses", "--format", "plain", "--size", "40", "--output", "output"],
        "mert": ["tune", "mert", "list", "references", "--restarts", "10000", "--threads", "2", "--output", "output"],
    }[command]
    # where the tests run in the background of a shell, interrupts are ignored
    start = """
import signal
import sys
signal.signal(signal.SIGINT, signal.default_int_handler)
import cybleu.__main__
import cybleu.cli
import cybleu.tuning

def tune(*arguments, found=cybleu.tuning.tune, **named):
    open("at work", "w").close()
    return found(*arguments, **named)

cybleu.tuning.tune = tune
cybleu.__main__.main()
"""
    running = subprocess.Popen(
        [sys.executable, "-c", start, *arguments],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    read = threading.Event()
    for pipe in endless[: {"rerank": 1, "mert": 0}.get(command, 2)]:
        threading.Thread(target=_feed, args=[pipe, read], daemon=True).start()
    at_work = (tmp_path / "at work").exists if command == "mert" else read.is_set
    try:
        while running.poll() is None and not at_work():
            time.sleep(0.01)
        for _ in range(60):  # Python loses one that comes while it loads a module, for example
            running.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                output, errors = running.communicate(timeout=2)
                break
    finally:
        running.kill()
    assert (running.returncode, output) == (1, "")
    assert errors.endswith("Aborted!\n") and "Traceback" not in errors
    assert not list(tmp_path.glob(".output*"))


def _feed(pipe, read):
    with suppress(BrokenPipeError), open(pipe, "w") as text:
        for piece in count():
            text.write("the cat sat on the mat\n" * 1000)
            if piece == 100:
                read.set()
