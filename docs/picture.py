"""Draw the picture of the README from its table of speed.

python docs/picture.py          # requires Matplotlib: pip install "cybleu[plot]"

The figures of the table are output of `benchmarks/drop_in.py` and `benchmarks/whole_scripts.py`.
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
    r"^\| (?P<work>[^|]+) \| (?P<before>[\d,.]+) (?P<unit>us|ms|s) \| (?P<after>[\d,.]+) (?:us|ms|s) \| [\d.]+ \|$",
    re.M,
)
SHOWN = 5  # rows from the top
BEFORE, AFTER = "#9aa5b1", "#2f855a"


def rows():
    """(work, before, after, unit) of the first rows of the table, by the README."""
    table = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n## Speed\n")[2].partition("\n## ")[0]
    found = [
        (
            row["work"].replace("`", ""),
            float(row["before"].replace(",", "")),
            float(row["after"].replace(",", "")),
            row["unit"],
        )
        for row in ROW.finditer(table)
    ]
    return found[:SHOWN]


def draw(path):
    plt.rcParams["svg.hashsalt"] = "cybleu"  # the same bytes each time
    plt.rcParams["svg.fonttype"] = "none"
    figures = rows()
    figure, axes = plt.subplots(figsize=(8, 0.62 * len(figures) + 0.7))
    for place, (_, before, after, unit) in enumerate(figures):
        axes.barh(place - 0.19, 1, height=0.34, color=BEFORE)
        axes.barh(place + 0.19, after / before, height=0.34, color=AFTER)
        axes.text(1.01, place - 0.19, f"{before:,g} {unit}", va="center", fontsize=9)
        axes.text(
            after / before + 0.01,
            place + 0.19,
            f"{after:,g} {unit}: {before / after:.3g} times faster",
            va="center",
            fontsize=9,
        )
    axes.set_yticks(range(len(figures)), [work for work, *_ in figures], fontsize=9)
    axes.set_xticks([])
    axes.set_xlim(0, 1.15)
    axes.invert_yaxis()
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    handles = [plt.Rectangle((0, 0), 1, 1, color=colour) for colour in (BEFORE, AFTER)]
    axes.legend(
        handles, ["NLTK", "cybleu"], loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=2, frameon=False, fontsize=9
    )
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})


if __name__ == "__main__":
    draw(PICTURE)
