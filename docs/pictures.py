"""Draw the pictures of the pages: `python docs/pictures.py` writes them to `docs/_static`.

Each is an SVG that is light or dark as the reader's system. The error surface requires third-party texts in the folder
`CYBLEU_DATA`.
"""

import os
import re
from html import escape
from pathlib import Path

import cybleu
from cybleu.nbest import NBest
from cybleu.tuning import line_search

DOCS = Path(__file__).parent
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.small { font-size: 12px }
.tiny { font-size: 11px }
.small, .axis { fill: #59636e }
.code { font-family: ui-monospace, monospace }
.bold { font-weight: bold }
.middle { text-anchor: middle }
.end { text-anchor: end }
.card { fill: #ffffff }
.box { fill: #eef4fb; stroke: #7a9cc6 }
.line { fill: none; stroke: #0b62c4; stroke-width: 1.5 }
.rule { fill: none; stroke: #8b949e }
.faint { stroke-opacity: 0.3 }
.point { fill: #c2410c }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.small, .axis { fill: #a9b4c0 }
.card { fill: #14181d }
.box { fill: #1d2a3a; stroke: #5480b5 }
.line { stroke: #6cb0ff }
.point { fill: #ff9a5c }
}"""


def text(x, y, words, style=""):
    return f'<text x="{x:g}" y="{y:g}" class="{style}" xml:space="preserve">{escape(words)}</text>'


def box(x, y, width, words, style="code", height=24):
    shape = f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height}" rx="4" class="box"/>'
    return shape + text(x + width / 2, y + height / 2 + 4.5, words, f"{style} middle")


def arrow(x, y, width=0, height=0):
    """A line to the right or down, with a head."""
    end = (x + width, y + height)
    head = "l -7 -4 v 8 z" if width else "l -4 -7 h 8 z"
    return f'<path d="M {x} {y} L {end[0]} {end[1]}" class="rule"/><path d="M {end[0]} {end[1]} {head}" class="axis"/>'


def write(name, title, width, height, shapes):
    card = f'<rect width="{width}" height="{height}" rx="8" class="card"/>'
    content = "\n".join([f"<title>{escape(title)}</title>", f"<style>{STYLE}\n</style>", card, *shapes])
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">'
    (DOCS / "_static" / name).write_text(f"{head}\n{content}\n</svg>\n", encoding="utf-8")


def rows():
    """From the texts of two segments to the score of both."""
    hypotheses = ["the cat sat there", "it rains today"]
    references = [["the cat sat on the mat", "a cat sat there"], ["it rains"]]
    found = cybleu.rows(hypotheses, references, tokenize="none")
    total = found.sum(axis=0)
    score = cybleu.score(found)
    groups = [("lengths", total[:2]), ("matches of order 1 to 4", total[2:6]), ("n-grams of order 1 to 4", total[6:])]
    shapes = [text(20, 30, "segments", "bold"), text(272, 30, "one row of counts for each segment", "bold")]
    lefts = []
    left = 272
    for words, counts in groups:
        shapes.append(text(left, 52, words, "small"))
        for _ in counts:
            lefts.append(left)
            left += 38
        left += 22
    for y, row, hypothesis, texts in zip((64, 128), found, hypotheses, references):
        shapes += [box(20, y, 190, hypothesis)]
        shapes += [text(24, y + 24 + 15 * i, words, "small code") for i, words in enumerate(texts, start=1)]
        shapes += [arrow(218, y + 12, width=44)]
        shapes += [box(x, y, 34, str(count)) for x, count in zip(lefts, row)]
    shapes += [text(222, 58, "rows", "small code"), text(222, 218, "sum", "small code")]
    shapes += [
        arrow(lefts[0] + 17, 156, height=40),
        text(lefts[0] + 28, 182, "add, in any order, on any machine", "small"),
    ]
    shapes += [box(x, 202, 34, str(count), "code bold") for x, count in zip(lefts, total)]
    shapes += [arrow(lefts[0] + 17, 230, height=36), text(lefts[0] + 28, 254, "score", "small code")]
    percent = " / ".join(f"{precision:.1f}" for precision in score.precisions)
    shapes += [text(lefts[0], 288, f"BLEU {score.score:.2f}", "bold")]
    words = f"{score.brevity_penalty:.1f} (brevity penalty) \N{MULTIPLICATION SIGN} the geometric mean of {percent}"
    shapes += [text(lefts[0], 308, words, "small")]
    write("rows.svg", "Texts become rows of counts, rows a sum, and the sum a score", 720, 324, shapes)


def layers():
    """The layers that `lint-imports` checks, from pyproject.toml."""
    settings = (DOCS.parent / "pyproject.toml").read_text(encoding="utf-8")
    block = re.search(r"^layers = \[\n(.*?)^\]", settings, re.MULTILINE | re.DOTALL)[1]
    shapes = []
    y = 10
    for names in re.findall(r'"(.*)"', block):
        packages = names.split(" | ")
        widths = [len(name) * 6.7 + 14 for name in packages]
        x = 40
        for name, width in zip(packages, widths):
            shapes.append(box(x, y, width, name, "code tiny", height=20))
            x += width + 6
        y += 24
    shapes += [arrow(20, 14, height=y - 30), text(160, 24, "a package imports only from lower layers", "small")]
    write("layers.svg", "The packages of cybleu in layers", 790, y + 6, shapes)


def error_surface(folder):
    """BLEU of an n-best list of Moses for each value of one weight."""
    nbest = NBest.from_files(folder / "nbest.gz", [folder / "reference"])
    found = line_search(nbest, dict.fromkeys(nbest.names, 1.0), "tm_2", surface=True)
    starts, scores = found.surface
    first, last = -6.5, 6.5
    left, bottom, right, top = 56, 236, 720, 44
    lowest, highest = 5.5, 9.7

    def across(step):
        return left + (right - left) * (step - first) / (last - first)

    def up(score):
        return bottom - (bottom - top) * (score - lowest) / (highest - lowest)

    shapes = [text(16, 24, "BLEU of the chosen hypotheses", "small")]
    for score in range(6, 10):
        shapes.append(f'<path d="M {left} {up(score):g} H {right}" class="rule faint"/>')
        shapes.append(text(left - 8, up(score) + 4, str(score), "small end"))
    for step in range(-6, 7, 2):
        shapes.append(text(across(step), bottom + 20, str(step).replace("-", "\N{MINUS SIGN}"), "small middle"))
    path = f"M {left} {up(100 * scores[starts <= first][-1]):.1f}"
    for start, score in zip(starts, scores):
        if first < start < last:
            path += f" H {across(start):.1f} V {up(100 * score):.1f}"
    shapes.append(f'<path d="{path} H {right}" class="line"/>')
    for step, score, name, side in ((0, found.start_score, "start", "end"), (found.step, found.score, "best", "")):
        x = across(step)
        y = up(100 * score)
        shapes.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" class="point"/>')
        shapes.append(text(x, y - 12, f"{name} {100 * score:.2f}", f"small {side}"))
    shapes.append(text((left + right) / 2, bottom + 42, "x: change of the weight of tm_2", "small middle"))
    title = "The error surface of one weight: BLEU is constant between steps, and has many local maxima"
    write("error-surface.svg", title, 740, 292, shapes)


if __name__ == "__main__":
    rows()
    layers()
    if "CYBLEU_DATA" in os.environ:
        error_surface(Path(os.environ["CYBLEU_DATA"], "moses100"))
