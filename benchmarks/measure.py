"""What the benchmarks share: real sentences, times of functions and of whole processes, a table."""

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


def rounds_asked(default):
    """What the command line says where a benchmark takes nothing else."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=default)
    return parser.parse_args().rounds


def seconds(function, clock=time.perf_counter):
    started = clock()
    function()
    return clock() - started


def processor_seconds(function):
    return seconds(function, time.process_time)


class Used(NamedTuple):
    """What a process has used: seconds by the clock and of the processor, and its largest memory in MB."""

    clock: float
    processor: float
    memory: float
    output: str


# The largest memory of a process is at least that of the one that started it, so a small one stands between.
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
    """:param options: of ``subprocess.run``"""
    watch = [sys.executable, "-c", _WATCH, *map(str, command)]
    status, *used = json.loads(subprocess.run(watch, stdout=subprocess.PIPE, text=True, check=True, **options).stdout)
    assert status == 0, command
    return Used(*used)


def compare(ours, theirs, rounds=5, ours_per_round=5, clock=time.perf_counter, collecting=False):
    """The median time of each, measured in turn so that both meet the same machine.

    :param collecting: leave the collector of cyclic garbage on, as it is in programs
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


def row(work, ours, theirs, unit="us", scale=1e6, count=1, bar=None):
    asked = f"  (goal: {bar})" if bar and cybleu.BACKEND == "cython" else ""
    times = theirs / ours
    print(
        f"| {work} | {ours / count * scale:.2f} {unit} | {theirs / count * scale:.1f} {unit} | "
        f"{times:.{0 if times >= 10 else 2}f} |{asked}",
        flush=True,
    )
