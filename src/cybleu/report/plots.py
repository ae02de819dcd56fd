"""Plots of a report, on Matplotlib axes or as SVG for a page."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from threading import RLock
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import Floats, np
from .._runtime.extras import extra
from ..errors import OrderError, UnknownNameError
from .analysis import EDGES, MetricFigures, Report
from .texts import short, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BUCKETS = (*EDGES, "recall", "precision")

# Colour-blind safe colours (after Okabe and Ito 2008), dark enough on white. Markers and line styles also differ.
COLOURS = ("#0067a5", "#c04a00", "#007a5a", "#a8468a", "#8a6000", "#1f7fb8", "#5b5b5b", "#5a3fa0")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (5, 1, 1, 1)))
GREY = "#404040"  # differences are of pairs, so no system's colour fits
LONGEST_NAME = 32
# of the plots on a page
WIDTH = 4.0  # inches
FONT = 9.5  # points
LONGEST_ROW = 20  # characters of the name of a row
MOST_BESIDE = 46  # characters of labels that fit beside each other
LABELS = {
    "length": "length of the reference, in tokens",
    "difference": "length of the output minus that of the reference",
    "score": "{} of the segment",
    "recall": "how often a word is in the references",
    "precision": "how often a word is in the references",
}


def matplotlib_or_error() -> Any:
    """
    :raises MissingExtraError: Matplotlib is not installed
    """
    with extra("matplotlib", "plots require Matplotlib", "cybleu[plot]"):
        import matplotlib.figure
    return matplotlib


def _new_axes() -> Axes:
    """Axes of a figure that a notebook shows below its cell, and that is not shown in a window elsewhere.

    :raises MissingExtraError: Matplotlib is not installed
    """
    make_figure: Any = matplotlib_or_error().figure.Figure
    ipython = sys.modules.get("IPython")
    if ipython and ipython.get_ipython():
        from matplotlib import pyplot

        make_figure = pyplot.figure
    axes: Axes = make_figure(figsize=(6.4, 4.0), layout="constrained").add_subplot()
    return axes


def _draw_output(axes: Axes, number: int, x: Sequence[int], y: Any, name: str) -> str:
    """Draw the line of an output, and return its colour. The first 32 lines are distinct, and none differs only by colour."""
    kind = number % len(COLOURS)
    axes.plot(
        x,
        y,
        label=label(name),
        color=COLOURS[kind],
        marker=MARKERS[kind],
        linestyle=LINES[number // len(COLOURS) % len(LINES)],
        markersize=4,
        linewidth=1.4,
    )
    return COLOURS[kind]


def label(name: str) -> str:
    """Shorten a name for a plot."""
    name = short(visible(name), LONGEST_NAME)
    return f"\u2009{name}" if name.startswith("_") else name  # Matplotlib omits labels with a leading underscore


def _finish(axes: Axes, rows: Sequence[str] = ()) -> Axes:
    """Finish a plot: a grid on the axis of the numbers, a legend of several lines below it, and names that are no formulas.

    :param rows: the names of rows, the first at 0 and the others below; numbers are then on the horizontal axis
    """
    from matplotlib.transforms import ScaledTranslation

    if rows:
        axes.set_yticks([-number for number in range(len(rows))], list(rows), parse_math=False)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="x" if rows else "y", linewidth=0.5, color="#b0b0b0", alpha=0.5)
    axes.set_axisbelow(True)
    labels = axes.get_legend_handles_labels()[1]
    if len(labels) > 1:
        legend = axes.legend(
            # names of rows are left of the axes, so that there is more room below on the left
            loc="upper right" if rows else "upper center",
            bbox_to_anchor=(1 if rows else 0.5, 0),
            # below the labels of the axis
            bbox_transform=axes.transAxes + ScaledTranslation(0, -0.6, axes.figure.dpi_scale_trans),
            ncols=_columns_of_legend(labels),
            fontsize="small",
            frameon=False,
        )
        for text in legend.get_texts():
            text.set_parse_math(False)
    return axes


def _columns_of_legend(labels: Sequence[str]) -> int:
    return max(1, min(len(labels), 50 // (max(map(len, labels)) + 7)))


def plot_precisions(
    report: Report, axes: Axes | None = None, *, n_start: int = 1, n_end: int | None = None, log: bool = False
) -> Axes:
    """Draw the precision of n-grams against n, with a line for each output, and bands for the bootstrap intervals.

    The precision falls roughly exponentially (Papineni et al. 2002, figures 1 and 2), so with a logarithmic axis it
    is nearly a straight line.

    :param report: a report of :func:`analyse`
    :param axes: Matplotlib axes, by default those of a new figure
    :param n_start: the first order
    :param n_end: the last order, by default the largest that was counted
    :param log: draw the precision on a logarithmic axis
    :return: the axes
    :raises OrderError: these orders were not counted
    :raises MissingExtraError: Matplotlib is not installed

    >>> report = analyse({"mine": ["the cat sat on a mat", "it rains"]}, [["the cat sat on the mat"], ["it rains"]])
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
    axes = axes or _new_axes()
    shown = slice(n_start - 1, n_end)
    n = range(n_start, n_end + 1)
    for number, curve in enumerate(report.precisions):
        values = np.array(curve.values[shown])
        colour = _draw_output(axes, number, n, np.where(values > 0, values, np.nan) if log else values, curve.name)
        axes.fill_between(n, curve.low[shown], curve.high[shown], color=colour, alpha=0.15, linewidth=0)
    if log and any(max(curve.values[shown]) > 0 for curve in report.precisions):
        from matplotlib.ticker import LogLocator

        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter("")
    else:
        axes.set_ylim(bottom=0)
    axes.set_xticks(n)
    axes.set(xlabel="n", ylabel="precision of n-grams, %")
    return _finish(axes)


