"""Benchmark chrF, TER, GLEU, NIST and captions' BLEU against sacreBLEU, fastchrf, NLTK and pycocoevalcap.

python benchmarks/relatives.py [--rounds N]

Times are processor time, with the garbage collector enabled. fastchrf and pycocoevalcap are measured if they are installed,
and mteval-v13a.pl if CYBLEU_MTEVAL is its path.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from random import Random

import measure
import nltk.translate.chrf_score as nltk_chrf
import nltk.translate.gleu_score as nltk_gleu
import nltk.translate.nist_score as nltk_nist
import numpy as np
import sacrebleu
from measure import folder_of, header, lines, median_seconds, options, row, systems, used_by
from measure import processor_seconds as seconds

import cybleu
from cybleu import (
    References,
    chrf_score,
    gleu_score,
    nist_score,
    sacrebleu_compat,
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
bench = partial(measure.bench, times=compare)
bench_sentences = partial(measure.bench_sentences, times=compare)


def corpora(reference, hypotheses, rounds):
    for name, order in (("chrF", 0), ("chrF++", 2)):
        ours, theirs = (
            partial(function, hypotheses, [reference], word_order=order)
            for function in (sacrebleu_compat.corpus_chrf, sacrebleu.corpus_chrf)
        )
        bench(f"{name} of a corpus; sacreBLEU", ours, theirs, rounds, vars, count=len(hypotheses), bar=60)
    if fastchrf is not None:  # which has no score of a corpus
        metric = find("chrf")
        sets, ours_of = [[line] for line in reference], [[line] for line in hypotheses]

        def segments():
            return scores(metric.rows(hypotheses, sets), metric)

        found = fastchrf.pairwise_chrf(ours_of, sets)
        assert max(abs(one[0][0] - other) for one, other in zip(found, segments().tolist())) < 1e-2  # single precision
        times = compare(segments, lambda: fastchrf.pairwise_chrf(ours_of, sets), rounds)
        row("chrF of the segments of a corpus; fastchrf", *times, count=len(hypotheses), bar=10)
    both = sacrebleu_compat.sentence_chrf, sacrebleu.sentence_chrf
    bench_sentences("chrF of a sentence; sacreBLEU", *both, hypotheses, reference, rounds)


def edit_rates(reference, hypotheses, rounds):
    """TER from raw text, with one reference and with four, of which three are outputs of systems."""
    others = [lines(path.stem) for path in systems()[:3]]
    for documents in ([reference], [reference, *others]):
        ours, theirs = (
            partial(function, hypotheses, documents) for function in (sacrebleu_compat.corpus_ter, sacrebleu.corpus_ter)
        )
        work = f"TER of a corpus, {len(documents)} reference{'s' * (len(documents) > 1)}; sacreBLEU"
        bench(work, ours, theirs, 1, vars, count=len(hypotheses), bar=120)
    chosen = {"normalized": True, "no_punct": True}
    ours, theirs = (
        partial(function, hypotheses, [reference], **chosen)
        for function in (sacrebleu_compat.corpus_ter, sacrebleu.corpus_ter)
    )
    bench("TER without punctuation, normalised; sacreBLEU", ours, theirs, 1, vars, count=len(hypotheses), bar=120)
    both = sacrebleu_compat.sentence_ter, sacrebleu.sentence_ter
    bench_sentences("TER of a sentence; sacreBLEU", *both, hypotheses, reference, rounds, bar=60)
    texts = reference[:1024]
    print(f"TER of 1,024 x 1,024: {median_seconds(lambda: cybleu.pairs(texts, metric='ter'), 1):.1f} s")
    words = [str(number) for number in range(1000)]
    shuffled = Random(1).sample(words, 1000)
    for name, text in (("1,000 words without order", shuffled), ("1,000 words, neighbours exchanged", swapped(words))):
        ours, theirs = (
            partial(function, " ".join(text), [" ".join(words)])
            for function in (sacrebleu_compat.sentence_ter, sacrebleu.sentence_ter)
        )
        bench(f"TER of {name}; sacreBLEU", ours, theirs, 1, vars)


def commands(rounds):
    """BLEU, chrF and TER of files: whole processes, including imports."""
    folder = folder_of("wmt17-en-de")
    reference, hypotheses = folder / "ref.txt", folder / "LIUM-NMT.4900.txt"
    arguments = [reference, "-i", hypotheses, "-m", "bleu", "chrf", "ter", "-w", "12"]
    of_sacrebleu = used_by([sys.executable, "-m", "sacrebleu", *arguments])
    metrics = [argument for name in ("bleu", "chrf", "ter") for argument in ("--metric", name)]
    own = [sys.executable, "-m", "cybleu", "score", hypotheses, reference, *metrics, "--json"]
    same = [sys.executable, "-m", "cybleu", "sacrebleu", *arguments]
    found = [float(f"{one['score']:.12f}") for one in json.loads(used_by(own).output)]
    assert found == [one["score"] for one in json.loads(of_sacrebleu.output)]
    assert used_by(same).output == of_sacrebleu.output
    for work, command, bar in (("`cybleu score`", own, 40), ("`cybleu sacrebleu`", same, None)):
        mine = statistics.median(used_by(command).processor for _ in range(rounds))
        row(f"BLEU, chrF and TER of files, {work}; `sacrebleu`", mine, of_sacrebleu.processor, "s", 1, bar=bar)


def swapped(words):
    return [words[place ^ 1] for place in range(len(words))]


def samples(reference, rounds, prompts=1000, each=16):
    """Rewards of many samples for each prompt, with prepared references and without."""
    outputs = [lines(path.stem) for path in systems()[:each]]
    sets = [[line] for line in reference[:prompts]]
    texts = [output[number] for number in range(prompts) for output in outputs]
    owner = np.arange(prompts).repeat(len(outputs))
    prepared = References(sets)
    for name, order in (("chrF", 0), ("chrF++", 2)):
        metric = find("chrf", word_order=order)

        def ours(metric=metric):
            return cybleu.reward_scores(texts, prepared, owner, metric=metric)

        def alone(metric=metric):
            return cybleu.reward_scores(texts, [sets[number] for number in owner.tolist()], metric=metric)

        found, theirs = ours(), sacrebleu.CHRF(word_order=order)
        wanted = [theirs.sentence_score(texts[place], sets[owner[place]]).score for place in range(0, len(texts), 97)]
        assert found[::97].tolist() == [np.float32(score / 100) for score in wanted]
        work = f"{name}, {each} samples a prompt, references prepared; each alone"
        bench(work, ours, alone, rounds, np.ndarray.tolist, count=len(texts))


def matrices(reference, rounds):
    if fastchrf is None:
        print("fastchrf is not installed, so it is not measured")
    texts = reference[:1024]
    few = texts[:128]
    ours = cybleu.pairs(few, metric="chrf")
    some = [(i, j) for i in range(0, 128, 17) for j in range(128)]
    assert all(ours[i, j] == sacrebleu.sentence_chrf(few[i], [few[j]]).score for i, j in some)
    mine = median_seconds(lambda: cybleu.pairs(texts, metric="chrf"), rounds)
    two = median_seconds(lambda: cybleu.pairs(list(texts), texts, metric="chrf"), rounds)
    print(f"matrix of 1,024 x 1,024: {mine:.2f} s among themselves, {two:.2f} s as two lists")
    if fastchrf is not None:
        theirs = seconds(lambda: fastchrf.pairwise_chrf([texts], [texts]))
        found = fastchrf.pairwise_chrf([few], [few])
        assert max(abs(found[0][i][j] - ours[i, j]) for i, j in some) < 1e-2  # of 100; single precision there
        row("chrF of 1,024 x 1,024; fastchrf", two, theirs, unit="s", scale=1, bar=10)


def of_nltk(reference, hypotheses, rounds):
    few = hypotheses[:1000], reference[:1000]
    tokens = [line.split() for line in few[0]], [[line.split()] for line in few[1]]

    def sentences(score):
        return [score(references, hypothesis) for hypothesis, references in zip(*tokens)]

    for work, bar, *both in (
        ("NLTK's chrF of a corpus", 60, *(partial(one.corpus_chrf, few[1], few[0]) for one in (chrf_score, nltk_chrf))),
        (
            "GLEU of a corpus; NLTK",
            100,
            *(partial(one.corpus_gleu, tokens[1], tokens[0]) for one in (gleu_score, nltk_gleu)),
        ),
        ("GLEU of a sentence; NLTK", 100, *(partial(sentences, one.sentence_gleu) for one in (gleu_score, nltk_gleu))),
    ):
        bench(work, *both, rounds, count=1000, bar=bar)


def nist(reference, hypotheses, rounds):
    others = [[line.split() for line in lines(path.stem)] for path in systems()[1:4]]
    texts = [line.split() for line in hypotheses]
    for count in (1, 4):
        references = [list(group) for group in zip([line.split() for line in reference], *others[: count - 1])]
        segments = [pair for pair in zip(references, texts) if len(pair[1]) >= 5][:500]  # shorter ones divide by zero

        def sentences(score, segments=segments):
            return [score(*segment) for segment in segments]

        both = [partial(one.corpus_nist, references, texts) for one in (nist_score, nltk_nist)]
        bench(f"NIST of a corpus, references: {count}; NLTK", *both, rounds, count=len(texts), bar=60)
        both = [partial(sentences, one.sentence_nist) for one in (nist_score, nltk_nist)]
        bench(f"NIST of a sentence, references: {count}; NLTK", *both, rounds, count=len(segments), bar=40)


def mteval(reference, hypotheses, rounds):
    script = os.environ.get("CYBLEU_MTEVAL", "")
    if not (script and shutil.which("perl")):
        print("CYBLEU_MTEVAL is not the path of mteval-v13a.pl, or Perl is not installed, so it is not measured")
        return
    references, metric = [[line] for line in reference], find("nist")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "XML").mkdir()
        (folder / "XML/Twig.pm").write_text("package XML::Twig; 1;\n")  # required only for files of XML
        command = ["perl", "-I", name, script, "-n", "-c"]
        for kind, text in (("src", hypotheses), ("ref", reference), ("tst", hypotheses)):
            segments = "".join(f'<seg id="{number}"> {line} </seg>' for number, line in enumerate(text, 1))
            head = '<{0}set setid="s" srclang="x" trglang="y"><doc docid="d" sysid="s">{1}</doc></{0}set>'
            (folder / kind).write_text(head.format(kind, segments), encoding="utf-8")
            command += [f"-{kind[0]}", str(folder / kind)]
        before = os.times()
        printed = subprocess.run(command, capture_output=True, check=True, encoding="utf-8").stdout
        theirs = os.times().children_user - before.children_user

    def score():
        return metric.score(metric.rows(hypotheses, references)).score

    assert f"NIST score = {score():.4f} " in printed
    ours = median_seconds(score, rounds, clock=time.process_time)
    row("metric nist of raw text, with its weights; mteval-v13a.pl -n", ours, theirs, "ms", 1e3)


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
    ours = partial(CaptionBleu().compute_score, gts, res)
    theirs = partial(CocoBleu().compute_score, gts, res, verbose=0)
    bench(f"{count} captions with 5 references; pycocoevalcap", ours, theirs, rounds, count=count, bar=50)


def main():
    rounds = options(rounds=5).rounds
    reference, hypotheses = lines("ref"), lines("LIUM-NMT.4900")
    print(f"{header()}; medians of {rounds}\n")
    print(f"| work | cybleu | the other (sacreBLEU {sacrebleu.__version__}, NLTK) | times |\n|---|---|---|---|")
    corpora(reference, hypotheses, rounds)
    samples(reference, rounds)
    edit_rates(reference, hypotheses, rounds)
    commands(rounds)
    matrices(reference, rounds)
    of_nltk(reference, hypotheses, rounds)
    nist(reference, hypotheses, rounds)
    mteval(reference, hypotheses, rounds)
    captions(reference, min(rounds, 2))


if __name__ == "__main__":
    main()
