"""Benchmark significance tests against sacreBLEU's on newstest2017 en-de. Results are compared first.

Both get rows, so that counting is excluded. Times are processor time; memory is the growth of the peak resident size of a new
process. sacreBLEU's tests run once: they take seconds to minutes.

python benchmarks/significance.py [--rounds N]
"""

from __future__ import annotations

import multiprocessing
import os

import cybleu

# sacreBLEU multiplies integers on one processor; idle threads of the matrix library would count as work
os.environ |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")

import statistics
import subprocess
import sys
import time

import numpy as np
from measure import cells, folder_of, header, median_seconds, options, read, status, used_by
from measure import systems as files
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.significance import PairedTest

from cybleu.significance import bootstrap, compare_systems, paired_ar, paired_bs, paired_test

BASELINE = "LIUM-NMT.4900"


class OfRows(BLEU):
    """sacreBLEU's metric on rows that are already counted."""

    def _extract_corpus_statistics(self, hypotheses, references):
        return self.rows[hypotheses[0]]


def paths():
    return sorted(files(), key=lambda path: path.stem != BASELINE)


def rows():
    references = [[line] for line in read(folder_of("wmt17-en-de") / "ref.txt")]
    return {path.stem: cybleu.rows(read(path), references) for path in paths()}


def theirs(systems, kind, samples):
    metric = OfRows(tokenize="none")
    metric.num_refs, metric.rows = 1, {name: table.tolist() for name, table in systems.items()}
    named = [(name, [name] * len(table)) for name, table in systems.items()]
    started = time.process_time()
    _, scores = PairedTest(named, {"BLEU": metric}, [["a"]], kind, samples)()
    return time.process_time() - started, dict(zip(scores["System"], scores["BLEU"]))


def _grown(work, systems, queue):
    WORKS[work](dict(list(systems.items())[:2]), few=True)  # imports
    before = status("VmHWM")
    WORKS[work](systems)
    queue.put(status("VmHWM") - before)


def memory(work, systems):
    """Growth of the peak resident size of a new process, in MB."""
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=_grown, args=(work, systems, queue))
    process.start()
    grown = queue.get()
    process.join()
    return grown


def all_pairs(systems, few=False):
    return compare_systems(systems, samples=10 if few else 10_000, resamples=1)


def intervals(systems, few=False):
    from cybleu.significance.resampling import bootstrap_scores
    from cybleu.significance.systems import Systems, runs_of

    given = {name: runs_of(table, name) for name, table in systems.items()}
    return bootstrap_scores(Systems(given, None, None), 10 if few else 10_000, 12345)


def large(systems, few=False):
    return compare_systems(systems, test="shifted-bootstrap", samples=2 if few else 1_000)


WORKS = {"all pairs": all_pairs, "intervals": intervals, "large": large}


def show(work, ours, peer, goal, more=""):
    of_peer = f"{peer:.2f} s | {peer / ours:.0f} times" if peer else "|"
    cells(work, f"{ours:.3f} s", of_peer, goal, more)


def main():
    rounds = options(rounds=5).rounds
    print(f"{header()}, NumPy {np.__version__}; times of the processor")
    print("| work | cybleu | sacreBLEU | times | goal | memory |\n|---|---|---|---|---|---|")
    systems = rows()

    peer, expected = theirs(systems, "bs", 1_000)
    found = paired_bs(systems)
    for name in systems:
        one, other = found[name], expected[name]
        assert (one.score, one.p_value, one.mean, one.ci) == (other.score, other.p_value, other.mean, other.ci), name
    ours = median_seconds(lambda: paired_bs(systems), rounds)
    show("sacreBLEU's bootstrap, 1,000 samples, 16 systems", ours, peer, "40 times")

    peer, expected = theirs(systems, "ar", 10_000)
    found = paired_ar(systems)
    compared = all_pairs(systems)
    for name in list(systems)[1:]:
        assert found[name].p_value == expected[name].p_value == compared.between(name, BASELINE).p, name
    ours = median_seconds(lambda: all_pairs(systems), rounds)
    work = f"randomisation, 10,000, all {len(compared.differences)} pairs; sacreBLEU's 15"
    show(work, ours, peer, "60 times, 50 MB", f"{memory('all pairs', systems):.0f} MB")

    scores = intervals(systems)
    assert scores[3].tolist() == bootstrap(systems[list(systems)[3]], samples=10_000).scores.tolist()
    ours = median_seconds(lambda: intervals(systems), rounds)
    show("bootstrap, 10,000, 16 systems", ours, None, "0.5 s, 50 MB", f"{memory('intervals', systems):.0f} MB")

    reference = folder_of("wmt17-en-de") / "ref.txt"
    command = [sys.executable, "-m", "cybleu", "compare", *map(str, paths()), "-r", str(reference)]
    used = [used_by([*command, "--tokenize", "13a"], stderr=subprocess.DEVNULL) for _ in range(min(rounds, 3))]
    show(
        "`cybleu compare` of 16 raw files, 13a, all pairs",
        statistics.median(one.processor for one in used),
        None,
        "3 s",
        f"wall time {statistics.median(one.clock for one in used):.2f} s",
    )

    generator = np.random.default_rng(1)
    drawn = generator.integers(0, 3004, 300_000)
    longer = {name: table[drawn] for name, table in list(systems.items())[:4]}
    one, other = list(longer)[:2]
    assert large(longer).between(one, other).p == paired_test(longer[one], longer[other], test="shifted-bootstrap").p
    ours = median_seconds(lambda: large(longer), 1)
    show("300,000 segments, 4 systems, 1,000 samples", ours, None, "", f"{memory('large', longer):.0f} MB")


if __name__ == "__main__":
    main()
