"""`cybleu score` beside `sacrebleu -tok none` on long files, with the largest resident size of each.

python benchmarks/command_line.py [--lines N] [--sacrebleu-lines N]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from measure import DATA, machine, used_by


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
            times[lines] = used_by([sys.executable, "-m", "cybleu", "score", "--tokenize", "none", "--json", *files])
            if lines == arguments.sacrebleu_lines:
                command = ["-m", "sacrebleu", files[1], "-i", files[0], "-tok", "none", "-b", "-w", "10"]
                peer = used_by([sys.executable, *command])
                ours = json.loads(times[lines].output)["score"]
                assert f"{ours:.10f}" == peer.output.strip(), (ours, peer.output)
        ours = times[arguments.lines]
        scaled = peer.clock * arguments.lines / arguments.sacrebleu_lines
        print(f"cybleu score, {arguments.lines:,} lines: {ours.clock:.2f} s, {ours.memory:.0f} MB")
        print(f"sacrebleu -tok none, {arguments.sacrebleu_lines:,} lines: {peer.clock:.2f} s, {peer.memory:.0f} MB")
        print(f"for {arguments.lines:,} lines: {scaled / ours.clock:.0f} times (goal: 15, under 200 MB)")


if __name__ == "__main__":
    main()
