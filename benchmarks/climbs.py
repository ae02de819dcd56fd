"""Compare strategies of `tune`: BLEU and the number of line searches, on the lists of `tuning_lists.py`.

Each strategy runs with 10 seeds and 20 restarts. The table has the median BLEU, the median number of line searches, and BLEU
after half of the searches of the first strategy. The ends of the restarts are checked first: each must be an optimum of every
axis, with the score of its weights.

With --moses, the table compares the default of `tune` with the rule of Moses's mert, on `moses100`, each list, their first 10, 20
and 50 hypotheses of each segment, and the lists of loops: how many pairs of seeds end above and below. With --mert it runs Moses's
program instead.

python benchmarks/climbs.py [--seeds N] [--lists NAME,,NAME] [--restarts N] [--moses [--mert PROGRAM]]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
from measure import cells, machine
from tuning_lists import CHOSEN_ON, EVERY, LISTS, lists

from cybleu.nbest import NBest
from cybleu.tuning import line_search, random_search, tune

CUTS = 10, 20, 50  # hypotheses of each segment

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
    """Assert that the ends of restarts are optima with the right scores."""
    for end in tuning.restarts[::5]:
        assert end.at_optimum
        assert random_search(nbest, [list(end.weights.values())])[0] == end.score
        assert all(line_search(nbest, end.weights, name).score <= end.score for name in nbest.names)


def after(tuning, searches):
    """Best score within a number of line searches, or that of the first restart."""
    best, taken = tuning.restarts[0].score, 0
    for restart in tuning.restarts:
        taken += restart.line_searches
        if taken > searches:
            break
        best = max(best, restart.score)
    return best


def moses(nbest, restarts, seed):
    """The score and the number of line searches of the rule of Moses's mert.

    Starts are uniform from 0 to 1. A climb moves along the best axis, to the middle of the first of the best intervals, 0.1 beyond
    the last threshold, or 1000 before the first one, and goes on while the score rises by more than 0.0001.
    """
    generator = np.random.default_rng(seed)
    ends, searches = [], 0
    for restart in range(restarts + 1):
        weights = generator.random(len(nbest.names)) if restart else np.ones(len(nbest.names))
        score, before = random_search(nbest, [weights])[0], -1.0
        while score - before > 1e-4:
            before, best = score, weights
            for axis, name in enumerate(nbest.names):
                starts, scores = line_search(nbest, weights, name, surface=True).surface
                searches += 1
                place = scores.argmax()
                if len(scores) == 1 or scores[place] <= score:
                    continue
                left, right = np.append(starts, np.inf)[place : place + 2]
                step = right - 1000 if left == -np.inf else left + 0.1 if right == np.inf else (left + right) / 2
                score, best = scores[place], weights.copy()
                best[axis] += step
            weights = best
        ends.append(random_search(nbest, [weights])[0])
    return max(ends), searches


def moses_itself(program, nbest, restarts, seed):
    """The score of the weights that Moses's mert finds from the same starts, and 0 for the number of its line searches."""
    count = len(nbest.names)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        nbest.to_moses(place / "features.data", place / "statscore.data")
        (place / "init.opt").write_text("".join(f"{end} " * count + "\n" for end in (1, 0, 1)))
        command = [program, "-d", str(count), "-n", str(restarts), "-r", str(seed)]
        subprocess.run(command, cwd=place, check=True, capture_output=True)
        weights = [float(weight) for weight in (place / "weights.txt").read_text().split()]
    return random_search(nbest, [weights])[0], 0


def cut(nbest, most):
    """The first hypotheses of each segment."""
    bounds = zip(nbest.offsets[:-1].tolist(), nbest.offsets[1:].tolist())
    rows = np.concatenate([np.arange(first, min(first + most, last)) for first, last in bounds])
    offsets = np.append(0, np.cumsum(np.minimum(np.diff(nbest.offsets), most)))
    return NBest(offsets, nbest.features[rows], nbest.stats[rows], nbest.names)


def parts(name, found):
    """Yield the lists that are compared with Moses's rule, with their names: cuts of one list, or the lists of iterations."""
    if isinstance(found, list):
        yield from ((f"{name}, iteration {number}", nbest) for number, nbest in enumerate(found, 1))
        return
    longest = np.diff(found.offsets).max()
    yield from ((f"{name}, first {most}", cut(found, most)) for most in CUTS if most < longest)
    yield name, found


def beside_moses(name, nbest, seeds, rule):
    """Print a row for a list."""
    ours = [tune(nbest, seed=seed) for seed in range(seeds)]
    theirs = [rule(nbest, 20, seed) for seed in range(seeds)]
    differences = np.subtract.outer([found.score for found in ours], [score for score, _ in theirs])
    above, below = int((differences > 1e-12).sum()), int((differences < -1e-12).sum())
    cells(
        name,
        f"{len(nbest.features):,}",
        f"{100 * statistics.median(found.score for found in ours):.3f}",
        f"{100 * statistics.median(score for score, _ in theirs):.3f}",
        f"{above}/{below}",
        f"{100 * above / max(1, above + below):.0f} %",
        f"{statistics.median(found.line_searches for found in ours):,.0f}",
        f"{statistics.median(searches for _, searches in theirs):,.0f}",
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--restarts", type=int, default=20)
    parser.add_argument("--lists", help="names, with two commas between them")
    parser.add_argument("--moses", action="store_true", help="compare the default with the rule of Moses's mert")
    parser.add_argument("--mert", metavar="PROGRAM", help="with --moses: run this mert of Moses instead of its rule")
    arguments = parser.parse_args()
    names = arguments.lists.split(",,") if arguments.lists else EVERY if arguments.moses else LISTS
    if arguments.moses:
        rule = partial(moses_itself, arguments.mert) if arguments.mert else moses
        print(f"{machine()}, {arguments.seeds} seeds of each\n")
        print("| list | hypotheses | tune | Moses's rule | pairs above/below | above | searches | Moses's |")
        print("|---|---|---|---|---|---|---|---|")
        for name, found in lists(names):
            for part, nbest in parts(name, found):
                beside_moses(part, nbest, arguments.seeds, rule)
        return
    print(f"{machine()}, {arguments.restarts} restarts, medians of {arguments.seeds} seeds")
    for name, nbest in lists(names):
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
            scores = early, statistics.median(found), min(found), max(found)
            cells(strategy, *(f"{score:.2f}" for score in scores), f"{searches:.0f}")


if __name__ == "__main__":
    main()
