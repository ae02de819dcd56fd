"""Benchmark `NBest.from_files`, the command `extract` and `NBest.from_moses` on 100,000 hypotheses.

Plain Python first reads the list, too, and must return the same arrays; the command must write the same files as the whole list.
The list is moses100 ten times: 1,000 segments of 100 hypotheses, 15 features, about 26 tokens, not compressed. The same list then
has 30 sparse features for each hypothesis, of 20,000 names. Rates are of wall time and of processor time; those of the command
include the start of the process.

python benchmarks/extract.py [--copies N] [--rounds N]
"""

from __future__ import annotations

import gzip
import itertools
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
from measure import folder_of, header, options

from cybleu.nbest import NBest, extract

MOSES = "64 to 71 thousand"  # hypotheses a second, on another machine


def write_list(folder, copies):
    """Copy the list and its references with new ids."""
    source = folder_of("moses100")
    lines = [
        line.split(" ", 1) for line in gzip.decompress((source / "nbest.gz").read_bytes()).decode().splitlines(True)
    ]
    with open(folder / "nbest", "w", encoding="utf-8") as file:
        for copy in range(copies):
            file.writelines(f"{int(number) + 100 * copy} {rest}" for number, rest in lines)
    (folder / "reference").write_text((source / "reference").read_text(encoding="utf-8") * copies, encoding="utf-8")
    return folder / "nbest", folder / "reference", copies * len(lines)


def write_sparse(folder, nbest, each=30, names=20_000):
    """Write the list with sparse features, few of which are frequent."""
    generator = random.Random(1)
    labels = [f"{kind}_{number}" for kind in ("pp", "src", "tgt", "wt") for number in range(names // 4)]
    generator.shuffle(labels)
    chances = list(itertools.accumulate(1 / (place + 5) for place in range(names)))
    with open(nbest, encoding="utf-8") as lines, open(folder / "sparse", "w", encoding="utf-8") as file:
        for line in lines:
            *begin, features, end = line.split("|||")
            drawn = dict.fromkeys(generator.choices(labels, cum_weights=chances, k=each + each // 2))
            pairs = (f"{name}= {generator.choice([1, 1, 1, 2, -0.25, 0.1234])}" for name in list(drawn)[:each])
            file.write("|||".join([*begin, f"{features}{' '.join(pairs)} ", end]))
    return folder / "sparse"


def read_sparse_plainly(nbest):
    """Columns in order of appearance, and values, by plain Python."""
    columns, rows = {}, []
    for line in nbest.read_text(encoding="utf-8").splitlines():
        tokens = line.split("|||")[2].split()
        pairs = [(label[:-1], float(value)) for label, value in itertools.pairwise(tokens) if "_" in label]
        rows.append(sorted((columns.setdefault(name, len(columns)), value) for name, value in pairs))
    return tuple(columns), rows


def read_plainly(nbest, reference):
    """Features and statistics by plain Python, for this form of a line only."""
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


def processor_seconds():
    """Processor time of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def rate(what, count, function, goal, rounds):
    """Print medians of thousands of hypotheses a second."""
    wall, processor = [], []
    for _ in range(rounds):
        started, before = time.perf_counter(), processor_seconds()
        function()
        wall.append(time.perf_counter() - started)
        processor.append(processor_seconds() - before)
    by_clock, by_processor = (count / statistics.median(times) / 1000 for times in (wall, processor))
    print(f"{what}: {by_clock:.0f} thousand a second, {by_processor:.0f} of processor time (goal: {goal})")


def main():
    arguments = options(copies=10, rounds=7)
    show = partial(rate, rounds=arguments.rounds)
    print(f"{header()}; Moses's extractor: {MOSES} a second")
    with tempfile.TemporaryDirectory() as name:
        nbest, reference, _ = write_list(Path(name), 1)
        read = NBest.from_files(nbest, reference)
        features, stats = read_plainly(nbest, reference)
        assert (read.features == features).all()
        assert (read.stats == stats).all()
        nbest, reference, count = write_list(Path(name), arguments.copies)
        for what, texts in (("with the texts kept", True), ("without the texts", False)):
            function = partial(NBest.from_files, nbest, reference, texts=texts)
            show(f"{count:,} hypotheses, {what}", count, function, "300")
        files = Path(name) / "features", Path(name) / "scores"
        for threads in (1, 2):
            command = [sys.executable, "-m", "cybleu", "extract", nbest, reference, "--threads", str(threads)]
            command += ["--features-file", files[0], "--scores-file", files[1]]
            what = f"the command extract, {threads} thread{'s' * (threads > 1)}"
            show(what, count, partial(subprocess.run, command, check=True), "400")
        whole = NBest.from_files(nbest, reference, texts=False)
        expected = Path(name) / "whole features", Path(name) / "whole scores"
        whole.to_moses(*expected)
        for ours, theirs in zip(files, expected):
            assert ours.read_bytes() == theirs.read_bytes()
        again = NBest.from_moses(*files)
        assert (again.features == whole.features).all()
        assert (again.stats == whole.stats).all()
        show("NBest.from_moses of these files", count, partial(NBest.from_moses, *files), "as reading the list")
        sparse = write_sparse(Path(name), nbest)
        whole = NBest.from_files(sparse, reference, texts=False)
        names, rows = read_sparse_plainly(sparse)
        assert whole.sparse.names == names
        assert list(zip(whole.sparse.columns.tolist(), whole.sparse.values.tolist())) == [*itertools.chain(*rows)]
        assert np.diff(whole.sparse.indptr).tolist() == [len(row) for row in rows]
        whole.to_moses(*files)
        for what, function in (
            ("NBest.from_files", lambda: NBest.from_files(sparse, reference, texts=False)),
            ("to_moses", lambda: whole.to_moses(*files)),
            ("NBest.from_moses", lambda: NBest.from_moses(*files)),
            ("extract", lambda: extract(sparse, [reference], *files)),
        ):
            show(f"30 sparse features each, {what}", count, function, "none")


if __name__ == "__main__":
    main()
