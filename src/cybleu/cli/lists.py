"""N-best lists of the commands that tune weights: options, reading, and writing the weights."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from operator import eq
from typing import TYPE_CHECKING, Any

import click

from .._files.text import listed, number_of, shown
from .._files.weights import FORMS, formatted, lines_of
from .._files.writing import writing
from .._runtime.samples import MOST_REPEATS
from ..errors import FeatureError, InputFileError, WeightsError
from ..metrics import Metric
from .common import (
    FILE,
    FIRST_ID,
    ORDER,
    REFERENCE_LENGTH,
    SMOOTHING,
    THREADS,
    TOKENIZE,
    check_outputs,
    choice_option,
    file_option,
    from_command_line,
    metric_of,
    need_standard_output,
    number_option,
    of_sums_of_bleu,
    one_standard_input,
    stderr_is_tty,
    variant,
    with_parameters,
)

if TYPE_CHECKING:
    from ..nbest import NBest

SEED = number_option("--seed", least=0, default=0, help="The seed of everything that is random.")
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print a JSON object, with all digits of the numbers.")
OUTPUT_FORMAT = choice_option(
    "--output-format",
    of=FORMS,
    default="names",
    help=(
        "How weights are written: `lm_0 0.5`; for Moses `lm= 0.5 0.2` as in moses.ini, or with a line for each weight (dense); "
        "or only numbers, in the order of the features."
    ),
)
OUTPUT = with_parameters(file_option("--output", help="Write the weights to this file, too."), OUTPUT_FORMAT)
NORMALISE = choice_option(
    "--normalise",
    of=["sum", "largest"],
    help="Divide the weights by the sum of their absolute values, as Moses does, or by the largest.  [default: as found]",
)
RESTARTS = number_option(
    "--restarts",
    least=0,
    most=MOST_REPEATS,
    help="Number of restarts after the climb from the start.  [default: 20, or 60 for fewer than 20,000 hypotheses]",
)
FIX = click.option(
    "--fix", metavar="NAME", multiple=True, help="Leave this weight as it is at the start. May be given several times."
)
OF_COUNTS = with_parameters(FIRST_ID, TOKENIZE, ORDER, REFERENCE_LENGTH, variant("moses", of_sums_of_bleu), SMOOTHING)


def _with_commas(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Split lists of files at commas, as Moses's commands do. A file whose name has a comma is one file."""
    parts = [[value] if os.path.exists(value) else value.split(",") for value in values]
    return tuple(path for part in parts for path in part)


WITH_LISTS = with_parameters(
    click.argument("nbest", metavar="[NBEST", required=False, type=FILE),
    click.argument("references", metavar="REF...]", nargs=-1, type=FILE),
    file_option(
        "--more",
        metavar="NBEST",
        multiple=True,
        help="Another list of the same segments, which is merged with NBEST. May be given several times.",
    ),
    file_option(
        "--features-file",
        metavar="FILE,...",
        multiple=True,
        callback=_with_commas,
        help="The features that Moses's extractor wrote, in place of NBEST and REF. May be given several times, each with a --scores-file.",
    ),
    file_option(
        "--scores-file",
        metavar="FILE,...",
        multiple=True,
        callback=_with_commas,
        help="The scores that it wrote, for each --features-file.",
    ),
    choice_option(
        "--format",
        "format_",
        of=["moses", "joshua", "fairseq", "json"],
        help="The format of NBEST.  [default: moses or joshua, as the first lines look]",
    ),
    OF_COUNTS,
    SEED,
    AS_JSON,
    file_option(
        "--start",
        metavar="FILE|W,W,...",
        help=(
            "The weights to start from: a file with a name and a weight on each line, or as Moses has them, such as moses.ini; or a "
            "list of the dense weights.  [default: 1, and 0 for sparse features]"
        ),
    ),
    OUTPUT,
)
IN_RANGES = with_parameters(
    click.option(
        "--range",
        "ranges",
        metavar="NAME=LOW:HIGH",
        multiple=True,
        help="The bounds of a weight. May be given several times.",
    ),
    THREADS,
)


