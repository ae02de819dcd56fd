"""Shared by the benchmarks: real sentences, times of functions and processes, tables."""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

import cybleu

DATA = Path(os.environ.get("CYBLEU_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))


def read(path):
    return [line.split() for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


def folder_of(name):
    path = DATA / name
    if not path.is_dir():
        sys.exit(f"the benchmark reads real texts from {path}; set CYBLEU_DATA to the folder that has them")
    return path


def newstest(system="uedin-nmt.4722"):
    """newstest2017 en-de: (references, hypotheses), 3,004 segments split on white space."""
    folder = folder_of("wmt17-en-de")
    return [[reference] for reference in read(folder / "ref.txt")], read(folder / f"{system}.txt")


def lines(name, folder="wmt17-en-de"):
    """The raw lines of a text."""
    return (folder_of(folder) / f"{name}.txt").read_text(encoding="utf-8").split("\n")[:-1]


def systems():
    """The files of the 16 systems of newstest2017 en-de."""
    return sorted(path for path in folder_of("wmt17-en-de").glob("*.txt") if path.name != "ref.txt")


def moses100(texts=True):
    """An n-best list of Moses: 100 segments, 10,000 hypotheses, 15 features."""
    from cybleu.nbest import NBest

    folder = folder_of("moses100")
    return NBest.from_files(folder / "nbest.gz", folder / "reference", texts=texts)


def replicated(nbest, segments, size, names, seed=1):
    """Repeat the segments of a list, and the hypotheses of each, with noise on the features.

    Returns offsets, the rows of the original list, features and the generator.
    """
    generator = np.random.default_rng(seed)
    owners = np.repeat(np.arange(segments) % len(nbest), size)
    sizes = np.diff(nbest.offsets)[owners]
    rows = nbest.offsets[owners] + np.tile(np.arange(size), segments) % sizes
    features = nbest.features[:, :names]
    noise = generator.normal(size=(len(rows), names)) * 0.1 * features.std(axis=0)
    return np.arange(0, len(rows) + 1, size), rows, features[rows] + noise, generator


def options(**defaults):
    """Parse the command line of a benchmark whose options are all integers."""
    parser = argparse.ArgumentParser()
    for name, default in defaults.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    return parser.parse_args()


def seconds(function, clock=time.perf_counter):
    started = clock()
    function()
    return clock() - started


def processor_seconds(function):
    return seconds(function, time.process_time)


def median_seconds(function, rounds, clock=time.process_time):
    return statistics.median(seconds(function, clock) for _ in range(rounds))


def uncached(function):
    """Call the function each time after clearing sacreBLEU's caches of tokenised lines."""
    from sacrebleu.tokenizers import tokenizer_13a, tokenizer_char, tokenizer_intl, tokenizer_re, tokenizer_zh

    modules = tokenizer_13a, tokenizer_char, tokenizer_intl, tokenizer_re, tokenizer_zh
    caches = [kind.__call__ for module in modules for kind in vars(module).values() if isinstance(kind, type)]

    def call():
        for cache in caches:
            if hasattr(cache, "cache_clear"):
                cache.cache_clear()
        return function()

    return call


def status(key):
    """A size of this process in /proc/self/status of Linux, in MB."""
    path = Path("/proc/self/status")
    lines = path.read_text().splitlines() if path.exists() else ()
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(key)), float("nan"))


class Used(NamedTuple):
    """Seconds by the clock and of the processor, largest memory in MB, and output of a process."""

    clock: float
    processor: float
    memory: float
    output: str


# The largest memory of a process is at least that of its parent, so a small process starts it.
_WATCH = """
import json, os, subprocess, sys, time
started = time.perf_counter()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True)
output = process.stdout.read()
_, status, usage = os.wait4(process.pid, 0)
clock = time.perf_counter() - started
print(json.dumps([os.waitstatus_to_exitcode(status), clock, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output]))
"""


def used_by(command, **options):
    """Run a command, with byte code as in an installed package.

    :param options: of ``subprocess.run``
    """
    watch = [sys.executable, "-c", _WATCH, *map(str, command)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.run(watch, env=environment, stdout=subprocess.PIPE, text=True, check=True, **options)
    status, *used = json.loads(process.stdout)
    assert status == 0, command
    return Used(*used)


def compare(ours, theirs, rounds=5, ours_per_round=5, clock=time.perf_counter, collecting=False):
    """Median times of two functions, measured alternately.

    :param collecting: leave the garbage collector enabled, as it is in programs
    """
    ours(), theirs()
    our_times, their_times = [], []
    gc.collect()
    if not collecting:
        gc.disable()
    try:
        for _ in range(rounds):
            their_times.append(seconds(theirs, clock))
            our_times += [seconds(ours, clock) for _ in range(ours_per_round)]
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


def header():
    return f"{machine()}, load {os.getloadavg()[0]:.1f}; cybleu {cybleu.__version__}, {cybleu.BACKEND} backend"


def cells(*texts):
    """Print a row of a table."""
    print(f"| {' | '.join(texts)} |", flush=True)


def bench(work, ours, theirs, rounds, key=lambda found: found, times=compare, **options):
    """Compare the results, then the times, and print a row.

    :param key: called with each result before they are compared
    :param options: of `row`
    """
    assert key(ours()) == key(theirs()), work
    ours_time, theirs_time = times(ours, theirs, rounds)
    row(work, ours_time, theirs_time, **options)
    return ours_time


def bench_sentences(work, ours, theirs, hypotheses, references, rounds, **options):
    """Benchmark functions of sacreBLEU that score one line against a list of references, on 500 lines."""
    pairs = [(line, [other]) for line, other in zip(hypotheses, references)][:500]
    both = (lambda score=score: [score(*pair) for pair in pairs] for score in (ours, theirs))
    bench(work, *both, rounds, lambda found: list(map(vars, found)), count=len(pairs), **options)


def record(work, ours, theirs):
    """Append the seconds of a row to the file that `readme.py` reads."""
    if "CYBLEU_ROWS" in os.environ:
        with open(os.environ["CYBLEU_ROWS"], "a", encoding="utf-8") as file:
            print(json.dumps({"work": work, "ours": ours, "theirs": theirs}), file=file)


def row(work, ours, theirs, unit="us", scale=1e6, count=1, bar=None):
    record(work, ours / count, theirs / count)
    asked = f"  (goal: {bar})" if bar and cybleu.BACKEND == "cython" else ""
    times = theirs / ours
    print(
        f"| {work} | {ours / count * scale:.2f} {unit} | {theirs / count * scale:.1f} {unit} | "
        f"{times:.{0 if times >= 10 else 2}f} |{asked}",
        flush=True,
    )
