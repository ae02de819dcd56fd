"""`cybleu mert` and `cybleu random-search`: weights of few features, by line searches or by trials."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, replace
from math import inf
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TextIO

import click

from .._files.text import listed, shown
from .._runtime.samples import MOST_REPEATS, MOST_SAMPLES
from .._runtime.scales import percent
from ..errors import FeatureError
from .common import as_options, file_option, input_errors, number_option, stderr_is_tty
from .lists import (
    FIX,
    IN_RANGES,
    NORMALISE,
    RESTARTS,
    SEARCH,
    WITH_LISTS,
    ListOptions,
    RangeOptions,
    SearchOptions,
    ends_of,
    names_of,
    run_tuner,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..metrics import Metric
    from ..nbest import NBest
    from ..tuning import Restart, Tuning


@dataclass(frozen=True, kw_only=True)
class MertOptions(SearchOptions, ListOptions):
    start_range: str | None
    wide: int | None
    best_first: bool
    random_directions: int
    window: str | None
    plot: str | None
    axis: str | None

    @property
    def smoothed_scores(self) -> tuple[str, int] | None:
        """The kind and the width of --window."""
        if not self.window:
            return None
        how, _, width = self.window.partition(":")
        if how not in ("min", "average") or not (width.isascii() and width.isdecimal()):
            raise click.UsageError(f"--window {shown(self.window)} is not min:N or average:N")
        return how, int(width)

    @property
    def drawn(self) -> tuple[float, float] | None:
        """The ends of --start-range."""
        if self.start_range is None:
            return None
        ends = ends_of(self.start_range)
        if ends is None or not -inf < ends[0] <= ends[1] < inf:
            raise click.UsageError(f"--start-range {shown(self.start_range)} is not LOW:HIGH, such as 0:1")
        return ends


@dataclass(frozen=True, kw_only=True)
class TrialOptions(RangeOptions, ListOptions):
    trials: int
    weights_file: str | None


@click.command()
@WITH_LISTS
@IN_RANGES
@FIX
@RESTARTS
@click.option(
    "--start-range",
    metavar="LOW:HIGH",
    help="The range of random weights.  [default: 0 to the largest weight of the start]",
)
@number_option(
    "--wide",
    least=0,
    help="How many of the --restarts begin at random weights; the others begin near the best end.  [default: 13, or 39 of 60]",
)
@click.option(
    "--best-first",
    is_flag=True,
    help="Search all axes before each move and take the best one, as Moses does. This takes longer.",
)
@NORMALISE
@number_option(
    "--random-directions",
    least=0,
    most=MOST_REPEATS,
    default=0,
    help="How many random directions to search in addition to the axes.",
)
@click.option(
    "--window",
    metavar="min|average:N",
    help="Judge an interval by the minimum or average of its score and those of N neighbours on each side.",
)
@SEARCH
@click.option("--quiet", is_flag=True, help="Do not show the climbs on standard error.")
@file_option("--plot", help="Draw the score along --axis at the weights found, as PNG or SVG.")
@click.option("--axis", metavar="NAME", help="The feature whose weight the plot varies.")
@as_options(MertOptions)
def mert(given: MertOptions) -> None:
    """Tune weights by exact line search (MERT).

    Finds the weights with the best BLEU on n-best lists, by line searches from many starts. Prints a line with name and weight
    for each feature. On standard error, BLEU is from 0 to 100.

    The lists come from decoders or from Moses's extractor.
    """
    plot, axis = given.plot, given.axis
    if (plot is None) != (axis is None):
        raise click.UsageError("--plot and --axis go together")
    smoothing = given.smoothed_scores
    given.check(plot)
    bounds = given.bounds
    drawn = given.drawn
    best: Restart | None = None

    def run(nbest: NBest, start: dict[str, float] | None, *, metric: Metric, seed: int) -> Tuning:
        if axis is not None and axis not in names_of(nbest):
            raise FeatureError(f"there is no feature {shown(axis)}; there are {listed(names_of(nbest))}")
        if nbest.sparse is not None and not given.quiet:
            click.echo(
                f"cybleu: of {len(nbest.sparse.names)} sparse features {len({*given.searched})} are searched, and the others keep "
                "their weights, 0 without --start; cybleu kbmira and cybleu pro tune all",
                err=True,
            )
        check_normalised(given.normalise, bounds, given.fix)

        def trace(restart: Restart) -> None:
            nonlocal best
            if best is None or restart.score > best.score:
                best = replace(restart, weights={**(start or {}), **restart.weights})
            if not given.quiet and sys.stderr is not None:
                from tqdm import tqdm

                tqdm.write(str(restart), file=sys.stderr)

        return tune(
            nbest,
            start,
            given.restarts,
            given.random_directions or "axes",
            bounds,
            given.fix,
            smoothing,
            metric,
            seed,
            given.threads,
            stderr_is_tty() and not given.quiet,
            start_range=drawn,
            wide=given.wide,
            moves="best first" if given.best_first else None,
            searched=given.searched,
            trace=trace,
        )

    def more(tuning: Tuning) -> dict[str, Any]:
        climbs = [asdict(restart) for restart in tuning.restarts]
        return {"line_searches": tuning.line_searches, "climbs": climbs}

    def pictures(nbest: NBest, weights: dict[str, float], tuning: Tuning) -> list[tuple[str, Callable[[TextIO], None]]]:
        if plot is None or axis is None:
            return []
        of_list = {name: weights.get(name, 0.0) for name in names_of(nbest)}

        def draw(file: TextIO) -> None:
            found = line_search(nbest, of_list, axis, metric=given.metric, surface=True)
            plot_surface(plot, found, axis, of_list[axis], tuning.metric, file=file.buffer)

        return [(plot, draw)]

    with input_errors():
        from ..tuning import check_normalised, check_plot, line_search, plot_surface, tune

        if plot:
            check_plot(plot)
        run_tuner(given, run, lambda: best, more, attrgetter("names"), pictures)


@click.command("random-search")
@WITH_LISTS
@IN_RANGES
@number_option("--trials", most=MOST_SAMPLES, default=1000, help="How many random weights to try.")
@file_option("--weights-file", help="Score the weights in this file instead: numbers, with a line for each trial.")
@as_options(TrialOptions)
def random_search(given: TrialOptions) -> None:
    """Try many random weights and print the best.

    Weights are drawn evenly from their ranges, by default -1 to 1. The start, if given, is tried first. With --weights-file the
    command prints the score of each line of weights instead, from 0 to 100.
    """
    weights_file = given.weights_file
    given.check(read=weights_file)
    bounds = given.bounds
    if weights_file and (bounds or given.start):
        raise click.UsageError("--start and --range do not go with --weights-file")
    with input_errors():
        from ..tuning import random_search as search
        from ..tuning import random_weights, read_table

        nbest = given.merged()
        metric = given.metric
        if nbest.sparse is not None:
            raise FeatureError(
                f"there are {len(nbest.sparse.names)} sparse features, for which weights are not drawn; tune them with cybleu "
                "kbmira or cybleu pro"
            )
        if weights_file:
            vectors = read_table(weights_file, nbest.names)
        else:
            first, _ = given.weights(nbest)
            vectors = random_weights(nbest.names, given.trials, bounds, first, given.seed)
        scores = search(nbest, vectors, metric, given.threads, stderr_is_tty())
        if weights_file and not given.as_json:
            for score in scores.tolist():
                click.echo(repr(percent(score, metric.scale)))
            return
        best = int(scores.argmax())
        click.echo(f"{metric.name} {percent(scores[best], metric.scale):.4f}, the best of {len(scores)}", err=True)
        result = {
            "score": float(scores[best]),
            "scale": metric.scale,
            "trial": best,
            "metric": metric.name,
            "scores": scores.tolist(),
        }
        weights = dict(zip(nbest.names, vectors[best].tolist()))
        given.give(result, weights)
