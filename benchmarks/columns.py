"""Benchmark statistics of columns of texts against a loop over the rows of a frame.

python benchmarks/columns.py [--rounds N] [--rows N] [--part N]

Times are processor time. The texts are real sentences, repeated up to `--rows`. The loop calls sacreBLEU for each row, as scripts
with `map_elements` or `apply` do; it runs on `--part` rows, without sacreBLEU's caches. Requires pyarrow and Polars.
"""

from __future__ import annotations

import numpy as np
import polars
import pyarrow
import sacrebleu
from measure import cells, header, lines, median_seconds, options, status, uncached

import cybleu
from cybleu import columns


def main():
    given = options(rounds=3, rows=1_000_000, part=3000)
    hypotheses, references = lines("uedin-nmt.4722"), lines("ref")
    times = -(-given.rows // len(hypotheses))
    table = pyarrow.table(
        {
            "hypothesis": pyarrow.array(hypotheses * times, pyarrow.large_string())[: given.rows],
            "reference": pyarrow.array(references * times, pyarrow.large_string())[: given.rows],
        }
    )
    frame = polars.from_arrow(table.slice(0, given.part))
    part = min(given.part, len(hypotheses))
    plain = cybleu.rows(hypotheses[:part], references[:part])
    before = status("VmHWM")
    counted = columns.rows(table)
    more = status("VmHWM") - before
    rows = np.stack([*counted.values()], axis=1)
    assert rows[:part].tolist() == plain.tolist()
    assert [*columns.total(table).values()] == rows.sum(axis=0).tolist()
    assert np.array_equal(cybleu.rows(table["hypothesis"], table["reference"]), rows)
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

    theirs = median_seconds(uncached(loop), given.rounds) / len(frame)
    size = (table["hypothesis"].nbytes + table["reference"].nbytes) / 1e6
    print(f"{header()}, pyarrow {pyarrow.__version__}, polars {polars.__version__}")
    print(f"{given.rows:,} pairs, {size:.0f} MB of text, 13a; the loop on {len(frame):,} of them\n")
    cells("", "s of the processor", "pairs a second", "times the loop")
    cells("---", "---:", "---:", "---:")
    cells("polars map_elements, sacreBLEU", f"{theirs * given.rows:.0f}", f"{1 / theirs:,.0f}", "1")
    of_polars = polars.from_arrow(table)
    cases = {
        "rows of a pyarrow table": lambda: columns.rows(table),
        "rows of a polars frame": lambda: columns.rows(of_polars),
        "sum of a pyarrow table": lambda: columns.total(table),
        "rows of two columns": lambda: cybleu.rows(table["hypothesis"], table["reference"]),
    }
    for name, function in cases.items():
        ours = median_seconds(uncached(function), given.rounds)
        cells(name, f"{ours:.2f}", f"{given.rows / ours:,.0f}", f"{theirs * given.rows / ours:.0f}")
    print(f"\nMemory beyond the texts for all rows: {more:.0f} MB, of which the rows are {rows.nbytes / 2**20:.0f} MB")


if __name__ == "__main__":
    main()
