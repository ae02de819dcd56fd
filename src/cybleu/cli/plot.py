"""`cybleu plot`: pictures of how systems score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from .common import FILE, THREADS, check_outputs, input_errors, taken, with_parameters
from .systems import BASELINE, SEED, SYSTEMS, ManyReferences, named_systems, report_of
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
def precision(n_start: int, n_end: int, log: bool, **options: Any) -> None:
    """Draw the precision of n-grams against n.

    The bands are 95 % bootstrap intervals.
    """
    if n_start > n_end:
        raise click.UsageError(f"--n-start {n_start} is more than --n-end {n_end}")
    _draw("plot_precisions", {"n_start": n_start, "n_end": n_end, "log": log}, n_end=n_end, **options)


@plot.command(cls=ManyReferences)
@PICTURE
@BASELINE
@click.option("--differences", is_flag=True, help="Draw the differences of pairs, not the scores.")
def scores(differences: bool, **options: Any) -> None:
    """Draw the scores of bootstrap samples.

    The picture has their distribution and 95 % intervals. With --differences it is of the differences of pairs.
    """
    if differences:
        _draw("plot_differences", {}, least=2, **options)
    else:
        _draw("plot_scores", {}, **options)


@plot.command(cls=ManyReferences)
@PICTURE
@BASELINE
def contributions(**options: Any) -> None:
    """Draw what makes the difference of two systems.

    For each pair, the picture has the points that each n-gram order and the brevity penalty contribute.
    """
    _draw("plot_contributions", {}, least=2, **options)


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
def buckets(by: str, **options: Any) -> None:
    """Draw the scores of groups of segments or words.

    The picture has the BLEU of groups of segments, or the recall or precision of groups of words. With --by score it has the
    number of segments in each group.
    """
    _draw("plot_buckets", {"by": by}, **options)


def _draw(
    plot: str,
    how: Mapping[str, Any],
    *,
    systems: Sequence[str],
    references: Sequence[str],
    output: str,
    least: int = 1,
    baseline: str | None = None,
    **options: Any,
) -> None:
    """
    :param plot: the name of a function of the room of reports
    :param how: more of its arguments
    """
    given: TextOptions = taken(TextOptions, options)
    metric = given.metric()
    named = named_systems(systems, references, baseline, least)
    check_outputs([output], [*(file for files in named.values() for file in files), *references])
    with input_errors():
        from .. import report

        report.check_plot(output)
        draw = getattr(report, plot)
        # the test is not drawn
        drawn = report_of(named, references, metric, given, baseline=baseline, samples=1, **options)
        report.save_plot(output, lambda axes: draw(drawn, axes, **how))
