"""Benchmark reranking against loops over sacreBLEU and NLTK. Results are compared first.

The loops take minutes to hours, so they run on part of the pairs, and their times are extrapolated.

python benchmarks/rerank.py [--rounds N]
"""

from __future__ import annotations

import gzip
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from statistics import fmean
from time import perf_counter

import nltk.translate.bleu_score as nltk_bleu
import numpy as np
from extract import write_list
from measure import cells, compare, folder_of, header, lines, median_seconds, moses100, options, read, row, systems
from sacrebleu.metrics.bleu import BLEU

from cybleu.nbest import NBest
from cybleu.rerank import mbr, oracle
from cybleu.text import tokenizer

METHOD1 = nltk_bleu.SmoothingFunction().method1


def close(ours, theirs):
    return ours.argmax() == int(np.argmax(theirs)) and np.allclose(ours, theirs, rtol=1e-12, atol=1e-12)


def samples(rounds, part=32):
    """1,024 samples of one sentence: strings for sacreBLEU, tokens for cybleu."""
    texts = lines("samples", "mbr-samples")
    tokens = [tokenizer("13a")(text) for text in texts]
    metric = BLEU(effective_order=True)

    def theirs():
        few = texts[:part]
        return [fmean(metric.sentence_score(text, [other]).score for other in few) for text in few]

    assert close(mbr([tokens[:part]]).scores, theirs())
    ours, loop = compare(lambda: mbr([tokens]), theirs, rounds)
    loop *= (len(texts) / part) ** 2
    row(f"exact MBR of {len(texts):,} samples", ours, loop, "ms", 1e3, bar="80 ms, 1000 times")


def of_systems(rounds, part=8):
    """3,004 segments with 16 hypotheses each."""
    lists = [list(texts) for texts in zip(*map(read, systems()))]
    chosen = lists[:: len(lists) // part][:part]

    def mean(text, texts):
        return fmean(nltk_bleu.sentence_bleu([other], text, smoothing_function=METHOD1) for other in texts)

    def theirs():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [[mean(text, texts) for text in texts] for texts in chosen]

    for texts, expected in zip(chosen, theirs()):
        assert close(mbr([texts], metric="nltk", smoothing="method1").scores, expected)
    ours, loop = compare(lambda: mbr(lists, metric="nltk", smoothing="method1"), theirs, rounds, 1)
    size = f"{len(lists):,} segments x {len(lists[0])}"
    row(f"exact MBR of {size}", ours, loop * len(lists) / len(chosen), "s", 1, bar="1 s, 200 times")


def corpus_oracle(rounds):
    """1,000 segments with 100 hypotheses: moses100 ten times, each time with other references for its segments."""
    base = moses100()
    texts = [base.texts[base.segment(segment)] for segment in range(100)]
    references = [[line] for line in (folder_of("moses100") / "reference").read_text(encoding="utf-8").splitlines()]
    shifted = [references[(segment + copy) % 100] for copy in range(10) for segment in range(100)]
    nbest = NBest.from_texts(texts * 10, shifted, tokenize=str.split)
    found = oracle(nbest, "corpus")
    time = median_seconds(lambda: oracle(nbest, "corpus"), 5 * rounds, perf_counter)
    work = f"corpus oracle of {len(nbest):,} x 100: {found.score:.2f}, by sentences {found.start:.2f}"
    cells(f"{work}, {found.passes} passes, {found.swaps} swaps", f"{time:.3f} s", "", "goal: 0.2 s")


def command(rounds, copies=100):
    """`cybleu rerank linear`, including its start, against splitting the lines of the same file."""
    with tempfile.TemporaryDirectory() as name:
        path, weights = Path(name) / "nbest.gz", Path(name) / "weights"
        nbest, _, count = write_list(Path(name), copies)
        path.write_bytes(gzip.compress(nbest.read_bytes(), 6))
        names = moses100(texts=False).names
        weights.write_text("".join(f"{feature} 1\n" for feature in names))

        def ours():
            run = [sys.executable, "-m", "cybleu", "rerank", "linear", path, "--weights", weights, "-o", f"{name}/out"]
            subprocess.run(run, check=True)

        def theirs():
            with gzip.open(path, "rt", encoding="utf-8") as file:
                for line in file:
                    line.split()

        one, other = compare(ours, theirs, rounds, 1)
        work = f"`rerank linear` of {count:,} hypotheses, {len(names)} features, gz"
        row(work, one, other, "s", 1, bar=f"{one / other:.2f} below 2.5")


def main():
    rounds = options(rounds=3).rounds
    folder_of(".")
    print(header())
    print("| work | cybleu | the loop | times |\n|---|---|---|---|")
    samples(rounds)
    of_systems(rounds)
    corpus_oracle(rounds)
    command(rounds)


if __name__ == "__main__":
    main()
