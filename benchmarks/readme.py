"""Measure the table of speed in the README, and write it and its picture.

python benchmarks/readme.py [--rounds N]

Requires bleuscore, fast-bleu, fastchrf and pycocoevalcap in addition to the extra `ci`. Takes about 10 minutes.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from measure import header, options

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs"))


class Row(NamedTuple):
    """A row of the table: the text, the package of the peer, the benchmark, and how it names the row."""

    work: str
    peer: str
    benchmark: str
    name: str


ROWS = [
    Row("`sentence_bleu`, method1", "nltk", "drop_in", "`sentence_bleu`, method1, one reference"),
    Row("`corpus_bleu` of 3,004 segments", "nltk", "drop_in", "`corpus_bleu`, 3004 segments"),
    Row("`sentence_bleu_many`, per sentence", "nltk", "batches", "`sentence_bleu_many`, lists of str, method1"),
    Row("`reward_scores` of token ids, per sample", "nltk", "batches", "rewards of the same"),
    Row("`self_bleu` of 1,000 sentences, per sentence", "fast-bleu", "batches", "`self_bleu` of 1,000 sentences"),
    Row("BLEU of raw text, 13a, per segment", "sacrebleu", "text", "corpus, 13a, 1 reference(s), new lines"),
    Row("BLEU of raw text, 13a, per segment", "bleuscore", "text", "corpus, 13a, new lines"),
    Row("chrF of raw text, per segment", "sacrebleu", "relatives", "chrF of a corpus"),
    Row("chrF of 1,024 x 1,024 pairs", "fastchrf", "relatives", "chrF of 1,024 x 1,024"),
    Row("TER of raw text, per segment", "sacrebleu", "relatives", "TER of a corpus, 1 reference"),
    Row("NIST of a corpus, per segment", "nltk", "relatives", "NIST of a corpus, references: 1"),
    Row("BLEU-1 to BLEU-4 of captions, 5 references", "pycocoevalcap", "relatives", "40000 captions"),
    Row(
        "a whole script with `sentence_bleu`",
        "nltk",
        "whole_scripts",
        "`sentence_bleu` of each line, method1, `str.split`",
    ),
    Row(
        "the same script by `run-as-nltk`",
        "nltk",
        "whole_scripts",
        "`sentence_bleu` of each line, method1, `str.split`, run-as-nltk",
    ),
    Row("`cybleu score` on raw files", "sacrebleu", "whole_scripts", "`cybleu score`, `sacrebleu -tok 13a`"),
]
NAMES = {"nltk": "NLTK", "sacrebleu": "sacreBLEU"}
TABLE = re.compile(r"(?<=<!-- table of benchmarks/readme.py -->\n)(.*?)(?=<!-- end -->)", re.DOTALL)
MORE = {"text": ["--lines", "20000"]}


def measured(benchmark: str, rounds: int) -> list[dict[str, object]]:
    """Run a benchmark, and return the rows that it records."""
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder, "rows")
        command = [sys.executable, ROOT / "benchmarks" / f"{benchmark}.py", "--rounds", str(rounds)]
        subprocess.run(
            [*command, *MORE.get(benchmark, [])], env={**os.environ, "CYBLEU_ROWS": str(rows)}, cwd=ROOT, check=True
        )
        return [json.loads(line) for line in rows.read_text().splitlines()]


def shown(seconds: float) -> str:
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size or unit == "us":
            return f"{seconds / size:.3g} {unit}"
    raise AssertionError


def main() -> None:
    rounds = options(rounds=5).rounds
    found = {benchmark: measured(benchmark, rounds) for benchmark in dict.fromkeys(row.benchmark for row in ROWS)}
    lines = ["| work | peer | its time | cybleu | times faster | `benchmarks/` |", "|---|---|---|---|---|---|"]
    for row in ROWS:
        matching = [one for one in found[row.benchmark] if one["work"].startswith(row.name)]
        assert matching, row
        # of names that begin alike, the shortest is the one meant
        one = min(matching, key=lambda each: len(each["work"]))
        peer = f"{NAMES.get(row.peer, row.peer)} {version(row.peer)}"
        times = one["theirs"] / one["ours"]
        lines.append(
            f"| {row.work} | {peer} | {shown(one['theirs'])} | {shown(one['ours'])} | {times:.{0 if times >= 10 else 1}f} "
            f"| `{row.benchmark}.py` |"
        )
    lines.append(
        f"\nMeasured in processor time, medians of {rounds} rounds, on newstest2017 en-de: 3,004 segments of about 18 tokens."
    )
    lines.append(f"{header()}.")
    path = ROOT / "README.md"
    text, count = TABLE.subn("\n".join(lines).replace("\\", r"\\") + "\n", path.read_text(encoding="utf-8"))
    assert count == 1, "the README has no place for the table"
    path.write_text(text, encoding="utf-8")
    from picture import PICTURE, draw

    draw(PICTURE)


if __name__ == "__main__":
    main()
