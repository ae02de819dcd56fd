"""Render the page of a report from a template that escapes all text."""

from __future__ import annotations

import json
import platform
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from hashlib import sha256
from importlib.resources import files
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from .._files.writing import check_paths, writing
from .._runtime.arrays import np
from .._runtime.collector import collector_paused
from .._runtime.extras import extra
from .._runtime.numbers import check_whole
from .._version import __version__
from ..errors import SampleError
from ..significance import format_comparisons
from .analysis import Report, analyse
from .by_metric import BY, MetricFigures
from .figures import salience
from .marks import MarkedText, parts_of
from .ngrams import NGrams
from .pictures import picture
from .plots import check_plot, plot_buckets, plot_contributions, plot_differences, plot_precisions, plot_scores
from .visible import visible

if TYPE_CHECKING:
    from numpy.typing import NDArray

MARKED = 200  # segments whose n-grams are marked without script
MOST_SEGMENTS = 5000  # that a page carries by default
NAMED = 10  # segments with the largest influence that are listed for each system of a pair
MOST_PAIRS = 15  # pairs in a list; more are shown as a matrix
SHORT = 80  # the largest number of characters of a text in a table
UNITS = 1e4  # the script sorts by integers, in these fractions of a point


def check_report(path: str | PathLike[str]) -> None:
    """Check that a report can be rendered and written, before it is computed.

    :param path: the file to write
    :raises InputFileError: the file cannot be written
    :raises MissingExtraError: Jinja2 or Matplotlib is not installed

    >>> check_report("no such folder/report.html")
    Traceback (most recent call last):
    cybleu.errors.InputFileError: no such folder/report.html: cannot be written: No such file or directory
    """
    check_paths([fspath(path)])
    _engine()
    check_plot("any.svg")


def write(
    path: str | PathLike[str],
    references: Any,
    systems: Mapping[str, Any],
    metric: Any = None,
    *,
    segments: int | None = MOST_SEGMENTS,
    **choices: Any,
) -> Report:
    """Write a comparison report: a self-contained HTML page that shows how systems differ.

    The other parameters are those of :func:`cybleu.report.analyse`.

    :param path: the file to write. If there is an error, an existing file is not changed
    :param references: raw text: for each segment a list of references, or a str if there is only one
    :param systems: the name of each system with its list of texts, or with a list of such lists, one for each run
    :param segments: as for :func:`html`
    :param choices: other arguments of :func:`cybleu.report.analyse`
    :return: the report that the page shows
    :raises InputFileError: the file cannot be written
    :raises MissingExtraError: Jinja2 or Matplotlib is not installed
    :raises CybleuError: as for :func:`cybleu.report.analyse`

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "report.html"
    >>> references = [["the cat sat on the mat"], ["it rains a lot in May"]]
    >>> report = write(path, references, {"mine": ["the cat sat on a mat", "it rains a lot in May"]})
    >>> print(report.format().splitlines()[0])
    mine: BLEU 77.82, 95 % interval 53.73 to 100.00
    >>> path.read_text()[:15]
    '<!doctype html>'
    """
    _check_most(segments)
    check_report(path)
    report = analyse(references, systems, metric, **choices)
    save_page(report, path, segments=segments)
    return report


def save_page(report: Report, path: str | PathLike[str], *, segments: int | None = MOST_SEGMENTS) -> None:
    """Write the HTML page of a report that is already computed.

    :param report: a report of :func:`cybleu.report.analyse`
    :param path: the file to write. If there is an error, an existing file is not changed
    :param segments: as for :func:`html`
    :raises InputFileError: the file cannot be written
    :raises MissingExtraError: Jinja2 or Matplotlib is not installed

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "report.html"
    >>> report = analyse([["the cat sat on the mat"], ["it rains"]], {"mine": ["the cat sat on a mat", "it rains"]})
    >>> save_page(report, path)
    >>> path.read_text(encoding="utf-8") == html(report)
    True
    """
    with writing(fspath(path)) as file:
        file.write(html(report, segments=segments))


def _engine() -> Any:
    with extra("jinja2", "the report requires Jinja2", "cybleu[report]"):
        import jinja2
    return jinja2


def _check_most(segments: int | None) -> None:
    if segments is not None:
        check_whole(segments, "segments", 1, error=SampleError)


