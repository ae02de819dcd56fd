"""Benchmark calls in two threads of Python against one, on CPython with the GIL or without.

python benchmarks/threads.py [--rounds N]
"""

from __future__ import annotations

import statistics
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from measure import cells, header, lines, newstest, options, seconds

import cybleu


def works():
    """Yield the name of a work, the work as a function without arguments, and its number of segments."""
    list_of_references, hypotheses = newstest()
    texts, references = lines("uedin-nmt.4722"), [[line] for line in lines("ref")]
    pairs = list(zip(list_of_references, hypotheses))
    count = len(hypotheses)
    yield "sentence_bleu", lambda: [cybleu.sentence_bleu(*pair) for pair in pairs], count
    yield "corpus_bleu", partial(cybleu.corpus_bleu, list_of_references, hypotheses), count
    yield "sentence_bleu_many", lambda: list(cybleu.sentence_bleu_many(list_of_references, hypotheses)), count
    yield "segment_stats, 13a", lambda: cybleu.segment_stats(references, texts, tokenize="13a").tolist(), count


def main():
    rounds = options(rounds=9).rounds
    warnings.simplefilter("ignore")
    print(f"{header()}, {'with' if getattr(sys, '_is_gil_enabled', lambda: True)() else 'without'} the GIL\n")
    cells("work on lists that both threads share", "one thread, us a segment", "throughput of two threads")
    cells("---", "---", "---")
    with ThreadPoolExecutor(2) as threads:
        for name, work, count in works():

            def twice(work=work):
                return list(threads.map(lambda _: work(), range(2)))

            assert twice() == [work()] * 2, name
            times = [(seconds(work), seconds(twice)) for _ in range(rounds)]
            one, two = map(statistics.median, zip(*times))
            cells(name, f"{one / count * 1e6:.2f}", f"x {2 * one / two:.2f}")


if __name__ == "__main__":
    main()
