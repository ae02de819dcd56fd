"""The result of a comparison of systems, and how it is written: as JSON, CSV, Markdown, LaTeX and text."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from .._runtime.arrays import Floats
from .._runtime.html import html_table
from ..errors import UnknownNameError, _printable
from ..metrics.base import Signature
from ..metrics.operations import percent
from .settings import CAPTION, LABEL, Settings

if TYPE_CHECKING:
    from .systems import Systems

MOST_PAIRS = 15  # pairs in a list; more are shown as a matrix
OF_PAIRS = "Tests of the differences between the systems."
FORMS = ("text", "json", "csv", "markdown", "latex")
SETTINGS_IN_JSON = ("test", "samples", "resamples", "seed", "confidence", "alpha", "correction")
OF_TESTS = {
    "randomization": "approximate randomisation, two-sided, {} shuffles",
    "shifted-bootstrap": "the shifted bootstrap, two-sided, {} samples",
    "win-ratio": "Koehn's win ratio, one-sided, {} samples",
}

NEEDS = "% needs \\usepackage{booktabs,graphicx}, and XeLaTeX or LuaLaTeX for names in other than Latin letters\n"
BEST = r"\textbf{{{}}}"
CLOSE = r"{}$^{{\dagger}}$"
TITLES = {"s_sel": r"$s_\mathrm{sel}$", "s_opt": r"$s_\mathrm{opt}$", "p": "$p$", "Holm's p": "Holm's $p$"}
NUMBER = re.compile(r"^([-+<][\d.]+|[\d.]+(?=\*))(\*?)$")  # that LaTeX writes as a formula: one with a sign or a star
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


@dataclass(frozen=True)
class SystemScore:
    """A system in a comparison. All numbers are on the metric's scale.

    :param name: the name of the system
    :param score: the score of the system, or the mean of several runs
    :param low: the lower end of the bootstrap interval
    :param high: the upper end of the interval
    :param s_sel: the standard deviation of the bootstrap samples' scores (for several runs, the mean over runs): how
        much the score varies with the choice of segments (Clark et al. 2011)
    :param s_opt: the standard deviation of the runs' scores, None for one run: how much the score varies if the system
        is trained again
    :param runs: the score of each run
    :param rank: the rank, from 1; systems that are not significantly different share a rank. None if there is a
        baseline

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
    :param settings: the test, the samples, and what is significant
    :param segments: the number of segments
    :param metric: the name of the metric
    :param scale: the score of a perfect match, or None if it is not known
    :param higher_is_better: False for an error rate
    :param signature: definition, test, samples and seed in one line
    :param bootstrap_scores: the scores of each system in the bootstrap samples that give the intervals, float64
        `(resamples,)`; for several runs their mean
    :param statistics: the rows of all runs, with the score of any sum of them

    >>> import numpy
    >>> ratings = {"one": numpy.arange(40) % 7 / 7, "two": numpy.arange(40) % 5 / 7, "three": numpy.arange(40) % 7 / 7}
    >>> result = compare_systems(ratings, scale=1)
    >>> [(system.name, system.rank) for system in result.systems]
    [('one', 1), ('three', 1), ('two', 1)]
    """

    systems: tuple[SystemScore, ...]
    differences: tuple[SystemDifference, ...]
    baseline: str | None
    settings: Settings
    segments: int
    metric: str
    scale: float | None
    higher_is_better: bool
    signature: str
    bootstrap_scores: Mapping[str, Floats] = field(repr=False, compare=False)
    statistics: Systems = field(repr=False, compare=False)

    def influence(self, first: str, second: str) -> Floats:
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
        names = self.statistics.names
        for name in (first, second):
            if name not in names:
                raise UnknownNameError(f"there is no system {name!r}; there are {', '.join(names)}")
        return self.statistics.influence(names.index(first), names.index(second))

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
                return replace(
                    found,
                    first=first,
                    second=second,
                    difference=-found.difference,
                    low=-found.high,
                    high=-found.low,
                    wins=found.losses,
                    losses=found.wins,
                )
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
        systems = [dict(vars(system)) for system in self.systems]
        differences = [dict(vars(pair)) for pair in self.differences]
        for values in [*systems, *differences]:
            for name in ("score", "low", "high", "s_sel", "s_opt", "difference"):
                if values.get(name) is not None:
                    values[name] = percent(values[name], scale)
        for system in systems:
            system["runs"] = [percent(score, scale) for score in system["runs"]]
        for pair in differences if influence else ():
            pair["influence"] = percent(self.influence(pair["first"], pair["second"]), scale).tolist()
        return {
            "signature": self.signature,
            "metric": self.metric,
            "scale": 100 if self.scale else None,
            "segments": self.segments,
            **{name: getattr(self.settings, name) for name in SETTINGS_IN_JSON},
            "baseline": self.baseline,
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
        return format_comparisons([self], "json", influence=influence)

    def to_csv(self) -> str:
        """Format the differences as CSV: a line for each, with the scores of both systems and all digits.

        >>> import numpy
        >>> found = compare_systems({"one": numpy.array([0.5, 0.75]), "two": numpy.array([0.5, 0.25])}, scale=1)
        >>> found.to_csv().splitlines()[1].partition(",1.0")[0]
        'one,62.5,50.0,75.0,1,two,37.5,25.0,50.0,1,25.0,0.0,50.0'
        """
        return format_comparisons([self], "csv")

    def to_markdown(self, width: int = 2) -> str:
        """Format the tables as Markdown.

        :param width: the number of decimals of scores

        >>> import numpy
        >>> found = compare_systems({"one": numpy.array([0.5, 0.75]), "two": numpy.array([0.5, 0.25])}, scale=1)
        >>> found.to_markdown().splitlines()[2]
        '| 1 | one | 62.50 | 50.00 to 75.00 |'
        """
        return format_comparisons([self], "markdown", width)

    def to_latex(self, width: int = 2, caption: str = CAPTION, label: str = LABEL) -> str:
        """Format the tables as LaTeX, for the packages booktabs and graphicx.

        The best score is bold. If all pairs were compared, the scores that are not significantly worse have a dagger.

        :param width: the number of decimals of scores
        :param caption: the caption of the table of scores, before its legend
        :param label: the label of the table of scores, after ``tab:``; that of the tests has ``-tests`` after it

        >>> import numpy
        >>> found = compare_systems({"one": numpy.array([0.5, 0.75]), "two": numpy.array([0.5, 0.25])}, scale=1)
        >>> found.to_latex().splitlines()[9]
        '1 & one & \\\\textbf{62.50} & [$50.00$, $75.00$] \\\\\\\\'
        """
        return format_comparisons([self], "latex", width, caption=caption, label=label)

    def format(self, width: int = 2) -> str:
        """Format the tables as text.

        :param width: the number of decimals of scores

        >>> import numpy
        >>> found = compare_systems({"one": numpy.array([0.5, 0.75]), "two": numpy.array([0.5, 0.25])}, scale=1)
        >>> found.format(1).splitlines()[1]
        '   1  one       62.5   50.0 to 75.0'
        """
        return format_comparisons([self], "text", width)

    def __str__(self) -> str:
        return self.format()

    def _repr_html_(self) -> str:
        tables = _tables(self, 2)
        # after its numbers, each interval as a bar between the lowest and the highest end, in characters of one width
        tables[0].titles.append("")
        lowest = min(system.low for system in self.systems)
        unit = max(system.high - lowest for system in self.systems) / 30 or 1
        for system, row in zip(self.systems, tables[0].rows):
            before = "─" * round((system.low - lowest) / unit)
            row.append(before + "━" * round(1 + (system.high - system.low) / unit))
        notes = html_table("", [], [[note] for note in _notes([self])])
        captioned = zip((CAPTION, OF_PAIRS), tables)
        return "".join([html_table(caption, table.titles, table.rows) for caption, table in captioned]) + notes


def format_comparisons(
    comparisons: Sequence[SystemComparison],
    form: str = "text",
    width: int = 2,
    influence: bool = False,
    caption: str = CAPTION,
    label: str = LABEL,
) -> str:
    """Format comparisons of the same systems by one or more metrics, as `cybleu compare` prints them.

    For several metrics, text, Markdown and LaTeX are one table. It has a row for each system, with its score, interval
    and p by each metric. The p tests the difference from the baseline or, without a baseline, from the best system by
    the first metric.

    :param comparisons: one or more
    :param form: ``text``, ``json`` (of several, a list), ``csv`` (of several, with a column for the metric),
        ``markdown`` or ``latex``
    :param width: the number of decimals of scores, except in JSON and CSV, which have all digits
    :param influence: include the influence of every segment in JSON
    :param caption: the caption of the table of scores in LaTeX, before its legend
    :param label: the label of the table of scores in LaTeX, after ``tab:``; that of the tests has ``-tests`` after it
    :raises UnknownNameError: there is no such form

    >>> import numpy
    >>> rows = {"one": numpy.array([0.5, 0.75]), "two": numpy.array([0.5, 0.25])}
    >>> settings = Settings(test="win-ratio")
    >>> both = [compare_systems(rows, scale=1), compare_systems(rows, scale=1, settings=settings)]
    >>> [line.partition(",first_")[0] for line in format_comparisons(both, "csv").splitlines()[:1]]
    ['metric,first']
    """
    if form == "json":
        import json

        objects = [one.as_dict(influence) for one in comparisons]
        return json.dumps(objects if len(objects) > 1 else objects[0], ensure_ascii=False)
    if form == "csv":
        return _csv(comparisons)
    if form not in FORMS:
        raise UnknownNameError(f"unknown form {form!r}; use one of {', '.join(FORMS)}")
    tables = _tables(comparisons[0], width) if len(comparisons) == 1 else [_one_table(comparisons, width)]
    notes = _notes(comparisons)
    if form == "text":
        return "\n\n".join([*map(_as_text, tables), "\n".join(map(in_one_line, notes))])
    if form == "markdown":
        return "\n\n".join([*map(_as_markdown, tables), "  \n".join(map(_in_markdown, notes))])
    scores, *tests = tables
    parts = [_as_latex(scores, caption, label, _marks(comparisons, scores.titles.index("system") + 1))]
    parts += [_as_latex(table, OF_PAIRS, f"{label}-tests", {}) for table in tests]
    comments = "\n".join(f"% {in_one_line(note)}" for note in notes)
    return NEEDS + "\n\n".join([*parts, comments]) + "\n"


def _csv(comparisons: Sequence[SystemComparison]) -> str:
    """Return a line for each difference with the scores of both systems; of several metrics, with the metric."""
    import csv

    lines: list[dict[str, Any]] = []
    for comparison in comparisons:
        data = comparison.as_dict()
        systems = {system["name"]: system for system in data["systems"]}
        for pair in data["differences"]:
            line = {"metric": comparison.metric} if len(comparisons) > 1 else {}
            for side in ("first", "second"):
                line[side] = pair[side]
                for name in ("score", "low", "high", "rank"):
                    line[f"{side}_{name}"] = systems[pair[side]][name]
            for name, value in pair.items():
                line[f"difference_{name}" if name in ("low", "high") else name] = value
            lines.append(line)
    # the lines of all comparisons have the same keys
    written = io.StringIO()
    writer = csv.DictWriter(written, lines[0] if lines else (), lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return written.getvalue()


# ---------------------------------------------------------------------------------------------------------- tables


def _points(value: float | None, comparison: SystemComparison, width: int, sign: str = "") -> str:
    return "" if value is None else f"{percent(value, comparison.scale or 100):{sign}.{width}f}"


def _interval(item: SystemScore | SystemDifference, comparison: SystemComparison, width: int) -> str:
    return f"{_points(item.low, comparison, width)} to {_points(item.high, comparison, width)}"


def p_value(pair: SystemDifference, comparison: SystemComparison, digits: int = 4, holm: bool | None = None) -> str:
    """Format p; where no sample counts, as below the smallest p of so many samples, rounded up.

    :param holm: whether after Holm's correction; by default if the comparison is based on it
    """
    judged = comparison.settings.correction == "holm"
    holm = judged if holm is None else holm
    p = pair.p_holm if holm else pair.p
    unit = 10**digits
    # no sample counted, so p is only known to be below the smallest p of so many samples
    at_least = not pair.enumerated and pair.p <= 1 / (pair.samples + 1) and p < 1
    shown = f"<{math.ceil(p * unit) / unit:.{digits}f}" if at_least or p * unit < 0.5 else f"{p:.{digits}f}"
    return shown + ("*" if pair.significant and holm == judged else "")


def _tables(comparison: SystemComparison, width: int) -> list[Table]:
    """Return the systems, and their differences in detail: with a baseline in one table, and many differences as a matrix."""
    # a deviation between runs is known where there are several
    deviations = ["s_sel", "s_opt"] if any(system.s_opt is not None for system in comparison.systems) else []
    titles = ["system", _heading(comparison), f"{100 * comparison.settings.confidence:g} % interval", *deviations]
    systems = []
    for system in comparison.systems:
        row = [system.name, _points(system.score, comparison, width), _interval(system, comparison, width)]
        row += [_points(getattr(system, name), comparison, width) for name in deviations]
        systems.append(row)
    of_pair = ["difference", "its interval", "p", "Holm's p", "wins", "losses", "ties"]
    differences = []
    for pair in comparison.differences:
        row = [_points(pair.difference, comparison, width, "+"), _interval(pair, comparison, width)]
        row += [p_value(pair, comparison, holm=False), p_value(pair, comparison, holm=True)]
        row += [str(pair.wins), str(pair.losses), str(pair.ties)]
        differences.append(row)
    if comparison.baseline is not None:
        rows = [one + other for one, other in zip(systems, [[""] * len(of_pair), *differences])]
        return [Table(titles + of_pair, rows, {0})]
    titles = ["rank", *titles]
    rows = [[str(system.rank), *row] for system, row in zip(comparison.systems, systems)]
    if len(differences) > MOST_PAIRS:
        numbered = [[str(number), *row] for number, row in enumerate(rows, 1)]
        return [Table(["no.", *titles], numbered, {2}), _matrix(comparison)]
    scores = Table(titles, rows, {1})
    pairs = [[pair.first, pair.second, *row] for pair, row in zip(comparison.differences, differences)]
    tests = Table(["better", "worse", *of_pair], pairs, {0, 1})
    return [scores, tests] if pairs else [scores]


def _matrix(comparison: SystemComparison) -> Table:
    """Return p of all pairs: a row for each system but the best, with a column for each system above it."""
    places = {system.name: place for place, system in enumerate(comparison.systems)}
    matrix = [[f"{place + 1} {name}", *[""] * (len(places) - 1)] for name, place in places.items()]
    for pair in comparison.differences:
        matrix[places[pair.second]][1 + places[pair.first]] = p_value(pair, comparison, 3).replace("0.", ".", 1)
    corner = "Holm's p, vs. no." if comparison.settings.correction == "holm" else "p, vs. no."
    titles = [corner, *map(str, range(1, len(places)))]
    return Table(titles, matrix[1:], {0})


def _one_table(comparisons: Sequence[SystemComparison], width: int) -> Table:
    """Return a row for each system, with its score by each metric, and p against the baseline or the first system."""
    names = [system.name for system in comparisons[0].systems]
    titles = ["system"]
    rows = [[name] for name in names]
    several = len({one.metric for one in comparisons}) < len(comparisons)  # definitions of BLEU
    for comparison in comparisons:
        titles += [_heading(comparison, several), "p"]
        # the order of the rows is that of the first metric
        systems = {system.name: system for system in comparison.systems}
        for row, name in zip(rows, names):
            score = _points(systems[name].score, comparison, width)
            row.append(f"{score} ({_interval(systems[name], comparison, width)})")
            row.append("" if name == names[0] else p_value(comparison.between(name, names[0]), comparison))
    return Table(titles, rows, {0})


def _marks(comparisons: Sequence[SystemComparison], first: int) -> dict[tuple[int, int], str]:
    """Mark the best scores, and those that are not significantly worse if all pairs were compared; none of one system.

    :param first: the column of the scores by the first metric; those of the others follow every second column
    :return: formats for cells of the table of scores, by row and column: :data:`BEST` and :data:`CLOSE`
    """
    marks = {}
    rows = {system.name: row for row, system in enumerate(comparisons[0].systems)}
    for number, comparison in enumerate(comparisons):
        sign = 1 if comparison.higher_is_better else -1
        best = max(comparison.systems, key=lambda system: sign * system.score)
        for system in comparison.systems if len(rows) > 1 else ():
            cell = (rows[system.name], first + 2 * number)
            if system.score == best.score:
                marks[cell] = BEST
            elif comparison.baseline is None and not comparison.between(best.name, system.name).significant:
                marks[cell] = CLOSE
    return marks


def _heading(comparison: SystemComparison, defined: bool = False) -> str:
    """Return the name of a metric as papers write it, its definition if there are several, and which scores are better."""
    name = written_name(comparison.metric)
    definition = f" ({Signature.read(comparison.signature).fields['variant']})" if defined and name == "BLEU" else ""
    return f"{name}{definition} {'↑' if comparison.higher_is_better else '↓'}"


def written_name(metric: str) -> str:
    """Return the name of a metric as papers write it."""
    return metric.upper() if metric in ("ter", "nist", "gleu") else metric.replace("chrf", "chrF")


def _notes(comparisons: Sequence[SystemComparison]) -> list[str]:
    """Describe what is compared, and how."""
    first = comparisons[0]
    compared = "all pairs are compared, and a rank begins with a system that is significantly worse than those above"
    if not first.differences:
        compared = "there is one system"
    elif first.baseline is not None:
        compared = f"each system is compared with {first.baseline}"
    elif len(comparisons) > 1:
        compared = f"all pairs are compared, and p is that of the pair with {first.systems[0].name}"
    notes: list[str] = []
    for one in comparisons:
        notes += filter(None, [one.signature, Signature.read(one.signature).of_sacrebleu()])
    notes += [f"{first.segments} segments; {compared}.", *notes_of_tests(comparisons)]
    if any(system.s_opt is not None for system in first.systems):
        deviations = " s_sel: deviation by the choice of segments; s_opt: between the runs."
        notes.append(f"Scores are means of the runs.{deviations if len(comparisons) == 1 else ''}")
    return notes


def notes_of_tests(comparisons: Sequence[SystemComparison]) -> list[str]:
    """Describe the tests and intervals in sentences."""
    first = comparisons[0]
    settings = first.settings
    pairs = [pair for comparison in comparisons for pair in comparison.differences]
    exact = sum(pair.enumerated for pair in pairs)
    count = len(first.differences)
    by = f"{OF_TESTS[settings.test].format(settings.samples)}, seed {settings.seed}"
    if exact == len(pairs):
        by = "randomisation, two-sided, over all shuffles, so it is exact"
    judged = "Holm's p" if settings.correction == "holm" else "p"
    corrected = f", corrected for {count} tests" if settings.correction == "holm" and count > 1 else ""
    few = "so few segments differ that p is exact, over all shuffles"
    shown = f"p is {judged}" if len(comparisons) > 1 and judged != "p" else "p is"
    return [
        *([f"{shown} by {by}; * marks {judged} <= {settings.alpha:g}{corrected}."] if pairs else []),
        f"{100 * settings.confidence:g} % intervals are percentiles of {settings.resamples} bootstrap samples.",
        *([f"For {exact} of the {len(pairs)} pairs, {few}."] if 0 < exact < len(pairs) else []),
    ]


# -------------------------------------------------------------------------------------- tables as text, Markdown and LaTeX


class Table(NamedTuple):
    """A table of strings.

    :ivar titles: a title for each column
    :ivar words: the columns of words, which are escaped and start at the left; the others have numbers
    """

    titles: list[str]
    rows: list[list[str]]
    words: Collection[int]


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


def _as_latex(table: Table, caption: str, label: str, marks: Mapping[tuple[int, int], str]) -> str:
    """
    :param label: after ``tab:``
    :param marks: see :func:`_marks`
    """
    # numbers are at the right, so that digits stand below each other
    kinds = ["l" if number in table.words else "r" for number in range(len(table.titles))]
    lines = [[TITLES.get(title, _in_latex(title)) for title in table.titles]]
    for row, cells in enumerate(table.rows):
        line = []
        for column, cell in enumerate(cells):
            if column in table.words:
                line.append(_in_latex(cell))
            else:
                line.append(_number_in_latex(cell, marks.get((row, column), "{}")))
        lines.append(line)
    header, *body = [" & ".join(line) + r" \\" for line in lines]
    caption = f"{_in_latex(caption).removesuffix('.')}."
    if BEST in marks.values():
        caption += " The best score is bold."
    if CLOSE in marks.values():
        caption += r" $^\dagger$: not significantly worse."
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{caption}}}",
            rf"\label{{tab:{label}}}",
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
    number, blank, interval = INTERVAL.sub(r"[$\1$, $\2$]", text).partition(" ")
    number = NUMBER.sub(lambda found: f"${found[1]}{'^{*}' if found[2] else ''}$", number)
    return mark.format(number) + blank + interval
