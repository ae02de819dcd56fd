"""Measure cybleu and its peers, and write the table of speed in the README.

python benchmarks/readme.py [--rounds N] [--only WORDS | --write]

A row first asserts that both results are equal, then times both alternately, in processor time. `--only` selects the rows
whose work or peer contains the words; without `--write` the table is only printed. The dependency group `peers` has the
packages; the row of one that is not installed is left out with a sentence, and the README is not written.
"""

from __future__ import annotations

import argparse
import gc
import math
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from itertools import chain, cycle
from pathlib import Path
from typing import Any, NamedTuple

import nltk.translate.bleu_score as nltk_bleu
import nltk.translate.nist_score as nltk_nist
import numpy as np
import sacrebleu
from measure import folder_of, header, lines, newstest, seconds, used_by
from sacrebleu.significance import PairedTest

import cybleu
from cybleu import frameworks, metrics, nist_score, rerank, rouge_score_compat, sacrebleu_compat, significance

README = Path(__file__).parents[1] / "README.md"
TABLE = re.compile(r"(?<=<!-- table of benchmarks/readme.py -->\n).*?(?=<!-- end -->)", re.DOTALL)
NAMES = {"nltk": "NLTK", "sacrebleu": "sacreBLEU"}
WHEELS = {"sacrebleu-mojo": ", because its wheel requires CPython 3.12"}


class Both(NamedTuple):
    """What a row measures: our function and the peer's, and of how many units each is the time."""

    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    count: int = 1
    their_count: int | None = None  # where the peer does a part of the work
    equal: Callable[[Any, Any], bool] = lambda ours, theirs: ours == theirs
    clock: Callable[[Callable[[], Any]], float] = lambda function: seconds(function, time.process_time)


ROWS: list[tuple[str, str, Callable[[], Both], bool]] = []


def row(work, peer, *, readme=True):
    """Register a function that returns :class:`Both` as a row of the table.

    :param readme: whether the README has the row
    """
    return lambda function: ROWS.append((work, peer, function, readme)) or function


# NLTK's functions, on tokens


@row("`sentence_bleu`, method1", "nltk")
def sentences():
    pairs = list(zip(*newstest()))

    def scores(module):
        method = module.SmoothingFunction().method1
        return lambda: [module.sentence_bleu(*pair, smoothing_function=method) for pair in pairs]

    return Both(scores(cybleu), scores(nltk_bleu), len(pairs))


@row("`corpus_bleu` of 3,004 segments", "nltk")
def corpus():
    texts = newstest()
    return Both(lambda: cybleu.corpus_bleu(*texts), lambda: nltk_bleu.corpus_bleu(*texts))


@row("`sentence_bleu_many`, per sentence", "nltk")
def many_sentences():
    texts, (_, theirs, *_) = newstest(), sentences()
    method = cybleu.SmoothingFunction().method1
    return Both(lambda: cybleu.sentence_bleu_many(*texts, smoothing_function=method).tolist(), theirs, len(texts[0]))


