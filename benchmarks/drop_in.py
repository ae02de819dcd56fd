"""Compare the drop-in functions with NLTK's. Results must be `==`.

python benchmarks/drop_in.py [--rounds N]
"""

from __future__ import annotations

import warnings
from functools import partial

import nltk.translate.bleu_score as nltk_bleu
from measure import bench, header, newstest, options, row, seconds

import cybleu


def sentences(module, pairs, method, weights=None):
    function = None if method is None else getattr(module.SmoothingFunction(), method)
    score = module.sentence_bleu
    if weights:
        return lambda: [score(references, hypothesis, weights, function) for references, hypothesis in pairs]
    return lambda: [score(references, hypothesis, smoothing_function=function) for references, hypothesis in pairs]


def bench_sentences(work, pairs, method, rounds, bar, weights=None):
    both = (sentences(module, pairs, method, weights) for module in (cybleu, nltk_bleu))
    bench(work, *both, rounds, lambda found: [(type(one), one) for one in found], count=len(pairs), bar=bar)


def main():
    rounds = options(rounds=5).rounds
    warnings.simplefilter("ignore")
    print(f"{header()}; medians of {rounds} rounds\n")
    print("| work | cybleu | NLTK 3.10.4 | times |\n|---|---|---|---|")
    list_of_references, hypotheses = newstest()
    pairs = list(zip(list_of_references, hypotheses))
    bench_sentences("`sentence_bleu`, method1, one reference", pairs, "method1", rounds, 100)
    full = [pair for pair in pairs if len(pair[1]) > 3 and nltk_bleu.modified_precision(*pair, 4).numerator]
    bench_sentences(f"no smoothing, the {len(full)} segments that match in every order", full, None, rounds, 100)
    bench_sentences("no smoothing, all segments, warnings ignored", pairs, None, rounds, 50)
    other = [newstest(system)[1] for system in ("FBK.4870", "KIT.4950", "online-B.0")]
    four = [([reference, *others], hypothesis) for (reference,), hypothesis, *others in zip(*newstest(), *other)]
    bench_sentences("method1, 4 references", four, "method1", rounds, 100)

    # new token objects for every call, created outside the measured time
    texts = [(" ".join(references[0]), " ".join(hypothesis)) for references, hypothesis in pairs]
    split_times = {cybleu: [], nltk_bleu: []}
    for _ in range(rounds):
        for module, times in split_times.items():
            fresh = [([reference.split()], hypothesis.split()) for reference, hypothesis in texts]
            times.append(seconds(sentences(module, fresh, "method1")))
    ours_split, theirs_split = (sorted(times)[rounds // 2] for times in split_times.values())
    row("method1, tokens newly split for each call", ours_split, theirs_split, count=len(pairs), bar=55)

    both = (partial(module.corpus_bleu, list_of_references, hypotheses) for module in (cybleu, nltk_bleu))
    bench(f"`corpus_bleu`, {len(pairs)} segments", *both, rounds, unit="ms", scale=1e3, bar=100)
    weights = [(1.0,), (0.5, 0.5), (1 / 3,) * 3, (0.25,) * 4]
    bench_sentences("method1, BLEU-1 to BLEU-4 at once", pairs, "method1", rounds, 100, weights)
    lengths = [[None] * (1 + number * 7919 % 61) for number in range(5000)]
    both = (partial(module.closest_ref_length, lengths, 33) for module in (cybleu, nltk_bleu))
    bench("`closest_ref_length`, 5,000 references", *both, rounds, bar=1)
    trigrams = [pair for pair in pairs if nltk_bleu.modified_precision(*pair, 3).numerator]
    for number, bar in ((2, 90), (3, 90), (4, 90), (5, 15), (6, 15), (7, 15)):
        segments = trigrams if number == 6 else pairs
        bench_sentences(f"`sentence_bleu`, method{number}", segments, f"method{number}", rounds, bar)


if __name__ == "__main__":
    main()
