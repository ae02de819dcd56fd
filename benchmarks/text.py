"""Benchmark raw text against sacreBLEU. Results are compared first.

python benchmarks/text.py [--rounds N] [--lines N]

Times are processor time. sacreBLEU caches 65,536 lines in each tokeniser: it is measured with empty caches, and on the same lines
again. bleuscore also caches lines; it is measured if it is installed (python -m pip install bleuscore). cybleu has no cache.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from functools import partial
from pathlib import Path

import sacrebleu
from measure import bench, bench_sentences, header, lines, options, row, uncached, used_by
from measure import processor_seconds as seconds

import cybleu
from cybleu import Reward, sacrebleu_compat


def again(ours, theirs, rounds):
    """Measure with the lines in sacreBLEU's cache."""
    return tuple(map(statistics.median, zip(*[(seconds(ours), seconds(theirs)) for _ in range(rounds)])))


def new(ours, theirs, rounds):
    """Measure with empty caches."""
    return again(ours, uncached(theirs), rounds)


def files(count, reference, hypotheses):
    python = [sys.executable, "-m"]
    with tempfile.TemporaryDirectory() as folder:
        few = min(count, 20_000)
        for name, text in (("hyp", hypotheses), ("ref", reference)):
            text = (text * (1 + count // len(text)))[:count]
            for path, some in ((name, text), (f"few.{name}", text[:few])):
                (Path(folder) / path).write_text("".join(f"{line}\n" for line in some), encoding="utf-8")
        score = [*python, "cybleu", "score", "--width", "4"]
        theirs = used_by([*python, "sacrebleu", "few.ref", "-i", "few.hyp", "-b", "-w", "4", "--force"], cwd=folder)
        ours = used_by([*score, "few.hyp", "few.ref"], cwd=folder)
        assert f" = {theirs.output.strip()} " in ours.output, (theirs, ours)
        print(f"\nwhole process, {few} lines: sacreBLEU {theirs.processor:.2f} s of processor time")
        for options in ([], ["--threads", "2"], ["--tokenize", "none"], ["--tokenize", "none", "--threads", "2"]):
            used = used_by([*score, *options, "hyp", "ref"], cwd=folder)
            taken = f"{used.processor:.2f} s of processor time, {used.clock:.2f} s, {used.memory:.0f} MB"
            print(f"`cybleu score {' '.join(options)}`, {count} lines: {taken}")


def compare_bleuscore(rounds, reference, hypotheses):
    """Measure on new lines each time, and on the same lines again."""
    try:
        from bleuscore import compute
    except ImportError:
        print("| corpus, 13a; peer bleuscore | it is not installed |")
        return

    def both(number):
        refs, hyps = ([f"{line} {number}" for line in lines] for lines in (reference, hypotheses))
        groups = [[line] for line in refs]

        def ours():
            return sacrebleu_compat.corpus_bleu(hyps, [refs], force=True)

        def theirs():
            return compute(references=groups, predictions=hyps, ref_len_method="closest")

        return ours, theirs

    pairs = [both(number) for number in range(rounds + 1)]
    (ours, theirs), *others = pairs
    assert abs(ours().score - 100 * theirs()["bleu"]) < 1e-9
    times = zip(*[(seconds(ours), seconds(theirs)) for ours, theirs in others])
    row("corpus, 13a, new lines; peer bleuscore", *map(statistics.median, times), count=len(hypotheses), bar=15)
    times = again(ours, theirs, rounds)
    row("corpus, 13a, the same lines again; peer bleuscore", *times, count=len(hypotheses), bar=8)


def main():
    arguments = options(rounds=5, lines=1_000_000)
    rounds = arguments.rounds
    reference, hypotheses = lines("ref"), lines("uedin-nmt.4722")
    systems = [reference, *(lines(name) for name in ("KIT.4950", "LMU-nmt-single.4893", "online-A.0"))]
    chinese = (
        [f"猫在{line[:20]}垫子上，{line[20:]}。" for line in reference],
        [f"猫在{line[:20]}垫子，{line[20:]}" for line in hypotheses],
    )

    print(f"{header()}; medians of {rounds}\n")
    print(f"| work | cybleu | sacreBLEU {sacrebleu.__version__} | times |\n|---|---|---|---|")
    for name, refs, hyps, bar in (
        ("13a", [reference], hypotheses, 100),
        ("13a", systems, hypotheses, 100),
        ("intl", [reference], hypotheses, 60),
        ("zh", [chinese[0]], chinese[1], 60),
        ("char", [reference], hypotheses, 60),
        ("none", [reference], hypotheses, 60),
    ):
        ours, theirs = (
            partial(function, hyps, refs, tokenize=name, force=True)
            for function in (sacrebleu_compat.corpus_bleu, sacrebleu.corpus_bleu)
        )
        work = f"corpus, {name}, {len(refs)} reference(s)"
        bench(f"{work}, new lines", ours, theirs, rounds, vars, new, count=len(hyps), bar=bar)
        bench(f"{work}, the same lines again", ours, theirs, rounds, vars, again, count=len(hyps))

    compare_bleuscore(rounds, reference, hypotheses)

    both = sacrebleu_compat.sentence_bleu, sacrebleu.sentence_bleu
    bench_sentences("one sentence, 13a", *both, hypotheses, reference, rounds, times=new, bar=20)

    words = " ".join(reference).split()
    long = [" ".join(words[start : start + 368]) for start in range(0, 36_800, 368)]
    others = [" ".join(words[start + 20 : start + 388]) for start in range(0, 36_800, 368)]
    reward = Reward(column="reference")
    metric = sacrebleu.BLEU(effective_order=True)
    bench(
        "`Reward`, completions of 368 words",
        lambda: [100 * one for one in reward(None, long, None, reference=others)],
        lambda: [metric.sentence_score(line, [other]).score for line, other in zip(long, others)],
        rounds,
        lambda found: [round(score, 3) for score in found],  # rewards are float32
        new,
        count=len(long),
    )
    tokens = cybleu.text.tokenizer("13a")
    assert (
        cybleu.rows(hypotheses, reference).tolist()
        == cybleu.rows([*map(tokens, hypotheses)], [[tokens(one)] for one in reference]).tolist()
    )
    files(arguments.lines, reference, hypotheses)


if __name__ == "__main__":
    main()
