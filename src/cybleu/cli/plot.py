"""`cybleu plot`: pictures of how systems score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from .common import metric_option
from .given import choice, command, file, number, switch
from .systems import SystemOptions, baseline_option

GROUPS = ("length", "difference", "score", "recall", "precision")  # named here, so that --help works without NumPy


@dataclass(kw_only=True)
class PictureOptions(SystemOptions):
    """Picture"""

    names: tuple[str, ...] = metric_option(of_sums=True)
    output: str = file(
        "-o", required=True, written=True, help="The image file to write. Its name ends in .svg, .png or .pdf."
    )


@dataclass(kw_only=True)
class PrecisionOptions(PictureOptions):
    """Precision"""

    n_start: int = number(default=1, help="The first n-gram order.")
    n_end: int = number(most=64, default=9, help="The last n-gram order.")
    log: bool = switch(help="Draw the precisions on a logarithmic axis.")


@dataclass(kw_only=True)
class PairsOptions(PictureOptions):
    """Pairs"""

    baseline: str | None = baseline_option()


@dataclass(kw_only=True)
class ScoresOptions(PairsOptions):
    """Scores"""

    differences: bool = switch(help="Plot the differences between pairs of systems instead of scores.")


@dataclass(kw_only=True)
class BucketsOptions(PictureOptions):
    """Groups"""

    by: str = choice(
        of=GROUPS,
        default="length",
        help="How to form the groups. length, difference and score group segments by the reference length, the length "
        "difference or the segment BLEU. recall and precision group words by their frequency in the references.",
    )


@click.group()
def plot() -> None:
    """Plot the scores of systems.

    A SYSTEM is given as in `cybleu compare`. Plots require Matplotlib.

    \b
    Examples:
      cybleu plot scores old.txt new.txt -r references.txt --output scores.svg
      cybleu plot buckets old.txt new.txt -r references.txt --output lengths.pdf --by length
    """


@command(PrecisionOptions, plot)
def precision(given: PrecisionOptions) -> None:
    """Plot the n-gram precision against n.

    The bands are 95 % bootstrap intervals.

    \b
    Examples:
      cybleu plot precision new.txt -r references.txt --output precision.svg
      cybleu plot precision old.txt new.txt -r references.txt --output precision.svg --log
    """
    if given.n_start > given.n_end:
        raise click.UsageError(f"--n-start {given.n_start} is greater than --n-end {given.n_end}")
    how = {"n_start": given.n_start, "n_end": given.n_end, "log": given.log}
    _draw("plot_precisions", given, how, n_end=given.n_end)


@command(ScoresOptions, plot)
def scores(given: ScoresOptions) -> None:
    """Plot the scores of bootstrap samples.

    Shows the distribution of the scores and their 95 % intervals. With --differences, it shows those of the differences
    between pairs of systems.

    \b
    Examples:
      cybleu plot scores old.txt new.txt -r references.txt --output scores.svg
      cybleu plot scores old.txt new.txt -r references.txt --output scores.svg --differences
    """
    _draw("plot_differences" if given.differences else "plot_scores", given, least=2 if given.differences else 1)


@command(PairsOptions, plot)
def contributions(given: PairsOptions) -> None:
    """Plot what contributes to the difference of two systems.

    For each pair, shows how many points each n-gram order and the brevity penalty contribute.

    \b
    Examples:
      cybleu plot contributions old.txt new.txt -r references.txt --output parts.svg
      cybleu plot contributions a.txt b.txt c.txt -r references.txt --output parts.svg --baseline a
    """
    _draw("plot_contributions", given, least=2)


@command(BucketsOptions, plot)
def buckets(given: BucketsOptions) -> None:
    """Plot the scores of groups of segments or words.

    Shows the BLEU of groups of segments, or the recall or precision of groups of words. With --by score, it shows the
    number of segments in each group.

    \b
    Examples:
      cybleu plot buckets old.txt new.txt -r references.txt --output lengths.svg
      cybleu plot buckets old.txt new.txt -r references.txt --output words.svg --by recall
    """
    _draw("plot_buckets", given, {"by": given.by})


def _draw(plot: str, given: PictureOptions, how: dict[str, Any] | None = None, least: int = 1, **choices: Any) -> None:
    """Draw a plot of the report on these systems.

    :param plot: the name of a function of :mod:`cybleu.report`
    :param how: options of this function
    :param least: how many systems there must be
    :param choices: options of :func:`cybleu.report.analyse`
    """
    given.check_systems(least)
    from ..report import plots

    plots.check_plot(given.output)
    draw = getattr(plots, plot)
    drawn = given.report(samples=1, **choices)  # the plots show no test
    plots.save_plot(given.output, lambda axes: draw(drawn, axes, **(how or {})))
