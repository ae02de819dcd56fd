"""The result of a comparison of systems, with its conversion to JSON, CSV, Markdown, LaTeX and text."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .._runtime.scales import percent
from ..errors import UnknownNameError, _printable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._runtime.arrays import np
    from .systems import Systems

MOST_PAIRS = 15  # pairs in a list; more are shown as a matrix

Table = tuple[list[str], list[list[str]]]
NUMBER = re.compile(r"[-+<]?[\d.]+\*?$")


@dataclass(frozen=True)
class SystemScore:
    """A system in a comparison. All numbers are on the metric's scale.

    :param name: the name of the system
    :param score: the score of the system, or the mean of several runs
    :param low: the lower end of the bootstrap interval
    :param high: the upper end of the interval
    :param s_sel: the standard deviation of the bootstrap samples' scores (for several runs, the mean over runs): how
        much the score varies with the choice of segments (Clark and others 2011)
    :param s_opt: the standard deviation of the runs' scores, None for one run: how much the score varies if the system
        is trained again
    :param runs: the score of each run
    :param rank: from 1; systems that are not significantly different share a rank. None if there is a baseline

    >>> SystemScore("mine", 0.3, 0.25, 0.35, 0.02, None, (0.3,), 1).name
    'mine'
    """

    name: str
    score: float
    low: float
    high: float
    s_sel: float
    s_opt: float | None
    runs: tuple[float, ...]
    rank: int | None


@dataclass(frozen=True)
class SystemDifference:
    """The difference between two systems of a comparison.

    :param first: the better system, or the system that is compared with the baseline
    :param second: the other system, or the baseline
    :param difference: the first score minus the second, on the metric's scale
    :param low: the lower end of the bootstrap interval of the difference
    :param high: the upper end of the interval
    :param p: the p of the test
    :param p_holm: p after Holm's correction for the number of tests in the comparison
    :param significant: whether the p on which the comparison is based is at most its alpha
    :param samples: the number of shuffles or bootstrap samples that `p` is based on
    :param enumerated: whether these are all possible shuffles, so that `p` is exact
    :param wins: the number of segments in which the first is better, as the metric scores single sentences; for a
        function of the sum, the number of segments whose influence is above 0
    :param losses: the number of segments in which the second is better
    :param ties: the number of segments in which they are equal

    >>> SystemDifference("mine", "theirs", 0.01, -0.01, 0.03, 0.2, 0.4, False, 10000, False, 9, 7, 84).ties
    84
    """

    first: str
    second: str
    difference: float
    low: float
    high: float
    p: float
    p_holm: float
    significant: bool
    samples: int
    enumerated: bool
    wins: int
    losses: int
    ties: int


@dataclass(frozen=True)
class SystemComparison:
    """The result of :func:`compare_systems`; ``print`` shows it as tables, with scores from 0 to 100 if the scale is
    known.

    :param systems: the best first; if there is a baseline, it comes before the others
    :param differences: the differences of all pairs, or of each system from the baseline
    :param baseline: the name of the baseline; None if all pairs were compared
    :param test: the name of the test
    :param samples: the number of samples of the test
    :param resamples: the number of bootstrap samples of the intervals
    :param seed: the seed of all samples
    :param confidence: the confidence of the intervals
    :param alpha: the level of significance
    :param correction: ``holm`` or ``none``; `significant` and the ranks are based on it
    :param segments: the number of segments
    :param metric: the name of the metric
    :param scale: the score of a perfect match, or None if it is not known
    :param signature: definition, test, samples and seed in one line

    >>> import numpy
    >>> ratings = {"one": numpy.arange(40) % 7 / 7, "two": numpy.arange(40) % 5 / 7, "three": numpy.arange(40) % 7 / 7}
    >>> result = compare_systems(ratings, scale=1)
    >>> [(system.name, system.rank) for system in result.systems]
    [('one', 1), ('three', 1), ('two', 1)]
    """

    systems: tuple[SystemScore, ...]
    differences: tuple[SystemDifference, ...]
    baseline: str | None
    test: str
    samples: int
    resamples: int
    seed: int
    confidence: float
    alpha: float
    correction: str
    segments: int
    metric: str
    scale: float | None
    signature: str
    _rows: Systems = field(repr=False, compare=False)
    _samples: NDArray[np.float64] = field(repr=False, compare=False)  # the scores of all runs in the bootstrap samples

    def influence(self, first: str, second: str) -> NDArray[np.float64]:
        """Compute the influence of each segment on the difference between two systems.

        Entry i is the score of the first system minus the score that it would have with the second system's output for
        segment i: the points of the difference that come from this segment alone. For several runs it is the mean over
        all pairs of runs.

        :param first: the name of a system
        :param second: the name of another system
        :return: float64 `(segments,)`, on the metric's scale
        :raises UnknownNameError: there is no such system

        >>> import numpy
        >>> rows = {"one": numpy.array([0.5, 0.75, 0.25]), "two": numpy.array([0.5, 0.25, 0.5])}
        >>> compare_systems(rows).influence("one", "two").round(3)
        array([ 0.   ,  0.167, -0.083])
        """
        return self._rows.influence(*(self._number(name) for name in (first, second)))

    def between(self, first: str, second: str) -> SystemDifference:
        """Return the difference between two systems: the first minus the second.

        :param first: the name of a system
        :param second: the name of another system
        :raises UnknownNameError: they were not compared

        >>> import numpy
        >>> rows = {"one": numpy.array([0.5, 0.75, 0.25]), "two": numpy.array([0.5, 0.25, 0.25])}
        >>> compare_systems(rows).between("two", "one").losses
        1
        """
        for found in self.differences:
            if (found.first, found.second) == (first, second):
                return found
            if (found.first, found.second) == (second, first):
                values = vars(found) | {
                    "first": first,
                    "second": second,
                    "difference": -found.difference,
                    "low": -found.high,
                    "high": -found.low,
                    "wins": found.losses,
                    "losses": found.wins,
                }
                return SystemDifference(**values)
        raise UnknownNameError(f"{first!r} and {second!r} were not compared with each other")

    def as_dict(self, influence: bool = False) -> dict[str, Any]:
        """Convert the comparison to a dict for JSON; scores are from 0 to 100 if the scale is known.

        :param influence: include the influence of every segment on each difference

        >>> import numpy
        >>> found = compare_systems({"one": numpy.array([0.5, 0.75]), "two": numpy.array([0.5, 0.25])}, scale=1)
        >>> found.as_dict()["systems"][0]["score"]
        62.5
        """
        scale = self.scale or 100

        def scaled(item: SystemScore | SystemDifference, *names: str) -> dict[str, Any]:
            values = dict(vars(item))
            return values | {name: percent(values[name], scale) for name in names if values[name] is not None}

        systems = []
        for system in self.systems:
            systems.append(scaled(system, "score", "low", "high", "s_sel", "s_opt"))
            systems[-1]["runs"] = [percent(score, scale) for score in system.runs]
        differences = []
        for pair in self.differences:
            differences.append(scaled(pair, "difference", "low", "high"))
            if influence:
                differences[-1]["influence"] = percent(self.influence(pair.first, pair.second), scale).tolist()
        named = (
            "signature",
            "metric",
            "scale",
            "segments",
            "test",
            "samples",
            "resamples",
            "seed",
            "confidence",
            "alpha",
        )
        return {
            **{name: getattr(self, name) for name in (*named, "correction", "baseline")},
            "scale": 100 if self.scale else None,
            "systems": systems,
            "differences": differences,
        }

    def to_json(self, influence: bool = False) -> str:
        """Format the comparison as JSON, with the contents of :meth:`as_dict`.

        :param influence: include the influence of every segment on each difference

        >>> import numpy
        >>> found = compare_systems({"one": numpy.array([0.5, 0.75]), "two": numpy.array([0.5, 0.25])}, scale=1)
        >>> found.to_json()[:45]
        '{"signature": "mean|test:randomization|sample'
        """
        return json.dumps(self.as_dict(influence), ensure_ascii=False)

    def to_csv(self) -> str:
        """Format the differences as CSV: a line for each, with the scores of both systems and all digits.

        >>> import numpy
        >>> found = compare_systems({"one": numpy.array([0.5, 0.75]), "two": numpy.array([0.5, 0.25])}, scale=1)
        >>> found.to_csv().splitlines()[1].partition(",1.0")[0]
        'one,62.5,50.0,75.0,1,two,37.5,25.0,50.0,1,25.0,0.0,50.0'
        """
        return _csv(_csv_rows(self))

    def to_markdown(self, width: int = 2) -> str:
        """Format the tables as Markdown.

        :param width: the number of decimals of scores

        >>> import numpy
        >>> found = compare_systems({"one": numpy.array([0.5, 0.75]), "two": numpy.array([0.5, 0.25])}, scale=1)
        >>> found.to_markdown().splitlines()[2]
        '| 1 | one | 62.50 | 50.00 to 75.00 |'
        """

        def cell(name: str) -> str:
            return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", _plain(name))

        parts = []
        for header, body in _contents(self, width, cell):
            rules = ["---" if _is_text(column, place) else "---:" for place, column in enumerate(header)]
            lines = [
                header,
                rules,
                *([text.replace("*", r"\*") if NUMBER.match(text) else text for text in line] for line in body),
            ]
            parts.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
        return "\n\n".join([*parts, "  \n".join(cell(note) for note in _notes(self))])

    def to_latex(self, width: int = 2) -> str:
        """Format the tables as LaTeX, for the package booktabs.

        :param width: the number of decimals of scores

        >>> import numpy
        >>> found = compare_systems({"one": numpy.array([0.5, 0.75]), "two": numpy.array([0.5, 0.25])}, scale=1)
        >>> found.to_latex().splitlines()[2]
        '\\\\toprule'
        """
        parts = []
        for header, body in _contents(self, width, _latex):
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
        notes = "\n".join(f"% {note}" for note in _notes(self))
        return "\n\n".join(["% needs \\usepackage{booktabs}\n" + parts[0], *parts[1:], notes]) + "\n"

    def format(self, width: int = 2) -> str:
        """Format the tables as text.

        :param width: the number of decimals of scores

        >>> import numpy
        >>> found = compare_systems({"one": numpy.array([0.5, 0.75]), "two": numpy.array([0.5, 0.25])}, scale=1)
        >>> found.format(1).splitlines()[1]
        '   1  one     62.5   50.0 to 75.0'
        """
        parts = []
        for header, body in _contents(self, width, _plain):
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
                    text.rjust(size) if to_right else text.ljust(size)
                    for text, size, to_right in zip(line, sizes, right)
                )
                for line in [header, *body]
            ]
            parts.append("\n".join(line.rstrip() for line in lines))
        return "\n\n".join([*parts, "\n".join(_notes(self))])

    def __str__(self) -> str:
        return self.format()

    def _number(self, name: str) -> int:
        if name not in self._rows.names:
            raise UnknownNameError(f"there is no system {name!r}; there are {', '.join(self._rows.names)}")
        return self._rows.names.index(name)


def format_comparisons(
    comparisons: Sequence[SystemComparison], form: str = "text", width: int = 2, influence: bool = False
) -> str:
    """Format comparisons of the same systems by several metrics one after the other, as `cybleu compare` prints them.

    :param comparisons: one or more
    :param form: ``text``, ``json`` (of several, a list), ``csv`` (of several, with a column for the metric), ``markdown`` or
        ``latex``
    :param width: the number of decimals of scores, except in JSON and CSV, which have all digits
    :param influence: include the influence of every segment in JSON
    :raises UnknownNameError: there is no such form

    >>> import numpy
    >>> rows = {"one": numpy.array([0.5, 0.75]), "two": numpy.array([0.5, 0.25])}
    >>> both = [compare_systems(rows, scale=1), compare_systems(rows, scale=1, test="win-ratio")]
    >>> [line.partition(",first_")[0] for line in format_comparisons(both, "csv").splitlines()[:1]]
    ['metric,first']
    """
    if form == "json":
        objects = [one.to_json(influence) for one in comparisons]
        return objects[0] if len(objects) == 1 else f"[{', '.join(objects)}]"
    if form == "csv":
        if len(comparisons) == 1:
            return comparisons[0].to_csv()
        tables = [_csv_rows(one) for one in comparisons]
        rows = [[one.metric, *row] for one, table in zip(comparisons, tables) for row in table[1:]]
        return _csv([["metric", *tables[0][0]], *rows])
    if form == "markdown":
        return "\n\n".join(one.to_markdown(width) for one in comparisons)
    if form == "latex":
        return "\n".join(one.to_latex(width) for one in comparisons)
    if form == "text":
        return "\n\n".join(one.format(width) for one in comparisons)
    raise UnknownNameError(f"unknown form {form!r}; use one of text, json, csv, markdown, latex")


# ---------------------------------------------------------------------------------------------------------- tables


def _csv(rows: Sequence[Sequence[Any]]) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(rows)
    return written.getvalue()


def _csv_rows(comparison: SystemComparison) -> list[list[Any]]:
    """Return the header, and a row for each difference with the scores of both systems."""
    data = comparison.as_dict()
    systems = {system["name"]: system for system in data["systems"]}
    of_system = ["score", "low", "high", "rank"]
    of_test = ["p", "p_holm", "significant", "samples", "enumerated", "wins", "losses", "ties"]
    header = [part for side in ("first", "second") for part in (side, *(f"{side}_{name}" for name in of_system))]
    rows = [[*header, "difference", "difference_low", "difference_high", *of_test]]
    for pair in data["differences"]:
        sides = [[pair[side], *(systems[pair[side]][name] for name in of_system)] for side in ("first", "second")]
        rows.append([*sides[0], *sides[1], *(pair[name] for name in ("difference", "low", "high", *of_test))])
    return rows


def _several_runs(comparison: SystemComparison) -> bool:
    return any(system.s_opt is not None for system in comparison.systems)


def _p(p: float, significant: bool) -> str:
    return ("<0.0001" if p < 0.00005 else f"{p:.4f}") + ("*" if significant else "")


def _contents(comparison: SystemComparison, width: int, cell: Callable[[str], str]) -> list[Table]:
    """Return the cells of the tables, each with its header.

    :param cell: a function that escapes the name of a system
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
            [f"{what}, vs. no.", *map(str, range(1, len(places)))],
            [[f"{place + 1} {cell(name)}", *line] for (name, place), line in list(zip(places.items(), matrix))[1:]],
        ),
    ]