def html(report: Report, *, segments: int | None = MOST_SEGMENTS) -> str:
    """Render a report as an HTML page.

    With the same versions of the packages, the same texts give the same page.

    :param report: a report of :func:`cybleu.report.analyse`
    :param segments: the largest number of segments that the page carries, at least 1; None is all. If there are more, it
        carries those with the largest influence in favour of each system of each pair, or those with the lowest BLEU if
        there is one system. All figures are of all segments
    :raises SampleError: `segments` is not a whole number from 1
    :raises MissingExtraError: Jinja2 or Matplotlib is not installed

    >>> report = analyse([["the cat sat on the mat"], ["it rains"]], {"mine": ["the cat sat on a mat", "it rains"]})
    >>> html(report)[:15]
    '<!doctype html>'
    """
    _check_most(segments)
    jinja2 = _engine()
    parts = {
        name: files(__package__).joinpath(name).read_text(encoding="utf-8")
        for name in ("page.html", "page.css", "page.js")
    }
    environment = jinja2.Environment(
        loader=jinja2.DictLoader(parts),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        buckets_of=lambda by, figures: figures.buckets(by),
        points=points,
        salience=salience,
        signed=signed,
        p=p_value,
        short=short,
        visible=visible,
        whole=whole,
    )
    script, style = parts["page.js"], parts["page.css"]
    with collector_paused():
        page: str = environment.get_template("page.html").render(
            **_context(report, segments),
            style=style,
            script=script,
            policy=(
                f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
                "img-src data:; base-uri 'none'; form-action 'none'"
            ),
        )
    return page


