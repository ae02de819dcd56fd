"""`cybleu plot`: pictures of how systems score."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from .common import FILE, THREADS, check_outputs, input_errors, taken, with_parameters
from .systems import BASELINE, SEED, SYSTEMS, ManyReferences, checked_metric, named_systems, report_of
from .texts import TextOptions

GROUPS = ("length", "difference", "score", "recall", "precision")  # named here, so that --help needs no NumPy

PICTURE = with_parameters(
    SYSTEMS,
    click.option(
        "--output",
        metavar="FILE",
        type=FILE,
        required=True,
        help="Where to write the picture. The name ends in .svg, .png or .pdf.",
    ),
    SEED,
    THREADS,
)


@click.group()
def plot() -> None:
    """Draw how systems score.

    A SYSTEM is given as for `cybleu compare`. The pictures need Matplotlib.
    """


@plot.command(cls=ManyReferences)
@PICTURE
@click.option("--n-start", type=click.IntRange(1), default=1, show_default=True, help="The first n-gram order.")
@click.option("--n-end", type=click.IntRange(1, 64), default=9, show_default=True, help="The last n-gram order.")
@click.option("--log", is_flag=True, help="Draw the precisions on a logarithmic axis.")
def precision(n_start: int, n_end: int, log: bool, **texts: Any) -> None:
    """Draw the precision of n-grams against n.

    The bands are 95 % bootstrap intervals.
    """
    if n_start > n_end:
        raise click.UsageError(f"--n-start {n_start} is more than --n-end {n_end}")

    def draw(report: Any, axes: Any) -> None:
        from ..report import plot_precisions

        plot_precisions(report, axes, n_start=n_start, n_end=n_end, log=log)

    _draw(draw, n_end=n_end, **texts)


@plot.command(cls=ManyReferences)
@PICTURE
@BASELINE
@click.option("--differences", is_flag=True, help="Draw the differences of pairs, not the scores.")
def scores(differences: bool, **texts: Any) -> None:
    """Draw the scores of bootstrap samples.

    The picture has their distribution and 95 % intervals. With --differences it is of the differences of pairs.
    """

    def draw(report: Any, axes: Any) -> None:
        from ..report import plot_differences, plot_scores

        (plot_differences if differences else plot_scores)(report, axes)

    _draw(draw, least=2 if differences else 1, **texts)


@plot.command(cls=ManyReferences)
@PICTURE
@BASELINE
def contributions(**texts: Any) -> None:
    """Draw what makes the difference of two systems.

    For each pair, the picture has the points that each n-gram order and the brevity penalty contribute.
    """

    def draw(report: Any, axes: Any) -> None:
        from ..report import plot_contributions

        plot_contributions(report, axes)

    _draw(draw, least=2, **texts)


@plot.command(cls=ManyReferences)
@PICTURE
@click.option(
    "--by",
    type=click.Choice(GROUPS),
    default="length",
    show_default=True,
    help="What forms the groups. Of segments: the length of the reference, the difference of the lengths, or the BLEU of the "
    "segment. Of words, whose recall or precision is drawn: how frequent they are in the references.",
)
def buckets(by: str, **texts: Any) -> None:
    """Draw the scores of groups of segments or words.

    The picture has the BLEU of groups of segments, or the recall or precision of groups of words. With --by score it has the
    number of segments in each group.
    """

    def draw(report: Any, axes: Any) -> None:
        from ..report import plot_buckets

        plot_buckets(report, axes, by=by)

    _draw(draw, **texts)


def _draw(
    draw: Callable[[Any, Any], None],
    systems: Sequence[str],
    references: Sequence[str],
    output: str,
    least: int = 1,
    baseline: str | None = None,
    **options: Any,
) -> None:
    given: TextOptions = taken(TextOptions, options)
    metric = checked_metric(given)
    named = named_systems(systems, references, baseline, least)
    check_outputs([output], [*(file for files in named.values() for file in files), *references])
    with input_errors():
        from ..report import check_plot, save_plot

        check_plot(output)
        # the test is not drawn
        report = report_of(named, references, metric, given, baseline=baseline, samples=1, **options)
        save_plot(output, lambda axes: draw(report, axes))