def _draw_ridge(axes: Axes, number: int, samples: Floats, ends: Sequence[float], colour: str) -> None:
    """Draw the distribution of samples in a row of its own.

    :param number: the number of the row, from the top
    :param ends: the value that is a point, and the ends of its interval
    """
    place = -number
    value, low, high = ends
    if samples.max() > samples.min():  # equal samples have no distribution to draw
        counts, edges = np.histogram(samples, bins=min(40, max(10, len(samples) // 25)))
        heights = place + np.repeat(0.7 * counts / counts.max(), 2)
        axes.fill_between(np.repeat(edges, 2)[1:-1], place, heights, color=colour, alpha=0.3, linewidth=0)
    axes.plot([low, high], [place, place], color=colour, linewidth=2.5, solid_capstyle="butt")
    axes.plot([value], [place], color=colour, marker="o", markersize=5, linestyle="none")


def _finish_ridges(axes: Axes, names: Sequence[str], xlabel: str) -> Axes:
    axes.set_ylim(-len(names) + 0.6, 0.9)  # a ridge is up to 0.7 high
    axes.set_xlabel(xlabel, loc="right")
    return _finish(axes, names)


def plot_scores(report: Report | MetricFigures, axes: Axes | None = None) -> Axes:
    """Draw the distribution of each system's score over the bootstrap samples, with its interval and the score.

    :param report: a report of :func:`analyse`, which has the scores by its first metric, or its figures by one metric
    :param axes: Matplotlib axes, by default those of a new figure
    :return: the axes
    :raises MissingExtraError: Matplotlib is not installed

    >>> report = analyse({"mine": ["the cat sat on a mat", "it rains"]}, [["the cat sat on the mat"], ["it rains"]])
    >>> plot_scores(report).get_xlabel()
    'BLEU'
    """
    figures = report.metrics[0] if isinstance(report, Report) else report
    axes = axes or _new_axes()
    names = []
    for number, system in enumerate(figures.systems):
        ends = [figures.percent(end) for end in (system.score, system.low, system.high)]
        samples = figures.bootstrap_scores[system.name]
        _draw_ridge(axes, number, samples, ends, COLOURS[number % len(COLOURS)])
        names.append(label(system.name))
    return _finish_ridges(axes, names, figures.title)


def plot_differences(report: Report | MetricFigures, axes: Axes | None = None) -> Axes:
    """Draw the distribution of the improvement of one system over another in the bootstrap samples, for the pairs in
    `report.looked_at`. It is above 0 if the first system is better, even if lower scores are better.

    :param report: see :func:`plot_scores`, with more than one system
    :param axes: Matplotlib axes, by default those of a new figure
    :return: the axes
    :raises UnknownNameError: there is only one system
    :raises MissingExtraError: Matplotlib is not installed

    >>> systems = {"mine": ["the cat sat on a mat", "it rains"], "theirs": ["the cat sat on the mat", "it snows"]}
    >>> plot_differences(analyse(systems, [["the cat sat on the mat"], ["it rains"]])).get_xlabel()
    'improvement in BLEU'
    """
    figures = report.metrics[0] if isinstance(report, Report) else report
    if not figures.looked_at:
        raise UnknownNameError("the report has one system; a difference requires two")
    axes = axes or _new_axes()
    names = []
    for number, (first, second) in enumerate(figures.looked_at):
        samples = figures.sign * (figures.bootstrap_scores[first] - figures.bootstrap_scores[second])
        _draw_ridge(axes, number, samples, figures.improvement(first, second), GREY)
        names.append(f"{label(first)} vs. {label(second)}")
    _finish_ridges(axes, names, f"improvement in {figures.label}")
    axes.axvline(0, color="black", linewidth=1)
    return axes


def plot_contributions(report: Report, axes: Axes | None = None) -> Axes:
    """Draw what the orders and the brevity penalty contribute to each difference, as bars that add up to it.

    :param report: a report of :func:`analyse`, with more than one system
    :param axes: Matplotlib axes, by default those of a new figure
    :return: the axes
    :raises UnknownNameError: no difference has such parts
    :raises MissingExtraError: Matplotlib is not installed

    >>> systems = {"mine": ["the cat sat on a mat", "it rains"], "theirs": ["the cat sat on the mat", "it snows"]}
    >>> plot_contributions(analyse(systems, [["the cat sat on the mat"], ["it rains"]])).get_xlabel()
    'contribution to the difference in BLEU, points'
    """
    names = []
    known = []
    for one, other in report.looked_at:
        parts = report.contributions(one, other)
        if parts is not None:
            names.append(f"{label(one)} vs. {label(other)}")
            known.append(parts)
    if not known:
        raise UnknownNameError("there is nothing to draw: contributions require two systems with a BLEU above 0")
    axes = axes or _new_axes()
    rows = np.arange(len(known), dtype=np.int64)
    ends = np.zeros((len(known), 2))  # where the bars to the left and to the right end so far
    for order, values in enumerate(np.array([[parts.penalty, *parts.orders] for parts in known]).T):
        side = (values > 0).astype(int)
        axes.barh(
            -rows,
            values,
            left=ends[rows, side],
            label=f"{order}-grams" if order else "brevity penalty",
            color=COLOURS[(order - 1) % len(COLOURS)] if order else GREY,
            hatch=("", "//", "", "\\\\")[order % 4],
            edgecolor="white",
            height=0.6,
            linewidth=0.5,
        )
        ends[rows, side] += values
    sums = [parts.difference for parts in known]
    axes.plot(sums, -rows, linestyle="none", marker="D", markersize=5, color="black", label="difference")
    axes.axvline(0, color="black", linewidth=1)
    axes.set_xlabel("contribution to the difference in BLEU, points", loc="right")
    return _finish(axes, names)


def plot_buckets(report: Report | MetricFigures, axes: Axes | None = None, *, by: str = "length") -> Axes:
    """Draw the score of groups of segments, or recall or precision of groups of words, with a line for each output.

    With ``score`` it draws the number of segments in each group. With ``difference`` and ``score``, a group contains
    different segments for each output. Words that no reference contains are left out: none of them can match. The
    number below a group counts segments (``length``), words in the references (``recall``), or words in an output on
    average (``precision``).

    :param report: see :func:`plot_scores`
    :param axes: Matplotlib axes, by default those of a new figure
    :param by: see :meth:`MetricFigures.buckets`; or, for a report, ``recall`` or ``precision`` of words, grouped by
        their frequency in the references
    :return: the axes
    :raises UnknownNameError: there are no such groups
    :raises MissingExtraError: Matplotlib is not installed

    >>> report = analyse({"mine": ["the cat sat on a mat", "it rains"]}, [["the cat sat on the mat"], ["it rains"]])
    >>> plot_buckets(report, by="score").get_xlabel()
    'BLEU of the segment'
    """
    if by not in BUCKETS:
        raise UnknownNameError(f"unknown groups {by!r}; use one of {', '.join(BUCKETS)}")
    figures = report.metrics[0] if isinstance(report, Report) else report
    if by in EDGES:
        found = figures.buckets(by)
        labels = found.labels
        # the score of segments that are grouped by their score is not informative, but their number is
        values: Any = found.segments if by == "score" else found.scores
        up = "segments" if by == "score" else figures.title
        sizes = found.segments[0] if by == "length" else None
    elif isinstance(report, Report):
        words = report.word_frequencies
        labels = words.labels[1:]
        values = getattr(words, by)[:, 1:]
        up = f"{by} of words, %"
        sizes = (words.wanted if by == "recall" else words.produced.mean(axis=0).round().astype(int))[1:]
    else:
        raise UnknownNameError(f"{by} of words is a figure of the report, not of a metric; give the report")
    axes = axes or _new_axes()
    for number, (name, of_output) in enumerate(zip(figures.names, values)):
        _draw_output(axes, number, range(len(labels)), of_output, name)
    ticks = []
    for text in labels:
        tick = text.replace(" and more", "+").replace("below ", "<")
        # a dash beside the sign of a negative number would be misread
        ticks.append(tick.replace(" to ", "…" if "-" in tick else "–").replace("-", "\u2212"))
    across = LABELS[by].format(figures.label)
    if sizes is not None:
        ticks = [f"{tick}\n{size:,}" for tick, size in zip(ticks, sizes.tolist())]
        across += f"; below it the number of {'segments' if by == 'length' else 'words'}"
    axes.set_xticks(range(len(labels)), ticks)
    axes.tick_params(axis="x", labelsize="small")
    axes.set_ylim(bottom=0)
    axes.set(xlabel=across, ylabel=up)
    return _finish(axes)


# ----------------------------------------------------------------------------------------------------------------- a page

_settings = RLock()  # Matplotlib's settings and warning filters are those of the process


def pictures(plots: Mapping[str, Callable[[Axes], Any]]) -> dict[str, bytes]:
    """Draw plots as SVG for a page. The same plot gives the same bytes."""
    matplotlib = matplotlib_or_error()
    with _settings, matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)  # browsers have more fonts
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(
            {
                "font.size": FONT,
                "legend.fontsize": FONT,
                "svg.fonttype": "none",
                "svg.hashsalt": "cybleu",
                "text.parse_math": False,
            }
        )
        return {name: _picture(draw) for name, draw in plots.items()}


def _picture(draw: Callable[[Axes], Any]) -> bytes:
    """Draw a plot as SVG. Margins are estimated, in half the time of Matplotlib's layouts.

    The plot is as wide as a phone, so that the labels are not smaller there than on paper.
    """
    from matplotlib.figure import Figure
    from matplotlib.transforms import ScaledTranslation

    axes = Figure(figsize=(6.4, 4.0)).add_subplot()
    draw(axes)
    figure: Any = axes.figure
    names: list[str] = []
    left = 0.6
    height = 2.0
    below = 0.5
    if not axes.get_ylabel():  # a row for each system or pair
        lines: list[str] = []
        for row in axes.get_yticklabels():
            name = row.get_text()
            if len(name) > LONGEST_ROW:
                name = name.replace(" vs. ", "\nvs. ")  # a long pair takes two lines
            of_row = [short(line, LONGEST_ROW) for line in name.split("\n")]
            names.append("\n".join(of_row))
            lines += of_row
        axes.set_yticks(axes.get_yticks(), names, parse_math=False)
        left = 0.2 + 0.08 * max(map(len, lines))
        height = 0.15 + 0.19 * (len(names) + len(lines))
        axes.locator_params(axis="x", nbins=5)  # more labels do not fit beside the names
    else:
        below += _make_room_for_ticks(axes)
    axes.tick_params(axis="x", labelsize=FONT)
    label = axes.get_xlabel().replace("; ", ";\n")
    axes.xaxis.label.set_text(label)  # which stays where it is
    below += 0.17 * label.count("\n")
    legend = axes.get_legend()
    if legend:
        drop = ScaledTranslation(0, -below, figure.dpi_scale_trans)
        legend.set_bbox_to_anchor((1 if names else 0.5, 0), transform=axes.transAxes + drop)
        for text in legend.get_texts():
            text.set_fontsize(FONT)
        labels = [text.get_text() for text in legend.get_texts()]
        below += 0.15 + 0.2 * -(-len(labels) // _columns_of_legend(labels))
    whole = below + height + 0.1
    figure.set_size_inches(WIDTH, whole)
    # in shares of the figure, as Matplotlib takes margins
    figure.subplots_adjust(left / WIDTH, below / whole, 0.98, 1 - 0.1 / whole)
    written = BytesIO()
    figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    return written.getvalue()


def _make_room_for_ticks(axes: Axes) -> float:
    """Turn labels that do not fit beside each other, and return how many inches the labels take more than one line."""
    ticks = [tick.get_text() for tick in axes.get_xticklabels()]
    lines = [line for tick in ticks for line in tick.split("\n")]
    if len(lines) * 2 + sum(map(len, lines)) <= MOST_BESIDE * len(lines) // len(ticks):
        return 0.17 * (len(lines) > len(ticks))
    turned = [tick.replace("\n", ": ") for tick in ticks]
    axes.set_xticks(axes.get_xticks(), turned, rotation=50, ha="right", rotation_mode="anchor")
    return 0.065 * max(map(len, turned))