@row("`reward_scores` of token ids, per sample", "nltk")
def rewards():
    """100 samples for each of 1,000 prompts, a tenth of whose tokens are replaced; NLTK scores one of 97."""
    references, hypotheses = newstest()
    numbers: dict[str, int] = {}
    chosen = [i for i, text in enumerate(hypotheses) if 16 <= len(text) <= 27][:1000]
    sets = [[[numbers.setdefault(token, len(numbers)) for token in references[i][0]]] for i in chosen]
    prompts = [[numbers.setdefault(token, len(numbers)) for token in hypotheses[i]] for i in chosen]
    source = random.Random(1)
    samples = [
        [source.randrange(len(numbers)) if source.random() < 0.1 else token for token in prompts[i // 100]]
        for i in range(100_000)
    ]
    ids = cybleu.Ragged(np.fromiter(chain(*samples), np.int32), np.cumsum([0, *map(len, samples)]))
    owner, prepared = np.arange(100_000) // 100, cybleu.References(sets)
    few = [(sets[i // 100], samples[i]) for i in range(0, 100_000, 97)]
    metric = metrics.find("nltk", smoothing="method1")
    method = nltk_bleu.SmoothingFunction().method1
    return Both(
        lambda: cybleu.reward_scores(ids, prepared, owner, metric=metric),
        lambda: [nltk_bleu.sentence_bleu(*pair, smoothing_function=method) for pair in few],
        100_000,
        len(few),
        lambda ours, theirs: ours[::97].tolist() == np.float32(theirs).tolist(),
    )


def rewards_of_ids(samples, references, owner):
    """Measure rewards of arrays of ids with references that are new in each call; NLTK scores one of 16, at least 8."""
    metric = metrics.find("nltk", smoothing="method1")
    method = nltk_bleu.SmoothingFunction().method1
    step = max(1, min(16, len(samples) // 8))
    few = [([references[number].tolist()], text.tolist()) for number, text in zip(owner, samples)][::step]
    return Both(
        lambda: cybleu.reward_scores(samples, references, owner, metric=metric),
        lambda: [nltk_bleu.sentence_bleu(*pair, smoothing_function=method) for pair in few],
        len(samples),
        len(few),
        lambda ours, theirs: ours[::step].tolist() == np.float32(theirs).tolist(),
    )


def sampled(references, each):
    """Texts of which four tenths of the ids are replaced, so many for each reference, and whose references they are."""
    source = np.random.default_rng(0)
    owner = np.arange(len(references)).repeat(each)
    texts = references[owner]
    return np.where(source.random(texts.shape) < 0.6, texts, source.integers(0, 32_000, texts.shape)), owner


@row("`reward_scores` of a training step: 256 arrays of 256 ids, per sample", "nltk")
def training_step():
    references = np.random.default_rng(1).integers(0, 32_000, (256, 256))
    samples, owner = sampled(references, 1)
    return rewards_of_ids(list(samples), list(references), owner)


@row("`reward_scores` of a group: 8 samples of 1,024 ids, per sample", "nltk")
def group_of_samples():
    references = np.random.default_rng(1).integers(0, 32_000, (1, 1024))
    samples, owner = sampled(references, 8)
    return rewards_of_ids(samples, references, owner)


@row("`self_bleu` of 1,000 sentences, per sentence", "fast-bleu")
def self_bleu():
    """fast-bleu smooths in another way, so that the scores are compared with NLTK's."""
    texts = [text for text in newstest()[1] if len(text) > 4][:1000]
    method, nltk_method = cybleu.SmoothingFunction().method1, nltk_bleu.SmoothingFunction().method1
    peer = import_module("fast_bleu").SelfBLEU(texts, {"4": (0.25,) * 4})

    def equal(ours, theirs):
        others = ((i, texts[:i] + texts[i + 1 :]) for i in range(0, 1000, 50))
        return all(ours[i] == nltk_bleu.sentence_bleu(few, texts[i], (0.25,) * 4, nltk_method) for i, few in others)

    return Both(lambda: cybleu.self_bleu(texts, smoothing_function=method), peer.get_score, 1000, equal=equal)


@row("NIST of a corpus, per segment", "nltk")
def nist():
    texts = newstest("LIUM-NMT.4900")
    return Both(lambda: nist_score.corpus_nist(*texts), lambda: nltk_nist.corpus_nist(*texts), len(texts[0]))


# Raw text


def uncached(function):
    """Call the function each time after clearing sacreBLEU's caches of tokenised lines."""
    names = ("13a", "char", "intl", "re", "zh")
    modules = [import_module(f"sacrebleu.tokenizers.tokenizer_{name}") for name in names]
    caches = [kind.__call__ for module in modules for kind in vars(module).values() if isinstance(kind, type)]

    def call():
        for cache in caches:
            if hasattr(cache, "cache_clear"):
                cache.cache_clear()
        return function()

    return call


def of_corpus(name, module):
    """The function of this name, of our replacement for sacreBLEU and of the peer, on newstest2017."""
    texts = lines("uedin-nmt.4722"), [lines("ref")]
    ours, theirs = (getattr(where, f"corpus_{name}") for where in (sacrebleu_compat, module))

    def equal(ours, theirs):
        return vars(ours) == vars(theirs) if module is sacrebleu else abs(ours.score - theirs.score) < 1e-9

    return Both(lambda: ours(*texts), uncached(lambda: theirs(*texts)), len(texts[0]), equal=equal)


@row("BLEU of raw text, per segment", "sacrebleu")
def bleu():
    return of_corpus("bleu", sacrebleu)


def of_sentences(function, shown):
    """A function that scores a corpus, called with single sentences, and sacreBLEU's `corpus_bleu`.

    :param shown: what is compared of a result
    """
    corpora = [([text], [[reference]]) for text, reference in zip(lines("uedin-nmt.4722")[:500], lines("ref"))]

    def scores(score):
        return lambda: [shown(score(*corpus)) for corpus in corpora]

    return Both(scores(function), uncached(scores(sacrebleu.corpus_bleu)), len(corpora))


@row("BLEU of one sentence by `cybleu.bleu`", "sacrebleu")
def bleu_of_sentences():
    return of_sentences(cybleu.bleu, lambda result: result.score)


@row("the same by sacreBLEU's name after `install_as_sacrebleu()`", "sacrebleu")
def patched_bleu_of_sentences():
    return of_sentences(sacrebleu_compat.corpus_bleu, vars)


@row("BLEU of raw text, per segment", "sacrebleu-mojo")
def bleu_by_mojo():
    return of_corpus("bleu", import_module("sacrebleu_mojo"))


@row("BLEU of raw text, per segment", "bleuscore")
def bleu_by_bleuscore():
    """bleuscore caches lines, so each call gets new ones."""
    compute = import_module("bleuscore").compute
    texts = lines("uedin-nmt.4722"), lines("ref")
    versions = [[[f"{line} {number}" for line in text] for text in texts] for number in range(50)]
    mine, others = (
        cycle(versions),
        cycle((hypotheses, [[line] for line in references]) for hypotheses, references in versions),
    )

    def ours():
        hypotheses, references = next(mine)
        return sacrebleu_compat.corpus_bleu(hypotheses, [references])

    def theirs():
        hypotheses, references = next(others)
        return compute(predictions=hypotheses, references=references, ref_len_method="closest")

    return Both(ours, theirs, 3004, equal=lambda ours, theirs: abs(ours.score - 100 * theirs["bleu"]) < 1e-9)


@row("chrF of raw text, per segment", "sacrebleu")
def chrf():
    return of_corpus("chrf", sacrebleu)


@row("chrF of raw text, per segment", "sacrebleu-mojo")
def chrf_by_mojo():
    return of_corpus("chrf", import_module("sacrebleu_mojo"))


@row("chrF of 1,024 x 1,024 pairs", "fastchrf")
def pairs():
    """fastchrf computes in single precision."""
    texts = lines("ref")[:1024]
    peer = import_module("fastchrf").pairwise_chrf
    return Both(
        lambda: cybleu.pairs(list(texts), texts, metric="chrf"),
        lambda: peer([texts], [texts]),
        equal=lambda ours, theirs: float(np.abs(ours - np.array(theirs[0])).max()) < 1e-2,
    )


@row("TER of raw text, per segment", "sacrebleu")
def ter():
    return of_corpus("ter", sacrebleu)


@row("BLEU-1 to BLEU-4 per caption, 5 references", "pycocoevalcap")
def captions():
    source, words = random.Random(0), " ".join(lines("ref")).split()
    references, hypotheses = {}, {}
    for image in range(40_000):
        start = source.randrange(len(words) - 20)
        caption = words[start : start + source.randrange(8, 14)]
        hypotheses[image] = [" ".join(caption)]
        references[image] = [
            " ".join(source.choice([word, word, source.choice(words)]) for word in caption) for _ in range(5)
        ]
    peer = import_module("pycocoevalcap.bleu.bleu").Bleu()
    return Both(
        lambda: frameworks.CaptionBleu().compute_score(references, hypotheses),
        lambda: peer.compute_score(references, hypotheses, verbose=0),
        len(references),
    )


# ROUGE and word error rates


def rouge_by(scorer):
    """The means of four kinds by our function, and by a scorer of rouge_score's interface."""
    texts = lines("uedin-nmt.4722"), lines("ref")
    kinds = ["rouge1", "rouge2", "rougeL", "rougeLsum"]

    def theirs():
        found = [scorer(kinds).score(reference, hypothesis) for hypothesis, reference in zip(*texts)]
        return [statistics.fmean(scores[kind].fmeasure for scores in found) for kind in kinds]

    def ours():
        found = cybleu.rouge(*texts)
        return [getattr(found, kind).fmeasure for kind in kinds]

    return Both(ours, theirs, len(texts[0]), equal=lambda ours, theirs: bool(np.allclose(ours, theirs, 1e-12, 0)))


@row("ROUGE-1, 2, L, Lsum of raw text, per segment", "rouge-score")
def rouge():
    return rouge_by(import_module("rouge_score.rouge_scorer").RougeScorer)


@row("ROUGE-1, 2, L, Lsum of raw text, per segment", "rouge-score-rs")
def rouge_by_rs():
    return rouge_by(import_module("rouge_score_rs.rouge_scorer").RougeScorer)


@row("ROUGE-1, 2, L of raw text, per segment", "rouge-rust")
def rouge_by_rust():
    texts = lines("uedin-nmt.4722"), lines("ref")
    peer = import_module("fast_rouge").score_batch_flat
    names = ["rouge1", "rouge2", "rougeL"]

    def ours():
        found = cybleu.rouge(*texts)
        return [getattr(found, name).fmeasure for name in names]

    def theirs():
        found = peer(list(texts[1]), list(texts[0]))
        return [statistics.fmean(getattr(found, f"{name}_fmeasure")) for name in names]

    return Both(ours, theirs, len(texts[0]), equal=lambda ours, theirs: bool(np.allclose(ours, theirs, 1e-12, 0)))


@row("ROUGE of one text through `RougeScorer`", "rouge-score")
def rouge_of_texts():
    pairs = list(zip(lines("ref")[:500], lines("uedin-nmt.4722")))

    def scores(module):
        scorer = module.RougeScorer(["rouge1", "rouge2", "rougeL", "rougeLsum"])
        return lambda: [scorer.score(*pair) for pair in pairs]

    return Both(scores(rouge_score_compat), scores(import_module("rouge_score.rouge_scorer")), len(pairs))


def error_rate_by(function):
    texts = lines("uedin-nmt.4722"), lines("ref")
    return Both(
        lambda: cybleu.wer(*texts).score,
        lambda: function(list(texts[1]), list(texts[0])),
        len(texts[0]),
        equal=lambda ours, theirs: abs(ours - theirs) < 1e-12,
    )


@row("WER of raw text, per segment", "jiwer")
def wer():
    return error_rate_by(import_module("jiwer").wer)


@row("WER of raw text, per segment", "werx")
def wer_by_werx():
    return error_rate_by(import_module("werx").wer)


@row("WER of raw text, per segment", "rapidfuzz")
def wer_by_rapidfuzz():
    distance = import_module("rapidfuzz.distance").Levenshtein.distance

    def rate(references, hypotheses):
        texts = [(text.split(), other.split()) for text, other in zip(references, hypotheses)]
        return sum(distance(*pair) for pair in texts) / sum(len(text) for text, _ in texts)

    return error_rate_by(rate)


@row("MBR of 1,024 texts by BLEU, per text", "sacrebleu")
def mbr_by_bleu():
    """sacreBLEU scores one text of 128 against all."""
    texts = lines("ref")[:1024]
    peer = sacrebleu.BLEU(effective_order=True)

    def theirs():
        return [math.fsum(peer.sentence_score(text, [other]).score for other in texts) / 1024 for text in texts[::128]]

    return Both(
        lambda: rerank.mbr([list(texts)]).scores,
        uncached(theirs),
        1024,
        8,
        lambda ours, theirs: ours[::128].tolist() == theirs,
    )


@row("MBR of 1,024 texts by WER", "unisson")
def mbr_by_wer():
    texts = lines("ref")[:1024]
    peer = import_module("unisson").mbr
    return Both(lambda: rerank.mbr([list(texts)], metric="wer").texts[0], lambda: peer(list(texts), "wer"))


# Intervals and tests, from raw text, or from the counts of each segment that both programs keep


def significance_of(names, ours, theirs, *, counted):
    """Measure our function of rows and sacreBLEU's of texts and a metric.

    :param counted: whether the statistics of the segments are counted before, so that only the samples are measured
    """
    texts, references = {name: tuple(lines(name)) for name in names}, lines("ref")

    def rows():
        return {name: cybleu.rows(text, references) for name, text in texts.items()}

    if not counted:
        return Both(lambda: ours(rows()), uncached(lambda: theirs(texts, sacrebleu.BLEU(references=[references]))))
    known, bleu = rows(), sacrebleu.BLEU(references=[references])
    statistics_of = {text: bleu._extract_corpus_statistics(text, None) for text in texts.values()}
    bleu._extract_corpus_statistics = lambda text, _: statistics_of[text]
    return Both(lambda: ours(known), lambda: theirs(texts, bleu))


def paired(kind, **choices):
    """Measure a test of four systems with close scores, each against the first."""
    test = getattr(significance, f"paired_{kind}")

    def theirs(texts, bleu):
        _, found = PairedTest(list(texts.items()), {"BLEU": bleu}, None, kind)()
        return [vars(result) for result in found["BLEU"]]

    names = ["FBK.4870", "KIT.4950", "LIUM-NMT.4900", "xmu.4910"]
    return significance_of(names, lambda rows: [vars(result) for result in test(rows).values()], theirs, **choices)


@row("`confidence` of a system, from raw text", "sacrebleu", readme=False)
def interval():
    def theirs(texts, bleu):
        found = bleu.corpus_score(*texts.values(), None, n_bootstrap=1000)
        return found.score, found._mean, found._ci

    def ours(rows):
        found = significance.confidence(*rows.values())
        return found.score, found.mean, found.ci

    return significance_of(["FBK.4870"], ours, theirs, counted=False)


for counted, begin in ((False, "raw text"), (True, "counts")):
    for kind in ("bs", "ar"):
        work = f"`paired_{kind}` of 4 systems, from {begin}"
        row(work, "sacrebleu", readme=False)(partial(paired, kind, counted=counted))


# Whole processes, including imports, reading and splitting

SCRIPT = """
import sys

smooth = SmoothingFunction().method1
references, hypotheses = ([line.split() for line in open(path, encoding="utf-8")] for path in sys.argv[1:])
for reference, hypothesis in zip(references, hypotheses):
    print(sentence_bleu([reference], hypothesis, smoothing_function=smooth))
"""
FILES = [str(folder_of("wmt17-en-de") / name) for name in ("ref.txt", "uedin-nmt.4722.txt")]
SCRIPTS = tempfile.TemporaryDirectory()


def process(*command):
    """A function that runs a command; its time is that of the process."""

    def run():
        run.used = used_by([sys.executable, *command], stderr=subprocess.DEVNULL)
        return run.used.output

    return run


def script(module, *runner):
    path = Path(SCRIPTS.name, f"with_{module.split('.')[0]}.py")
    path.write_text(f"from {module} import SmoothingFunction, sentence_bleu\n{SCRIPT}")
    return process(*runner, str(path), *FILES)


def of_process(run):
    run()
    return run.used.processor


@row("a script with `sentence_bleu`, import changed", "nltk")
def whole_script():
    return Both(script("cybleu"), script("nltk.translate.bleu_score"), clock=of_process)


@row("the same script, unchanged, with `run-as-nltk`", "nltk")
def unchanged_script():
    module = "nltk.translate.bleu_score"
    return Both(script(module, "-m", "cybleu", "run-as-nltk"), script(module), clock=of_process)


@row("`cybleu score` on raw files", "sacrebleu")
def command():
    return Both(
        process("-m", "cybleu", "score", FILES[1], FILES[0], "--digits", "10"),
        process("-m", "sacrebleu", FILES[0], "-i", FILES[1], "-b", "-w", "10"),
        equal=lambda ours, theirs: ours.partition(" = ")[2].split()[0] == theirs.strip(),
        clock=of_process,
    )


# The table


def measured(both, rounds):
    """Assert that the results are equal; return the medians of our time and of the peer's."""

    def timed(function):
        gc.collect()
        return both.clock(function)

    assert both.equal(both.ours(), both.theirs()), "the results differ"
    times = [(timed(both.theirs), *(timed(both.ours) for _ in range(3))) for _ in range(rounds)]
    ours = statistics.median(time for _, *some in times for time in some)
    theirs = statistics.median(time for time, *_ in times)
    return ours / both.count, theirs / (both.their_count or both.count)


def shown(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size or unit == "µs":
            return f"{seconds / size:.3g} {unit}"
    raise AssertionError


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    rows = parser.add_mutually_exclusive_group()
    rows.add_argument("--only", default="", metavar="WORDS")
    rows.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    table: list[str] = []

    def add(line):
        table.append(line)
        print(line, flush=True)

    add("| task | package | time | cybleu's time | speedup |\n|---|---|---|---|---|")
    for work, peer, make, readme in ROWS:
        if arguments.only not in f"{work} {peer}" or (arguments.write and not readme):
            continue
        try:
            name = f"{NAMES.get(peer, peer)} {version(peer)}"
        except PackageNotFoundError:
            left_out = f"{work}: {peer} is not installed{WHEELS.get(peer, '')}, so it is not measured"
            if arguments.write:
                sys.exit(left_out)
            print(left_out)
            continue
        ours, theirs = measured(make(), arguments.rounds)
        times = theirs / ours
        add(f"| {work} | {name} | {shown(theirs)} | {shown(ours)} | {times:.{0 if times >= 10 else 1}f} |")
    add(
        f"\nTimes are processor time, medians of {arguments.rounds} rounds. "
        "Texts are from newstest2017 en-de: 3,004 segments of about 18 tokens."
    )
    add(f"{header()}.\n")
    if arguments.write:
        text, count = TABLE.subn(lambda _: "\n".join(table), README.read_text(encoding="utf-8"))
        assert count == 1, "the README has no place for the table"
        README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
