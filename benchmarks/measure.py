"""Shared by the benchmarks: real sentences, times of functions and processes, the machine."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import cybleu

DATA = Path(os.environ.get("CYBLEU_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))


def folder_of(name):
    path = DATA / name
    if not path.is_dir():
        sys.exit(f"the benchmark reads real texts from {path}; set CYBLEU_DATA to the folder that has them")
    return path


def lines(name, folder="wmt17-en-de"):
    """The raw lines of a text."""
    return (folder_of(folder) / f"{name}.txt").read_text(encoding="utf-8").split("\n")[:-1]


def read(name, folder="wmt17-en-de"):
    """The lines of a text, split on white space."""
    return [line.split() for line in lines(name, folder)]


def newstest(system="uedin-nmt.4722"):
    """newstest2017 en-de: (references, hypotheses), 3,004 segments split on white space."""
    return [[reference] for reference in read("ref")], read(system)


def systems():
    """The names of the 16 systems of newstest2017 en-de."""
    return sorted(path.stem for path in folder_of("wmt17-en-de").glob("*.txt") if path.stem != "ref")


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


def machine():
    name = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                name = line.split(":")[1].strip()
                break
    return f"{name}, {os.cpu_count()} cores, {platform.system()}, CPython {platform.python_version()}"


def header():
    load, threads = os.getloadavg()[0], os.environ.get("OPENBLAS_NUM_THREADS", "unset")
    ours = f"cybleu {cybleu.__version__}, {cybleu.BACKEND} backend"
    return f"{machine()}, load average {load:.1f}, OPENBLAS_NUM_THREADS {threads}; {ours}"


def cells(*texts):
    """Print a row of a table."""
    print(f"| {' | '.join(texts)} |", flush=True)