def _is_text(column: str, place: int) -> bool:
    return column in ("system", "better", "worse") or (place == 0 and column not in ("rank", "no."))


def _notes(comparison: SystemComparison) -> list[str]:
    """Describe the tests and intervals in sentences."""
    count = len(comparison.differences)
    tests = {
        "randomization": f"approximate randomisation, two-sided, {comparison.samples} shuffles",
        "shifted-bootstrap": f"the shifted bootstrap, two-sided, {comparison.samples} samples",
        "win-ratio": f"Koehn's win ratio, one-sided, {comparison.samples} samples",
    }
    by = f"{tests[comparison.test]}, seed {comparison.seed}"
    exact = sum(pair.enumerated for pair in comparison.differences)
    if exact == count:
        by = "randomisation, two-sided, over all shuffles, so it is exact"
    judged = "Holm's p" if comparison.correction == "holm" else "p"
    if comparison.baseline is None:
        compared = "all pairs are compared, and a rank begins where a system is significantly worse than those of the rank above"
    else:
        compared = f"each system is compared with {_plain(comparison.baseline)}"
    notes = [
        comparison.signature,
        f"{comparison.segments} segments; {compared}.",
        f"p is by {by}; * marks {judged} <= {comparison.alpha:g}"
        f"{f', corrected for {count} tests' if comparison.correction == 'holm' and count > 1 else ''}.",
        f"Intervals are percentiles of {comparison.resamples} bootstrap samples.",
    ]
    if 0 < exact < count:
        notes.append(f"For {exact} of the {count} pairs, so few segments differ that p is exact, over all shuffles.")
    if _several_runs(comparison):
        notes.append(
            "Scores are means of the runs. s_sel: deviation by the choice of segments; s_opt: between the runs."
        )
    return notes


def _plain(name: str) -> str:
    return _printable(name).replace("\n", " ")


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
