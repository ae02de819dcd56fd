"""The commands that tune weights: reading what they are given, printing what they find."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click
from tqdm import tqdm

from .._files.text import listed, number_of, shown
from .._files.weights import lines_of
from .._files.writing import writing_all
from ..errors import FeatureError, InputFileError, WeightsError
from .common import (
    FIRST_ID,
    ORDER,
    REFERENCE_LENGTH,
    SMOOTHING,
    SPLIT,
    TOKENIZE,
    check_outputs,
    input_errors,
    metric_of,
    need_standard_output,
    one_standard_input,
    variant,
    with_parameters,
)

if TYPE_CHECKING:
    from ..nbest import NBest
    from ..tuning import Restart

    Bounds = dict[str, tuple[float, float]]

WITH_LISTS = with_parameters(
    click.argument("nbest", metavar="[NBEST", required=False),
    click.argument("references", metavar="REF...]", nargs=-1),
    click.option("--more", metavar="NBEST", multiple=True, help="Another list of the same segments, to be merged."),
    click.option(
        "--features-file", metavar="FILE", multiple=True, help="Of Moses's extractor, in place of NBEST and REF."
    ),
    click.option("--scores-file", metavar="FILE", multiple=True, help="The scores of the same hypotheses."),
    click.option(
        "--format", "format_", type=click.Choice(["moses", "joshua"]), help="Of NBEST.  [default: as it looks]"
    ),
    FIRST_ID,
    SPLIT,
    TOKENIZE,
    ORDER,
    REFERENCE_LENGTH,
    variant("moses"),
    SMOOTHING,
    click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the random weights."),
    click.option("--threads", type=click.IntRange(1), default=1, show_default=True, help="That work at the same time."),
    click.option("--json", "as_json", is_flag=True, help="Print a JSON object, numbers in full."),
)


def _merged(
    nbest: str | None,
    references: tuple[str, ...],
    more: tuple[str, ...],
    features_file: tuple[str, ...],
    scores_file: tuple[str, ...],
    format_: str | None,
    first_id: int,
    split: str,
    tokenize: str | None,
    order: int | None,
    reference_length: str | None,
) -> NBest:
    """The lists, merged."""
    from ..nbest import NBest, merge, prepare_references

    if bool(nbest) == bool(features_file) or len(features_file) != len(scores_file):
        raise click.UsageError("give an n-best list and its references, or --features-file and --scores-file in pairs")
    if features_file:
        if more or tokenize or order or reference_length:
            raise click.UsageError("--more and options of the text do not go with --features-file")
        parts = [
            NBest.from_moses(features, scores, first_id=first_id)
            for features, scores in zip(features_file, scores_file)
        ]
        segments = max(map(len, parts))
        if any(len(part) < segments for part in parts):
            parts = [
                NBest.from_moses(features, scores, segments, first_id=first_id)
                for features, scores in zip(features_file, scores_file)
            ]
        return merge(*parts)
    if not references:
        raise click.UsageError("there is no file of references after the n-best list")
    one_standard_input(nbest, *more, *references)
    prepared = prepare_references(references, tokenize or split, order, reference_length)
    return merge(
        *(
            NBest.from_files(
                path,
                prepared,
                format_,
                first_id=first_id,
                tokenize=tokenize or split,
                texts=False,
                progress=sys.stderr.isatty(),
            )
            for path in (nbest or "", *more)
        )
    )


def _inputs(start: str | None, where: dict[str, Any]) -> list[str | None]:
    files = (*where["references"], *where["more"], *where["features_file"], *where["scores_file"])
    return [start, where["nbest"], *files]


def _start(text: str | None, names: tuple[str, ...]) -> dict[str, float]:
    """Weights from a file with names, or from a list of numbers; by default all are 1."""
    if text is None:
        return dict.fromkeys(names, 1.0)
    if not Path(text).exists():
        try:
            numbers = [number_of(word) for word in text.replace(",", " ").split()]
        except InputFileError:
            raise WeightsError(
                f"--start {shown(text)} is neither a file nor a list of numbers such as 1,0.5,-1"
            ) from None
        if len(numbers) != len(names):
            raise FeatureError(
                f"--start has {len(numbers)} numbers, and there are {len(names)} features: {listed(names)}"
            )
        return dict(zip(names, numbers))
    from ..tuning import read_weights

    return read_weights(text)


def _ranges(values: tuple[str, ...]) -> Bounds:
    bounds: Bounds = {}
    for value in values:
        name, _, ends = value.rpartition("=")
        low, colon, high = ends.partition(":")
        try:
            bounds[name] = number_of(low) if low else -inf, number_of(high) if high else inf
        except InputFileError:
            colon = ""
        if not (name and colon):
            raise click.UsageError(f"--range {shown(value)} is not NAME=LOW:HIGH, such as lm=0:1 or lm=0:")
    return bounds


def _write(*outputs: tuple[str | None, Callable[[TextIO], Any]]) -> None:
    """Write the files that are asked for, all of them or none."""
    wanted = [(path, write) for path, write in outputs if path]
    with writing_all(*(path for path, _ in wanted)) as files:
        for (_, write), file in zip(wanted, files):
            write(file)


def _print(result: dict[str, Any], weights: dict[str, float], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({**result, "weights": weights}))
    else:
        for name, weight in weights.items():
            click.echo(f"{name} {weight!r}")


START = click.option(
    "--start",
    metavar="FILE|W,W,...",
    help="Weights to start from: lines with name and weight, or a list.  [default: 1]",
)
RANGE = click.option("--range", "ranges", metavar="NAME=LOW:HIGH", multiple=True, help="Bounds of a weight.")
OUTPUT = click.option("--output", metavar="FILE", help="Write the weights there, too.")


@click.command()
@WITH_LISTS
@START
@RANGE
@OUTPUT
@click.option("--fix", metavar="NAME", multiple=True, help="Leave this weight as it is at the start.")
@click.option("--restarts", type=click.IntRange(0), default=20, show_default=True, help="Climbs from random weights.")
@click.option(
    "--random-directions", type=click.IntRange(0), default=0, show_default=True, help="To search beside the axes."
)
@click.option("--window", metavar="min|average:N", help="Judge an interval with N neighbours on each side.")
@click.option("--quiet", is_flag=True, help="Do not show the climbs on standard error.")
@click.option("--plot", metavar="FILE", help="Draw the score along --axis at the weights found, as PNG or SVG.")
@click.option("--axis", metavar="NAME", help="The feature whose weight the plot varies.")
def mert(
    variant: str,
    smoothing: str | None,
    seed: int,
    threads: int,
    as_json: bool,
    start: str | None,
    ranges: tuple[str, ...],
    output: str | None,
    fix: tuple[str, ...],
    restarts: int,
    random_directions: int,
    window: str | None,
    quiet: bool,
    plot: str | None,
    axis: str | None,
    **where: Any,
) -> None:
    """Weights with the best BLEU on n-best lists, by exact line search from many starts.

    Prints a line with name and weight for each feature; on standard error, BLEU is from 0 to 100. The lists are of decoders
    (Moses's and Joshua's formats) or of Moses's extractor.
    """
    need_standard_output()
    if (plot is None) != (axis is None):
        raise click.UsageError("--plot and --axis go together")
    how, _, width = (window or "").partition(":")
    if window and (how not in ("min", "average") or not (width.isascii() and width.isdecimal())):
        raise click.UsageError(f"--window {shown(window)} is not min:N or average:N")
    bounds = _ranges(ranges)
    metric = metric_of(variant, smoothing)
    check_outputs([output, plot], _inputs(start, where))
    with input_errors():
        from ..tuning import check_plot, line_search, plot_surface, tune

        if plot:
            check_plot(plot)
        nbest = _merged(**where)
        if axis is not None and axis not in nbest.names:
            raise FeatureError(f"there is no feature {shown(axis)}; there are {listed(nbest.names)}")

        def trace(restart: Restart) -> None:
            tqdm.write(str(restart), file=sys.stderr)

        tuning = tune(
            nbest,
            _start(start, nbest.names),
            restarts,
            random_directions or "axes",
            bounds,
            fix,
            (how, int(width)) if window else None,
            metric,
            seed,
            threads,
            sys.stderr.isatty() and not quiet,
            trace=None if quiet else trace,
        )
        if not quiet:
            click.echo(str(tuning).partition("\n")[0], err=True)
        result = {
            "score": tuning.score,
            "start_score": tuning.start_score,
            "scale": tuning.scale,
            "metric": tuning.metric,
            "segments": len(nbest),
            "hypotheses": len(nbest.features),
            "line_searches": tuning.line_searches,
            "climbs": [asdict(restart) for restart in tuning.restarts],
        }

        def draw(file: TextIO) -> None:
            assert plot is not None
            assert axis is not None
            found = line_search(nbest, tuning.weights, axis, metric=metric, surface=True)
            plot_surface(plot, found, axis, tuning.weights[axis], tuning.metric, file=file.buffer)

        _write((output, lambda file: file.writelines(lines_of(tuning.weights))), (plot, draw))
        _print(result, tuning.weights, as_json)


@click.command("random-search")
@WITH_LISTS
@START
@RANGE
@OUTPUT
@click.option("--trials", type=click.IntRange(1), default=1000, show_default=True, help="Random weights to try.")
@click.option("--weights-file", metavar="FILE", help="Score these instead: numbers, a line for each trial.")
def random_search(
    variant: str,
    smoothing: str | None,
    seed: int,
    threads: int,
    as_json: bool,
    start: str | None,
    ranges: tuple[str, ...],
    output: str | None,
    trials: int,
    weights_file: str | None,
    **where: Any,
) -> None:
    """The best of many random weights on n-best lists, or the BLEU of given ones.

    Weights are drawn evenly from their ranges, by default -1 to 1; the start, if given, is tried first. Prints the best
    weights, or with --weights-file a score from 0 to 100 for each line.
    """
    need_standard_output()
    bounds = _ranges(ranges)
    metric = metric_of(variant, smoothing)
    if weights_file and (bounds or start):
        raise click.UsageError("--start and --range do not go with --weights-file")
    check_outputs([output], [*_inputs(start, where), weights_file])
    with input_errors():
        from ..tuning import random_search as search
        from ..tuning import random_weights, read_table

        nbest = _merged(**where)
        if weights_file:
            vectors = read_table(weights_file, nbest.names)
        else:
            first = None if start is None else _start(start, nbest.names)
            vectors = random_weights(nbest.names, trials, bounds, first, seed)
        scores = search(nbest, vectors, metric, threads, sys.stderr.isatty())
        if weights_file and not as_json:
            for score in scores.tolist():
                click.echo(repr(100 / metric.scale * score))
            return
        best = int(scores.argmax())
        click.echo(f"{metric.name} {100 / metric.scale * scores[best]:.4f}, the best of {len(scores)}", err=True)
        result = {
            "score": float(scores[best]),
            "scale": metric.scale,
            "trial": best,
            "metric": metric.name,
            "scores": scores.tolist(),
        }
        weights = dict(zip(nbest.names, vectors[best].tolist()))
        _write((output, lambda file: file.writelines(lines_of(weights))))
        _print(result, weights, as_json)