def _ends_of(text: str) -> tuple[float, float] | None:
    """Parse LOW:HIGH; a missing number is infinite. None if the text is something else."""
    low, colon, high = text.partition(":")
    try:
        return (number_of(low) if low else -inf, number_of(high) if high else inf) if colon else None
    except InputFileError:
        return None


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """The options of line searches."""

    ranges: tuple[str, ...]
    threads: int
    restarts: int | None
    fix: tuple[str, ...]

    @property
    def bounds(self) -> dict[str, tuple[float, float]]:
        """The bounds of weights, by name."""
        bounds = {}
        for value in self.ranges:
            name, _, text = value.rpartition("=")
            ends = _ends_of(text)
            if not name or ends is None:
                raise click.UsageError(f"--range {shown(value)} is not NAME=LOW:HIGH, such as lm=0:1 or lm=0:")
            bounds[name] = ends
        return bounds


@dataclass(frozen=True, kw_only=True)
class TuningOptions:
    """The options of all commands that tune weights."""

    references: tuple[str, ...]
    format_: str | None
    first_id: int
    tokenize: str
    order: int | None
    reference_length: str | None
    variant: str
    smoothing: str | None
    seed: int
    as_json: bool
    output: str | None
    output_format: str
    normalise: str | None = None


@dataclass(frozen=True, kw_only=True)
class ListOptions(TuningOptions):
    """The options of the commands that tune on lists."""

    nbest: str | None
    more: tuple[str, ...]
    features_file: tuple[str, ...]
    scores_file: tuple[str, ...]
    start: str | None
    quiet: bool = False

    @property
    def files(self) -> list[str | None]:
        return [self.start, self.nbest, *self.references, *self.more, *self.features_file, *self.scores_file]

    def check(self) -> None:
        """Check the options before a list is read."""
        need_standard_output()
        metric_of(self.variant, self.smoothing)  # for its errors
        check_outputs([self.output], self.files)

    def merged(self) -> NBest:
        """Read and merge the lists."""
        nbest = self._merged()
        missing = sum(map(eq, nbest.offsets[:-1].tolist(), nbest.offsets[1:].tolist()))
        if missing:
            click.echo(
                f"cybleu: segments without a hypothesis in the list, which do not count: {missing} of {len(nbest)}",
                err=True,
            )
        return nbest

    def _merged(self) -> NBest:
        from ..nbest import NBest, merge
        from ..nbest.references import prepare_references

        if bool(self.nbest) == bool(self.features_file) or len(self.features_file) != len(self.scores_file):
            raise click.UsageError(
                "give an n-best list and its references, or --features-file and --scores-file in pairs"
            )
        if self.features_file:
            if self.more or from_command_line("tokenize") or self.order or self.reference_length:
                raise click.UsageError("--more and options of the text do not go with --features-file")
            pairs = list(zip(self.features_file, self.scores_file))

            def read(pair: tuple[str, str], segments: int | None) -> NBest:
                return NBest.from_moses(*pair, segments, first_id=self.first_id)

            parts = [read(pair, None) for pair in pairs]
            segments = max(map(len, parts))
            return merge(*(part if len(part) == segments else read(pair, segments) for part, pair in zip(parts, pairs)))
        if not self.references:
            raise click.UsageError("there is no file of references after the n-best list")
        lists = self.nbest or "", *self.more
        one_standard_input(*lists, *self.references)
        prepared = prepare_references(self.references, self.tokenize, self.order, self.reference_length)
        progress = stderr_is_tty()
        return merge(
            *(
                NBest.from_files(
                    path,
                    prepared,
                    self.format_,
                    first_id=self.first_id,
                    tokenize=self.tokenize,
                    texts=False,
                    progress=progress,
                )
                for path in lists
            )
        )

    @property
    def metric(self) -> Metric:
        """The metric that the options name."""
        return metric_of(self.variant, self.smoothing)

    def weights(self, nbest: NBest) -> tuple[dict[str, float] | None, dict[str, float]]:
        """Those to start from, of a file with names or of a list of numbers, if there are any; and those of sparse features
        that the list does not have."""
        if self.start is None:
            return None, {}
        if os.path.exists(self.start):  # of a text longer than any path, too
            from ..tuning import read_weights

            weights = read_weights(self.start, nbest.names)
            names = set(names_of(nbest))
            if not weights.keys() >= set(nbest.names):
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

    def give(self, result: dict[str, Any], weights: dict[str, float]) -> None:
        """Print the weights, and write them to a file."""
        show(self.as_json, result, weights, self.output_format)  # printed first, because a disk may be full
        if self.output:
            with writing(self.output) as file:
                file.writelines(lines_of(weights, self.output_format))


