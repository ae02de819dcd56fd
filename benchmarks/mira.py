"""Batch MIRA and PRO on 1000 x 100 hypotheses: dense features, and sparse ones beside them.

The lists are drawn from a seed and written in the form of Moses's extractor. Each measurement is a process of its own that
reads these files and tunes: processor time of `kbmira`, and the peak of the process's memory, lists included, above what it
took after the imports. Where CYBLEU_01 names a Python that has cybleu 0.1, that is run in turn with this one; where MOSES_BIN
names a folder with Moses's kbmira, so is that, and its time is of the whole process. First this one's passes are compared with a
plain MIRA on dense arrays, and the starts of all with each other.

python benchmarks/mira.py [--rounds N] [--segments N]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
from measure import machine

import cybleu
from cybleu.nbest import NBest
from cybleu.tuning import kbmira

DENSE = 14
EACH = 20  # sparse features of a hypothesis, about

CHILD = """
import json, sys, time
def now(key):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(key)) / 1024
from cybleu.nbest import NBest
try:
    from cybleu.tuning import kbmira, pro
except ImportError:  # 0.1
    from cybleu.rank_tuning import kbmira
    pro = None
at_import = now("VmRSS")
started = time.process_time()
nbest = NBest.from_moses(*sys.argv[1:3])
read = time.process_time() - started
names = nbest.names if nbest.sparse is None else (*nbest.names, *nbest.sparse.names)
start = [1.0] * len(nbest.names) + [0.0] * (len(names) - len(nbest.names))
whole = now("VmHWM") - at_import
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
before = now("VmRSS")
started = time.process_time()
found = kbmira(nbest, start)
times = time.process_time() - started
peak = now("VmHWM")
result = {"time": times, "read": read, "memory": max(whole, peak - at_import), "own": peak - before, "start": found.start_score, "end": found.score}
if pro and "pro" in sys.argv:
    started = time.process_time()
    ranked = pro(nbest, start)
    result.update({"pro": time.process_time() - started, "pro end": ranked.score})
print(json.dumps(result))
"""


def made(segments, size, sparse, seed=1):
    """Hypotheses whose matches follow a hidden model, but for noise; few sparse features are frequent, most are rare."""
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
    """The average weights after these passes in the order of the segments, by arrays of all features."""
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


def of_python(program, files, *more):
    done = subprocess.run([program, "-c", CHILD, *files, *more], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def of_moses(program, files, folder):
    start = folder / "dense"
    start.write_text(" ".join(["1"] * DENSE) + "\n")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [
        program,
        "--ffile",
        files[0],
        "--scfile",
        files[1],
        "--dense-init",
        start,
        "-o",
        folder / "weights",
        "-r",
        "1",
    ]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = {name: float(re.search(name + r" BLEU = ([0-9.]+)", done.stderr)[1]) for name in ("Initial", "Best")}
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"time": used, "start": found["Initial"], "end": found["Best"]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--segments", type=int, default=1000)
    arguments = parser.parse_args()
    print(f"{machine()}, backend {cybleu.BACKEND}")
    check()
    peer = os.environ.get("CYBLEU_01")
    moses = os.environ.get("MOSES_BIN")
    for sparse in (0, 5_000, 100_000):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            nbest = made(arguments.segments, 100, sparse)
            files = str(folder / "features"), str(folder / "scores")
            nbest.to_moses(*files)
            print(
                f"{nbest}, of each {0 if nbest.sparse is None else len(nbest.sparse.values) / len(nbest.features):.1f}"
            )
            del nbest
            runs = {"cybleu": partial(of_python, sys.executable, files, "pro")}
            if peer:
                runs["cybleu 0.1"] = partial(of_python, peer, files)
            if moses:
                runs["Moses"] = partial(of_moses, f"{moses}/kbmira", files, folder)
            found = {name: [] for name in runs}
            for _ in range(arguments.rounds):
                for name, one in runs.items():
                    found[name].append(one())
            for name, results in found.items():
                assert abs(results[0]["start"] - found["cybleu"][0]["start"]) < 1e-5, (name, "starts elsewhere")
                middle = {key: statistics.median(result[key] for result in results) for key in results[0]}
                words = [f"{middle['time']:.2f} s", f"{middle['start']:.4f} -> {middle['end']:.4f}"]
                if "memory" in middle:
                    words.append(f"{middle['memory']:.0f} MB above import, {middle['own']:.1f} MB above the list")
                    words.append(f"read in {middle['read']:.2f} s")
                if "pro" in middle:
                    words.append(f"pro {middle['pro']:.2f} s -> {middle['pro end']:.4f}")
                print(f"  {name}: " + ", ".join(words))
            for name in [*found][1:]:
                times = statistics.median(
                    other["time"] / own["time"] for own, other in zip(found["cybleu"], found[name])
                )
                goal = f" (goal: {'2' if sparse else '1.4'})" if name == "cybleu 0.1" else ""
                print(f"  {times:.1f} times as fast as {name}{goal}")
                if "memory" in found[name][0]:
                    share = statistics.median(
                        own["memory"] / other["memory"] for own, other in zip(found["cybleu"], found[name])
                    )
                    print(f"  {share:.2f} of its memory above import (goal: 0.5)")


if __name__ == "__main__":
    main()
