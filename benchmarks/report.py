"""The report of newstest2017 en-de: the whole command, with 4 and with 16 systems, and the size of the page.

What the page says is compared with the library first: the scores, and that every line of every system is in it.

python benchmarks/report.py [--rounds N]
"""

from __future__ import annotations

import html
import statistics
import sys
import tempfile
from pathlib import Path

from measure import folder_of, lines, machine, rounds_asked, used_by
from measure import systems as files

import cybleu
from cybleu import segment_stats
from cybleu.report.visible import visible

LIMITS = {4: (3, 6), 16: (6, 16)}  # seconds, MB


def check(page, systems, references):
    text = html.unescape(page.read_text(encoding="utf-8").replace("</u>", ""))
    for letter in "bcdeABCDE":
        text = text.replace(f'<u class="{letter}">', "")
    for path in systems:
        of_system = lines(path.stem)
        rows = segment_stats([[line] for line in references], of_system, tokenize="13a")
        assert f"<b>{cybleu.score(rows).score:.2f}</b>" in text, path
        for line in of_system:
            assert visible(line) in text, (path, line)


def main():
    rounds = rounds_asked(5)
    reference, references = folder_of("wmt17-en-de") / "ref.txt", lines("ref")
    print(f"{machine()}, backend {cybleu.BACKEND}")
    print("| systems | processor | by the clock | size | memory | goal |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        page = Path(name) / "report.html"
        for count, (seconds, size) in LIMITS.items():
            systems = files()[-count:]
            command = [sys.executable, "-m", "cybleu", "compare", *map(str, systems), "-r", str(reference)]
            command += ["--report", str(page)]
            measured = [used_by(command)[:3] for _ in range(rounds)]
            check(page, systems, references)
            clock, processor, memory = map(statistics.median, zip(*measured))
            print(
                f"| {count} | {processor:.2f} s (least {min(times[1] for times in measured):.2f}) | {clock:.2f} s | "
                f"{page.stat().st_size / 1e6:.1f} MB | {memory:.0f} MB | {seconds} s, {size} MB |",
                flush=True,
            )


if __name__ == "__main__":
    main()
