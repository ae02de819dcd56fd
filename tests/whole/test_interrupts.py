"""Ctrl-C ends every long call and stops its threads."""

import gc
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from copy import copy
from functools import cache, partial

import numpy as np
import pytest

import cybleu
from cybleu import (
    Ragged,
    References,
    chrf_score,
    columns,
    corpus_bleu,
    gleu_score,
    metrics,
    nist_score,
    report,
    rerank,
    sacrebleu_compat,
    tuning,
)
from cybleu.cli.score import score_command
from cybleu.nbest import NBest, merge
from cybleu.pairwise import self_bleu
from cybleu.significance import bootstrap, paired_test

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform == "win32", reason="there are no interval timers on Windows"),
    # Python drops exceptions in callbacks, such as those of weak references.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.thread_unsafe(reason="signals are handled by the main thread"),
]

# On the mirror, a call for a part of the input takes as long.
PART = {"cython": 1, "python": 20}[cybleu.BACKEND]
MILLION = 1_000_000 // PART
IDS = np.random.default_rng(0).integers(0, 50_000, 2 * MILLION)
TEXTS = IDS.reshape(-1, 20)


@cache
def rows_of_bleu():
    return np.tile([20, 20, 15, 10, 5, 2, 20, 19, 18, 17], (MILLION, 1))


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
    segments //= PART
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
    return tuning.line_search(copy(nbest), [1.0, 2.0, 0.5, 1.0], "f0", surface=True)


def corpus(texts):
    return texts, [[text] for text in texts]


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


LONGEST = 0.8  # the half second that is stated, and a margin for machines that do other work


