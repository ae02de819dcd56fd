"""N-best text with features to arrays and BLEU statistics: `NBest.from_files` on 100,000 hypotheses, one thread; then the
command `extract`, the interpreter's start included, and `NBest.from_moses`, which reads what it wrote.

First the list is read by a few lines of plain Python too, and must give the same arrays. The list is moses100 ten times
over: 1,000 segments of 100 hypotheses, 15 features, about 26 tokens, not compressed.

python benchmarks/extract.py [--copies N]
"""

from __future__ import annotations

import argparse
import gzip
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from measure import DATA, machine, seconds

import cybleu
from cybleu.nbest import NBest

MOSES = "64 to 71 thousand"  # a second, its extractor on the machine of the goal


def write_list(folder, copies):
    """The list and its references, copied with new ids."""
    source = DATA / "moses100"
    if not source.is_dir():
        sys.exit(f"the benchmark reads an n-best list from {source}; set CYBLEU_DATA to the folder that has it")
    lines = [
        line.split(" ", 1) for line in gzip.decompress((source / "nbest.gz").read_bytes()).decode().splitlines(True)
    ]
    with open(folder / "nbest", "w", encoding="utf-8") as file:
        for copy in range(copies):
            file.writelines(f"{int(number) + 100 * copy} {rest}" for number, rest in lines)
    (folder / "reference").write_text((source / "reference").read_text(encoding="utf-8") * copies, encoding="utf-8")
    return folder / "nbest", folder / "reference", copies * len(lines)


def read_plainly(nbest, reference):
    """Features and statistics, the slow way: no kernel, and only this one form of a line."""
    references = [line.split() for line in reference.read_text(encoding="utf-8").splitlines()]
    features, stats = [], []
    for line in nbest.read_text(encoding="utf-8").splitlines():
        number, text, values, _ = line.split("|||")
        features.append([float(token) for token in values.split() if not token.endswith("=")])
        texts = references[int(number)], text.split()
        matches, totals = [], []
        for n in range(1, 5):
            wanted, found = [list(zip(*[tokens[i:] for i in range(n)])) for tokens in texts]
            matches.append(sum(min(found.count(ngram), wanted.count(ngram)) for ngram in set(found)))
            totals.append(len(found))
        stats.append([len(texts[1]), len(texts[0]), *matches, *totals])
    return np.array(features), np.array(stats)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--copies", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    print(f"{machine()}, backend {cybleu.BACKEND}")
    with tempfile.TemporaryDirectory() as name:
        nbest, reference, _ = write_list(Path(name), 1)
        read = NBest.from_files(nbest, reference)
        features, stats = read_plainly(nbest, reference)
        assert (read.features == features).all()
        assert (read.stats == stats).all()
        nbest, reference, count = write_list(Path(name), arguments.copies)
        for what, texts in (("with the texts kept", True), ("without the texts", False)):
            times = [
                seconds(lambda keep=texts: NBest.from_files(nbest, reference, texts=keep))
                for _ in range(arguments.rounds)
            ]
            rate = count / statistics.median(times)
            print(f"{count:,} hypotheses, {what}: {rate / 1000:.0f} thousand a second (goal: 300; Moses: {MOSES})")
        files = Path(name) / "features", Path(name) / "scores"
        command = [sys.executable, "-m", "cybleu", "extract", nbest, reference]
        command += ["--features-file", files[0], "--scores-file", files[1]]
        times = [seconds(lambda: subprocess.run(command, check=True)) for _ in range(arguments.rounds)]
        rate = count / statistics.median(times)
        print(f"the command extract: {rate / 1000:.0f} thousand a second (goal: 400; Moses: {MOSES})")
        again = NBest.from_moses(*files)
        whole = NBest.from_files(nbest, reference, texts=False)
        assert (again.features == whole.features).all()
        assert (again.stats == whole.stats).all()
        times = [seconds(lambda: NBest.from_moses(*files)) for _ in range(arguments.rounds)]
        rate = count / statistics.median(times)
        print(f"NBest.from_moses of what it wrote: {rate / 1000:.0f} thousand a second (goal: as reading the list)")


if __name__ == "__main__":
    main()
