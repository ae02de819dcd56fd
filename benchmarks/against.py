"""Time and memory of this version of cybleu, or the same beside another version.

Each work runs in new processes, alternating between the versions; results must be equal. Times are medians of processor
time, and memory is the largest of the process, with the imports and the input.

python benchmarks/against.py [PYTHON] [--rounds N] [--only WORK ...]
PYTHON is the interpreter of an environment in which the other version is installed, with the extras report and tuning,
and with Polars. Its version of Python is the same: from 3.12 on, `sum` changes last digits of sacreBLEU's BLEU.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import hashlib
import io
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from measure import DATA, cells, folder_of, header, lines, newstest, read, systems

import cybleu
from cybleu import __main__, metrics, rerank, significance, tuning
from cybleu.nbest import NBest


def outputs():
    """Texts of all systems, segment by segment."""
    return [list(texts) for texts in zip(*map(read, systems()))]


def samples():
    return read("samples", "mbr-samples")


def edited_ids(count):
    """Samples as ids: sentences of newstest with a tenth of the tokens replaced."""
    _, hypotheses = newstest()
    numbers: dict[str, int] = {}
    ids = [[numbers.setdefault(token, len(numbers)) for token in text] for text in hypotheses if 16 <= len(text) <= 27]
    references, generator = ids[:1000], np.random.default_rng(1)
    flat = np.array([token for i in range(count) for token in references[i % 1000]], dtype=np.int32)
    changed = generator.random(len(flat)) < 0.1
    flat[changed] = generator.integers(0, len(numbers), int(changed.sum()))
    offsets = np.cumsum([0, *(len(references[i % 1000]) for i in range(count))])
    return [[text] for text in references], cybleu.Ragged(flat, offsets), np.arange(count) % 1000


def moses_list(segments, size):
    """A large n-best list made of the 100 segments of moses100, with noise on features and matches."""
    folder = folder_of("moses100")
    nbest = NBest.from_files(folder / "nbest.gz", folder / "reference", texts=False)
    generator = np.random.default_rng(1)
    owners = np.repeat(np.arange(segments) % len(nbest), size)
    rows = nbest.offsets[owners] + np.tile(np.arange(size), segments) % np.diff(nbest.offsets)[owners]
    features = nbest.features[:, : len(START)]
    noise = generator.normal(size=(len(rows), len(START))) * 0.1 * features.std(axis=0)
    stats = nbest.stats[rows] - generator.integers(0, 2, (len(rows), 1)) * np.array([1, 0] + [0] * 8)
    offsets = np.arange(0, len(rows) + 1, size)
    return NBest(offsets, features[rows] + noise, stats, nbest.names[: len(START)])


START = [1, 1, 1, 1, 1, 1, 1, 1, 1, 0.3, 0.2, 0.3, 0.2, 0.1]


def sentence_bleu():
    method = cybleu.SmoothingFunction().method1
    pairs = list(zip(*newstest()))
    return lambda: [cybleu.sentence_bleu(*pair, smoothing_function=method) for pair in pairs]


def sentence_bleu_many():
    method = cybleu.SmoothingFunction().method1
    references, hypotheses = newstest()
    return lambda: cybleu.sentence_bleu_many(references, hypotheses, smoothing_function=method)


def corpus_bleu():
    references, hypotheses = newstest()
    return lambda: cybleu.corpus_bleu(references, hypotheses)


def statistics_of_ids():
    references, ids, owner = edited_ids(50_000)
    prepared = cybleu.References(references)
    return lambda: cybleu.rows(ids, prepared, owner=owner)


def rewards():
    references, ids, owner = edited_ids(50_000)
    prepared = cybleu.References(references)
    return lambda: cybleu.reward_scores(ids, prepared, owner)


def raw_text():
    texts = lines("uedin-nmt.4722") * 10, lines("ref") * 10
    return lambda: cybleu.rows(*texts)


def chrf():
    texts = lines("uedin-nmt.4722"), lines("ref")
    return lambda: metrics.find("chrf").rows(*texts)


def ter():
    texts = lines("uedin-nmt.4722")[:500], lines("ref")[:500]
    return lambda: metrics.find("ter").rows(*texts)


def long_texts():
    """One pair of 100,000 tokens, half of which are equal."""
    source = random.Random(1)
    reference = [str(source.randrange(5000)) for _ in range(100_000)]
    hypothesis = [token if source.random() < 0.5 else "x" for token in reference]
    return lambda: cybleu.sentence_bleu([reference], hypothesis)


def pairwise():
    texts = samples()
    return lambda: cybleu.pairs(texts)


def self_bleu():
    texts = [text for text in newstest()[1] if len(text) > 4][:1000]
    return lambda: cybleu.self_bleu(texts, smoothing_function=cybleu.SmoothingFunction().method1)


def sums():
    stats = np.random.default_rng(1).integers(5, 30, (2_000_000, 10))
    stats[:, 0] += 30
    stats[:, 6:] = stats[:, :1] - np.arange(4)
    return lambda: cybleu.score(stats).score


def columns_of_texts():
    """Ten times newstest in a frame of Polars."""
    import polars

    from cybleu import columns

    frame = polars.DataFrame({"hypothesis": lines("uedin-nmt.4722") * 10, "reference": lines("ref") * 10})
    return lambda: list(columns.total(frame).values())


def mbr_of_samples():
    texts = samples()
    return lambda: rerank.mbr([texts]).scores


def mbr_of_systems():
    lists = outputs()
    return lambda: rerank.mbr(lists, metric="nltk", smoothing="method1").scores


def corpus_oracle():
    references, _ = newstest()
    lists = [[" ".join(text) for text in texts] for texts in outputs()]
    nbest = NBest.from_texts(lists, references, tokenize=str.split)
    return lambda: rerank.oracle(nbest, "corpus").score


def line_search(size=100, axes=4):
    nbest = moses_list(1000, size)
    return lambda: [list(tuning.line_search(nbest, START, axis).weights) for axis in nbest.names[:axes]]


def line_search_of_large_lists():
    return line_search(500, 2)


def kbmira():
    nbest = moses_list(1000, 100)
    return lambda: list(tuning.kbmira(nbest, START).weights.values())


def pro():
    nbest = moses_list(1000, 100)
    return lambda: list(tuning.pro(nbest, START).weights.values())


def mert():
    nbest = moses_list(1000, 100)
    return lambda: list(tuning.tune(nbest, START, restarts=5).weights.values())


def read_nbest():
    folder = folder_of("moses100")
    path = Path(tempfile.mkdtemp(), "nbest")
    path.write_bytes(gzip.decompress((folder / "nbest.gz").read_bytes()))
    return lambda: NBest.from_files(path, folder / "reference", texts=False).features


def compare_systems():
    """All 120 pairs of 16 systems, 10,000 shuffles."""
    references = [[line] for line in read("ref")]
    rows = {name: cybleu.rows(read(name), references) for name in systems()}
    options = {"resamples": 1}
    if hasattr(significance, "Settings"):  # an older version takes the number as an argument
        options = {"settings": significance.Settings(resamples=1)}
    return lambda: [pair.p for pair in significance.compare_systems(rows, **options).differences]


def report():
    """The page of four systems."""
    from cybleu import report

    texts, path = {name: lines(name) for name in systems()[-4:]}, Path(tempfile.mkdtemp(), "report.html")
    references = [[line] for line in lines("ref")]
    return lambda: str(report.write(path, systems=texts, references=references))


def score_command():
    """`cybleu score` on tokens, 40 times newstest, in this process."""
    folder = Path(tempfile.mkdtemp())
    for name in ("ref.txt", "uedin-nmt.4722.txt"):
        (folder / name).write_bytes((DATA / "wmt17-en-de" / name).read_bytes() * 40)
    arguments = ["score", "--tokenize", "none", str(folder / "uedin-nmt.4722.txt"), str(folder / "ref.txt")]

    def run():
        printed, given = io.StringIO(), sys.argv
        sys.argv = ["cybleu", *arguments]
        try:
            with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
                __main__.main()
        finally:
            sys.argv = given
        return printed.getvalue().rsplit(" = ", 1)[1].split()[0]

    return run


WORK = {
    work.__name__: work
    for work in (
        sentence_bleu,
        sentence_bleu_many,
        corpus_bleu,
        long_texts,
        statistics_of_ids,
        rewards,
        raw_text,
        chrf,
        ter,
        pairwise,
        self_bleu,
        sums,
        columns_of_texts,
        mbr_of_samples,
        mbr_of_systems,
        corpus_oracle,
        line_search,
        line_search_of_large_lists,
        kbmira,
        pro,
        mert,
        read_nbest,
        compare_systems,
        report,
        score_command,
    )
}


def run_here(name):
    """In the child process: print the median processor time, the largest memory, and a digest of the result."""
    import resource

    work = WORK[name]()
    result = work()
    times, until = [], time.monotonic() + 1.5
    while len(times) < 3 or (time.monotonic() < until and len(times) < 51):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    held = json.dumps(np.asarray(result).tolist())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # in kilobytes on Linux
    print(json.dumps([statistics.median(times), memory, hashlib.sha256(held.encode()).hexdigest()]))


def child(python, name):
    found = subprocess.run([python, __file__, "--run", name], capture_output=True, text=True)
    if found.returncode:
        sys.exit(f"{name} failed with {python}:\n{found.stderr}")
    return json.loads(found.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python", nargs="?")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=list(WORK), choices=list(WORK), metavar="WORK")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        run_here(arguments.run)
        return
    pythons = [sys.executable, *([arguments.python] if arguments.python else [])]
    print(f"{header()}; processor time, medians of {arguments.rounds} rounds\n")
    cells("work", "this version", "memory", *(["the other", "memory", "times faster"] if arguments.python else []))
    cells(*["---"] * (3 * len(pythons)))
    for name in arguments.only:
        rounds = [[child(python, name) for python in pythons] for _ in range(arguments.rounds)]
        digests = {digest for one in rounds for _, _, digest in one}
        assert len(digests) == 1, f"{name}: the results differ"
        medians = [
            [statistics.median(one[place][part] for one in rounds) for part in (0, 1)] for place in range(len(pythons))
        ]
        row = [text for seconds, memory in medians for text in (f"{seconds * 1e3:.2f} ms", f"{memory:.0f} MB")]
        cells(name, *row, *([f"{medians[1][0] / medians[0][0]:.2f}"] if arguments.python else []))


if __name__ == "__main__":
    main()
