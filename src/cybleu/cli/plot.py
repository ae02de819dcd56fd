"""`cybleu plot`: pictures of how systems score."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from .common import FILE, check_outputs, input_errors, with_parameters
from .systems import BASELINE, SEED, SYSTEMS, THREADS, ManyReferences, metric_and_tokenizer, named_systems, report_of

GROUPS = ("length", "difference", "score", "recall", "precision")  # named here, so that --help needs no NumPy

PICTURE = with_parameters(
    SYSTEMS,
    click.option(
        "--output", metavar="FILE", type=FILE, required=True, help="The picture; its name ends in .svg, .png or .pdf."
    ),
    SEED,
    THREADS,
)


@click.group()
def plot() -> None:
    """Pictures of the scores of systems: precision, bootstrap samples, contributions, groups of segments.

    A SYSTEM is given as for `cybleu compare`. The picture needs Matplotlib.
    """


@plot.command(cls=ManyReferences)
@PICTURE
@click.option("--n-start", type=click.IntRange(1), default=1, show_default=True, help="The first order.")
@click.option("--n-end", type=click.IntRange(1, 64), default=9, show_default=True, help="The last order.")
@click.option("--log", is_flag=True, help="A logarithmic axis of precision.")
def precision(n_start: int, n_end: int, log: bool, **texts: Any) -> None:
    """The precision of n-grams against n, with bands of the 95 % bootstrap intervals."""
    if n_start > n_end:
        raise click.UsageError(f"--n-start {n_start} is more than --n-end {n_end}")

    def draw(report: Any, axes: Any) -> None:
        from ..report import plot_precisions

        plot_precisions(report, axes, n_start=n_start, n_end=n_end, log=log)

    _draw(draw, n_end=n_end, **texts)


@plot.command(cls=ManyReferences)
@PICTURE
@BASELINE
@click.option("--differences", is_flag=True, help="Draw differences of pairs, not scores.")
def scores(differences: bool, **texts: Any) -> None:
    """How the scores are distributed over bootstrap samples, with 95 % intervals; or the differences of pairs."""

    def draw(report: Any, axes: Any) -> None:
        from ..report import plot_differences, plot_scores

        (plot_differences if differences else plot_scores)(report, axes)

    _draw(draw, least=2 if differences else 1, **texts)


@plot.command(cls=ManyReferences)
@PICTURE
@BASELINE
def contributions(**texts: Any) -> None:
    """What each order and the brevity penalty contribute to the differences of pairs, in points."""

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
    help="Groups of segments: by the length of the reference, the difference of the lengths, the BLEU of the segment. Recall or "
    "precision of words: by their frequency in the references.",
)
def buckets(by: str, **texts: Any) -> None:
    """BLEU of groups of segments, or recall and precision of groups of words; by score, how many segments there are."""

    def draw(report: Any, axes: Any) -> None:
        from ..report import plot_buckets

        plot_buckets(report, axes, by=by)

    _draw(draw, **texts)


def _draw(
    draw: Callable[[Any, Any], None],
    systems: Sequence[str],
    references: Sequence[str],
    metric: str,
    smoothing: str | None,
    order: int | None,
    weights: Sequence[float] | None,
    split: str | None,
    tokenize: str | None,
    lowercase: bool,
    drop_bom: bool,
    output: str,
    least: int = 1,
    baseline: str | None = None,
    **choices: Any,
) -> None:
    found, name = metric_and_tokenizer(metric, smoothing, order, weights, split, tokenize)
    named = named_systems(systems, references, baseline, least)
    check_outputs([output], [*(file for files in named.values() for file in files), *references])
    with input_errors():
        from ..report import check_plot, save_plot

        check_plot(output)
        # the test is not drawn
        report = report_of(named, references, found, name, lowercase, drop_bom, baseline=baseline, samples=1, **choices)
        save_plot(output, lambda axes: draw(report, axes))
