"""Strategies of `tune` beside each other: BLEU against the number of line searches, on the lists of `tuning_lists.py`.

Each strategy runs with 10 seeds and 20 restarts. The table has the median BLEU and the median number of line searches; and BLEU
after half of the searches that 0.1 took. The ends of all restarts are checked first: each is an optimum of every axis, and scores
what its weights score.

python benchmarks/climbs.py [--seeds N] [--lists NAME,NAME] [--restarts N]
"""

from __future__ import annotations

import argparse
import statistics

from measure import machine
from tuning_lists import CHOSEN_ON, LISTS, lists

from cybleu.tuning import line_search, random_search, tune

STRATEGIES = {
    "0.1: -1 to 1, best axis first": {"start_range": (-1, 1), "wide": 10**6, "moves": "best first"},
    "0 to 1, best axis first (Moses)": {"start_range": (0, 1), "wide": 10**6, "moves": "best first"},
    "0 to 1, axis after axis": {"start_range": (0, 1), "wide": 10**6},
    "13 from 0 to 1, then perturbed, best axis first": {"moves": "best first"},
    "13 from 0 to 1, then perturbed (tune)": {},
    "tune with as many random directions": {"directions": "as many"},
}


def run(nbest, restarts, seed, options):
    options = dict(options)
    if options.get("directions"):
        options["directions"] = len(nbest.names)
    if "wide" in options:
        options["wide"] = restarts
    return tune(nbest, restarts=restarts, seed=seed, **options)


def check(nbest, tuning):
    """Every end is what it says."""
    for end in tuning.restarts[::5]:
        assert end.at_optimum
        assert random_search(nbest, [list(end.weights.values())])[0] == end.score
        assert all(line_search(nbest, end.weights, name).score <= end.score for name in nbest.names)


def after(tuning, searches):
    """The best score within so many line searches; that of the first climb where they are fewer."""
    best, taken = tuning.restarts[0].score, 0
    for restart in tuning.restarts:
        taken += restart.line_searches
        if taken > searches:
            break
        best = max(best, restart.score)
    return best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--restarts", type=int, default=20)
    parser.add_argument("--lists", default=",,".join(LISTS), help="names, with two commas between them")
    arguments = parser.parse_args()
    print(f"{machine()}, {arguments.restarts} restarts, medians of {arguments.seeds} seeds")
    wanted = arguments.lists.split(",,")
    for name, nbest in lists():
        if name not in wanted:
            continue
        print(f"\n{name}{'' if name in CHOSEN_ON else ' (held out)'}: {nbest}\n")
        print(
            "| strategy | BLEU, half of the searches | BLEU | lowest | highest | line searches |\n|---|---|---|---|---|---|"
        )
        half = None
        for strategy, options in STRATEGIES.items():
            tunings = [run(nbest, arguments.restarts, seed, options) for seed in range(arguments.seeds)]
            check(nbest, tunings[0])
            searches = statistics.median(tuning.line_searches for tuning in tunings)
            half = searches / 2 if half is None else half
            early = statistics.median(100 * after(tuning, half) for tuning in tunings)
            found = [100 * tuning.score for tuning in tunings]
            print(
                f"| {strategy} | {early:.2f} | {statistics.median(found):.2f} | {min(found):.2f} | {max(found):.2f} | "
                f"{searches:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
