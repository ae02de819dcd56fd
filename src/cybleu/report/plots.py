"""Plots of a report, on Matplotlib axes or as files."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from itertools import cycle, repeat
from os import PathLike, fspath
from threading import RLock
from typing import Any

from .._files.pictures import figure_class, kind_of_picture, write_picture
from .._runtime.arrays import np
from ..errors import OrderError, UnknownNameError
from .analysis import Report
from .by_metric import BY, MetricFigures
from .visible import visible

__all__ = [
    "BUCKETS",
    "check_plot",
    "plot_buckets",
    "plot_contributions",
    "plot_differences",
    "plot_precisions",
    "plot_scores",
    "save_plot",
]

BUCKETS = (*BY, "recall", "precision")

# Colour-blind safe colours (after Okabe and Ito 2008), dark enough on white. Markers and line styles also differ.
COLOURS = ("#0067a5", "#c04a00", "#007a5a", "#a8468a", "#8a6000", "#1f7fb8", "#5b5b5b", "#5a3fa0")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (5, 1, 1, 1)))
OF_PAIRS = "#404040"  # differences are of pairs, so no system's colour fits
LONGEST_NAME = 32
LABELS = {
    "length": "length of the reference, in tokens",
    "difference": "length of the output minus that of the reference",
    "score": "{} of the segment",
    "frequency": "how often a word is in the references",
}


def _axes(axes: Any) -> Any:
    return new_figure().add_subplot() if axes is None else axes


def new_figure(width: float = 6.4, height: float = 4.0, layout: str = "constrained") -> Any:
    """Create a figure that is not shown in a window.

    :param width: the width in inches
    :param height: the height in inches
    :param layout: Matplotlib's layout engine, which sets the margins
    :raises MissingExtraError: Matplotlib is not installed
    """
    return figure_class()(figsize=(width, height), layout=layout)


def _style(number: int) -> dict[str, Any]:
    """Return the style of an output's line. The first 32 styles are distinct, and none differs only by colour."""
    count = len(COLOURS)
    return {
        "color": COLOURS[number % count],
        "marker": MARKERS[number % count],
        "linestyle": LINES[number // count % len(LINES)],
        "markersize": 4,
        "linewidth": 1.4,
    }


def label(name: str) -> str:
    """Shorten a name for a plot."""
    name = visible(name)
    name = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
    return f"\u2009{name}" if name.startswith("_") else name  # Matplotlib omits labels with a leading underscore


def _with_direction(text: str, figures: MetricFigures) -> str:
    return text if figures.metric.higher_is_better else f"{text} (lower is better)"


def _finish(axes: Any, legend: bool) -> Any:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", linewidth=0.5, color="#b0b0b0", alpha=0.5)
    axes.set_axisbelow(True)
    handles, labels = axes.get_legend_handles_labels()
    if legend and len(labels) > 1:
        _without_formulas(axes.legend(handles, labels, fontsize="small", frameon=False).get_texts())
    return axes


def _without_formulas(texts: Iterable[Any]) -> None:
    """Escape dollar signs, which would begin a formula."""
    for text in texts:
        text.set_parse_math(False)


def plot_precisions(
    report: Report,
    axes: Any = None,
    *,
    n_start: int = 1,
    n_end: int | None = None,
    log: bool = False,
    legend: bool = True,
) -> Any:
    """Draw the precision of n-grams against n, with a line for each output, and bands for the bootstrap intervals.

    The precision falls roughly exponentially (Papineni and others 2002, figures 1 and 2), so with a logarithmic axis it
    is nearly a straight line.

    :param report: a report of :func:`analyse`
    :param axes: Matplotlib axes, by default those of a new figure
    :param n_start: the first order
    :param n_end: the last order, by default the largest that was counted
    :param log: draw the precision on a logarithmic axis
    :param legend: draw a legend, if there is more than one output
    :return: the axes
    :raises OrderError: these orders were not counted
    :raises MissingExtraError: Matplotlib is not installed

    >>> report = analyse([["the cat sat on the mat"], ["it rains"]], {"mine": ["the cat sat on a mat", "it rains"]})
    >>> axes = plot_precisions(report, n_end=4)
    >>> axes.get_lines()[0].get_ydata().round(1).tolist()
    [87.5, 66.7, 50.0, 33.3]
    """
    n_end = report.n_end if n_end is None else n_end
    if not 1 <= n_start <= n_end <= report.n_end:
        raise OrderError(
            f"n_start is {n_start} and n_end {n_end}, but the report has the orders 1 to {report.n_end}; "
            "use orders in this range, or call analyse with a larger n_end"
        )
    axes = _axes(axes)
    shown = slice(n_start - 1, n_end)
    log = log and any(value > 0 for of_output in report.precisions for value in of_output.values[shown])
    for number, of_output in enumerate(report.precisions):
        n = np.array(of_output.n[shown])
        values, low, high = (np.array(ends[shown]) for ends in (of_output.values, of_output.low, of_output.high))
        style = _style(number)
        axes.fill_between(n, low, high, color=style["color"], alpha=0.15, linewidth=0)
        if log:
            values = np.where(values > 0, values, np.nan)
        axes.plot(n, values, label=label(of_output.name), **style)
    if log:
        from matplotlib.ticker import LogLocator

        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.yaxis.set_minor_formatter(lambda value, _: "")
    else:
        axes.set_ylim(bottom=0)
    axes.set_xticks(range(n_start, n_end + 1))
    axes.set(xlabel="n", ylabel="precision of n-grams, %")
    return _finish(axes, legend)


def _ridges(
    axes: Any,
    scores: Sequence[Any],
    names: Sequence[str],
    marks: Sequence[tuple[float, float, float]],
    colours: Iterable[str],
) -> None:
    """Draw distributions above each other, each with an interval and a point.

    :param colours: a colour for each
    """
    for number, (samples, (value, low, high), colour) in enumerate(zip(scores, marks, colours)):
        place = -number
        spread = float(samples.max() - samples.min())
        if spread > 0:
            counts, edges = np.histogram(samples, bins=min(40, max(10, len(samples) // 25)))
            heights = np.repeat(0.7 * counts / counts.max(), 2)
            axes.fill_between(np.repeat(edges, 2)[1:-1], place, place + heights, color=colour, alpha=0.3, linewidth=0)
        axes.plot([low, high], [place, place], color=colour, linewidth=2.5, solid_capstyle="butt")
        axes.plot([value], [place], color=colour, marker="o", markersize=5, linestyle="none")
    axes.set_yticks([-number for number in range(len(names))], list(names))
    axes.set_ylim(-len(names) + 0.6, 0.9)
    axes.grid(axis="x", linewidth=0.5, color="#b0b0b0", alpha=0.5)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.set_axisbelow(True)
    _without_formulas(axes.get_yticklabels())


def plot_scores(report: MetricFigures, axes: Any = None) -> Any:
    """Draw the distribution of each system's score over the bootstrap samples, with its interval and the score.

    :param report: a report of :func:`analyse`, or its figures by one metric
    :param axes: Matplotlib axes, by default those of a new figure
    :return: the axes
    :raises MissingExtraError: Matplotlib is not installed

    >>> report = analyse([["the cat sat on the mat"], ["it rains"]], {"mine": ["the cat sat on a mat", "it rains"]})
    >>> plot_scores(report).get_xlabel()
    'BLEU'
    """
    axes = _axes(axes)
    times = 100 / report.metric.scale
    marks = [(times * system.score, times * system.low, times * system.high) for system in report.systems]
    scores = [report.bootstrap_scores[system.name] for system in report.systems]
    _ridges(axes, scores, [label(system.name) for system in report.systems], marks, cycle(COLOURS))
    axes.set_xlabel(_with_direction(report.label, report))
    return axes


def plot_differences(report: MetricFigures, axes: Any = None) -> Any:
    """Draw the distribution of the difference between two systems over the bootstrap samples, for the pairs in
    `report.looked_at`.

    :param report: a report of :func:`analyse`, or its figures by one metric, with more than one system
    :param axes: Matplotlib axes, by default those of a new figure
    :return: the axes
    :raises UnknownNameError: there is only one system
    :raises MissingExtraError: Matplotlib is not installed

    >>> systems = {"mine": ["the cat sat on a mat", "it rains"], "theirs": ["the cat sat on the mat", "it snows"]}
    >>> plot_differences(analyse([["the cat sat on the mat"], ["it rains"]], systems)).get_xlabel()
    'difference in BLEU'
    """
    if report.comparison is None:
        raise UnknownNameError("the report has one system; a difference requires two")
    axes = _axes(axes)
    times = 100 / report.metric.scale
    axes.axvline(0, color="black", linewidth=1)
    found = [report.comparison.between(*pair) for pair in report.looked_at]
    _ridges(
        axes,
        [report.bootstrap_scores[pair.first] - report.bootstrap_scores[pair.second] for pair in found],
        [f"{label(pair.first)} − {label(pair.second)}" for pair in found],
        [(times * pair.difference, times * pair.low, times * pair.high) for pair in found],
        repeat(OF_PAIRS),
    )
    axes.set_xlabel(_with_direction(f"difference in {report.label}", report))
    return axes


def plot_contributions(report: Report, axes: Any = None, *, legend: bool = True) -> Any:
    """Draw what the orders and the brevity penalty contribute to each difference, as bars that add up to it.

    :param report: a report of :func:`analyse`, with more than one system
    :param axes: Matplotlib axes, by default those of a new figure
    :param legend: draw a legend
    :return: the axes
    :raises UnknownNameError: no difference has such parts
    :raises MissingExtraError: Matplotlib is not installed

    >>> systems = {"mine": ["the cat sat on a mat", "it rains"], "theirs": ["the cat sat on the mat", "it snows"]}
    >>> plot_contributions(analyse([["the cat sat on the mat"], ["it rains"]], systems)).get_xlabel()
    'contribution to the difference in BLEU, points'
    """
    found = [(pair, report.contributions(*pair)) for pair in report.looked_at]
    known = [(pair, parts) for pair, parts in found if parts is not None]
    if not known:
        raise UnknownNameError("there is nothing to draw: contributions require two systems with scores above 0")
    axes = _axes(axes)
    orders = len(known[0][1].orders)
    titles = ["brevity penalty", *(f"{n}-grams" for n in range(1, orders + 1))]
    ends = np.zeros((len(known), 2))  # where the bars to the left and to the right end so far
    for part, title in enumerate(titles):
        values = np.array([[parts.penalty, *parts.orders][part] for _, parts in known])
        side = (values > 0).astype(int)
        rows = np.arange(len(known), dtype=np.int64)
        axes.barh(
            -rows,
            values,
            left=ends[rows, side],
            height=0.6,
            color=COLOURS[(part - 1) % len(COLOURS)] if part else "#5b5b5b",
            hatch=("", "//", "", "..", "", "xx")[part % 6],
            edgecolor="white",
            linewidth=0.5,
            label=title,
        )
        ends[rows, side] += values
    axes.plot(
        [parts.difference for _, parts in known],
        [-row for row in range(len(known))],
        linestyle="none",
        marker="D",
        markersize=5,
        color="black",
        label="difference",
    )
    axes.axvline(0, color="black", linewidth=1)
    axes.set_yticks(
        [-row for row in range(len(known))], [f"{label(one)} − {label(other)}" for (one, other), _ in known]
    )
    axes.set_xlabel("contribution to the difference in BLEU, points")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    if legend:
        axes.legend(fontsize="small", frameon=False)
    _without_formulas(axes.get_yticklabels())
    return axes


def plot_buckets(report: MetricFigures, axes: Any = None, *, by: str = "length", legend: bool = True) -> Any:
    """Draw the score of groups of segments, or recall or precision of groups of words, with a line for each output.

    With ``score`` it draws the number of segments in each group. With ``difference`` and ``score``, a group contains
    different segments for each output. Words that no reference contains are left out: none of them can match.

    :param report: a report of :func:`analyse`, or its figures by one metric
    :param axes: Matplotlib axes, by default those of a new figure
    :param by: as for :meth:`Report.buckets`; or ``recall`` or ``precision`` of words, grouped by their frequency in the
        references
    :param legend: draw a legend, if there is more than one output
    :return: the axes
    :raises UnknownNameError: there are no such groups
    :raises MissingExtraError: Matplotlib is not installed

    >>> report = analyse([["the cat sat on the mat"], ["it rains"]], {"mine": ["the cat sat on a mat", "it rains"]})
    >>> plot_buckets(report, by="score").get_xlabel()
    'BLEU of the segment'
    """
    if by not in BUCKETS:
        raise UnknownNameError(f"unknown groups {by!r}; use one of {', '.join(BUCKETS)}")
    if by in ("recall", "precision"):
        if not isinstance(report, Report):
            raise UnknownNameError(f"{by} of words is a figure of the report, not of a metric; give the report")
        words = report.word_frequencies
        labels = words.labels[1:]
        values: Any = (words.recall if by == "recall" else words.precision)[:, 1:]
        across, up = LABELS["frequency"], f"{by} of words, %"
    else:
        found = report.buckets(by)
        labels, across = found.labels, LABELS[by].format(report.label)
        # the score of segments that are grouped by their score is not informative, but their number is
        of_group = _with_direction(report.label, report)
        values, up = (found.segments, "segments") if by == "score" else (found.scores, of_group)
    axes = _axes(axes)
    for number, (name, of_output) in enumerate(zip(report.names, values)):
        axes.plot(range(len(labels)), of_output, label=label(name), **_style(number))
    axes.set_xticks(range(len(labels)), list(map(_tick, labels)))
    axes.tick_params(axis="x", labelsize="small")
    axes.set_ylim(bottom=0)
    axes.set(xlabel=across, ylabel=up)
    return _finish(axes, legend)


def _tick(text: str) -> str:
    text = text.replace(" and more", "+").replace("below ", "<")
    return text.replace(" to ", "…").replace("-", "\u2212") if "-" in text else text.replace(" to ", "–")


# ------------------------------------------------------------------------------------------------------------------ files


# Settings and warning filters are global. Without a lock, threads that plot would restore each other's settings.
_one_at_a_time = RLock()


@contextmanager
def settings() -> Iterator[None]:
    """Set Matplotlib's options so that the same plot gives the same bytes."""
    figure_class()
    from matplotlib import rc_context, rcParamsDefault

    fixed = {
        **{
            name: value
            for name, value in rcParamsDefault.items()
            if name.startswith(("axes.", "font.", "lines.", "svg.", "text."))
        },
        "svg.hashsalt": "cybleu",
        "svg.fonttype": "none",
        "text.parse_math": False,
    }
    with _one_at_a_time, rc_context(fixed), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)  # browsers have more fonts
        yield


def save_plot(
    path: str | PathLike[str], draw: Callable[[Any], Any], *, width: float = 6.4, height: float = 4.0
) -> None:
    """Draw a plot and save it to a file.

    The same plot gives the same bytes. If there is an error, an existing file is not changed.

    :param path: the file to write; its name ends in .svg, .png or .pdf
    :param draw: a function that takes axes and draws on them
    :param width: the width in inches
    :param height: the height in inches
    :raises UnknownNameError: the name has another ending
    :raises InputFileError: the file cannot be written
    :raises MissingExtraError: Matplotlib is not installed

    >>> import pathlib, tempfile
    >>> report = analyse([["the cat sat on the mat"], ["it rains"]], {"mine": ["the cat sat on a mat", "it rains"]})
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "precisions.svg"
    >>> save_plot(path, lambda axes: plot_precisions(report, axes, log=True))
    >>> path.read_text()[:5]
    '<?xml'
    """
    path = fspath(path)
    kind = check_plot(path)
    picture = BytesIO()
    with settings():
        figure = new_figure(width, height)
        draw(figure.add_subplot())
        figure.savefig(picture, format=kind, metadata=_without_dates(kind), dpi=150)
    write_picture(path, picture.getvalue())


def check_plot(path: str | PathLike[str]) -> str:
    """Check that a plot can be drawn and written, before the report is computed.

    :param path: the file to write
    :return: the file format: ``svg``, ``png`` or ``pdf``
    :raises UnknownNameError: the name does not end in .svg, .png or .pdf
    :raises InputFileError: the file cannot be written
    :raises MissingExtraError: Matplotlib is not installed

    >>> check_plot("scores.gif")
    Traceback (most recent call last):
    cybleu.errors.UnknownNameError: the plot 'scores.gif' must be a .svg, .png or .pdf file
    """
    return kind_of_picture(fspath(path), "svg", "png", "pdf")


def _without_dates(kind: str) -> dict[str, None]:
    return {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}, "pdf": {"CreationDate": None}}[kind]
