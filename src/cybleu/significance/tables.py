"""The tables of a comparison of systems, as text, Markdown and LaTeX, with sentences that say what the numbers are."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from .._runtime.scales import percent
from ..errors import printable

if TYPE_CHECKING:
    from .results import SystemComparison, SystemDifference, SystemScore

MOST_PAIRS = 15  # that are listed; more are shown as a matrix

Table = tuple[list[str], list[list[str]]]
NUMBER = re.compile(r"[-+<]?[\d.]+\*?$")


def _several_runs(comparison: SystemComparison) -> bool:
    return any(system.s_opt is not None for system in comparison.systems)


def _p(p: float, significant: bool) -> str:
    return ("<0.0001" if p < 0.00005 else f"{p:.4f}") + ("*" if significant else "")


def _contents(comparison: SystemComparison, width: int, cell: Callable[[str], str]) -> list[Table]:
    """The tables, each with its header.

    :param cell: what makes the name of a system safe
    """
    scale = comparison.scale or 100

    def number(value: float | None) -> str:
        return "" if value is None else f"{percent(value, scale):.{width}f}"

    def between(item: SystemScore | SystemDifference) -> str:
        return f"{number(item.low)} to {number(item.high)}"

    def difference(pair: SystemDifference) -> list[str]:
        of_raw = comparison.correction == "none" and pair.significant
        of_holm = comparison.correction == "holm" and pair.significant
        counts = [str(pair.wins), str(pair.losses), str(pair.ties)]
        return [
            f"{percent(pair.difference, scale):+.{width}f}",
            between(pair),
            _p(pair.p, of_raw),
            _p(pair.p_holm, of_holm),
            *counts,
        ]

    share = f"{100 * comparison.confidence:g} % interval"
    of_pair = ["difference", share, "p", "Holm's p", "wins", "losses", "ties"]
    deviations = ["s_sel", "s_opt"] if _several_runs(comparison) else []
    header = ["system", comparison.metric, share, *deviations]
    body = []
    for system in comparison.systems:
        line = [cell(system.name), number(system.score), between(system)]
        body.append(line + ([number(system.s_sel), number(system.s_opt)] if deviations else []))
    if comparison.baseline is not None:
        lines = [[""] * len(of_pair), *map(difference, comparison.differences)]
        return [(header + of_pair, [one + other for one, other in zip(body, lines)])]
    ranked = [[str(system.rank), *line] for system, line in zip(comparison.systems, body)]
    if len(comparison.differences) <= MOST_PAIRS:
        pairs = [[cell(pair.first), cell(pair.second), *difference(pair)] for pair in comparison.differences]
        return [(["rank", *header], ranked), (["better", "worse", *of_pair], pairs)]
    places = {system.name: place for place, system in enumerate(comparison.systems)}
    matrix = [[""] * (len(places) - 1) for _ in places]
    for pair in comparison.differences:
        p = pair.p_holm if comparison.correction == "holm" else pair.p
        shown = "<.001" if p < 0.0005 else f"{p:.3f}".removeprefix("0")
        matrix[places[pair.second]][places[pair.first]] = shown + ("*" if pair.significant else "")
    numbered = [[str(place + 1), *line] for place, line in enumerate(ranked)]
    what = "Holm's p" if comparison.correction == "holm" else "p"
    return [
        (["no.", "rank", *header], numbered),
        (
            [f"{what}, beside no.", *map(str, range(1, len(places)))],
            [[f"{place + 1} {cell(name)}", *line] for (name, place), line in list(zip(places.items(), matrix))[1:]],
        ),
    ]


def _is_text(column: str, place: int) -> bool:
    return column in ("system", "better", "worse") or (place == 0 and column not in ("rank", "no."))


def _notes(comparison: SystemComparison) -> list[str]:
    """What the numbers are, in sentences."""
    count = len(comparison.differences)
    tests = {
        "randomization": f"approximate randomisation, two-sided, {comparison.samples} shuffles",
        "shifted-bootstrap": f"the shifted bootstrap, two-sided, {comparison.samples} samples",
        "win-ratio": f"Koehn's win ratio, one-sided, {comparison.samples} samples",
    }
    exact = sum(pair.enumerated for pair in comparison.differences)
    judged = "Holm's p" if comparison.correction == "holm" else "p"
    if comparison.baseline is None:
        beside = "all pairs are compared, and a rank begins where a system is significantly worse than those of the rank above"
    else:
        beside = f"each system is compared with {_plain(comparison.baseline)}"
    notes = [
        comparison.signature,
        f"{comparison.segments} segments; {beside}.",
        f"p is by {tests[comparison.test]}, seed {comparison.seed}; * marks {judged} <= {comparison.alpha:g}"
        f"{f', corrected for {count} tests' if comparison.correction == 'holm' and count > 1 else ''}.",
        f"Intervals are percentiles of {comparison.resamples} bootstrap samples.",
    ]
    if exact:
        notes.append(
            f"{exact} of the pairs differ in so few segments that all shuffles were looked at, and p is exact."
        )
    if _several_runs(comparison):
        notes.append(
            "Scores are means of the runs. s_sel: deviation by the choice of segments; s_opt: between the runs."
        )
    return notes


def _plain(name: str) -> str:
    return printable(name).replace("\n", " ")


def as_text(comparison: SystemComparison, width: int) -> str:
    parts = []
    for header, body in _contents(comparison, width, _plain):
        starred = [any(line[place].endswith("*") for line in body) for place in range(len(header))]
        body = [
            [f"{text} " if star and text and not text.endswith("*") else text for text, star in zip(line, starred)]
            for line in body
        ]
        header = [f"{column} " if star else column for column, star in zip(header, starred)]
        sizes = [max(map(len, column)) for column in zip(header, *body)]
        right = [not _is_text(column.rstrip(), place) for place, column in enumerate(header)]
        lines = [
            "  ".join(
                text.rjust(size) if to_right else text.ljust(size) for text, size, to_right in zip(line, sizes, right)
            )
            for line in [header, *body]
        ]
        parts.append("\n".join(line.rstrip() for line in lines))
    return "\n\n".join([*parts, "\n".join(_notes(comparison))])


def as_markdown(comparison: SystemComparison, width: int) -> str:
    def cell(name: str) -> str:
        return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", _plain(name))

    parts = []
    for header, body in _contents(comparison, width, cell):
        rules = ["---" if _is_text(column, place) else "---:" for place, column in enumerate(header)]
        lines = [
            header,
            rules,
            *([text.replace("*", r"\*") if NUMBER.match(text) else text for text in line] for line in body),
        ]
        parts.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
    return "\n\n".join([*parts, "  \n".join(cell(note) for note in _notes(comparison))])


LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    **{character: "\\" + character for character in "&%$#_{}"},
}


def _latex(text: str) -> str:
    return "".join(LATEX.get(character, character) for character in _plain(text))


def _latex_number(text: str) -> str:
    if not NUMBER.match(text):
        return re.sub(r"(-?[\d.]+) to (-?[\d.]+)$", r"[$\1$, $\2$]", text)
    starred = "^{*}" if text.endswith("*") else ""
    return f"${text.removesuffix('*')}{starred}$" if starred or text[0] in "-+<" else text


def as_latex(comparison: SystemComparison, width: int) -> str:
    parts = []
    for header, body in _contents(comparison, width, _latex):
        columns = "".join("l" if _is_text(column, place) else "r" for place, column in enumerate(header))
        titles = [
            {"s_sel": r"$s_\mathrm{sel}$", "s_opt": r"$s_\mathrm{opt}$", "p": "$p$", "Holm's p": "Holm's $p$"}.get(
                column, _latex(column)
            )
            for column in header
        ]
        lines = [" & ".join(line) + r" \\" for line in ([_latex_number(text) for text in line] for line in body)]
        parts.append(
            "\n".join(
                [
                    rf"\begin{{tabular}}{{{columns}}}",
                    r"\toprule",
                    " & ".join(titles) + r" \\",
                    r"\midrule",
                    *lines,
                    r"\bottomrule",
                    r"\end{tabular}",
                ]
            )
        )
    notes = "\n".join(f"% {note}" for note in _notes(comparison))
    return "\n\n".join(["% needs \\usepackage{booktabs}\n" + parts[0], *parts[1:], notes]) + "\n"
