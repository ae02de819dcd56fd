"""Benchmark texts of n tokens, n = 10, 100, ... 1,000,000: each step should cost about 10 times the previous one."""

from __future__ import annotations

import random
import statistics
import timeit
import warnings
from functools import partial
from itertools import pairwise

from measure import cells, machine, newstest

import cybleu
from cybleu import _backend, _mirror

SIZES = [10**power for power in range(1, 7)]


def vocabularies():
    list_of_references, hypotheses = newstest()
    source = random.Random(1)
    hypothesis = [token for text in hypotheses for token in text]
    reference = [token for (text,) in list_of_references for token in text]
    repeat = SIZES[-1] // min(len(hypothesis), len(reference)) + 1
    words = [f"word{number}" for number in range(50_000)]
    weights = [1 / (rank + 1) for rank in range(len(words))]
    yield "newstest2017, repeated", hypothesis * repeat, reference * repeat
    zipf = [source.choices(words, weights, k=SIZES[-1]) for _ in range(2)]
    yield "Zipf's law, 50,000 words", *zipf
    # the two sides share no str object, as after reading two files
    yield "the same, every token a new object", *([" ".join(text).split()][0] for text in zipf)
    yield "one token", ["a"] * SIZES[-1], ["a"] * SIZES[-1]
    yield "all different", [str(number) for number in range(SIZES[-1])], [str(number) for number in range(SIZES[-1])]
    ids = [number * 4096 for number in range(SIZES[-1])]
    yield "integers, multiples of 4096", ids, ids[::-1]


def main():
    warnings.simplefilter("ignore")
    smoothing = cybleu.SmoothingFunction().method1
    print(f"{machine()}; {cybleu.BACKEND} backend\n")
    cells("tokens on each side", *(f"{size:,}" for size in SIZES), "largest step")
    cells(*["---"] * (len(SIZES) + 2))
    for name, hypothesis, reference in vocabularies():
        for size in SIZES[:3]:
            arguments = [reference[:size]], hypothesis[:size], 4
            assert _backend.chosen.segment_counts(*arguments) == _mirror.segment_counts(*arguments)
        medians = []
        for size in SIZES:
            references, text = [reference[:size]], hypothesis[:size]
            score = partial(cybleu.sentence_bleu, references, text, smoothing_function=smoothing)
            repeats = max(1, 20_000 // size)
            score()
            medians.append(statistics.median(timeit.repeat(score, number=repeats, repeat=9)) / repeats)
        steps = [later / earlier for earlier, later in pairwise(medians)]
        times = (f"{time * 1e6:,.2f} us" if time < 1e-3 else f"{time * 1e3:,.1f} ms" for time in medians)
        cells(name, *times, f"{max(steps[:-1]):.1f}, last {steps[-1]:.1f}")


if __name__ == "__main__":
    main()
