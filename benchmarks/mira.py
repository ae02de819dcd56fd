"""Benchmark batch MIRA and PRO on 1000 x 100 hypotheses, dense and sparse.

The lists are drawn from a seed and written in the format of Moses's extractor. Each measurement is a process that reads these
files and tunes: processor time of `kbmira` and `pro`, and by how much the memory of the process grew at most after the imports
and after reading. Passes of `kbmira` are first compared with a plain MIRA on dense arrays.

python benchmarks/mira.py [--rounds N] [--segments N]
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from measure import header, options, status, used_by

from cybleu.nbest import NBest
from cybleu.tuning import kbmira, pro

DENSE = 14
EACH = 20  # sparse features of a hypothesis, about


def made(segments, size, sparse, seed=1):
    """A list whose matches follow a hidden model with noise; few sparse features are frequent, most are rare."""
    generator = np.random.default_rng(seed)
    count = segments * size
    features = generator.normal(size=(count, DENSE)).round(4)
    quality = features @ (0.3 * generator.normal(size=DENSE)) + generator.normal(size=count)
    parts = None
    if sparse:
        sizes = generator.integers(EACH // 2, EACH * 3 // 2, count)
        rows = np.repeat(np.arange(count), sizes)
        columns = (sparse * generator.random(len(rows)) ** 3).astype(np.int64)
        keys = np.unique(rows * sparse + columns)
        rows, columns = keys // sparse, keys % sparse
        values = generator.integers(1, 3, len(keys)).astype(float)
        quality += np.bincount(rows, values * (0.3 * generator.normal(size=sparse))[columns], count) / 2
        indptr = np.append(0, np.cumsum(np.bincount(rows, minlength=count)))
        parts = indptr, columns, values, [f"w_{column}" for column in range(sparse)]
    matches = np.clip(12 + 3 * quality + generator.normal(size=count), 0, 25).astype(int)
    orders = [np.maximum(0, (matches * (1 - 0.2 * n)).astype(int) - n) for n in range(4)]
    stats = np.stack([0 * matches + 25] * 2 + orders + [0 * matches + 25 - n for n in range(4)], axis=1)
    names = [f"F{column}" for column in range(DENSE)]
    return NBest(np.arange(0, count + 1, size), features, stats, names, sparse=parts)


def plain(nbest, start, passes):
    """Average weights after some passes in the order of the segments, computed on dense arrays."""
    dense = nbest.features
    if nbest.sparse is not None:
        rest = np.zeros((len(dense), len(nbest.sparse.names)))
        rest[np.repeat(np.arange(len(dense)), np.diff(nbest.sparse.indptr)), nbest.sparse.columns] = nbest.sparse.values
        dense = np.concatenate([dense, rest], axis=1)
    background = np.array([4, 4, 4, 3, 2, 1, 4, 3, 2, 1], dtype=float)
    weights, total, updates = np.array(start), np.zeros(len(start)), 0
    for _ in range(passes):
        for first, last in zip(nbest.offsets[:-1].tolist(), nbest.offsets[1:].tolist()):
            rows = background + nbest.stats[first:last]
            penalty = np.minimum(0, 1 - rows[:, 1] / rows[:, 0])
            gains = np.exp(np.log(rows[:, 2:6] / rows[:, 6:]).mean(axis=1) + penalty) * rows[:, 1]
            values = dense[first:last] @ weights
            hope, fear = int((values + gains).argmax()), int((values - gains).argmax())
            change = dense[first + hope] - dense[first + fear]
            loss = gains[hope] - gains[fear] - change @ weights
            if loss > 0 and change.any():
                weights = weights + min(0.01, loss / (change @ change)) * change
            background = 0.999 * background + nbest.stats[first + hope]
            total += weights
            updates += 1
    return total / updates


def check():
    for sparse in (0, 300):
        nbest = made(20, 30, sparse)
        start = [1.0] * DENSE + [0.0] * sparse
        found = kbmira(nbest, start, 3, shuffle=False, return_best_dev=False)
        assert np.allclose(list(found.weights.values()), plain(nbest, start, 3), rtol=1e-9, atol=1e-12)


def measured(*files):
    """In the child process: print times, memory and scores as JSON."""
    at_import = status("VmRSS")
    times = {"read": time.process_time()}
    nbest = NBest.from_moses(*files)
    times["read"] = time.process_time() - times["read"]
    start = [1.0] * len(nbest.names) + [0.0] * (0 if nbest.sparse is None else len(nbest.sparse.names))
    largest = status("VmHWM") - at_import
    Path("/proc/self/clear_refs").write_text("5")  # resets VmHWM
    before = status("VmRSS")
    found = {}
    for tuner in (kbmira, pro):
        started = time.process_time()
        found[tuner] = tuner(nbest, start)
        times[tuner.__name__] = time.process_time() - started
        if tuner is kbmira:
            peak = status("VmHWM")
    memory = {"memory": max(largest, peak - at_import), "own": peak - before}
    scores = {"start": found[kbmira].start_score, "end": found[kbmira].score, "pro end": found[pro].score}
    print(json.dumps(times | memory | scores))


def main():
    if sys.argv[1:2] == ["--measure"]:
        measured(*sys.argv[2:])
        return
    arguments = options(rounds=5, segments=1000)
    print(header())
    check()
    for sparse in (0, 5_000, 100_000):
        with tempfile.TemporaryDirectory() as folder:
            nbest = made(arguments.segments, 100, sparse)
            files = f"{folder}/features", f"{folder}/scores"
            nbest.to_moses(*files)
            each = 0 if nbest.sparse is None else len(nbest.sparse.values) / len(nbest.features)
            print(f"{nbest}, {each:.1f} sparse features of each")
            del nbest
            command = [sys.executable, __file__, "--measure", *files]
            results = [json.loads(used_by(command).output) for _ in range(arguments.rounds)]
        middle = {key: statistics.median(result[key] for result in results) for key in results[0]}
        print("  read {read:.2f} s, kbmira {kbmira:.2f} s, {start:.4f} -> {end:.4f}".format(**middle))
        print("  {memory:.0f} MB above import, {own:.1f} MB above the list".format(**middle))
        print("  pro {pro:.2f} s -> {pro end:.4f}".format(**middle))


if __name__ == "__main__":
    main()
