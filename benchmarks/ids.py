"""Measure rows of token ids in arrays of every form, as parts of the time of the same ids in lists of int.

python benchmarks/ids.py [--rounds N]

A line is a form of hypotheses and references, with new references in each call. Results are equal (asserted). Times are
processor time, the medians of rounds in which forms take turns.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
from measure import header, seconds

import cybleu

SEGMENTS = {32: 1024, 64: 512, 256: 256, 1024: 64}  # of each length
END, PAD, UNKNOWN = 1, 0, 2


def ragged(array):
    texts = array.reshape(-1, array.shape[-1])
    return cybleu.Ragged(texts.reshape(-1), np.arange(len(texts) + 1) * texts.shape[1])


def forms(samples, references, count):
    """Yield the name of a form with its arguments and options.

    :param samples: ids `(n, length)`
    :param references: ids `(n, count, length)`
    """
    one = references[:, 0]
    table = one if count == 1 else references
    yield "2-D, 3-D int64", (samples, references), {}
    for dtype in (np.int32, np.uint16):
        if samples.max() <= np.iinfo(dtype).max:
            yield f"2-D, {table.ndim}-D {dtype.__name__}", (samples.astype(dtype), table.astype(dtype)), {}
            lists = [list(group) for group in references.astype(dtype)]
            yield f"lists of 1-D {dtype.__name__}", (list(samples.astype(dtype)), lists), {}
    yield "lists of 1-D int64", (list(samples), [list(group) for group in references]), {}
    if count == 1:
        yield "lists of 1-D, one each", (list(samples), list(one)), {}
        yield "Ragged", (ragged(samples), ragged(one)), {}
    yield "lists of 2-D", (list(samples), list(references)), {}
    yield "not contiguous", (samples[:, ::-1][:, ::-1], np.asfortranarray(table)), {}
    lengths, widths = np.full(len(samples), samples.shape[1]), np.full(table.shape[:-1], table.shape[-1])
    yield "lengths", (samples, table), {"lengths": lengths, "reference_lengths": widths}
    yield "pad_id, eos_id", (samples, table), {"pad_id": PAD, "eos_id": END}
    yield "unk_id", (samples, table), {"unk_id": UNKNOWN}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    source = np.random.default_rng(0)
    columns = [(length, count, words) for length in SEGMENTS for count in (1, 4) for words in (200, 200_000)]
    table = {}
    for column in columns:
        length, count, words = column
        shape = SEGMENTS[length], count, length
        references = source.integers(10, words, shape)
        kept = source.random((shape[0], length)) < 0.6
        samples = np.where(kept, references[:, 0], source.integers(10, words, (shape[0], length)))
        lists = samples.tolist(), references.tolist()
        calls = {"lists of int": lambda lists=lists: cybleu.rows(*lists)}
        for name, given, options in forms(samples, references, count):
            calls[name] = lambda given=given, options=options: cybleu.rows(*given, **options)
        expected = calls["lists of int"]().tolist()
        for name, call in calls.items():
            assert call().tolist() == expected, name
        times = {name: [] for name in calls}
        for _ in range(rounds):
            for name, call in calls.items():
                times[name].append(seconds(call, time.process_time))
        in_lists = statistics.median(times["lists of int"])
        for name, taken in times.items():
            table.setdefault(name, {})[column] = statistics.median(taken) / in_lists
        table.setdefault("ns a token in lists", {})[column] = 1e9 * in_lists / samples.size
    print("| form | " + " | ".join(f"{length} x{count} {words:,}" for length, count, words in columns) + " |")
    print("|---" * (1 + len(columns)) + "|")
    for name, cells in table.items():
        shown = [f"{cells[column]:.2f}" if column in cells else "" for column in columns]
        print(f"| {name} | {' | '.join(shown)} |")
    print(f"\nTokens of a text, references, ids in the vocabulary. {header()}.")


if __name__ == "__main__":
    main()