@cache
def long_line(seed):
    """A line of 10 MB."""
    words = np.random.default_rng(seed).integers(0, 200_000, 1_500_000 // PART)
    return " ".join(map("w{}".format, words.tolist()))


@cache
def without_blanks(seed):
    """A line of Chinese characters."""
    return "".join(map(chr, np.random.default_rng(seed).integers(0x4E00, 0x9000, 3 * MILLION).tolist()))


@cache
def long_text(seed):
    return long_line(seed).split()


@cache
def many_lines():
    return [f"{number} the cat sat" for number in range(MILLION)]


@cache
def many_texts():
    return [line.split() for line in many_lines()]


def table_of(metric):
    return np.tile(metrics.find(metric).rows(["the cat is here"], ["the cat sat here"]), (MILLION, 1))


def file_of(folder, name, lines):
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def read_list(folder):
    lines = [f"{number // 100} ||| a b c ||| lm= {number} tm= 1.5 ||| -2.5" for number in range(MILLION)]
    path = file_of(folder, "list", lines)
    references = file_of(folder, "references", ["a b c"] * (MILLION // 100))
    return partial(NBest.from_files, path, references)


def score_files(folder, hypotheses, references):
    paths = file_of(folder, "hypotheses", hypotheses), file_of(folder, "of each", references)
    return partial(score_command.main, [*map(str, paths)], standalone_mode=False)


LINE_METRICS = ["bleu", "chrf", "chrf++", "ter", "nist", "gleu", "nltk", "huggingface"]
LINES = {
    "a line": lambda: ([long_line(1)], [long_line(2)]),
    "equal lines": lambda: ([long_line(1)], [long_line(1)]),
    "no blanks": lambda: ([without_blanks(1)], [without_blanks(2)]),
    "segments": lambda: (many_lines(), many_lines()),
    "references": lambda: (many_lines()[:1], [many_lines()]),
}

OF_METRICS = {
    f"{name}: {kind}": lambda _, name=name, texts=texts: partial(metrics.find(name).rows, *texts())
    for name in LINE_METRICS
    for kind, texts in LINES.items()
}
# Every other public operation that can take long, on a line of 10 MB or on a million segments: an operation with a new
# loop belongs here. Each entry prepares a call, in a folder for files.
LONG = {
    **{
        f"tokeniser {name}": lambda _, name=name: partial(cybleu.rows, [long_line(1)], [long_line(2)], tokenize=name)
        for name in ("13a", "intl", "zh", "char", "none")
    },
    **{
        f"{score.__name__} of {name}": lambda _, name=name, score=score: partial(score, table_of(name), name)
        for score in (metrics.score, metrics.scores)
        for name in ("bleu", "chrf", "ter", "nist", "gleu")
    },
    "sentence_bleu": lambda _: partial(cybleu.sentence_bleu, [long_text(2)], long_text(1)),
    "sentence_bleu, references": lambda _: partial(cybleu.sentence_bleu, many_texts(), many_texts()[0]),
    "sentence_bleu, tuples": lambda _: partial(
        cybleu.sentence_bleu, [[(word,) for word in long_text(2)]], [(word,) for word in long_text(1)]
    ),
    "sentence_bleu_many": lambda _: partial(cybleu.sentence_bleu_many, *corpus(many_texts())[::-1]),
    "corpus_bleu": lambda _: partial(corpus_bleu, *corpus(many_texts())[::-1]),
    "modified_precision": lambda _: partial(cybleu.modified_precision, [long_text(2)], long_text(1), 2),
    "corpus_gleu": lambda _: partial(gleu_score.corpus_gleu, *corpus(many_texts())[::-1]),
    "corpus_nist": lambda _: partial(nist_score.corpus_nist, *corpus(many_texts())[::-1], 4),
    "sentence_nist": lambda _: partial(nist_score.sentence_nist, [long_text(2)], long_text(1)),
    "corpus_chrf": lambda _: partial(chrf_score.corpus_chrf, many_lines(), many_lines()),
    "rows of tokens": lambda _: partial(cybleu.rows, many_texts(), many_texts()),
    "References of lines": lambda _: lambda: cybleu.rows(many_lines(), References(many_lines())),
    "References of tokens": lambda _: lambda: cybleu.rows(many_texts(), References(corpus(many_texts())[1])),
    "References of ids": lambda _: lambda: cybleu.rows(ragged(IDS, len(IDS)), References(ragged(IDS, len(IDS)))),
    "rows of ids": lambda _: partial(cybleu.rows, TEXTS, TEXTS, pad_id=0, eos_id=2, threads=2),
    "pairs": lambda _: partial(cybleu.pairs, [long_line(1), long_line(2)]),
    "pairs of ids": lambda _: partial(cybleu.pairs, TEXTS[: 3_000 // PART], threads=2),
    "pairs by chrf": lambda _: partial(cybleu.pairs, [long_line(1), long_line(2)], metric="chrf++"),
    "self_bleu": lambda _: partial(self_bleu, many_texts()),
    "explain_difference": lambda _: partial(cybleu.explain_difference, many_lines(), many_lines()),
    "sacrebleu_compat": lambda _: partial(sacrebleu_compat.corpus_bleu, many_lines(), [many_lines()]),
    "bootstrap": lambda _: partial(bootstrap, rows_of_bleu(), samples=50),
    "paired_test": lambda _: partial(paired_test, rows_of_bleu(), rows_of_bleu()[::-1].copy(), samples=50),
    "report": lambda _: partial(
        report.analyse, {"a": many_lines()[:10_000], "b": many_lines()[1:10_001]}, many_lines()[:10_000]
    ),
    "reading a list": read_list,
    "line search": lambda _: partial(line_search, n_best(10_000, 100)),
    "tune": lambda _: partial(tuning.tune, n_best(10_000, 100), restarts=3, threads=2),
    "kbmira": lambda _: partial(tuning.kbmira, n_best(10_000, 100, sparse=True), passes=1),
    "pro": lambda _: partial(tuning.pro, n_best(10_000, 100, sparse=True), samples=20),
    "merging": lambda _: partial(merge, *[n_best(5_000, 100)] * 2),
    "oracle": lambda _: partial(rerank.oracle, n_best(5_000, 100), "corpus"),
    "perceptron": lambda _: partial(rerank.perceptron, n_best(1_000, 100), folds=2, epochs=2),
    "mbr of many": lambda _: partial(rerank.mbr, [TEXTS[:2_000].tolist()]),
    "files": lambda folder: score_files(folder, many_lines(), many_lines()),
    "files with a line": lambda folder: score_files(folder, [long_line(1)], [long_line(2)]),
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", LONG)
def test_an_interrupt_ends_a_call_and_its_threads(name, tmp_path):
    check_interrupt(LONG[name](tmp_path))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", [*OF_METRICS, *LONG])
def test_kernels_look_in_long_inputs(name, kernels, tmp_path):
    """Within long texts and among many segments, too, signals are handled soon."""
    call = {**OF_METRICS, **LONG}[name](tmp_path)
    assert any(longest_wait(call) < LONGEST for _ in range(3))


def test_kernels_look_in_columns(kernels, pyarrow):
    table = pyarrow.table({"hypothesis": many_lines(), "reference": many_lines()})
    assert any(longest_wait(lambda: columns.rows(table, "hypothesis", "reference")) < LONGEST for _ in range(3))


def test_an_error_stops_the_other_threads():
    nbest = n_best(200, 100)
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
        output = running.stdout.read()
        errors = running.stderr.read()
    assert (running.returncode, output) == (1, b"")
    assert errors.endswith(b"Aborted!\n") and b"Traceback" not in errors
    assert not list(tmp_path.glob(".output*"))
