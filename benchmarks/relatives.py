"""chrF, GLEU and captions' BLEU beside sacreBLEU, fastchrf, NLTK and pycocoevalcap. Results are compared before anything is timed.

python benchmarks/relatives.py [--rounds N]

Times are of the processor, with the collector of cyclic garbage on. fastchrf and pycocoevalcap are measured where they are installed.
"""

from __future__ import annotations

import os
import statistics
import time
from functools import partial
from random import Random

import measure
import nltk.translate.chrf_score as nltk_chrf
import nltk.translate.gleu_score as nltk_gleu
import numpy as np
import sacrebleu
from measure import lines, machine, rounds_asked, row, systems
from measure import processor_seconds as seconds

import cybleu
from cybleu import (
    References,
    bleu_rewards,
    chrf_score,
    gleu_score,
    pairwise_bleu,
    sacrebleu_corpus_chrf,
    sacrebleu_sentence_chrf,
    scores,
)
from cybleu.frameworks import CaptionBleu
from cybleu.metrics import find

try:
    import fastchrf
except ImportError:
    fastchrf = None
try:
    from pycocoevalcap.bleu.bleu import Bleu as CocoBleu
except ImportError:
    CocoBleu = None


compare = partial(measure.compare, clock=time.process_time, collecting=True)


def corpora(reference, hypotheses, rounds):
    for name, order in (("chrF", 0), ("chrF++", 2)):

        def ours(order=order):
            return sacrebleu_corpus_chrf(hypotheses, [reference], word_order=order)

        def theirs(order=order):
            return sacrebleu.corpus_chrf(hypotheses, [reference], word_order=order)

        assert vars(ours()) == vars(theirs())
        row(f"{name} of a corpus; sacreBLEU", *compare(ours, theirs, rounds), count=len(hypotheses), bar=60)
    if fastchrf is not None:  # which has segments alone
        metric = find("chrf")
        sets, ours_of = [[line] for line in reference], [[line] for line in hypotheses]

        def segments():
            return scores(metric.rows(sets, hypotheses), metric)

        found = fastchrf.pairwise_chrf(ours_of, sets)
        assert max(abs(one[0][0] - other) for one, other in zip(found, segments().tolist())) < 1e-2  # single precision
        times = compare(segments, lambda: fastchrf.pairwise_chrf(ours_of, sets), rounds)
        row("chrF of the segments of a corpus; fastchrf", *times, count=len(hypotheses), bar=10)
    pairs = [*zip(hypotheses, reference)][:500]
    assert all(
        vars(sacrebleu_sentence_chrf(line, [other])) == vars(sacrebleu.sentence_chrf(line, [other]))
        for line, other in pairs
    )
    times = compare(
        lambda: [sacrebleu_sentence_chrf(line, [other]) for line, other in pairs],
        lambda: [sacrebleu.sentence_chrf(line, [other]) for line, other in pairs],
        rounds,
    )
    row("chrF of a sentence; sacreBLEU", *times, count=len(pairs))


def samples(reference, rounds, prompts=1000, each=16):
    """Rewards of many samples for each prompt, whose references are prepared, beside the same without preparation."""
    outputs = [lines(path.stem) for path in systems()[:each]]
    sets = [[line] for line in reference[:prompts]]
    texts = [output[number] for number in range(prompts) for output in outputs]
    owner = np.arange(prompts).repeat(len(outputs))
    prepared = References(sets, tokenize="13a")
    for name, order in (("chrF", 0), ("chrF++", 2)):
        metric = find("chrf", word_order=order)

        def ours(metric=metric):
            return bleu_rewards(prepared, texts, owner, metric=metric)

        def alone(metric=metric):
            return bleu_rewards([sets[number] for number in owner.tolist()], texts, metric=metric)

        found, theirs = ours(), sacrebleu.CHRF(word_order=order)
        assert found.tolist() == alone().tolist()
        wanted = [theirs.sentence_score(texts[place], sets[owner[place]]).score for place in range(0, len(texts), 97)]
        assert found[::97].tolist() == [np.float32(score / 100) for score in wanted]
        times = compare(ours, alone, rounds)
        row(f"{name}, {each} samples a prompt, references prepared; each alone", *times, count=len(texts))


