"""N-best lists for comparing tuning strategies, made from the 16 systems of newstest2017 en-de with fixed seeds.

A list has the outputs of the systems for some segments. The larger ones also have mixtures of two outputs that switch at a shared
token, like paths of a lattice. The features are like those of decoders and rerankers, without the reference: lengths, logarithms of
word and bigram frequencies, agreement with other systems, unknown words, repetitions, indicators of systems, and noise, on
different scales. No list is saturated: searches from different starts end differently.

The strategy of `tune` was chosen on the lists of `CHOSEN_ON`; those of `HELD_OUT` were held out. The lists of `EARLY` are those of
the first three iterations of `mert_loop` with a simulated decoder.
"""

from __future__ import annotations

import itertools
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
from measure import folder_of, moses100, read, systems

from cybleu.nbest import NBest, merge
from cybleu.stats import References
from cybleu.tuning import mert_loop, random_search, tune


class Texts:
    """Frequencies of words and bigrams in the outputs of all systems, for the features."""

    def __init__(self):
        self.reference = read(folder_of("wmt17-en-de") / "ref.txt")
        self.systems = [read(path) for path in systems()]
        self.words = Counter(token for system in self.systems for tokens in system for token in tokens)
        self.bigrams = Counter(
            pair for system in self.systems for tokens in system for pair in itertools.pairwise(tokens)
        )
        self.total = sum(self.words.values())

    def frequencies(self, tokens):
        """Sums of the logarithms of word frequencies and of bigram frequencies, and the number of rare words."""
        word = [np.log((self.words[token] + 1) / self.total) for token in tokens]
        pairs = itertools.pairwise(tokens)
        pair = [np.log((self.bigrams[one, other] + 0.1) / (self.words[one] + 10)) for one, other in pairs]
        return [sum(word), sum(pair), sum(self.words[token] < 8 for token in tokens)]

    def agreement(self, tokens, others):
        """For each order, the mean and the largest share of the n-grams that another output has."""
        shares = []
        for order in (1, 2, 4):
            own = Counter(zip(*(tokens[place:] for place in range(order))))
            size = max(1, sum(own.values()))
            found = [sum((own & other[order]).values()) / size for other in others]
            shares += [float(np.mean(found)), float(np.max(found))]
        return shares

    def hypotheses(self, segment, mixtures, generator):
        """Distinct outputs for a segment, then mixtures of two, each with the numbers of their systems."""
        found = {}
        for number, system in enumerate(self.systems):
            found.setdefault(tuple(system[segment]), (number, number))
        for _ in range(4 * mixtures):
            if len(found) >= len(self.systems) + mixtures:
                break
            one, other = generator.integers(0, len(self.systems), 2).tolist()
            left, right = self.systems[one][segment], self.systems[other][segment]
            common = [(i, j) for i, token in enumerate(left) for j, same in enumerate(right) if token == same]
            if common:
                i, j = common[generator.integers(len(common))]
                found.setdefault((*left[:i], *right[j:]), (one, other))
        return list(found.items())


NAMES = """
    length characters words bigrams rare repeated punctuation capitals shape
    mean_1 most_1 mean_2 most_2 mean_4 most_4
    system_a system_b system_c system_d noise_a noise_b noise_c noise_d
""".split()
FEW = [*NAMES[:4], "mean_1", "most_2", "mean_4", "noise_a", "noise_b"]


def made(texts, segments, mixtures, names, seed, scales=None, max_order=4):
    """A list of some segments with some features.

    :param scales: factors of the features
    """
    generator = np.random.default_rng(seed)
    rows, hyps, sizes = [], [], []
    for segment in segments:
        group = texts.hypotheses(segment, mixtures, generator)
        counts = []
        for system in texts.systems:
            tokens = system[segment]
            counts.append({order: Counter(zip(*(tokens[place:] for place in range(order)))) for order in (1, 2, 4)})
        usual = float(np.median([len(system[segment]) for system in texts.systems]))
        for tokens, (one, other) in group:
            others = [count for number, count in enumerate(counts) if number not in (one, other)][::2]
            characters = sum(map(len, tokens))
            row = [len(tokens), characters, *texts.frequencies(tokens)]
            row += [len(tokens) - len(set(tokens)), sum(not token.isalnum() for token in tokens)]
            row += [sum(token[:1].isupper() for token in tokens), abs(len(tokens) - usual)]
            row += texts.agreement(tokens, others)
            row += [((one % 4 == mark) + (other % 4 == mark)) / 2 for mark in range(4)]
            row += generator.normal(size=4).tolist()
            rows.append(row)
            hyps.append(list(tokens))
        sizes.append(len(group))
    features = np.array(rows, dtype=float)[:, [NAMES.index(name) for name in names]]
    if scales is not None:
        features = features * scales
    references = References([[texts.reference[segment]] for segment in segments], max_order=max_order)
    stats = references.stats(hyps, np.repeat(np.arange(len(segments)), sizes))
    return NBest(np.cumsum([0, *sizes]), features, stats, names, [" ".join(tokens) for tokens in hyps])


