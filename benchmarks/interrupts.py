"""Measure how long calls continue after an interrupt, in seconds of processor time; the goal is 0.2.

The calls are those of tests/whole/test_interrupts.py, on both backends.

python benchmarks/interrupts.py [--moments N]
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from measure import machine, options

import cybleu

GOAL = 0.2

TESTS = Path(__file__).parent.parent / "tests"
sys.path += [str(TESTS), str(TESTS / "whole")]


def main():
    arguments = options(moments=10)  # interrupts of each call
    if "CYBLEU_BACKEND" not in os.environ:
        for backend in ("cython", "python"):
            subprocess.run([sys.executable, *sys.argv], env={**os.environ, "CYBLEU_BACKEND": backend}, check=True)
        return
    from test_interrupts import CASES, delays

    moments = [0.01 + 0.013 * number for number in range(arguments.moments)]
    print(f"{machine()}, {cybleu.BACKEND} backend\n\n| call | largest delay |\n|---|---|", flush=True)
    worst = 0.0
    for name, case in CASES.items():
        largest = max(delays(case(1 if cybleu.BACKEND == "cython" else 20), moments))
        worst = max(worst, largest)
        print(f"| {name.replace('_', ' ')} | {largest * 1e3:.0f} ms |", flush=True)
    print(f"\nlargest: {worst * 1e3:.0f} ms (goal: {GOAL * 1e3:.0f} ms)\n")


if __name__ == "__main__":
    main()
