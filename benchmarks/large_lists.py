"""Benchmark reading and tuning on 3,000 x 1,000 hypotheses with 15 features: time, and memory of the process.

The list is moses100 repeated, with seeded noise on the features and a twentieth of the tokens dropped; `--folder` keeps its files.
Plain Python also reads the first lines, and must return the same arrays. Every end of a restart is searched again along every axis.

python benchmarks/large_lists.py [--segments N] [--size N] [--restarts N] [--threads N ...] [--folder FOLDER]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from extract import read_plainly
from measure import cells, folder_of, header, moses100, status

from cybleu.nbest import NBest
from cybleu.tuning import line_search, tune

LABELS = "d= {} {} {} {} {} {} {} lm= {} {} tm= {} {} {} {} {} w= {}".replace("{}", "%.6g")
VARIANTS = 10  # of each text
GOAL_READ, GOAL_RUN, GOAL_MEMORY = 6.0, {1: 75.0, 2: 45.0}, 2.0  # seconds, seconds by threads, GB


def write_list(folder, segments, size, seed=1):
    """Write the list and its references unless the files exist."""
    nbest, reference = folder / f"{segments}x{size}.nbest", folder / f"{segments}x{size}.ref"
    references = (folder_of("moses100") / "reference").read_text(encoding="utf-8").splitlines()
    reference.write_text("".join(f"{references[s % len(references)]}\n" for s in range(segments)), encoding="utf-8")
    if nbest.exists():
        return nbest, reference
    base = moses100()
    generator = np.random.default_rng(seed)
    texts = []
    for text in base.texts:
        tokens = text.split()
        kept = generator.random((VARIANTS, len(tokens))) >= 0.05
        texts.append([" ".join(token for token, keep in zip(tokens, row) if keep) for row in kept.tolist()])
    spread = 0.1 * base.features.std(axis=0)
    with open(nbest.with_suffix(".partial"), "w", encoding="utf-8") as file:
        for segment in range(segments):
            place = base.segment(segment % len(base))
            rows = place.start + np.arange(size) % (place.stop - place.start)
            features = base.features[rows] + generator.normal(size=(size, len(spread))) * spread
            picked = generator.integers(VARIANTS, size=size).tolist()
            file.writelines(
                f"{segment} ||| {texts[row][variant]} ||| {LABELS % tuple(values)} ||| {values[0]:.6g}\n"
                for row, variant, values in zip(rows.tolist(), picked, features.tolist())
            )
    os.replace(nbest.with_suffix(".partial"), nbest)
    return nbest, reference


def check(folder):
    nbest, reference = write_list(folder, 3, 50)
    features, stats = read_plainly(nbest, reference)
    read = NBest.from_files(nbest, reference, texts=False)
    assert (read.features == features).all() and (read.stats == stats).all()
    tuned = tune(read, restarts=2)
    for end in tuned.restarts:
        assert all(line_search(read, list(end.weights.values()), name).score == end.score for name in read.names)


def show(function, goal, what):
    """Time a call and print its row; `what` describes its result."""
    clock, processor = time.perf_counter(), time.process_time()
    result = function()
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    cells(what(result), f"{clock:.2f} s", f"{processor:.2f} s", f"{status('VmHWM') / 1024:.2f} GB", goal)
    return result


def one(nbest, reference, restarts, threads):
    """Read, and tune unless there are no threads; in its own process, whose memory is measured."""
    read = show(
        lambda: NBest.from_files(nbest, reference, texts=False),
        f"{GOAL_READ:g} s",
        lambda read: f"read {len(read.features):,} hypotheses",
    )
    if threads:
        what = f"tune, {restarts} restarts, {threads} thread{'s' * (threads > 1)}"
        tuned = show(
            lambda: tune(read, restarts=restarts, threads=threads),
            f"{GOAL_RUN.get(threads, '')} s, {GOAL_MEMORY:g} GB",
            lambda tuned: f"{what}, {tuned.line_searches:,} line searches",
        )
        print(f"{tuned.start_score:.6f} -> {tuned.score:.6f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--segments", type=int, default=3000)
    parser.add_argument("--size", type=int, default=1000)
    parser.add_argument("--restarts", type=int, default=20)
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        nbest, reference, threads = arguments.one
        one(nbest, reference, arguments.restarts, int(threads))
        return
    print(header())
    with tempfile.TemporaryDirectory() as name:
        check(Path(name))
        files = write_list(arguments.folder or Path(name), arguments.segments, arguments.size)
        print("| work | by the clock | of the processors | largest memory | goal |\n|---|---|---|---|---|", flush=True)
        for threads in arguments.threads or [0]:
            command = [sys.executable, __file__, "--restarts", str(arguments.restarts), "--one", *map(str, files)]
            subprocess.run([*command, str(threads)], check=True)


if __name__ == "__main__":
    main()
