"""Measure the cost of `import cybleu` over a bare interpreter: medians of 40 alternating runs.

Wall time includes other load of the machine. Not for Windows, which does not report the resources of a process.
"""

from __future__ import annotations

import argparse
import statistics
import sys

from measure import machine, used_by


def start(code):
    used = used_by([sys.executable, "-c", code])
    return used.processor, used.clock


parser = argparse.ArgumentParser()
parser.add_argument("--most", type=float, help="fail if it takes more milliseconds of the processor")
most = parser.parse_args().most
start("import cybleu")
times = [(*start("pass"), *start("import cybleu")) for _ in range(40)]
bare, bare_clock, imported, imported_clock = (statistics.median(column) * 1e3 for column in zip(*times))
print(machine())
print(f"processor time: bare {bare:.1f} ms, with `import cybleu` {imported:.1f} ms: {imported - bare:.1f} ms more")
print(f"by the clock: {bare_clock:.1f} ms and {imported_clock:.1f} ms: {imported_clock - bare_clock:.1f} ms more")
print("(goal: under 20 ms of processor time; the first import writes byte code)")
if most is not None and imported - bare > most:
    sys.exit(f"`import cybleu` must take {most:g} ms of processor time at most")
