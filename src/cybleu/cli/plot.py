"""`cybleu plot`: pictures of how systems score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

from .common import (
    SEED,
    THREADS,
    as_options,
    check_outputs,
    choice_option,
    file_option,
    input_errors,
    number_option,
    of_sums,
    variant,
    with_parameters,
)
from .systems import BASELINE, SYSTEMS, ManyReferences, SystemOptions, files_of

GROUPS = ("length", "difference", "score", "recall", "precision")  # named here, so that --help works without NumPy

PICTURE = with_parameters(
    SYSTEMS,
    variant("sacrebleu", of_sums),
    file_option("--output", required=True, help="Where to write the picture. The name ends in .svg, .png or .pdf."),
    SEED,
    THREADS,
)


@dataclass(frozen=True, kw_only=True)
class PictureOptions(SystemOptions):
    output: str


@dataclass(frozen=True, kw_only=True)
class PrecisionOptions(PictureOptions):
    n_start: int
    n_end: int
    log: bool


@dataclass(frozen=True, kw_only=True)
class ScoresOptions(PictureOptions):
    differences: bool


@dataclass(frozen=True, kw_only=True)
class BucketsOptions(PictureOptions):
    by: str


@click.group()
def plot() -> None:
    """Draw how systems score.

    A SYSTEM is given as for `cybleu compare`. The pictures need Matplotlib.
    """


@plot.command(cls=ManyReferences)
@PICTURE
@number_option("--n-start", default=1, help="The first n-gram order.")
@number_option("--n-end", most=64, default=9, help="The last n-gram order.")
@click.option("--log", is_flag=True, help="Draw the precisions on a logarithmic axis.")
@as_options(PrecisionOptions)
def precision(given: PrecisionOptions) -> None:
    """Draw the precision of n-grams against n.

    The bands are 95 % bootstrap intervals.
    """
    if given.n_start > given.n_end:
        raise click.UsageError(f"--n-start {given.n_start} is more than --n-end {given.n_end}")
    how = {"n_start": given.n_start, "n_end": given.n_end, "log": given.log}
    _draw("plot_precisions", given, how, n_end=given.n_end)


@plot.command(cls=ManyReferences)
@PICTURE
@BASELINE
@click.option("--differences", is_flag=True, help="Draw the differences of pairs, not the scores.")
@as_options(ScoresOptions)
def scores(given: ScoresOptions) -> None:
    """Draw the scores of bootstrap samples.

    The picture has their distribution and 95 % intervals. With --differences it is of the differences of pairs.
    """
    if given.differences:
        _draw("plot_differences", given, least=2)
    else:
        _draw("plot_scores", given)


@plot.command(cls=ManyReferences)
@PICTURE
@BASELINE
@as_options(PictureOptions)
def contributions(given: PictureOptions) -> None:
    """Draw what makes the difference of two systems.

    For each pair, the picture has the points that each n-gram order and the brevity penalty contribute.
    """
    _draw("plot_contributions", given, least=2)


@plot.command(cls=ManyReferences)
@PICTURE
@choice_option(
    "--by",
    of=GROUPS,
    default="length",
    help=(
        "What forms the groups. Of segments: the length of the reference, the difference of the lengths, or the BLEU of the "
        "segment. Of words, whose recall or precision is drawn: how frequent they are in the references."
    ),
)
@as_options(BucketsOptions)
def buckets(given: BucketsOptions) -> None:
    """Draw the scores of groups of segments or words.

    The picture has the BLEU of groups of segments, or the recall or precision of groups of words. With --by score it has the
    number of segments in each group.
    """
    _draw("plot_buckets", given, {"by": given.by})


def _draw(
    plot: str, given: PictureOptions, how: Mapping[str, Any] | None = None, least: int = 1, **choices: Any
) -> None:
    """Draw a plot of the report on these systems.

    :param plot: the name of a function of :mod:`cybleu.report`
    :param how: options of this function
    :param least: how many systems there must be
    :param choices: options of :func:`cybleu.report.analyse`
    """
    given.metric()  # its options are checked before files are read
    named = given.named(least)
    check_outputs([given.output], [*files_of(named), *given.references])
    with input_errors():
        from .. import report

        report.check_plot(given.output)
        draw = getattr(report, plot)
        # the plots show no test
        drawn = given.report(named, samples=1, **choices)
        report.save_plot(given.output, lambda axes: draw(drawn, axes, **(how or {})))