def run_tuner(
    given: ListOptions,
    tuned: Callable[..., Any],
    best: Callable[[], Any],
    more: Callable[[Any], dict[str, Any]],
    written: Callable[[NBest], Sequence[str]],
) -> None:
    """Read the lists, tune, print and write.

    :param tuned: from a list and a start to a result
    :param best: the best result so far, or None
    :param more: from the result to more entries of the JSON object
    :param written: the features of a list whose weights may be written
    """
    from ..tuning import normalised

    nbest = given.merged()
    metric = given.metric
    if given.output:
        lines_of(dict.fromkeys(written(nbest), 0.0))  # for its error: names that cannot be written
    start, unlisted = given.weights(nbest)
    check_form(given.output_format, nbest)
    if given.output_format == "numbers":
        unlisted = {}

    def told_of(result: Any) -> dict[str, float]:
        return normalised({**told(nbest, result.weights), **unlisted}, given.normalise)

    try:
        result = tuned(nbest, start, metric=metric, seed=given.seed)
    except KeyboardInterrupt:
        found = best()
        if found is not None:
            click.echo("cybleu: interrupted; these are the best weights so far", err=True)
            given.give({"score": found.score, "scale": found.scale, "interrupted": True}, told_of(found))
        raise
    if not given.quiet:
        rise = str(result).partition("\n")[0].removeprefix(f"{result.metric} ")
        click.echo(f"{result.metric} {rise}", err=True)
    weights = told_of(result)
    shown = {
        "score": result.score if given.normalise is None else score_of(nbest, weights, metric),
        "start_score": result.start_score,
        "scale": result.scale,
        "metric": result.metric,
        "segments": len(nbest),
        "hypotheses": len(nbest.features),
    }
    given.give({**shown, **more(result)}, weights)


def show(as_json: bool, result: dict[str, Any], weights: dict[str, float], form: str) -> None:
    if as_json:
        click.echo(json.dumps({**result, "weights": weights}))
    else:
        click.echo("".join(formatted(weights, form)), nl=False)


def check_form(form: str, nbest: NBest) -> None:
    """Check that the weights of the features can be written in this form."""
    if form == "numbers" and nbest.sparse is not None:
        raise FeatureError(
            f"there are {len(nbest.sparse.names)} sparse features, whose weights need names; write --output-format moses"
        )


def names_of(nbest: NBest) -> tuple[str, ...]:
    """The names of all features, sparse ones last."""
    return nbest.names if nbest.sparse is None else (*nbest.names, *nbest.sparse.names)


def told(nbest: NBest, weights: dict[str, float]) -> dict[str, float]:
    """The weights that are printed: those of dense features, and of sparse ones those that are not 0."""
    dense = set(nbest.names)
    return {name: weight for name, weight in weights.items() if weight or name in dense}


def score_of(nbest: NBest, weights: dict[str, float], metric: Metric) -> float:
    """Score weights after they were changed: with other roundings, ties may be broken differently."""
    from ..tuning import line_search

    names = names_of(nbest)
    of_list = {name: weights.get(name, 0.0) for name in names}
    return line_search(nbest, of_list, names[0], 0.0, 0.0, metric=metric).score
