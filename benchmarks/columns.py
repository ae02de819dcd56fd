"""Columns of texts to rows of statistics, beside a loop over the rows of a frame. Results are compared before anything is timed.

python benchmarks/columns.py [--rounds N] [--rows N] [--part N]

Times are of the processor. The texts are real, and repeated until there are as many as asked for. The loop calls sacreBLEU for
each row, as scripts with `map_elements` or `apply` do; it is timed on a part, on lines that sacreBLEU has not seen. Needs pyarrow and
polars.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys

import numpy as np
import polars
import pyarrow
import sacrebleu
from measure import lines, machine, processor_seconds
from sacrebleu.tokenizers import tokenizer_13a, tokenizer_re

import cybleu
from cybleu import columns, segment_stats

CACHES = [tokenizer_13a.Tokenizer13a.__call__, tokenizer_re.TokenizerRegexp.__call__]


def seconds(function, rounds):
    times = []
    for _ in range(rounds):
        for cache in CACHES:
            cache.cache_clear()
        times.append(processor_seconds(function))
    return statistics.median(times)


def row(*cells):
    print(f"| {' | '.join(cells)} |", flush=True)


def memory():
    """The most so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--part", type=int, default=3000, help="rows of the loop")
    options = parser.parse_args()
    hypotheses, references = lines("uedin-nmt.4722"), lines("ref")
    times = -(-options.rows // len(hypotheses))
    table = pyarrow.table(
        {
            "hypothesis": pyarrow.array(hypotheses * times, pyarrow.large_string())[: options.rows],
            "reference": pyarrow.array(references * times, pyarrow.large_string())[: options.rows],
        }
    )
    frame = polars.from_arrow(table.slice(0, options.part))
    part = min(options.part, len(hypotheses))
    plain = segment_stats([[text] for text in references[:part]], hypotheses[:part], tokenize="13a")
    before = memory()
    counted = columns.rows(table)
    more = memory() - before
    rows = columns.statistics(counted)
    assert rows[:part].tolist() == plain.tolist()
    assert columns.statistics(columns.total(table)).tolist() == [rows.sum(axis=0).tolist()]
    assert np.array_equal(segment_stats(table["reference"], table["hypothesis"], tokenize="13a"), rows)
    score = sacrebleu.corpus_bleu(hypotheses[:part], [references[:part]])
    assert abs(cybleu.score(plain).score - score.score) < 1e-9

    metric = sacrebleu.BLEU(effective_order=True)

    def loop():
        pairs = polars.struct("hypothesis", "reference")
        return frame.select(
            pairs.map_elements(
                lambda pair: metric.sentence_score(pair["hypothesis"], [pair["reference"]]).score,
                return_dtype=polars.Float64,
            )
        )

    theirs = seconds(loop, options.rounds) / len(frame)
    size = (table["hypothesis"].nbytes + table["reference"].nbytes) / 1e6
    print(f"{machine()}\ncybleu {cybleu.__version__}, pyarrow {pyarrow.__version__}, polars {polars.__version__}")
    print(f"{options.rows:,} pairs, {size:.0f} MB of text, 13a; the loop on {len(frame):,} of them\n")
    row("", "s of the processor", "pairs a second", "times the loop")
    row("---", "---:", "---:", "---:")
    row("polars map_elements, sacreBLEU", f"{theirs * options.rows:.0f}", f"{1 / theirs:,.0f}", "1")
    of_polars = polars.from_arrow(table)
    cases = {
        "rows of a pyarrow table": lambda: columns.rows(table),
        "rows of a polars frame": lambda: columns.rows(of_polars),
        "sum of a pyarrow table": lambda: columns.total(table),
        "segment_stats of two columns": lambda: segment_stats(table["reference"], table["hypothesis"], tokenize="13a"),
    }
    for name, function in cases.items():
        ours = seconds(function, options.rounds)
        row(name, f"{ours:.2f}", f"{options.rows / ours:,.0f}", f"{theirs * options.rows / ours:.0f}")
    print(f"\nMemory beyond the texts for all rows: {more:.0f} MB, of which the rows are {rows.nbytes / 2**20:.0f} MB")


if __name__ == "__main__":
    main()
