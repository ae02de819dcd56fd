"""Draw the picture of the README from its table of speed, which `benchmarks/readme.py` writes.

python docs/picture.py          # requires Matplotlib: pip install "cybleu[plot]"
"""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "_static" / "speed.svg"
ROW = re.compile(
    r"^\| (?P<work>[^|]+) \| NLTK [\d.]+ \| (?P<before>[\d.]+) (?P<unit>us|ms|s) \| "
    r"(?P<after>[\d.]+) (?P<after_unit>us|ms|s) \| [\d.]+ \|",
    re.M,
)
SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1}
SHOWN = 5  # rows from the top
BEFORE, AFTER = "#9aa5b1", "#2f855a"


# Text and axes of pages with a dark background. Bars are visible on both.
DARK = """<style>
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 !important }
  #axes_1 path[style*="stroke: #000000"], use { stroke: #e6edf3 !important }
}
</style>
"""


def rows():
    """(work, time of NLTK, time of cybleu, their texts) of the first rows of the table that compare with NLTK."""
    table = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n## Speed\n")[2].partition("\n## ")[0]
    return [
        (
            row["work"].replace("`", ""),
            float(row["before"]) * SECONDS[row["unit"]],
            float(row["after"]) * SECONDS[row["after_unit"]],
            f"{row['before']} {row['unit']}",
            f"{row['after']} {row['after_unit']}",
        )
        for row in ROW.finditer(table)
    ][:SHOWN]


def draw(path):
    plt.rcParams["svg.hashsalt"] = "cybleu"  # the same bytes each time
    plt.rcParams["svg.fonttype"] = "none"
    figures = rows()
    figure, axes = plt.subplots(figsize=(8, 0.62 * len(figures) + 0.7))
    for place, (_, before, after, before_text, after_text) in enumerate(figures):
        axes.barh(place - 0.19, 1, height=0.34, color=BEFORE)
        axes.barh(place + 0.19, after / before, height=0.34, color=AFTER)
        axes.text(1.01, place - 0.19, before_text, va="center", fontsize=9)
        speed = f"{after_text}: {before / after:.3g} times faster"
        axes.text(after / before + 0.01, place + 0.19, speed, va="center", fontsize=9)
    axes.set_yticks(range(len(figures)), [work for work, *_ in figures], fontsize=9)
    axes.set_xticks([])
    axes.set_xlim(0, 1.15)
    axes.invert_yaxis()
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    handles = [plt.Rectangle((0, 0), 1, 1, color=colour) for colour in (BEFORE, AFTER)]
    axes.legend(
        handles, ["NLTK", "cybleu"], loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=2, frameon=False, fontsize=9
    )
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None}, transparent=True)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(" <defs>", DARK + " <defs>", 1), encoding="utf-8")


if __name__ == "__main__":
    draw(PICTURE)