def top(nbest, weights, best):
    """The best hypotheses of each segment by these weights, as of a decoder."""
    values = nbest.features @ weights
    bounds = zip(nbest.offsets[:-1].tolist(), nbest.offsets[1:].tolist())
    chosen = [first + np.argsort(-values[first:last], kind="stable")[:best] for first, last in bounds]
    rows = np.concatenate(chosen)
    texts = [nbest.texts[row] for row in rows.tolist()]
    offsets = np.cumsum([0, *map(len, chosen)])
    return NBest(offsets, nbest.features[rows], nbest.stats[rows], nbest.names, texts, model_scores=values[rows])


def looped(texts, segments, names, seed, rounds=4, best=12):
    """The merged lists of a tuning loop: of many hypotheses, the best by the weights of each iteration."""
    everything = made(texts, segments, 60, names, seed)
    generator = np.random.default_rng([seed, 1])
    spread = everything.features.std(axis=0)
    weights = generator.uniform(0, 1, len(names)) / spread
    lists = []
    for _ in range(rounds):
        lists.append(top(everything, weights, best))
        merged = merge(*lists)
        # not by `tune`: the lists must not depend on it
        vectors = np.vstack([weights, generator.normal(size=(100, len(names))) / spread])
        weights = vectors[random_search(merged, vectors).argmax()]
    return merged


def early(texts, segments, names, seed, best=20):
    """The merged lists of the first three iterations of `mert_loop`. The decoder returns the best of many hypotheses."""
    everything = made(texts, segments, 100, names, seed)
    start = np.random.default_rng([seed, 1]).uniform(0, 1, len(names)) / everything.features.std(axis=0)
    references = [[" ".join(texts.reference[segment])] for segment in segments]
    lists = []

    def decode(weights, path):
        top(everything, [weights[name] for name in names], best).write(path, format="joshua")

    def tuner(nbest, start, seed):
        lists.append(nbest)
        return tune(nbest, start, restarts=5, seed=seed)

    with tempfile.TemporaryDirectory() as folder:
        mert_loop(Path(folder) / "run", decode, references, dict(zip(names, start.tolist())), iterations=3, tuner=tuner)
    return lists


def signs(texts):
    """Features with opposite signs, at scales from 0.001 to 1000."""
    names = ["length", "bigrams", "rare", "repeated", "mean_2", "most_4", "system_a", "system_c", "noise_a", "noise_c"]
    generator = np.random.default_rng(7)
    scales = generator.choice([-1.0, 1.0], len(names)) * 10.0 ** generator.uniform(-3, 3, len(names))
    return made(texts, range(700, 900), 16, names, 4, scales)


CHOSEN_ON = {
    "systems": lambda texts: made(texts, range(300), 0, FEW, 1),
    "mixtures": lambda texts: made(texts, range(300, 450), 40, NAMES[:19], 2),
    "loop": lambda texts: looped(texts, range(500, 650), NAMES[:15], 3),
    "signs": signs,
}
HELD_OUT = {
    "systems, others": lambda texts: made(texts, range(1000, 1300), 0, [*FEW, "rare", "capitals"], 5),
    "mixtures, others": lambda texts: made(texts, range(1300, 1420), 60, NAMES[2:17], 6),
    "loop, others": lambda texts: looped(texts, range(1500, 1620), [*NAMES[:5], *NAMES[9:15], "noise_d"], 7),
    "many features": lambda texts: made(texts, range(1700, 1850), 20, NAMES, 8),
    "replicated": lambda texts: again(made(texts, range(2000, 2060), 20, NAMES[:12], 9), 4),
}
EARLY = {
    "loop of 9 features": lambda texts: early(texts, range(2100, 2250), FEW, 10),
    "loop of 15 features": lambda texts: early(texts, range(2300, 2450), NAMES[:15], 11),
    "loop of 12 features": lambda texts: early(
        texts, range(2500, 2700), [*NAMES[:4], *NAMES[9:15], *NAMES[19:21]], 12, 10
    ),
    "loop of 23 features": lambda texts: early(texts, range(2700, 2800), NAMES, 13, 30),
}
LISTS = {**CHOSEN_ON, **HELD_OUT}
EVERY = {"moses100": lambda texts: moses100(texts=False), **LISTS, **EARLY}


def lists(names=tuple(LISTS)):
    """Yield the name and the list for each name, or several lists; the start of each list is the default, every weight 1."""
    texts = Texts()
    for name in names:
        yield name, EVERY[name](texts)


def again(nbest, times, seed=10):
    """Repeat a list, each time with other noise on its features."""
    generator = np.random.default_rng(seed)
    spread = nbest.features.std(axis=0)
    features = [nbest.features + 0.1 * spread * generator.normal(size=nbest.features.shape) for _ in range(times)]
    sizes = np.tile(np.diff(nbest.offsets), times)
    offsets = np.append(0, np.cumsum(sizes))
    return NBest(offsets, np.concatenate(features), np.tile(nbest.stats, (times, 1)), nbest.names)


if __name__ == "__main__":
    for name, nbest in lists():
        print(f"{name}: {nbest}")
