"""`cybleu score` beside `sacrebleu -tok none` on long files, with the largest resident size of each.

python benchmarks/command_line.py [--lines N] [--sacrebleu-lines N]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measure import DATA, machine


def run(command):
    """Seconds, largest resident size in MB, output."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.stdout.close()
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return time.perf_counter() - started, usage.ru_maxrss / 1024, output


def write(folder, name, lines):
    source = (DATA / "wmt17-en-de" / name).read_bytes().splitlines(keepends=True)
    path = folder / f"{name}.{lines}"
    with open(path, "wb") as file:
        for _ in range(lines // len(source)):
            file.writelines(source)
        file.writelines(source[: lines % len(source)])
    return str(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--sacrebleu-lines", type=int, default=100_000, help="its time is scaled; 1,000,000 take 9 GB")
    arguments = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as name:
        times = {}
        for lines in (arguments.sacrebleu_lines, arguments.lines):
            files = [write(Path(name), file, lines) for file in ("uedin-nmt.4722.txt", "ref.txt")]
            times[lines] = run([sys.executable, "-m", "cybleu", "score", "--json", *files])
            if lines == arguments.sacrebleu_lines:
                command = ["-m", "sacrebleu", files[1], "-i", files[0], "-tok", "none", "-b", "-w", "10"]
                peer = run([sys.executable, *command])
                ours = json.loads(times[lines][2])["score"]
                assert f"{ours:.10f}" == peer[2].strip(), (ours, peer[2])
        seconds, resident, _ = times[arguments.lines]
        scaled = peer[0] * arguments.lines / arguments.sacrebleu_lines
        print(f"cybleu score, {arguments.lines:,} lines: {seconds:.2f} s, {resident:.0f} MB")
        print(f"sacrebleu -tok none, {arguments.sacrebleu_lines:,} lines: {peer[0]:.2f} s, {peer[1]:.0f} MB")
        print(f"for {arguments.lines:,} lines: {scaled / seconds:.0f} times (goal: 15, under 200 MB)")


if __name__ == "__main__":
    main()
