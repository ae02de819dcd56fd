"""Tables of texts and numbers as text, Markdown and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from ..errors import _printable

CAPTION = "Scores of the systems."
LABEL = "scores"  # after tab:
BEST = r"\textbf{{{}}}"
CLOSE = r"{}$^{{\dagger}}$"
TITLES = {"s_sel": r"$s_\mathrm{sel}$", "s_opt": r"$s_\mathrm{opt}$", "p": "$p$", "Holm's p": "Holm's $p$"}
NUMBER = re.compile(r"([-+<][\d.]+|[\d.]+(?=\*))(\*?)$")  # that LaTeX writes as a formula: one with a sign or a star
INTERVAL = re.compile(r"\(?(-?[\d.]+) to (-?[\d.]+)\)?$")
LIGATURE = re.compile("([-`'?!])(?=[-`'])")  # two characters that LaTeX replaces by one
# Before a table that is wider than the page, LaTeX shrinks it to the width of the page.
BEFORE = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{"
LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "[": "{[}",  # at the beginning of a row it would be an argument of the end of the row before, and so would *
    "*": "{*}",
    **{character: f"${character}$" for character in "<>|"},
    **{character: "\\" + character for character in "&%$#_{}"},
}


class Table(NamedTuple):
    """A table of strings.

    :ivar titles: a title for each column
    :ivar words: the columns of words, which are escaped and start at the left; the others have numbers
    :ivar caption: the caption in LaTeX
    :ivar label: the end of the label in LaTeX
    :ivar marks: formats of LaTeX for cells, by row and column: :data:`BEST` and :data:`CLOSE`
    """

    titles: list[str]
    rows: list[list[str]]
    words: Collection[int]
    caption: str
    label: str
    marks: Mapping[tuple[int, int], str] = {}


def written_tables(tables: Sequence[Table], notes: Sequence[str], form: str) -> str:
    """Format tables, and notes below them, as ``text``, ``markdown`` or ``latex``."""
    if form == "text":
        return "\n\n".join([*map(_as_text, tables), "\n".join(map(in_one_line, notes))])
    if form == "markdown":
        return "\n\n".join([*map(_as_markdown, tables), "  \n".join(map(_in_markdown, notes))])
    needs = "% needs \\usepackage{booktabs,graphicx}, and XeLaTeX or LuaLaTeX for names in other than Latin letters\n"
    return needs + "\n\n".join([*map(_as_latex, tables), "\n".join(f"% {in_one_line(note)}" for note in notes)]) + "\n"


def in_one_line(text: str) -> str:
    """Replace the characters that would break a line or control a terminal."""
    return _printable(text).replace("\n", " ")


def _as_text(table: Table) -> str:
    columns = []
    for number, column in enumerate(zip(table.titles, *table.rows)):
        cells = list(map(in_one_line, column))
        if any(cell.endswith("*") for cell in cells[1:]):  # so that digits stand below each other
            cells = [cell if cell.endswith("*") or not cell else f"{cell} " for cell in cells]
        size = max(map(len, cells))
        columns.append([cell.ljust(size) if number in table.words else cell.rjust(size) for cell in cells])
    return "\n".join("  ".join(line).rstrip() for line in zip(*columns))


def _as_markdown(table: Table) -> str:
    rules = ["---" if number in table.words else "---:" for number in range(len(table.titles))]
    rows = [[_in_markdown(cell) for cell in row] for row in table.rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in [table.titles, rules, *rows])


def _in_markdown(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", in_one_line(text))


def _as_latex(table: Table) -> str:
    # numbers are at the right, so that digits stand below each other
    kinds = ["l" if number in table.words else "r" for number in range(len(table.titles))]
    lines = [[TITLES.get(title, _in_latex(title)) for title in table.titles]]
    for row, cells in enumerate(table.rows):
        line = []
        for column, cell in enumerate(cells):
            if column in table.words:
                line.append(_in_latex(cell))
            else:
                line.append(_number_in_latex(cell, table.marks.get((row, column), "{}")))
        lines.append(line)
    header, *body = [" & ".join(line) + r" \\" for line in lines]
    caption = f"{_in_latex(table.caption).removesuffix('.')}."
    if BEST in table.marks.values():
        caption += " The best score is bold."
    if CLOSE in table.marks.values():
        caption += r" $^\dagger$: not significantly worse."
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{caption}}}",
            rf"\label{{tab:{table.label}}}",
            rf"{BEFORE}\begin{{tabular}}{{{''.join(kinds)}}}",
            r"\toprule",
            header,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}}",
            r"\end{table}",
        ]
    )


def _in_latex(text: str) -> str:
    return LIGATURE.sub(r"\1{}", "".join(LATEX.get(character, character) for character in in_one_line(text)))


def _number_in_latex(text: str, mark: str) -> str:
    """Write a number, an interval, or a number with an interval.

    :param mark: the format of the number
    """
    number, blank, interval = text.partition(" ")
    if blank and not interval.startswith("("):
        return INTERVAL.sub(r"[$\1$, $\2$]", text)
    found = NUMBER.match(number)
    if found:
        number = f"${found[1]}{'^{*}' if found[2] else ''}$"
    return mark.format(number) + INTERVAL.sub(r" [$\1$, $\2$]", interval)
