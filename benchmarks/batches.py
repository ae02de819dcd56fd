"""Benchmark batches against NLTK, sacreBLEU, fast-bleu and NumPy. Results must be `==`.

python benchmarks/batches.py [--rounds N]
fast-bleu is measured if it is installed (python -m pip install fast-bleu; it requires a C++ compiler).
"""

from __future__ import annotations

import random
import time
import warnings

import nltk.translate.bleu_score as nltk_bleu
import numpy as np
from measure import bench, compare, header, lines, newstest, options, row
from sacrebleu.metrics.bleu import BLEU

import cybleu
from cybleu import _mirror
from cybleu.text import tokenizer

METHOD1 = nltk_bleu.SmoothingFunction().method1


def numbered(texts):
    numbers = {}
    return [[numbers.setdefault(token, len(numbers)) for token in text] for text in texts], len(numbers)


def edited(text, share, tokens, source):
    """A sample of a trained model: a copy of the text with a share of the tokens replaced."""
    return [source.randrange(tokens) if source.random() < share else token for token in text]


def groups(rounds):
    """100 samples for each of 1,000 prompts with one reference, about 21 tokens each, as ids."""
    references, hypotheses = newstest()
    chosen = [i for i, text in enumerate(hypotheses) if 16 <= len(text) <= 27][:1000]
    ids, tokens = numbered([references[i][0] for i in chosen] + [hypotheses[i] for i in chosen])
    references, hypotheses = [[text] for text in ids[:1000]], ids[1000:]
    source = random.Random(1)
    samples = [edited(hypotheses[i // 100], 0.1, tokens, source) for i in range(100_000)]
    flat = np.array([token for text in samples for token in text], dtype=np.int32)
    offsets = np.cumsum([0, *map(len, samples)])
    owner = np.arange(100_000) // 100
    prepared = cybleu.References(references)
    work = [(references[i // 100], samples[i]) for i in range(0, 100_000, 97)]

    def theirs():
        return [nltk_bleu.sentence_bleu(*pair, smoothing_function=METHOD1) for pair in work]

    def ours(threads=1):
        return cybleu.rows(cybleu.Ragged(flat, offsets), prepared, owner=owner, threads=threads)

    stats = ours()
    assert (stats == ours(2)).all()
    assert all(stats[97 * i].tolist() == _mirror.segment_counts(*pair, 4) for i, pair in enumerate(work)), "statistics"
    assert cybleu.scores(stats, "nltk", smoothing="method1")[::97].tolist() == theirs()
    label = f"{len(flat) / 1e5:.0f} tokens, 1 reference, 100 samples each"
    one, nltk = compare(ours, theirs, rounds)
    per = len(work) / 100_000
    row(f"statistics of ids, {label}", one * per, nltk, count=len(work), bar="350")
    on_two_threads(ours, rounds, 100_000 / one)
    reward, nltk = compare(lambda: cybleu.reward_scores(cybleu.Ragged(flat, offsets), prepared, owner), theirs, rounds)
    row("rewards of the same", reward * per, nltk, count=len(work))


def single_rewards(rounds):
    """A call for each of 16 samples of a prompt, as by trainers that reward samples one by one; in processor time."""
    references, _ = newstest()
    (ids, *_), tokens = numbered([[token for (text,) in references for token in text]])
    source = random.Random(3)
    texts, of_texts, of_ids = [], [], []
    for start in range(0, 1250, 50):
        reference = ids[start : start + 50]
        text = " ".join(map(str, reference))
        prepared = cybleu.References([[text]]), cybleu.References([[reference]])
        for _ in range(16):
            sample = edited(reference, 0.3, tokens, source)
            texts.append((text, " ".join(map(str, sample))))
            of_texts.append((prepared[0], [texts[-1][1]]))
            of_ids.append((prepared[1], np.array([sample])))
    metric = BLEU(tokenize="none", effective_order=True)
    words = cybleu.metrics.Bleu(tokenize="none")
    reward = cybleu.Reward(words)

    def theirs():
        return [metric.sentence_score(sample, [reference]).score for reference, sample in texts]

    def each(batches, metric):
        return [float(cybleu.reward_scores(samples, references, metric=metric)[0]) for references, samples in batches]

    def of_trainer():
        return [reward(completions=[sample], references=[[reference]])[0] for reference, sample in texts]

    expected = [float(np.float32(score / 100)) for score in theirs()]
    for label, ours, bar in (
        ("`reward_scores` of one text, prepared references", lambda: each(of_texts, words), "under 15 us"),
        ("  the same of token ids", lambda: each(of_ids, "bleu"), "under 15 us"),
        ("  the same text by `Reward`, which reads the references", of_trainer, None),
    ):
        assert ours() == expected, label
        one, sacrebleu = compare(ours, theirs, rounds, clock=time.process_time)
        row(f"{label}; peer sacreBLEU", one, sacrebleu, count=len(texts), bar=bar)


def on_two_threads(work, rounds, rate):
    two, one = compare(lambda: work(2), work, 20 * rounds, 1)
    print(f"  {rate:,.0f} hypotheses a second, {one / two:.2f} times that on two threads")


def long_samples(rounds):
    """Samples of 446 tokens against 5 references each."""
    references, hypotheses = newstest()
    texts = [token for (text,) in references for token in text], [token for text in hypotheses for token in text]
    ids, tokens = numbered(texts)
    source = random.Random(2)
    sets, samples = [], []
    for start in range(0, 446 * 60, 446):
        reference = ids[0][start : start + 446]
        sets.append([edited(reference, share, tokens, source) for share in (0, 0.2, 0.3, 0.4, 0.5)])
        samples += [edited(reference, 0.3, tokens, source) for _ in range(16)]
    owner = np.arange(len(samples)) // 16
    rows = np.array(samples)
    prepared = cybleu.References(sets)
    metric = BLEU(tokenize="none", effective_order=True)
    work = [
        (" ".join(map(str, samples[i])), [" ".join(map(str, text)) for text in sets[i // 16]]) for i in (0, 100, 500)
    ]

    def theirs():
        return [metric.sentence_score(*pair).score for pair in work]

    def ours(threads=1):
        return cybleu.scores(cybleu.rows(rows, prepared, owner=owner, threads=threads), effective_order=True)

    assert ours()[[0, 100, 500]].tolist() == theirs()
    one, sacrebleu = compare(ours, theirs, rounds)
    per = len(work) / len(samples)
    row("446 tokens, 5 references, ids; peer sacreBLEU", one * per, sacrebleu, count=len(work), bar="60")
    on_two_threads(ours, rounds, len(samples) / one)


def many_sentences(rounds):
    references, hypotheses = newstest()
    ours_method = cybleu.SmoothingFunction().method1

    def many():
        return cybleu.sentence_bleu_many(references, hypotheses, smoothing_function=ours_method)

    def loop():
        return [cybleu.sentence_bleu(*pair, smoothing_function=ours_method) for pair in zip(references, hypotheses)]

    def theirs():
        return [nltk_bleu.sentence_bleu(*pair, smoothing_function=METHOD1) for pair in zip(references, hypotheses)]

    same = {"key": list, "count": len(hypotheses)}
    bench("`sentence_bleu_many`, lists of str, method1", many, theirs, rounds, bar="110", **same)
    bench("  the same; peer our loop over `sentence_bleu`", many, loop, rounds, bar="1", **same)


def pairs(rounds):
    tokens_of = tokenizer("13a")
    texts = [tokens_of(line) for line in lines("samples", "mbr-samples")]
    metric = BLEU(tokenize="none", effective_order=True)
    joined = [" ".join(text) for text in texts]

    def theirs():
        return [metric.sentence_score(joined[i], [joined[j]]).score for i in range(0, 1024, 64) for j in range(1024)]

    assert cybleu.pairs(texts)[::64].ravel().tolist() == theirs()
    ours, sacrebleu = compare(lambda: cybleu.pairs(texts), theirs, rounds)
    # extrapolated from one row in 64
    row("`pairs`, 1024 x 1024; peer sacreBLEU", ours, 64 * sacrebleu, "ms", 1e3, bar="1000, under 60 ms")


def self_bleu(rounds):
    texts = [text for text in newstest()[1] if len(text) > 4][:1000]
    method = cybleu.SmoothingFunction().method1
    scores = cybleu.self_bleu(texts, smoothing_function=method)
    for i in range(0, 1000, 50):
        assert scores[i] == nltk_bleu.sentence_bleu(texts[:i] + texts[i + 1 :], texts[i], smoothing_function=METHOD1)
    try:
        from fast_bleu import SelfBLEU
    except ImportError:
        print("| `self_bleu` of 1,000 sentences: fast-bleu is not installed |")
        return
    peer = SelfBLEU(texts, {"4": (0.25,) * 4})
    ours, fast_bleu = compare(lambda: cybleu.self_bleu(texts, smoothing_function=method), peer.get_score, rounds)
    row("`self_bleu` of 1,000 sentences; peer fast-bleu", ours, fast_bleu, count=1000, bar="20")


def sums(rounds):
    stats = np.random.default_rng(1).integers(5, 30, (10_000_000, 10))
    stats[:, 0] += 30
    stats[:, 6:] = stats[:, :1] - np.arange(4)

    def ours():
        return cybleu.score(stats)

    found = ours()
    assert [found.hypothesis_length, found.reference_length, *found.matches, *found.totals] == [*stats.sum(axis=0)]
    ours_time, numpy = compare(ours, lambda: stats.sum(axis=0), rounds, 1)
    row("10,000,000 rows summed and scored; peer NumPy's sum", ours_time, numpy, "ms", 1e3, bar="1")


def main():
    rounds = options(rounds=5).rounds
    warnings.simplefilter("ignore")
    print(f"{header()}; medians of {rounds} rounds\n")
    print("| work | cybleu | peer (NLTK unless named) | times |")
    print("|---|---|---|---|")
    for work in (groups, single_rewards, long_samples, many_sentences, pairs, self_bleu, sums):
        work(rounds)


if __name__ == "__main__":
    main()
