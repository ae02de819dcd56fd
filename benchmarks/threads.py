"""Benchmark calls in two threads of Python against one, and against two processes, with the GIL or without.

Times are by the clock: medians of blocks, and in each the shortest of the rounds, in which other programs disturb least.

python benchmarks/threads.py [--rounds N]
"""

from __future__ import annotations

import multiprocessing
import statistics
import sys
import threading
import time
import warnings
from functools import partial

import numpy as np
from measure import cells, header, lines, newstest, options, seconds

import cybleu

BLOCKS = 5


def works():
    """Yield the name of a work, the work as a function without arguments, and its number of segments."""
    list_of_references, hypotheses = newstest()
    texts, references = lines("uedin-nmt.4722"), lines("ref")
    pairs = list(zip(list_of_references, hypotheses))
    count = len(hypotheses)
    method1 = cybleu.SmoothingFunction().method1

    def sentences():
        own = cybleu.SmoothingFunction().method1  # counting references to one object, threads wait for each other
        return [cybleu.sentence_bleu(*pair, smoothing_function=own) for pair in pairs]

    yield "sentence_bleu", sentences, count
    yield "corpus_bleu", partial(cybleu.corpus_bleu, list_of_references, hypotheses, smoothing_function=method1), count
    yield (
        "sentence_bleu_many",
        lambda: list(cybleu.sentence_bleu_many(list_of_references, hypotheses, smoothing_function=method1)),
        count,
    )
    listed = [[line] for line in references]
    yield "rows, 13a", lambda: cybleu.rows(texts, listed).tolist(), count
    numbers: dict[str, int] = {}
    ids = [[numbers.setdefault(token, len(numbers)) for token in text] for _, text in pairs]
    targets = [[numbers.setdefault(token, len(numbers)) for token in text] for (text,), _ in pairs]
    flat = np.array([token for text in ids for token in text])
    offsets = np.cumsum([0, *map(len, ids)])
    prepared = cybleu.References([[text] for text in targets])
    yield "reward_scores, ids", lambda: cybleu.reward_scores(cybleu.Ragged(flat, offsets), prepared).tolist(), count


def timed(work, expected, rounds, barrier, add):
    """Start with the other worker in each round."""
    assert work() == expected
    times = []
    for _ in range(rounds):
        barrier.wait()
        started = time.perf_counter()
        work()
        times.append((started, time.perf_counter()))
    add(times)


def together(work, expected, rounds, barrier, start, results):
    """Return the shortest time in which two workers do the work once each."""
    workers = [start(target=timed, args=(work, expected, rounds, barrier, results.append)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    # one worker may start when the other has ended, if only one can hold the GIL
    return min(max(ends) - min(starts) for starts, ends in (zip(*pair) for pair in zip(*results)))


class Sent:
    """The results of processes: as a list, after they have ended."""

    def __init__(self, context):
        self.queue = context.SimpleQueue()

    def append(self, times):
        self.queue.put(times)

    def __iter__(self):
        return iter([self.queue.get(), self.queue.get()])


def main():
    rounds = options(rounds=31).rounds
    warnings.simplefilter("ignore")
    context = multiprocessing.get_context("fork")
    print(f"{header()}, {'with' if getattr(sys, '_is_gil_enabled', lambda: True)() else 'without'} the GIL\n")
    print("Two workers at once do the whole work each. x 2: both together take no longer than one thread alone.\n")
    cells("work", "one thread, µs per segment", "two threads", "two processes", "threads / processes")
    cells("---", "---", "---", "---", "---")
    for name, work, count in works():
        expected = work()
        blocks = [  # one after the other, because the load of the machine changes
            (
                min(seconds(work) for _ in range(rounds)),
                together(work, expected, rounds, threading.Barrier(2), threading.Thread, []),
                together(work, expected, rounds, context.Barrier(2), context.Process, Sent(context)),
            )
            for _ in range(BLOCKS)
        ]
        one = statistics.median(alone for alone, _, _ in blocks) / count * 1e6
        of_threads = statistics.median(2 * alone / threads for alone, threads, _ in blocks)
        of_processes = statistics.median(2 * alone / processes for alone, _, processes in blocks)
        ratio = statistics.median(processes / threads for _, threads, processes in blocks)
        cells(name, f"{one:.2f}", f"x {of_threads:.2f}", f"x {of_processes:.2f}", f"{ratio:.2f}")


if __name__ == "__main__":
    main()
