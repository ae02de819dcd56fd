"""Raw text beside sacreBLEU. Results are compared before anything is timed.

python benchmarks/text.py [--rounds N] [--lines N]

Times are of the processor. sacreBLEU remembers 65,536 lines in each tokeniser: it is timed on lines that it has not seen, and on the
same lines again. bleuscore remembers lines, too; it is timed where it is installed (python -m pip install bleuscore). cybleu remembers
nothing.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

import sacrebleu
from measure import lines, machine, row, used_by
from measure import processor_seconds as seconds
from sacrebleu.tokenizers import tokenizer_13a, tokenizer_char, tokenizer_intl, tokenizer_re, tokenizer_zh

import cybleu
from cybleu import BleuReward, sacrebleu_corpus_bleu, sacrebleu_sentence_bleu, segment_stats

CACHES = [
    tokenizer_13a.Tokenizer13a.__call__,
    tokenizer_char.TokenizerChar.__call__,
    tokenizer_intl.TokenizerV14International.__call__,
    tokenizer_re.TokenizerRegexp.__call__,
    tokenizer_zh.TokenizerZh.__call__,
]


def compare(ours, theirs, rounds, anew=False):
    """The medians of both, in turn; `anew` without a line that sacreBLEU remembers."""
    times = []
    for _ in range(rounds):
        for cache in CACHES if anew else ():
            cache.cache_clear()
        times.append((seconds(ours), seconds(theirs)))
    return tuple(map(statistics.median, zip(*times)))


def files(count, reference, hypotheses):
    python = [sys.executable, "-m"]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("hyp", hypotheses), ("ref", reference)):
            text = (text * (1 + count // len(text)))[:count]
            (Path(folder) / name).write_text("".join(f"{line}\n" for line in text), encoding="utf-8")
        few = min(count, 20_000)
        for name in ("hyp", "ref"):
            with open(Path(folder) / name, encoding="utf-8") as file:
                (Path(folder) / f"few.{name}").write_text("".join(next(file) for _ in range(few)), encoding="utf-8")
        score = [*python, "cybleu", "score", "--width", "4"]
        theirs = used_by([*python, "sacrebleu", "few.ref", "-i", "few.hyp", "-b", "-w", "4", "--force"], cwd=folder)
        ours = used_by([*score, "few.hyp", "few.ref"], cwd=folder)
        assert f" = {theirs.output.strip()} " in ours.output, (theirs, ours)
        print(f"\nwhole process, {few} lines: sacreBLEU {theirs.processor:.2f} s of processor time")
        for options in ([], ["--threads", "2"], ["--tokenize", "none"], ["--tokenize", "none", "--threads", "2"]):
            used = used_by([*score, *options, "hyp", "ref"], cwd=folder)
            print(
                f"`cybleu score {' '.join(options)}`, {count} lines: {used.processor:.2f} s of processor time, "
                f"{used.clock:.2f} s, {used.memory:.0f} MB"
            )


def beside_bleuscore(rounds, reference, hypotheses):
    """On lines that it has not seen, each time others, and on the same lines again."""
    try:
        from bleuscore import compute
    except ImportError:
        print("| corpus, 13a; peer bleuscore | it is not installed |")
        return

    def both(number):
        refs, hyps = ([f"{line} {number}" for line in lines] for lines in (reference, hypotheses))
        groups = [[line] for line in refs]

        def ours():
            return sacrebleu_corpus_bleu(hyps, [refs], force=True)

        def theirs():
            return compute(references=groups, predictions=hyps, ref_len_method="closest")

        return ours, theirs

    pairs = [both(number) for number in range(rounds + 1)]
    (ours, theirs), *others = pairs
    assert abs(ours().score - 100 * theirs()["bleu"]) < 1e-9
    new = zip(*[(seconds(ours), seconds(theirs)) for ours, theirs in others])
    row("corpus, 13a, new lines; peer bleuscore", *map(statistics.median, new), count=len(hypotheses), bar=15)
    times = compare(ours, theirs, rounds)
    row("corpus, 13a, the same lines again; peer bleuscore", *times, count=len(hypotheses), bar=8)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--lines", type=int, default=1_000_000)
    arguments = parser.parse_args()
    rounds = arguments.rounds
    reference, hypotheses = lines("ref"), lines("uedin-nmt.4722")
    systems = [reference, *(lines(name) for name in ("KIT.4950", "LMU-nmt-single.4893", "online-A.0"))]
    chinese = (
        [f"猫在{line[:20]}垫子上，{line[20:]}。" for line in reference],
        [f"猫在{line[:20]}垫子，{line[20:]}" for line in hypotheses],
    )

    print(
        f"{machine()}, load {os.getloadavg()[0]:.1f}; cybleu {cybleu.__version__}, {cybleu.BACKEND} backend; medians of {rounds}\n"
    )
    print(f"| work | cybleu | sacreBLEU {sacrebleu.__version__} | times |\n|---|---|---|---|")
    for name, refs, hyps, bar in (
        ("13a", [reference], hypotheses, 100),
        ("13a", systems, hypotheses, 100),
        ("intl", [reference], hypotheses, 60),
        ("zh", [chinese[0]], chinese[1], 60),
        ("char", [reference], hypotheses, 60),
        ("none", [reference], hypotheses, 60),
    ):
        options = {"tokenize": name, "force": True}

        def ours(refs=refs, hyps=hyps, options=options):
            return sacrebleu_corpus_bleu(hyps, refs, **options)

        def theirs(refs=refs, hyps=hyps, options=options):
            return sacrebleu.corpus_bleu(hyps, refs, **options)

        assert vars(ours()) == vars(theirs())
        work = f"corpus, {name}, {len(refs)} reference(s)"
        row(f"{work}, new lines", *compare(ours, theirs, rounds, anew=True), count=len(hyps), bar=bar)
        row(f"{work}, the same lines again", *compare(ours, theirs, rounds), count=len(hyps))

    beside_bleuscore(rounds, reference, hypotheses)

    pairs = [*zip(hypotheses, reference)][:1000]
    for line, other in pairs:
        assert vars(sacrebleu_sentence_bleu(line, [other])) == vars(sacrebleu.sentence_bleu(line, [other]))
    times = compare(
        lambda: [sacrebleu_sentence_bleu(line, [other]) for line, other in pairs],
        lambda: [sacrebleu.sentence_bleu(line, [other]) for line, other in pairs],
        rounds,
        anew=True,
    )
    row("one sentence, 13a", *times, count=len(pairs), bar=20)

    words = " ".join(reference).split()
    long = [" ".join(words[start : start + 368]) for start in range(0, 36_800, 368)]
    others = [" ".join(words[start + 20 : start + 388]) for start in range(0, 36_800, 368)]
    reward = BleuReward(column="reference", tokenize="13a")
    metric = sacrebleu.BLEU(effective_order=True)
    found = reward(None, long, None, reference=others)
    assert all(
        abs(100 * one - metric.sentence_score(*pair).score) < 1e-4
        for one, *pair in zip(found, long, [[one] for one in others])
    )
    times = compare(
        lambda: reward(None, long, None, reference=others),
        lambda: [metric.sentence_score(line, [other]) for line, other in zip(long, others)],
        rounds,
        anew=True,
    )
    row("`BleuReward`, completions of 368 words", *times, count=len(long))
    tokens = cybleu.text.tokenizer("13a")
    assert (
        segment_stats([[one] for one in reference], hypotheses, tokenize="13a").tolist()
        == segment_stats([[tokens(one)] for one in reference], [*map(tokens, hypotheses)]).tolist()
    )
    files(arguments.lines, reference, hypotheses)


if __name__ == "__main__":
    main()
