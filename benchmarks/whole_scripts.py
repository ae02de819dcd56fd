"""Benchmark whole scripts and commands from start to end.

python benchmarks/whole_scripts.py [--rounds N] [--lines N]
Each script reads two files, splits the lines and scores them. It runs unchanged with NLTK, with the import replaced, and unchanged
with `run-as-nltk`. The commands score the same files. All must print the same first. Times are medians of the processor time of the
process, including imports, reading and splitting.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import DATA, cells, machine, options, record, used_by

READ = """
import sys

references, hypotheses = ([SPLIT(line) for line in open(path, encoding="utf-8")] for path in sys.argv[1:])
"""
SENTENCES = """
smooth = SmoothingFunction().method1
for reference, hypothesis in zip(references, hypotheses):
    print(sentence_bleu([reference], hypothesis, smoothing_function=smooth))
"""
CORPUS = """
print(corpus_bleu([[reference] for reference in references], hypotheses))
"""
BY_NLTK = "from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu, sentence_bleu\n"
BY_CYBLEU = "from cybleu import SmoothingFunction, corpus_bleu, sentence_bleu\n"
TOKENIZER = "from nltk.tokenize import wordpunct_tokenize\n"
SCRIPTS = {  # code before the import, how to split, what to compute
    "`sentence_bleu` of each line, method1, `str.split`": ("", "str.split", SENTENCES),
    "`corpus_bleu`, `str.split`": ("", "str.split", CORPUS),
    "`sentence_bleu` of each line, method1, NLTK's `wordpunct_tokenize`": (TOKENIZER, "wordpunct_tokenize", SENTENCES),
}


def medians(commands, rounds):
    """Median processor time of each command, measured alternately."""
    times = [[used_by(command, stderr=subprocess.DEVNULL).processor for command in commands] for _ in range(rounds)]
    return [statistics.median(of_one) for of_one in zip(*times)]


def row(work, theirs, ours):
    for name, time in zip((work, f"{work}, run-as-nltk"), ours):
        record(name, time, theirs)
    cells(work, f"{theirs:.2f} s", *(f"{time:.2f} s, {theirs / time:.1f} times" for time in ours))


def main():
    arguments = options(rounds=5, lines=3004)
    print(f"{machine()}; {arguments.lines:,} lines; medians of {arguments.rounds} rounds\n")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = []
        for part in ("ref.txt", "uedin-nmt.4722.txt"):
            lines = (DATA / "wmt17-en-de" / part).read_bytes().splitlines(keepends=True)
            whole, rest = divmod(arguments.lines, len(lines))
            (folder / part).write_bytes(b"".join(lines * whole + lines[:rest]))
            files.append(str(folder / part))
        print("| script | with NLTK | import replaced | by `run-as-nltk` |\n|---|---|---|---|")
        for work, (before, split, rest) in SCRIPTS.items():
            nltk_script, cybleu_script = folder / "with_nltk.py", folder / "with_cybleu.py"
            nltk_script.write_text(before + BY_NLTK + READ.replace("SPLIT", split) + rest)
            cybleu_script.write_text(before + BY_CYBLEU + READ.replace("SPLIT", split) + rest)
            commands = [
                [sys.executable, str(nltk_script), *files],
                [sys.executable, str(cybleu_script), *files],
                [sys.executable, "-m", "cybleu", "run-as-nltk", str(nltk_script), *files],
            ]
            first, *others = (used_by(command, stderr=subprocess.DEVNULL).output for command in commands)
            assert all(output == first for output in others) and first, work
            theirs, *ours = medians(commands, arguments.rounds)
            row(work, theirs, ours)
        print("\n| command on raw files | sacreBLEU | cybleu |\n|---|---|---|")
        for choice, theirs in ((["--tokenize", "none"], ["-tok", "none"]), ([], ["-tok", "13a"])):
            commands = [
                [sys.executable, "-m", "sacrebleu", files[0], "-i", files[1], *theirs, "-b", "-w", "10"],
                [sys.executable, "-m", "cybleu", "score", files[1], files[0], *choice, "--width", "10"],
            ]
            expected, found = (used_by(command, stderr=subprocess.DEVNULL).output for command in commands)
            assert found.partition(" = ")[2].split()[0] == expected.strip(), (expected, found)
            theirs_time, ours_time = medians(commands, arguments.rounds)
            work = "`cybleu score --tokenize none`" if choice else "`cybleu score`"
            row(f"{work}, `sacrebleu {' '.join(theirs)}`", theirs_time, [ours_time])


if __name__ == "__main__":
    main()
