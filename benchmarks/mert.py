"""Benchmark line search and tuning on lists replicated from moses100, with Moses's times on another machine.

A list of 1000 x 100 or 1000 x 500 hypotheses has the features of moses100 except the last, with seeded noise, and the statistics
of its texts with a twentieth of the tokens dropped. First, line searches are compared with all points between thresholds, and
every end of a restart is searched again along every axis.

python benchmarks/mert.py [--rounds N]
"""

from __future__ import annotations

import statistics
import tracemalloc

import numpy as np
from measure import cells, folder_of, header, moses100, options, replicated, seconds

from cybleu import References, metrics
from cybleu.nbest import NBest
from cybleu.rerank import linear
from cybleu.tuning import line_search, tune

START = [1, 1, 1, 1, 1, 1, 1, 1, 1, 0.3, 0.2, 0.3, 0.2, 0.1]
# Moses mert (g++ -O3) on another machine: milliseconds a line search, seconds of 20 restarts on one and two threads.
MOSES_SEARCH = {(100, 100): 0.95, (1000, 100): 10.1, (1000, 500): 73.0}
MOSES_RUN = {1: 18.98, 2: 10.95}
GOAL_SEARCH = {(1000, 100): 1.0, (1000, 500): 5.0}
GOAL_RUN = {1: 1.6, 2: 0.9}


def large_list(nbest, references, segments, size):
    """Replicate a list and drop a twentieth of the tokens of each hypothesis."""
    offsets, rows, features, generator = replicated(nbest, segments, size, len(START))
    tokens = [text.split() for text in nbest.texts]
    texts = []
    for row in rows.tolist():
        kept = generator.random(len(tokens[row])) >= 0.05
        texts.append([token for token, keep in zip(tokens[row], kept.tolist()) if keep])
    stats = references.stats(texts, np.repeat(np.arange(segments) % len(nbest), size))
    return NBest(offsets, features, stats, nbest.names[: len(START)])


def score_of(nbest, weights):
    return metrics.score(nbest.stats[linear(nbest, weights).rows], "moses").score


def check(nbest):
    """Compare a few axes with every point between two thresholds."""
    for name in nbest.names[::5]:
        found = line_search(nbest, START[: len(nbest.names)], name, surface=True)
        assert found.score == score_of(nbest, found.weights)
        assert found.score == found.surface[1].max()
        starts = found.surface[0]
        middles = (starts[1:-1] + starts[2:]) / 2
        picked = np.random.default_rng(0).choice(len(middles), min(200, len(middles)), replace=False)
        vectors = np.tile(np.array(START[: len(nbest.names)], dtype=float), (len(picked), 1))
        vectors[:, nbest.names.index(name)] += middles[picked]
        assert [score_of(nbest, vector) for vector in vectors] == found.surface[1][1:-1][picked].tolist()


def search_times(nbest, rounds):
    """Milliseconds of a search along each axis from the same weights, and from new weights each time."""
    generator = np.random.default_rng(2)
    same, new = [], []
    for name in nbest.names:
        line_search(nbest, START, name)  # the order of the hypotheses along an axis is cached for a list
    for _ in range(rounds):
        weights = np.array(START) * generator.uniform(0.5, 1.5, len(START))
        line_search(nbest, weights, nbest.names[-1])
        for name in nbest.names:
            same.append(seconds(lambda weights=weights, name=name: line_search(nbest, weights, name)))
        for name in nbest.names:
            weights = np.array(START) * generator.uniform(0.5, 1.5, len(START))
            new.append(seconds(lambda weights=weights, name=name: line_search(nbest, weights, name)))
    return statistics.median(same) * 1e3, statistics.median(new) * 1e3


def main():
    arguments = options(rounds=5)
    print(header())
    print("| work | cybleu | Moses, other machine | ratio | goal |\n|---|---|---|---|---|")
    base = moses100()
    lines = (folder_of("moses100") / "reference").read_text(encoding="utf-8").splitlines()
    references = References([[line.split()] for line in lines])
    small = NBest(base.offsets, base.features[:, : len(START)], base.stats, base.names[: len(START)])
    lists = {(100, 100): small}
    for shape in GOAL_SEARCH:
        lists[shape] = large_list(base, references, *shape)
    for shape, nbest in lists.items():
        check(nbest)
        theirs = MOSES_SEARCH[shape]
        goal = f"{GOAL_SEARCH[shape]:g} ms" if shape in GOAL_SEARCH else ""
        for ours, what in zip(search_times(nbest, arguments.rounds), ("", ", new weights")):
            work = f"line search, {shape[0]} x {shape[1]}{what}"
            print(f"| {work} | {ours:.3f} ms | {theirs:g} ms | {theirs / ours:.1f} | {goal} |")
    large = lists[1000, 100]
    arrays = large.offsets, large.features, large.stats
    tuned = tune(NBest(*arrays), START)
    for end in tuned.restarts:
        assert all(line_search(large, list(end.weights.values()), name).score == end.score for name in large.names)
    for threads, theirs in MOSES_RUN.items():
        # from arrays, so that nothing is cached
        again = [NBest(*arrays) for _ in range(arguments.rounds)]
        times = [seconds(lambda nbest=nbest, threads=threads: tune(nbest, START, threads=threads)) for nbest in again]
        ours = statistics.median(times)
        work = f"tune, 1000 x 100, 20 restarts, {threads} thread{'s' * (threads > 1)}"
        cells(work, f"{ours:.2f} s", f"{theirs:g} s", f"{theirs / ours:.1f}", f"{GOAL_RUN[threads]:g} s")
    print(f"{tuned.line_searches:,} line searches; {tuned.start_score:.6f} -> {tuned.score:.6f}")
    assert metrics.score(large.stats[tuned.chosen], "moses").score == tuned.score
    given = sum(array.nbytes for array in arrays)
    for threads in (1, 2):
        nbest = NBest(*arrays)
        tracemalloc.start()
        tune(nbest, START, restarts=2, threads=threads)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        share = (given + peak) / given
        print(f"memory of tune on {threads} threads, with the arrays: {share:.2f} times them (goal: 2.5)")


if __name__ == "__main__":
    main()
