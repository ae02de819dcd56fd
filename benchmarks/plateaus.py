"""How `tune` chooses among points of equal BLEU, beside other ways: by a smoothed BLEU of each, or by nothing.

`tune` goes by BLEU with 1 added to each count where every point of a line scores 0, and among other equal scores by the width of the
interval. The others are functions of the sum: BLEU plus a billionth of a smoothed BLEU, which decides among all equal scores, on
a line and between the ends of climbs. It adds 1 to each count, or to those of the orders above 1 (Lin and Och 2004). With
`nothing`, a line whose points all score 0 leads nowhere.

The lists are drawn where it may matter: few segments, short ones, orders for which hardly a hypothesis has a match. Each ends with
each way of choosing, with the same seed. The table counts the lists on which BLEU ends at 0, and those on which it ends higher and
lower than in `tune`; then the mean BLEU and line searches. `--lists` adds the lists of `tuning_lists.py` and moses100.

python benchmarks/plateaus.py [--number N] [--restarts N] [--lists]
"""

from __future__ import annotations

import argparse
import math
from statistics import mean

import numpy as np
from measure import machine, moses100
from tuning_lists import NAMES, Texts, lists, made

from cybleu.tuning import tune

FEATURES = [*NAMES[:4], "mean_1", "most_2", "mean_4", "noise_a", "noise_b"]
# segments, the shortest and the longest reference, mixtures of two outputs, order
DRAWN = [
    (1, 1, 100, 0, 4),
    (3, 1, 100, 0, 4),
    (10, 1, 100, 0, 4),
    (3, 3, 6, 0, 4),
    (10, 3, 6, 0, 4),
    (30, 3, 6, 0, 4),
    (3, 5, 12, 10, 6),
    (10, 5, 12, 10, 6),
    (3, 10, 30, 10, 8),
    (10, 10, 30, 10, 8),
    (30, 10, 100, 10, 12),
    (10, 1, 100, 0, 1),
]


def bleu(counts, added=0.0, from_order=1):
    """BLEU from 0 to 1, with something added to the matches and totals of orders from `from_order` on."""
    order = len(counts) // 2 - 1
    logarithms = 0.0
    for n in range(1, order + 1):
        extra = added if n >= from_order else 0.0
        matches = counts[1 + n] + extra
        if not matches or not counts[0]:
            return 0.0
        logarithms += math.log(matches / (counts[1 + order + n] + extra))
    return math.exp(logarithms / order + min(0.0, 1 - counts[1] / counts[0]))


def then(added, from_order):
    def score(row):
        counts = row.tolist()
        return bleu(counts) + 1e-9 * bleu(counts, added, from_order)

    return score


WAYS = {
    "as `tune`": "moses",
    "1 added to each count": then(1.0, 1),
    "1 added above order 1": then(1.0, 2),
    "nothing": lambda row: bleu(row.tolist()),
}


def drawn(number):
    """What the lists of a kind are, and some."""
    texts = Texts()
    lengths = np.array([len(tokens) for tokens in texts.reference])
    for kind, (segments, shortest, longest, mixtures, order) in enumerate(DRAWN):
        fitting = np.flatnonzero((lengths >= shortest) & (lengths <= longest))
        found = []
        for seed in range(number):
            generator = np.random.default_rng([kind, seed])
            places = generator.choice(fitting, segments, replace=False).tolist()
            found.append(made(texts, places, mixtures, FEATURES, seed, max_order=order))
        yield f"{segments} segments of {shortest} to {longest} tokens, order {order}", found


def known(number):
    for name, nbest in (("moses100", moses100(texts=False)), *lists()):
        yield name, [nbest] * number


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--number", type=int, default=50, help="of lists of a kind; of seeds with --lists")
    parser.add_argument("--restarts", type=int, default=20)
    parser.add_argument("--lists", action="store_true", help="those of tuning_lists.py instead")
    arguments = parser.parse_args()
    print(f"{machine()}, {arguments.number} lists of each kind, {arguments.restarts} restarts\n")
    print(
        "| lists | equal scores by | at 0 | higher | lower | mean BLEU | line searches |\n|---|---|---|---|---|---|---|"
    )
    for name, found in (known if arguments.lists else drawn)(arguments.number):
        first = None
        for way, metric in WAYS.items():
            results = [
                tune(nbest, restarts=arguments.restarts, seed=seed, metric=metric) for seed, nbest in enumerate(found)
            ]
            scores = [100 * bleu(result.stats) for result in results]
            if first is None:
                first = scores
                assert all(abs(100 * result.score - score) < 1e-9 for result, score in zip(results, scores))
            higher = sum(score > other + 1e-9 for score, other in zip(scores, first))
            lower = sum(score < other - 1e-9 for score, other in zip(scores, first))
            searches = mean(result.line_searches for result in results)
            print(
                f"| {name} | {way} | {scores.count(0.0)} | {higher} | {lower} | {mean(scores):.3f} | {searches:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
