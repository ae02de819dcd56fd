"""The commands that tune weights: reading what they are given, printing what they find."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from math import inf
from operator import eq
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

import click
from click.core import ParameterSource

from .._files.text import listed, number_of, shown
from .._files.weights import lines_of
from .._files.writing import writing_all
from .._runtime.scales import percent
from ..errors import FeatureError, InputFileError, WeightsError
from ..metrics import Metric
from .common import (
    FILE,
    FIRST_ID,
    ORDER,
    REFERENCE_LENGTH,
    SMOOTHING,
    SPLIT,
    THREADS,
    TOKENIZE,
    check_outputs,
    input_errors,
    metric_of_lists,
    need_standard_output,
    one_standard_input,
    read_weights,
    someone_looks,
    variant,
    with_parameters,
)

if TYPE_CHECKING:
    from ..metrics import Metric
    from ..nbest import NBest
    from ..tuning import Restart

WITH_LISTS = with_parameters(
    click.argument("nbest", metavar="[NBEST", required=False, type=FILE),
    click.argument("references", metavar="REF...]", nargs=-1, type=FILE),
    click.option(
        "--more",
        metavar="NBEST",
        type=FILE,
        multiple=True,
        help="Another list of the same segments, which is merged with NBEST.",
    ),
    click.option(
        "--features-file",
        metavar="FILE",
        type=FILE,
        multiple=True,
        help="The features that Moses's extractor wrote, in place of NBEST and REF.",
    ),
    click.option(
        "--scores-file",
        metavar="FILE",
        type=FILE,
        multiple=True,
        help="The scores that it wrote, for each --features-file.",
    ),
    click.option(
        "--format",
        "format_",
        type=click.Choice(["moses", "joshua", "fairseq", "json"]),
        help="The format of NBEST.  [default: moses or joshua, as the first lines look]",
    ),
    click.option(
        "--scorer-weights",
        callback=read_weights,
        metavar="W,W,...",
        help="The weights of the scorers, if --scores-file has several, such as BLEU,TER.  [default: equal]",
    ),
    FIRST_ID,
    SPLIT,
    TOKENIZE,
    ORDER,
    REFERENCE_LENGTH,
    variant("moses"),
    SMOOTHING,
    click.option(
        "--seed", type=click.IntRange(0), default=0, show_default=True, help="The seed of everything that is random."
    ),
    click.option("--json", "as_json", is_flag=True, help="Print a JSON object, with all digits of the numbers."),
    click.option(
        "--start",
        metavar="FILE|W,W,...",
        type=FILE,
        help="The weights to start from: a file with a name and a weight on each line, or a list of the dense weights.  [default: "
        "1, and 0 for sparse features]",
    ),
    click.option("--output", metavar="FILE", type=FILE, help="Write the weights to this file, too."),
)
IN_RANGES = with_parameters(
    click.option("--range", "ranges", metavar="NAME=LOW:HIGH", multiple=True, help="The bounds of a weight."),
    THREADS,
)


def ends_of(text: str) -> tuple[float, float] | None:
    """The numbers in LOW:HIGH, infinite where there is none; None for something else."""
    low, colon, high = text.partition(":")
    try:
        return (number_of(low) if low else -inf, number_of(high) if high else inf) if colon else None
    except InputFileError:
        return None


def bounds_of(ranges: Sequence[str]) -> dict[str, tuple[float, float]]:
    """The bounds of weights, by name."""
    bounds = {}
    for value in ranges:
        name, _, text = value.rpartition("=")
        ends = ends_of(text)
        if not name or ends is None:
            raise click.UsageError(f"--range {shown(value)} is not NAME=LOW:HIGH, such as lm=0:1 or lm=0:")
        bounds[name] = ends
    return bounds


class Given(NamedTuple):
    """The options that these commands have."""

    nbest: str | None
    references: tuple[str, ...]
    more: tuple[str, ...]
    features_file: tuple[str, ...]
    scores_file: tuple[str, ...]
    format_: str | None
    scorer_weights: tuple[float, ...] | None
    first_id: int
    split: str
    tokenize: str | None
    order: int | None
    reference_length: str | None
    variant: str
    smoothing: str | None
    seed: int
    as_json: bool
    start: str | None
    output: str | None
    ranges: tuple[str, ...] = ()
    threads: int = 1

    @property
    def files(self) -> list[str | None]:
        return [self.start, self.nbest, *self.references, *self.more, *self.features_file, *self.scores_file]

    def merged(self) -> NBest:
        """The lists, merged."""
        nbest = self._merged()
        missing = sum(map(eq, nbest.offsets[:-1].tolist(), nbest.offsets[1:].tolist()))
        if missing:
            click.echo(
                f"cybleu: segments without a hypothesis in the list, which do not count: {missing} of {len(nbest)}",
                err=True,
            )
        return nbest

    def _merged(self) -> NBest:
        from ..nbest import NBest, merge, prepare_references

        if bool(self.nbest) == bool(self.features_file) or len(self.features_file) != len(self.scores_file):
            raise click.UsageError(
                "give an n-best list and its references, or --features-file and --scores-file in pairs"
            )
        if self.features_file:
            if self.more or self.tokenize or self.order or self.reference_length:
                raise click.UsageError("--more and options of the text do not go with --features-file")
            pairs = list(zip(self.features_file, self.scores_file))

            def read(pair: tuple[str, str], segments: int | None) -> NBest:
                return NBest.from_moses(*pair, segments, first_id=self.first_id, scorer_weights=self.scorer_weights)

            parts = [read(pair, None) for pair in pairs]
            segments = max(map(len, parts))
            return merge(*(part if len(part) == segments else read(pair, segments) for part, pair in zip(parts, pairs)))
        if self.scorer_weights:
            raise click.UsageError("--scorer-weights goes with --scores-file")
        if not self.references:
            raise click.UsageError("there is no file of references after the n-best list")
        lists = self.nbest or "", *self.more
        one_standard_input(*lists, *self.references)
        split = self.tokenize or self.split
        prepared = prepare_references(self.references, split, self.order, self.reference_length)
        progress = someone_looks()
        return merge(
            *(
                NBest.from_files(
                    path,
                    prepared,
                    self.format_,
                    first_id=self.first_id,
                    tokenize=split,
                    texts=False,
                    progress=progress,
                )
                for path in lists
            )
        )

    def metric_for(self, nbest: NBest) -> Metric:
        """What the options ask for, or what the file of scores is of."""
        if not isinstance(nbest.score, Metric):
            return metric_of_lists(self.variant, self.smoothing)
        asked = click.get_current_context().get_parameter_source("variant")
        if self.smoothing or asked is not ParameterSource.DEFAULT:
            raise click.UsageError(
                f"the scores in {self.scores_file[0]} are of {nbest.score.name}, so --variant and --smoothing do not go with them"
            )
        return nbest.score

    def weights(self, nbest: NBest) -> tuple[dict[str, float] | None, dict[str, float]]:
        """Those to start from, of a file with names or of a list of numbers, if there are any; and those of sparse features
        that the list does not have."""
        if self.start is None:
            return None, {}
        if os.path.exists(self.start):  # of a text longer than any path, too
            from ..tuning import read_weights

            weights = read_weights(self.start)
            names = set(names_of(nbest))
            if nbest.sparse is None or not weights.keys() >= set(nbest.names):
                return weights, {}
            others = {name: weight for name, weight in weights.items() if name not in names}
            if others:
                click.echo(
                    f"cybleu: the list does not have these features, whose weights stay: {listed([*others])}", err=True
                )
            return {name: weight for name, weight in weights.items() if name in names}, others
        try:
            numbers = [number_of(word) for word in self.start.replace(",", " ").split()]
        except InputFileError:
            raise WeightsError(
                f"--start {shown(self.start)} is neither a file nor a list of numbers such as 1,0.5,-1"
            ) from None
        if len(numbers) != len(nbest.names):
            raise FeatureError(
                f"--start has {len(numbers)} numbers, and there are {len(nbest.names)} features: {listed(nbest.names)}"
            )
        return dict(zip(nbest.names, numbers)), {}

    def write(self, weights: dict[str, float], *others: tuple[str | None, Callable[[TextIO], Any]]) -> None:
        """Write the weights and others to the files that are asked for, all of them or none."""

        def write_weights(file: TextIO) -> None:
            file.writelines(lines_of(weights))

        wanted = [(path, write) for path, write in ((self.output, write_weights), *others) if path]
        with writing_all(*(path for path, _ in wanted)) as files:
            for (_, write), file in zip(wanted, files):
                write(file)

    def show(self, result: dict[str, Any], weights: dict[str, float]) -> None:
        if self.as_json:
            click.echo(json.dumps({**result, "weights": weights}))
        else:
            for name, weight in weights.items():
                click.echo(f"{name} {weight!r}")


def names_of(nbest: NBest) -> tuple[str, ...]:
    """Of all features, sparse ones after the others."""
    return nbest.names if nbest.sparse is None else (*nbest.names, *nbest.sparse.names)


def told(nbest: NBest, weights: dict[str, float]) -> dict[str, float]:
    """The weights that are printed: of sparse features those that are not 0."""
    dense = set(nbest.names)
    return {name: weight for name, weight in weights.items() if weight or name in dense}


def score_of(nbest: NBest, weights: dict[str, float], metric: Metric) -> float:
    """Of weights that were changed: a product that is rounded otherwise may break a tie otherwise."""
    from ..tuning import random_search

    return float(random_search(nbest, [[weights.get(name, 0.0) for name in names_of(nbest)]], metric)[0])


NORMALISE = click.option(
    "--normalise",
    type=click.Choice(["sum", "largest"]),
    help="Divide the weights by the sum of their absolute values, as Moses does, or by the largest.  [default: as found]",
)

RESTARTS = click.option(
    "--restarts",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    help="How many climbs follow the one that begins at the start.",
)

FIX = click.option("--fix", metavar="NAME", multiple=True, help="Leave this weight as it is at the start.")


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
@click.option(
    "--wide",
    type=click.IntRange(0),
    help="How many of the --restarts begin at random weights; the others begin near the best end.  [default: 13]",
)
@click.option(
    "--best-first",
    is_flag=True,
    help="Search all axes before each move and take the best one, as Moses does. This takes longer.",
)
@NORMALISE
@click.option(
    "--random-directions",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="How many random directions to search in addition to the axes.",
)
@click.option(
    "--window",
    metavar="min|average:N",
    help="Judge an interval by the minimum or average of its score and those of N neighbours on each side.",
)
@click.option(
    "--search",
    "searched",
    metavar="NAME",
    multiple=True,
    help="Search this sparse feature, too; other sparse features keep their weights.",
)
@click.option("--quiet", is_flag=True, help="Do not show the climbs on standard error.")
@click.option(
    "--plot", metavar="FILE", type=FILE, help="Draw the score along --axis at the weights found, as PNG or SVG."
)
@click.option("--axis", metavar="NAME", help="The feature whose weight the plot varies.")
def mert(
    fix: tuple[str, ...],
    restarts: int,
    start_range: str | None,
    wide: int | None,
    best_first: bool,
    normalise: str | None,
    random_directions: int,
    window: str | None,
    searched: tuple[str, ...],
    quiet: bool,
    plot: str | None,
    axis: str | None,
    **options: Any,
) -> None:
    """Tune weights by exact line search (MERT).

    Finds the weights with the best BLEU on n-best lists, by line searches from many starts. Prints a line with name and weight
    for each feature. On standard error, BLEU is from 0 to 100.

    The lists come from decoders or from Moses's extractor.
    """
    need_standard_output()
    if (plot is None) != (axis is None):
        raise click.UsageError("--plot and --axis go together")
    how, _, width = (window or "").partition(":")
    if window and (how not in ("min", "average") or not (width.isascii() and width.isdecimal())):
        raise click.UsageError(f"--window {shown(window)} is not min:N or average:N")
    given = Given(**options)
    bounds = bounds_of(given.ranges)
    drawn = None if start_range is None else ends_of(start_range)
    if start_range is not None and (drawn is None or not -inf < drawn[0] <= drawn[1] < inf):
        raise click.UsageError(f"--start-range {shown(start_range)} is not LOW:HIGH, such as 0:1")
    metric_of_lists(given.variant, given.smoothing)  # for its errors
    check_outputs([given.output, plot], given.files)
    with input_errors():
        from ..tuning import check_normalised, check_plot, line_search, normalised, plot_surface, tune

        if plot:
            check_plot(plot)
        nbest = given.merged()
        metric = given.metric_for(nbest)
        if axis is not None and axis not in names_of(nbest):
            raise FeatureError(f"there is no feature {shown(axis)}; there are {listed(names_of(nbest))}")
        start, others = given.weights(nbest)
        if nbest.sparse is not None and not quiet:
            click.echo(
                f"cybleu: of {len(nbest.sparse.names)} sparse features {len({*searched})} are searched, and the others keep "
                "their weights, 0 without --start; cybleu kbmira and cybleu pro tune all",
                err=True,
            )
        check_normalised(normalise, bounds, fix)
        if given.output:
            lines_of(dict.fromkeys(nbest.names, 0.0))  # for its error: names that cannot be written
        best: Restart | None = None

        def trace(restart: Restart) -> None:
            nonlocal best
            best = restart if best is None or restart.score > best.score else best
            if not quiet and sys.stderr is not None:
                from tqdm import tqdm

                tqdm.write(str(restart), file=sys.stderr)

        try:
            tuning = tune(
                nbest,
                start,
                restarts,
                random_directions or "axes",
                bounds,
                fix,
                (how, int(width)) if window else None,
                metric,
                given.seed,
                given.threads,
                someone_looks() and not quiet,
                start_range=drawn,
                wide=wide,
                moves="best first" if best_first else "in turn",
                searched=searched,
                trace=trace,
            )
        except KeyboardInterrupt:
            if best is not None:
                click.echo("cybleu: interrupted; these are the best weights so far", err=True)
                weights = normalised({**told(nbest, {**(start or {}), **best.weights}), **others}, normalise)
                given.show({"score": best.score, "scale": best.scale, "interrupted": True}, weights)
                given.write(weights)
            raise
        if not quiet:
            click.echo(str(tuning).partition("\n")[0], err=True)
        weights = normalised({**told(nbest, tuning.weights), **others}, normalise)
        score = tuning.score if normalise is None else score_of(nbest, weights, metric)
        result = {
            "score": score,
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
            of_list = {name: weights.get(name, 0.0) for name in names_of(nbest)}
            found = line_search(nbest, of_list, axis, metric=metric, surface=True)
            plot_surface(plot, found, axis, of_list[axis], tuning.metric, file=file.buffer)

        # first what nothing can keep from being seen: a disk may be full
        given.show(result, weights)
        given.write(weights, (plot, draw))


@click.command("random-search")
@WITH_LISTS
@IN_RANGES
@click.option(
    "--trials", type=click.IntRange(1), default=1000, show_default=True, help="How many random weights to try."
)
@click.option(
    "--weights-file",
    metavar="FILE",
    type=FILE,
    help="Score the weights in this file instead: numbers, with a line for each trial.",
)
def random_search(
    trials: int,
    weights_file: str | None,
    **options: Any,
) -> None:
    """Try many random weights and print the best.

    Weights are drawn evenly from their ranges, by default -1 to 1. The start, if given, is tried first. With --weights-file the
    command prints the score of each line of weights instead, from 0 to 100.
    """
    need_standard_output()
    given = Given(**options)
    bounds = bounds_of(given.ranges)
    metric_of_lists(given.variant, given.smoothing)  # for its errors
    if weights_file and (bounds or given.start):
        raise click.UsageError("--start and --range do not go with --weights-file")
    check_outputs([given.output], [*given.files, weights_file])
    with input_errors():
        from ..tuning import random_search as search
        from ..tuning import random_weights, read_table

        nbest = given.merged()
        metric = given.metric_for(nbest)
        if nbest.sparse is not None:
            raise FeatureError(
                f"there are {len(nbest.sparse.names)} sparse features, for which weights are not drawn; tune them with cybleu "
                "kbmira or cybleu pro"
            )
        if weights_file:
            vectors = read_table(weights_file, nbest.names)
        else:
            first, _ = given.weights(nbest)
            vectors = random_weights(nbest.names, trials, bounds, first, given.seed)
        scores = search(nbest, vectors, metric, given.threads, someone_looks())
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
        given.show(result, weights)
        given.write(weights)
