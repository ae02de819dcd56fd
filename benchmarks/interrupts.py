"""How long long calls go on after an interrupt, in seconds of the processor; the goal is 0.2.

The calls are those of tests/whole/test_interrupts.py, on both backends.

python benchmarks/interrupts.py [--moments N]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from measure import machine

import cybleu

GOAL = 0.2

sys.path.append(str(Path(__file__).parent.parent / "tests" / "whole"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--moments", type=int, default=10, help="interrupts of each call")
    arguments = parser.parse_args()
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
