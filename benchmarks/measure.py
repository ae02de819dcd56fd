"""What the benchmarks share: real sentences, interleaved timing, a table."""

from __future__ import annotations

import gc
import os
import platform
import statistics
import sys
import time
from pathlib import Path

import cybleu

DATA = Path(os.environ.get("CYBLEU_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))


def read(path):
    return [line.split() for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


def newstest(system="uedin-nmt.4722"):
    """newstest2017 en-de: (references, hypotheses), 3,004 segments split on white space."""
    folder = DATA / "wmt17-en-de"
    if not folder.is_dir():
        sys.exit(f"the benchmark reads real sentences from {folder}; set CYBLEU_DATA to the folder that has them")
    return [[reference] for reference in read(folder / "ref.txt")], read(folder / f"{system}.txt")


def seconds(function):
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def compare(ours, theirs, rounds=5, ours_per_round=5):
    """The median time of each, measured in turn so that both meet the same machine."""
    ours(), theirs()
    our_times, their_times = [], []
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            their_times.append(seconds(theirs))
            our_times += [seconds(ours) for _ in range(ours_per_round)]
    finally:
        gc.enable()
    return statistics.median(our_times), statistics.median(their_times)


def machine():
    name = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                name = line.split(":")[1].strip()
                break
    return f"{name}, {os.cpu_count()} cores, {platform.system()}, CPython {platform.python_version()}"


def row(work, ours, theirs, unit="us", scale=1e6, count=1, bar=None):
    asked = f"  (goal: {bar})" if bar and cybleu.BACKEND == "cython" else ""
    times = theirs / ours
    print(
        f"| {work} | {ours / count * scale:.2f} {unit} | {theirs / count * scale:.1f} {unit} | "
        f"{times:.{0 if times >= 10 else 2}f} |{asked}",
        flush=True,
    )
