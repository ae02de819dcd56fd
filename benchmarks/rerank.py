"""Reranking beside loops over sacreBLEU and NLTK, in one run. Results are compared before anything is timed.

The loops take minutes to hours, so they are timed on part of the pairs, and the time is given for all of them.

python benchmarks/rerank.py [--rounds N]
"""

from __future__ import annotations

import gzip
import math
import statistics
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import nltk.translate.bleu_score as nltk_bleu
import numpy as np
from extract import write_list
from measure import compare, folder_of, lines, machine, moses100, read, rounds_asked, row, seconds, systems
from sacrebleu.metrics.bleu import BLEU

import cybleu
from cybleu.nbest import NBest
from cybleu.rerank import mbr, oracle
from cybleu.text import tokenizer

METHOD1 = nltk_bleu.SmoothingFunction().method1


def close(ours, theirs):
    return ours.argmax() == int(np.argmax(theirs)) and np.allclose(ours, theirs, rtol=1e-12, atol=1e-12)


def samples(rounds, part=32):
    """1,024 samples of one sentence, as a user of sacreBLEU has it: strings there, tokens here."""
    texts = lines("samples", "mbr-samples")
    tokens = [tokenizer("13a")(text) for text in texts]
    metric = BLEU(effective_order=True)

    def theirs():
        return [
            math.fsum(metric.sentence_score(text, [other]).score for other in texts[:part]) / part
            for text in texts[:part]
        ]

    assert close(mbr([tokens[:part]]).scores, theirs())
    ours, loop = compare(lambda: mbr([tokens]), theirs, rounds)
    row(
        f"exact MBR of {len(texts):,} samples",
        ours,
        loop * (len(texts) / part) ** 2,
        "ms",
        1e3,
        bar="80 ms, 1000 times",
    )


def of_systems(rounds, part=8):
    """3,004 segments with 16 hypotheses each."""
    lists = [list(texts) for texts in zip(*map(read, systems()))]
    chosen = lists[:: len(lists) // part][:part]

    def theirs():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [
                [
                    math.fsum(nltk_bleu.sentence_bleu([other], text, smoothing_function=METHOD1) for other in texts)
                    / len(texts)
                    for text in texts
                ]
                for texts in chosen
            ]

    for texts, expected in zip(chosen, theirs()):
        assert close(mbr([texts], variant="nltk", smoothing="method1").scores, expected)
    ours, loop = compare(lambda: mbr(lists, variant="nltk", smoothing="method1"), theirs, rounds, 1)
    size = f"{len(lists):,} segments x {len(lists[0])}"
    row(f"exact MBR of {size}", ours, loop * len(lists) / len(chosen), "s", 1, bar="1 s, 200 times")


def corpus_oracle(rounds):
    """1,000 segments with 100 hypotheses: moses100 ten times over, each time with other references for its segments."""
    base = moses100()
    texts = [base.texts[base.segment(segment)] for segment in range(100)]
    references = [[line] for line in (folder_of("moses100") / "reference").read_text(encoding="utf-8").splitlines()]
    shifted = [references[(segment + copy) % 100] for copy in range(10) for segment in range(100)]
    nbest = NBest.from_texts(texts * 10, shifted, tokenize=str.split)
    found = oracle(nbest, "corpus")
    time = statistics.median(seconds(lambda: oracle(nbest, "corpus")) for _ in range(5 * rounds))
    print(
        f"| corpus oracle of {len(nbest):,} x 100: {found.score:.2f}, by sentences {found.start:.2f}, "
        f"{found.passes} passes, {found.swaps} swaps | {time:.3f} s | | |  (goal: 0.2 s)",
        flush=True,
    )


def command(rounds, copies=100):
    """`cybleu rerank linear`, its start included, beside splitting the lines of the same file."""
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
        print(
            f"| `rerank linear` of {count:,} hypotheses, {len(names)} features, gz | "
            f"{one:.2f} s | {other:.2f} s | {other / one:.2f} |  (goal: {one / other:.2f} is below 2.5)",
            flush=True,
        )


def main():
    rounds = rounds_asked(3)
    folder_of(".")
    print(f"{machine()}, backend {cybleu.BACKEND}")
    print("| work | cybleu | the loop | times |\n|---|---|---|---|")
    samples(rounds)
    of_systems(rounds)
    corpus_oracle(rounds)
    command(rounds)


if __name__ == "__main__":
    main()
