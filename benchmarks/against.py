"""Compare the speed of two versions of cybleu.

Each benchmark runs in new processes, alternating between the versions. Results must be equal. Times are medians of
processor time.

python benchmarks/against.py PYTHON [--rounds N] [--only WORK ...]
PYTHON is the interpreter of an environment in which the other version is installed, with NumPy, click and tqdm.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import hashlib
import io
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from measure import DATA, lines, machine, moses100, newstest, read, replicated, systems

import cybleu
from cybleu import __main__, rerank, tuning
from cybleu.nbest import NBest


def outputs():
    """Texts of all systems, segment by segment."""
    return [list(texts) for texts in zip(*map(read, systems()), strict=True)]


def samples():
    return [line.split() for line in lines("samples", "mbr-samples")]


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


def moses_list(segments, size, seed=1):
    """A large n-best list made of moses100, with noise on its features."""
    nbest = moses100()
    offsets, rows, features, generator = replicated(nbest, segments, size, len(START), seed)
    stats = nbest.stats[rows] - generator.integers(0, 2, (len(rows), 1)) * np.array([1, 0] + [0] * 8)
    return NBest(offsets, features, stats, nbest.names[: len(START)])


START = [1, 1, 1, 1, 1, 1, 1, 1, 1, 0.3, 0.2, 0.3, 0.2, 0.1]


def sentence_bleu():
    method = cybleu.SmoothingFunction().method1
    pairs = list(zip(*newstest(), strict=True))
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


def read_nbest():
    folder = DATA / "moses100"
    with gzip.open(folder / "nbest.gz", "rt", encoding="utf-8") as file:
        text = file.read()
    path = Path(tempfile.mkdtemp(), "nbest")
    path.write_text(text, encoding="utf-8")
    return lambda: NBest.from_files(path, folder / "reference", texts=False).features


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
        statistics_of_ids,
        rewards,
        pairwise,
        self_bleu,
        sums,
        mbr_of_samples,
        mbr_of_systems,
        corpus_oracle,
        line_search,
        line_search_of_large_lists,
        kbmira,
        pro,
        read_nbest,
        score_command,
    )
}


def run_here(name):
    """In the child process: print the median processor time and a digest of the result."""
    work = WORK[name]()
    result = work()
    times, until = [], time.monotonic() + 1.5
    while len(times) < 3 or (time.monotonic() < until and len(times) < 51):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    held = json.dumps(np.asarray(result).tolist())
    print(json.dumps({"seconds": statistics.median(times), "digest": hashlib.sha256(held.encode()).hexdigest()}))


def child(python, name):
    command = [python, __file__, "--run", name, ""]
    found = subprocess.run(command, capture_output=True, text=True)
    if found.returncode:
        sys.exit(f"{name} failed with {python}:\n{found.stderr}")
    return json.loads(found.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("python")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=list(WORK), choices=list(WORK), metavar="WORK")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        run_here(arguments.run)
        return
    print(f"{machine()}, medians of {arguments.rounds} rounds, processor time\n")
    print("| work | this version | the other | times |\n|---|---|---|---|")
    for name in arguments.only:
        ours, theirs = [], []
        for _ in range(arguments.rounds):
            ours.append(child(sys.executable, name))
            theirs.append(child(arguments.python, name))
        assert len({found["digest"] for found in ours + theirs}) == 1, f"{name}: the results differ"
        one, other = (statistics.median(found["seconds"] for found in each) for each in (ours, theirs))
        print(f"| {name} | {one * 1e3:.2f} ms | {other * 1e3:.2f} ms | {other / one:.2f} |", flush=True)


if __name__ == "__main__":
    main()
