"""Tables of texts and numbers as text, Markdown and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from ..errors import _printable

NUMBER = re.compile(r"[-+<]?[\d.]+\*?$")
INTERVAL = re.compile(r"\(?(-?[\d.]+) to (-?[\d.]+)\)?$")
TITLES = {"s_sel": r"$s_\mathrm{sel}$", "s_opt": r"$s_\mathrm{opt}$", "p": "$p$", "Holm's p": "Holm's $p$"}
LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    **{character: f"${character}$" for character in "<>|"},
    **{character: "\\" + character for character in "&%$#_{}"},
}


class Table(NamedTuple):
    """A table of strings.

    :ivar titles: a title for each column
    :ivar words: how many columns, from the first after `numbered`, have words, which are escaped and start at the left
    :ivar numbered: how many columns of numbers are before these
    :ivar name: the end of the label in LaTeX
    :ivar caption: the caption in LaTeX
    :ivar best: the best score of each column of scores, as row and column
    :ivar close: the scores that are not significantly worse than these
    """

    titles: list[str]
    rows: list[list[str]]
    words: int = 1
    numbered: int = 0
    name: str = "scores"
    caption: str = "Scores of the systems."
    best: Collection[tuple[int, int]] = ()
    close: Collection[tuple[int, int]] = ()

    def has_words(self, column: int) -> bool:
        return self.numbered <= column < self.numbered + self.words


def formatted(tables: Sequence[Table], notes: Sequence[str], form: str) -> str:
    """Format tables, and notes below them, as ``text``, ``markdown`` or ``latex``."""
    if form == "text":
        return "\n\n".join([*map(_as_text, tables), "\n".join(map(plain, notes))])
    if form == "markdown":
        return "\n\n".join([*map(_as_markdown, tables), "  \n".join(map(_in_markdown, notes))])
    of_notes = "\n".join(f"% {plain(note)}" for note in notes)
    return "% needs \\usepackage{booktabs}\n" + "\n\n".join([*map(_as_latex, tables), of_notes]) + "\n"


def plain(text: str) -> str:
    """Replace the characters that would break a line or control a terminal."""
    return _printable(text).replace("\n", " ")


def _as_text(table: Table) -> str:
    columns = []
    for number, column in enumerate(zip(table.titles, *table.rows)):
        cells = list(map(plain, column))
        if any(cell.endswith("*") for cell in cells[1:]):
            cells = [cell if cell.endswith("*") or not cell else f"{cell} " for cell in cells]
        size = max(map(len, cells))
        columns.append([cell.ljust(size) if table.has_words(number) else cell.rjust(size) for cell in cells])
    return "\n".join("  ".join(line).rstrip() for line in zip(*columns))


def _as_markdown(table: Table) -> str:
    rules = ["---" if table.has_words(number) else "---:" for number in range(len(table.titles))]
    rows = [[_in_markdown(cell) for cell in row] for row in table.rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in [table.titles, rules, *rows])


def _in_markdown(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", plain(text))


def _as_latex(table: Table) -> str:
    kinds = "".join("l" if table.has_words(number) else "r" for number in range(len(table.titles)))
    lines = [[TITLES.get(title, _in_latex(title)) for title in table.titles]]
    for row, cells in enumerate(table.rows):
        line = []
        for column, cell in enumerate(cells):
            if table.has_words(column):
                line.append(_in_latex(cell))
            elif (row, column) in table.best:
                line.append(_score_in_latex(cell, r"\textbf{{{}}}"))
            elif (row, column) in table.close:
                line.append(_score_in_latex(cell, r"{}$^{{\dagger}}$"))
            else:
                line.append(_number_in_latex(cell))
        lines.append(line)
    header, *body = [" & ".join(line) + r" \\" for line in lines]
    caption = table.caption
    if table.best:
        caption += " The best score is bold."
    if table.close:
        caption += r" $^\dagger$: not significantly worse."
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{caption}}}",
            rf"\label{{tab:{table.name}}}",
            rf"\begin{{tabular}}{{{kinds}}}",
            r"\toprule",
            header,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
    )


def _score_in_latex(text: str, mark: str) -> str:
    """Mark a score, which an interval can follow."""
    score, blank, interval = text.partition(" ")
    return f"{mark.format(_number_in_latex(score))}{blank}{_number_in_latex(interval) if interval else ''}"


def _in_latex(text: str) -> str:
    return "".join(LATEX.get(character, character) for character in plain(text))


def _number_in_latex(text: str) -> str:
    if not NUMBER.match(text):
        return INTERVAL.sub(r"[$\1$, $\2$]", text)
    starred = "^{*}" if text.endswith("*") else ""
    return f"${text.removesuffix('*')}{starred}$" if starred or text[0] in "-+<" else text