def _digest(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


# ---------------------------------------------------------------------------------------------------------------- numbers


def points(value: float | None, width: int = 2, sign: str = "") -> str:
    """Format a score."""
    return "" if value is None or np.isnan(value) else f"{value:{sign}.{width}f}".replace("-", "\u2212")


def signed(value: float | None, width: int = 2) -> str:
    """Format a difference with its sign."""
    return points(value, width, "+")


def whole(value: float) -> str:
    """Format a count, which may be the mean of several runs."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def p_value(value: float) -> str:
    """Format a p-value with four decimals."""
    return "< 0.0001" if value < 0.00005 else f"{value:.4f}"


def short(text: str) -> str:
    """Shorten a text for a table."""
    text = visible(text)
    return text if len(text) <= SHORT else f"{text[:SHORT]}\u2026"


# ---------------------------------------------------------------------------------------------------------------- contents


def _context(report: Report, most: int | None) -> dict[str, Any]:
    ngrams = report._ngrams  # before the figures of other metrics are kept: finding n-grams takes the most memory
    carried = _carried(report, most)
    orders = range(1, report.metric.order + 1)
    return {
        "report": report,
        "comparison": report.comparison,
        "metrics": _metrics(report),
        "times": 100 / report.metric.scale,
        "percent": f"{100 * report.confidence:g}\u00a0%",
        "orders": report.metric.order,
        "grams": [f"{n}-grams" for n in orders],
        "precisions": [f"p<sub>{n}</sub>" for n in orders],
        "versions": {"cybleu": __version__, "NumPy": np.__version__, "Python": platform.python_version()},
        "references": len(report._texts.references),
        "verdict_of": _verdict,
        "tables": _tables(report),
        "matrix_of": _matrix,
        "most_pairs": MOST_PAIRS,
        "pictures": _pictures(report),
        "by": BY,
        "contributions": [(*pair, report.contributions(*pair)) for pair in _compared(report)],
        "named": partial(_named, report),
        "segments": _segments(report, ngrams, carried),
        "carried": len(carried),
        "marked": MARKED,
        "units": UNITS,
        "influence": _influence_for_script(report, carried) if report.pairs or len(_metrics(report)) > 1 else None,
    }


def _compared(report: Report) -> list[tuple[str, str]]:
    return [(pair.first, pair.second) for pair in report.comparison.differences] if report.comparison else []


def _metrics(report: Report) -> list[MetricFigures]:
    """Return the figures by each metric, those of the report itself first."""
    return [report, *report.others]


def _verdict(figures: MetricFigures) -> dict[str, Any]:
    """Return the systems that the first sentence of the page names."""
    comparison = figures.comparison
    if comparison is None:
        return {"top": figures.systems[0]}
    top, *others = comparison.systems
    if comparison.baseline is not None:
        kinds: dict[str, Any] = {"top": top, "better": [], "worse": [], "same": []}
        for pair in comparison.differences:
            better = (pair.difference > 0) == figures.metric.higher_is_better
            kinds["same" if not pair.significant else "better" if better else "worse"].append(pair.first)
        return kinds
    tests = [comparison.between(top.name, other.name) for other in others if other.score != top.score]
    return {
        "top": top,
        "equal": [other.name for other in comparison.systems if other.score == top.score],
        "better": [pair.second for pair in tests if pair.significant],
        "same": [pair.second for pair in tests if not pair.significant],
    }


def _tables(report: Report) -> list[tuple[str, str]]:
    """The tables to copy."""
    found = report.comparisons
    if not found:
        return []
    ends = {"latex": "", "markdown": "\n", "csv": ""}
    titles = {"latex": "LaTeX", "markdown": "Markdown", "csv": "CSV"}
    return [(titles[form], format_comparisons(found, form) + end) for form, end in ends.items()]


def _matrix(figures: MetricFigures) -> list[list[Any]] | None:
    """Arrange the tests of many pairs as a matrix: for each system except the first, its tests against those above it."""
    comparison = figures.comparison
    if comparison is None or len(comparison.differences) <= MOST_PAIRS or comparison.baseline is not None:
        return None
    names = [system.name for system in figures.systems]
    return [[comparison.between(above, name) for above in names[:place]] for place, name in enumerate(names)][1:]


def _pictures(report: Report) -> dict[str, str]:
    found = {}

    def draw(
        name: str, title: str, plot: Callable[..., Any], figures: MetricFigures, rows: int | None = None, **how: Any
    ) -> None:
        height = {} if rows is None else {"height": max(2.2, 0.9 + 0.34 * rows)}
        found[name] = picture(name, title, lambda axes: plot(figures, axes, **how), **height)

    draw("precisions", "Precision by n-gram order", plot_precisions, report, legend=False)
    draw("log", "Precision by n-gram order, on a logarithmic axis", plot_precisions, report, log=True, legend=False)
    pairs = len(report.looked_at)
    if any(report.contributions(*pair) for pair in report.looked_at):
        title = "Contributions of orders and brevity penalty to each difference"
        draw("contributions", title, plot_contributions, report, pairs, legend=False)
    draw("recall", "Recall of words by their frequency", plot_buckets, report, by="recall", legend=False)
    draw("precision", "Precision of words by their frequency", plot_buckets, report, by="precision", legend=False)
    for number, figures in enumerate(_metrics(report)):
        key, of_metric = (f"-{number}", f" in {figures.label}") if number else ("", "")
        draw(f"scores{key}", f"The distribution of each score{of_metric}", plot_scores, figures, len(report.systems))
        if pairs:
            title = f"The distribution of each difference{of_metric}"
            draw(f"differences{key}", title, plot_differences, figures, pairs)
        titles = {
            "length": f"{figures.label} by the length of the reference",
            "difference": f"{figures.label} by the difference of the lengths",
            "score": f"Segments by their {figures.label}",
        }
        for by, title in titles.items():
            draw(f"{by}{key}", title, plot_buckets, figures, by=by, legend=False)
    return found


def _named(report: Report, figures: MetricFigures, pair: int) -> list[list[tuple[int, float, str]]]:
    """Return the segments with the largest influence in favour of each of two systems: number, points, reference."""
    lines = report._texts.references[0].lines
    influence = figures._influences[pair]
    found = []
    for gain in _gains(figures, influence):
        places = np.lexsort((np.arange(len(gain), dtype=np.int64), -gain))[:NAMED]
        found.append([(int(place), float(influence[place]), lines[place] or "") for place in places if gain[place] > 0])
    return found


def _gains(figures: MetricFigures, influence: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how much each segment is in favour of the first system, and of the second one."""
    return (influence, -influence) if figures.metric.higher_is_better else (-influence, influence)


def _carried(report: Report, most: int | None) -> list[int]:
    """Choose and sort the segments of the page: by their largest influence on a difference, or by score for one system."""
    numbers = np.arange(report.segments, dtype=np.int64)
    if not report.pairs:
        lengths = report._texts.references[0].lengths
        wanted = [_gains(figures, -figures.sentence_scores[0])[0] for figures in _metrics(report)]
        orders = [np.lexsort((numbers, -lengths, -worse)) for worse in wanted]
        ordered: NDArray[np.int64] = orders[0]
    else:
        ordered = np.lexsort((numbers, -np.max(np.abs([pair.influence for pair in report.pairs]), axis=0)))
        orders = [
            np.lexsort((numbers, -gain))
            for figures in _metrics(report)
            for influence in figures._influences
            for gain in _gains(figures, influence)
        ]
    if most is not None and most < report.segments:
        # the best rank of each segment in any order; the listed ones are always there
        rank = np.full(report.segments, report.segments)
        for order in orders:
            rank[order] = np.minimum(rank[order], numbers)
        listed = int((rank < NAMED).sum()) if report.pairs else 0
        chosen = np.lexsort((numbers, rank))[: max(most, listed)]
        ordered = ordered[np.isin(ordered, chosen)]
    return list(map(int, ordered))


def _segments(report: Report, ngrams: NGrams, carried: list[int]) -> Iterator[dict[str, Any]]:
    """Yield what the page shows of each segment.

    Outputs with the same text are one entry: names, score, raw text if it differs from the shown text, code, text.
    """
    from markupsafe import Markup

    texts = report._texts
    marked = [MarkedText(texts, ngrams, output, carried) for output in report._order]
    named = [
        (text.name, [None if line is None else visible(line) for line in map(text.lines.__getitem__, carried)])
        for text in texts.references
    ]
    if report.source is not None:
        named.append(("source", [visible(report.source[segment]) for segment in carried]))
    scores = _scores(report, carried)
    if report.pairs:
        influence = np.array([pair.influence[carried] for pair in report.pairs])
        largest = np.argmax(np.abs(influence), axis=0)
        values = [signed(value, 3) for value in influence[largest, np.arange(len(carried))].tolist()]

    @cache
    def names(outputs: tuple[int, ...]) -> Any:
        return Markup(", ").join(Markup("<bdi>{}</bdi>").format(visible(report.names[output])) for output in outputs)

    for place, segment in enumerate(carried):
        alike: dict[tuple[str, str | None], list[int]] = {}
        for output, text in enumerate(marked):
            alike.setdefault((text.lines[place], text.raw[place]), []).append(output)
        outputs = []
        for (line, raw), of_text in alike.items():
            code = marked[of_text[0]].codes[place]
            score = scores[of_text[0]][place]
            if place < MARKED:
                outputs.append((names(tuple(of_text)), score, raw, "", _with_marks(line, code)))
            else:
                outputs.append((names(tuple(of_text)), score, raw, code, line))
        first, *others = [(name, lines[place]) for name, lines in named]
        yield {
            "number": segment + 1,
            "points": values[place] if report.pairs else f"{report.sentence_scores[0, segment]:.1f}",
            "pair": report.pairs[largest[place]] if len(report.pairs) > 1 else None,
            "reference": first[1],
            "others": [item for item in others if item[1] is not None],
            "outputs": outputs,
        }


def _with_marks(line: str, code: str) -> Any:
    """Render a line as HTML, with an element for each part that matches."""
    from markupsafe import Markup, escape

    return Markup(
        "".join(
            escape(part) if letter == "a" else f'<u class="{letter}">{escape(part)}</u>'
            for letter, part in parts_of(line, code)
        )
    )


def _scores(report: Report, carried: list[int]) -> list[list[str]]:
    """Return the scores of segments, as text, for each output: the number alone if there is one metric."""
    of_metrics = []
    for figures in _metrics(report):
        form = f"{figures.label} {{:.1f}}" if report.others else "{:.1f}"
        of_metrics.append([list(map(form.format, line)) for line in figures.sentence_scores[:, carried].tolist()])
    return [list(map(" \u00b7 ".join, zip(*of_output))) for of_output in zip(*of_metrics)]


def _influence_for_script(report: Report, carried: list[int]) -> str:
    """Encode the influence of the segments, in their order on the page, as JSON, which cannot end the script element.

    It is that on each pair by each metric; for one system, it is the score of the segment by each metric.
    """
    points = []
    for figures in _metrics(report):
        points += [of_pair[carried] for of_pair in figures._influences] or [figures.sentence_scores[0, carried]]
    units = [np.rint(UNITS * values).astype(int).tolist() for values in points]
    return json.dumps(units, separators=(",", ":"))
