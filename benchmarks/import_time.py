"""What `import cybleu` costs over a bare interpreter: the median of 20, each in a new process, in turn."""

from __future__ import annotations

import statistics
import subprocess
import sys

from measure import machine, seconds


def start(code):
    return seconds(lambda: subprocess.run([sys.executable, "-c", code], check=True))


start("import cybleu")
times = [(start("pass"), start("import cybleu")) for _ in range(20)]
bare, imported = (statistics.median(column) * 1e3 for column in zip(*times))
print(
    f"{machine()}\nbare interpreter {bare:.1f} ms, with `import cybleu` {imported:.1f} ms: {imported - bare:.1f} ms more"
)
print("(goal: under 20 ms)")