def matrices(reference, rounds):
    if fastchrf is None:
        print("fastchrf is not installed, so it is not measured")
    texts = reference[:1024]
    few = texts[:128]
    ours = pairwise_bleu(few, metric="chrf")
    some = [(i, j) for i in range(0, 128, 17) for j in range(128)]
    assert all(ours[i, j] == sacrebleu.sentence_chrf(few[i], [few[j]]).score for i, j in some)
    mine = statistics.median(seconds(lambda: pairwise_bleu(texts, metric="chrf")) for _ in range(rounds))
    two = statistics.median(seconds(lambda: pairwise_bleu(texts, list(texts), metric="chrf")) for _ in range(rounds))
    print(f"matrix of 1,024 x 1,024: {mine:.2f} s among themselves, {two:.2f} s as two lists")
    if fastchrf is not None:
        theirs = seconds(lambda: fastchrf.pairwise_chrf([texts], [texts]))
        found = fastchrf.pairwise_chrf([few], [few])
        assert max(abs(found[0][i][j] - ours[i, j]) for i, j in some) < 1e-2  # of 100; single precision there
        row("chrF of 1,024 x 1,024; fastchrf", two, theirs, unit="s", scale=1, bar=10)


def of_nltk(reference, hypotheses, rounds):
    few = hypotheses[:1000], reference[:1000]
    assert chrf_score.corpus_chrf(few[1], few[0]) == nltk_chrf.corpus_chrf(few[1], few[0])
    times = compare(
        lambda: chrf_score.corpus_chrf(few[1], few[0]), lambda: nltk_chrf.corpus_chrf(few[1], few[0]), rounds
    )
    row("NLTK's chrF of a corpus", *times, count=1000, bar=60)
    tokens = [line.split() for line in few[0]], [[line.split()] for line in few[1]]
    assert gleu_score.corpus_gleu(tokens[1], tokens[0]) == nltk_gleu.corpus_gleu(tokens[1], tokens[0])
    times = compare(
        lambda: gleu_score.corpus_gleu(tokens[1], tokens[0]),
        lambda: nltk_gleu.corpus_gleu(tokens[1], tokens[0]),
        rounds,
    )
    row("GLEU of a corpus; NLTK", *times, count=1000, bar=100)
    segments = [*zip(tokens[1], tokens[0])]
    assert all(gleu_score.sentence_gleu(*one) == nltk_gleu.sentence_gleu(*one) for one in segments)

    def loop(score):
        for references, hypothesis in segments:
            score(references, hypothesis)

    times = compare(partial(loop, gleu_score.sentence_gleu), partial(loop, nltk_gleu.sentence_gleu), rounds)
    row("GLEU of a sentence; NLTK", *times, count=1000, bar=100)


def captions(reference, rounds, count=40_000):
    if CocoBleu is None:
        print("pycocoevalcap is not installed, so it is not measured")
        return
    random = Random(0)
    words = " ".join(reference).split()
    gts, res = {}, {}
    for image in range(count):
        start = random.randrange(len(words) - 20)
        caption = words[start : start + random.randrange(8, 14)]
        res[image] = [" ".join(caption)]
        gts[image] = [" ".join(random.choice([word, word, random.choice(words)]) for word in caption) for _ in range(5)]
    assert CaptionBleu().compute_score(gts, res) == CocoBleu().compute_score(gts, res, verbose=0)
    times = compare(
        lambda: CaptionBleu().compute_score(gts, res), lambda: CocoBleu().compute_score(gts, res, verbose=0), rounds
    )
    row(f"{count} captions with 5 references; pycocoevalcap", *times, count=count, bar=50)


def main():
    rounds = rounds_asked(5)
    reference, hypotheses = lines("ref"), lines("LIUM-NMT.4900")
    print(
        f"{machine()}, load {os.getloadavg()[0]:.1f}; cybleu {cybleu.__version__}, {cybleu.BACKEND} backend; medians of {rounds}\n"
    )
    print(f"| work | cybleu | the other (sacreBLEU {sacrebleu.__version__}, NLTK) | times |\n|---|---|---|---|")
    corpora(reference, hypotheses, rounds)
    samples(reference, rounds)
    matrices(reference, rounds)
    of_nltk(reference, hypotheses, rounds)
    captions(reference, min(rounds, 2))


if __name__ == "__main__":
    main()
