"""Benchmark reports of newstest2017 en-de: the whole command, with 4 and with 16 systems, and the size of the page.

The last line is of 4 systems by BLEU, chrF and TER.

The page is first compared with the library: it must have the scores and every line of every system.

python benchmarks/report.py [--rounds N]
"""

from __future__ import annotations

import html
import statistics
import sys
import tempfile
from pathlib import Path

from measure import cells, folder_of, header, lines, options, used_by
from measure import systems as files

import cybleu
from cybleu.report.visible import visible

ALONE, SEVERAL = ("bleu",), ("bleu", "chrf", "ter")
LIMITS = {(4, ALONE): "3 s, 6 MB", (16, ALONE): "6 s, 16 MB", (4, SEVERAL): "20 MB"}


def check(page, systems, references):
    text = html.unescape(page.read_text(encoding="utf-8").replace("</u>", ""))
    for letter in "bcdeABCDE":
        text = text.replace(f'<u class="{letter}">', "")
    for path in systems:
        of_system = lines(path.stem)
        rows = cybleu.rows(of_system, references)
        assert f"<b>{cybleu.score(rows).score:.2f}</b>" in text, path
        for line in of_system:
            assert visible(line) in text, (path, line)


def main():
    rounds = options(rounds=5).rounds
    reference, references = folder_of("wmt17-en-de") / "ref.txt", lines("ref")
    print(header())
    print("| systems | metrics | processor | by the clock | size | memory | goal |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        page = Path(name) / "report.html"
        for (count, metrics), goal in LIMITS.items():
            systems = files()[-count:]
            command = [sys.executable, "-m", "cybleu", "compare", *map(str, systems), "-r", str(reference)]
            command += ["--report", str(page), *(part for metric in metrics for part in ("--metric", metric))]
            measured = [used_by(command)[:3] for _ in range(rounds)]
            check(page, systems, references)
            clock, processor, memory = map(statistics.median, zip(*measured))
            taken = f"{processor:.2f} s (least {min(times[1] for times in measured):.2f})", f"{clock:.2f} s"
            sizes = f"{page.stat().st_size / 1e6:.1f} MB", f"{memory:.0f} MB"
            cells(str(count), str(len(metrics)), *taken, *sizes, goal)


if __name__ == "__main__":
    main()
