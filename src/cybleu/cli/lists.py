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
    References,
    check_outputs,
    metric_of,
    metric_option,
    need_standard_output,
    of_sums_of_bleu,
    one_standard_input,
    order_option,
    reference_length_option,
    references_option,
    same_score,
    seed_option,
    stderr_is_tty,
    threads_option,
)
from .given import argument, choice, file, from_command_line, number, option, switch

if TYPE_CHECKING:
    from ..nbest import NBest

NORMALISATIONS = {"l1": "sum", "largest": "largest", "none": None}


def tokenize_option() -> Any:
    return option(
        metavar="NAME",
        default="unicode",
        help="The tokeniser: unicode splits at any white space, ascii at that of ASCII only as multi-bleu.perl does, space at spaces "
        "only as Moses does; or one of sacreBLEU, such as 13a, intl, zh or char.",
    )


def first_id_option() -> Any:
    return number(least=0, default=0, help="The id of the first segment.")


def output_format_option(*more: str) -> Any:
    return choice(
        of=[*FORMS, *more],
        default="names",
        help="How weights are written: `lm_0 0.5`; for Moses `lm= 0.5 0.2` as in moses.ini, or with a line for each weight (dense); "
        "or only numbers, in the order of the features.",
    )


def _with_commas(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Split lists of files at commas, as Moses's commands do. A file whose name has a comma is one file."""
    parts = [[value] if os.path.exists(value) else value.split(",") for value in values]
    return tuple(path for part in parts for path in part)


def _ends_of(text: str) -> tuple[float, float] | None:
    """Parse LOW:HIGH; a missing number is infinite. None if the text is something else."""
    low, colon, high = text.partition(":")
    try:
        return (number_of(low) if low else -inf, number_of(high) if high else inf) if colon else None
    except InputFileError:
        return None


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """Line searches (mert)"""

    restarts: int | None = number(
        least=0,
        most=MOST_REPEATS,
        help="Number of restarts after the climb from the start.  [default: 20, or 60 for fewer than 20,000 hypotheses]",
    )
    bounds: tuple[str, ...] = option(
        metavar="NAME=LOW:HIGH", multiple=True, default=(), help="The bounds of a weight; repeat the option."
    )
    fixed: tuple[str, ...] = option(
        metavar="NAME", multiple=True, default=(), help="Leave this weight as it is at the start; repeat the option."
    )
    threads: int = threads_option()

    @property
    def search(self) -> dict[str, Any]:
        """The arguments of :func:`cybleu.tuning.tune`."""
        bounds = {}
        for value in self.bounds:
            name, _, text = value.rpartition("=")
            ends = _ends_of(text)
            if not name or ends is None:
                raise click.UsageError(f"--bounds {shown(value)} is not NAME=LOW:HIGH, such as lm=0:1 or lm=0:")
            bounds[name] = ends
        return {"restarts": self.restarts, "bounds": bounds, "fixed": self.fixed, "threads": self.threads}


@dataclass(frozen=True, kw_only=True)
class TuningOptions(References):
    """Metric"""

    variant: str = metric_option("moses", of_sums_of_bleu)
    smoothing: str | None = option(metavar="NAME", help="The smoothing of BLEU.  [default: that of the tool]")
    order: int | None = order_option()
    reference_length: str | None = reference_length_option()
    tokenize: str = tokenize_option()

    @property
    def metric(self) -> Metric:
        """The metric that the options name."""
        return metric_of(self.variant, self.smoothing)


@dataclass(frozen=True, kw_only=True)
class WeightsOptions:
    """Weights"""

    start: str | None = None
    output: str | None = file(help="Write the weights to this file, too.")
    output_format: str = output_format_option("json")
    normalise: str = choice(
        of=[*NORMALISATIONS],
        default="l1",
        help="Divide the weights by the sum of their absolute values (l1), as Moses does, or by the largest. Weights that are fixed or "
        "bounded by numbers are not divided.",
    )
    seed: int = seed_option()

    @property
    def form(self) -> str:
        """How weights are written to a file."""
        return "names" if self.output_format == "json" else self.output_format

    @property
    def normalisation(self) -> str | None:
        """The argument of :func:`cybleu.tuning.normalised`."""
        kept = getattr(self, "fixed", ()) or getattr(self, "bounds", ())
        return None if kept and not from_command_line("normalise") else NORMALISATIONS[self.normalise]

    def show(self, result: dict[str, Any], weights: dict[str, float]) -> None:
        """Print the weights, and write them to a file."""
        if self.output_format == "json":  # printed first, because a disk may be full
            click.echo(json.dumps({**result, "weights": weights}))
        else:
            click.echo("".join(formatted(weights, self.form)), nl=False)
        if self.output:
            with writing(self.output) as file:
                file.writelines(lines_of(weights, self.form))


@dataclass(frozen=True, kw_only=True)
class ListOptions(WeightsOptions, TuningOptions):
    """Lists"""

    requires_references = False  # files of Moses's extractor have none

    nbest: str | None = argument("[NBEST", required=False)
    references: tuple[str, ...] = argument("REF...]", nargs=-1)
    other_references: tuple[str, ...] = references_option()
    more: tuple[str, ...] = file(
        metavar="NBEST",
        multiple=True,
        default=(),
        help="Another list of the same segments, which is merged with NBEST; repeat the option.",
    )
    format: str | None = choice(
        of=["moses", "joshua", "fairseq", "json"],
        help="The format of NBEST.  [default: moses or joshua, as the first lines look]",
    )
    first_id: int = first_id_option()
    features_file: tuple[str, ...] = file(
        metavar="FILE,...",
        multiple=True,
        default=(),
        callback=_with_commas,
        help="The features that Moses's extractor wrote, in place of NBEST and REF; repeat the option, each with a --scores-file.",
    )
    scores_file: tuple[str, ...] = file(
        metavar="FILE,...",
        multiple=True,
        default=(),
        callback=_with_commas,
        help="The scores that it wrote, for each --features-file.",
    )
    start: str | None = file(
        metavar="FILE|W,W,...",
        help="The weights to start from: a file with a name and a weight on each line, or as Moses has them, such as moses.ini; or a "
        "list of the dense weights.  [default: 1, and 0 for sparse features]",
    )
    quiet: bool = switch(help="Show no progress on standard error.")

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
        prepared = prepare_references(self.references)
        progress = stderr_is_tty()
        return merge(
            *(
                NBest.from_files(
                    path,
                    prepared,
                    self.format,
                    first_id=self.first_id,
                    tokenize=self.tokenize,
                    max_order=self.order,
                    reference_length=self.reference_length,
                    texts=False,
                    progress=progress,
                )
                for path in lists
            )
        )

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
    check_form(given.form, nbest)
    if given.form == "numbers":
        unlisted = {}

    def told_of(result: Any) -> dict[str, float]:
        return normalised({**told(nbest, result.weights), **unlisted}, given.normalisation)

    try:
        result = tuned(nbest, start, metric=metric, seed=given.seed)
    except KeyboardInterrupt:
        found = best()
        if found is not None:
            click.echo("cybleu: interrupted; these are the best weights so far", err=True)
            given.show({"score": found.score, "scale": found.scale, "interrupted": True}, told_of(found))
        raise
    if not given.quiet:
        rise = str(result).partition("\n")[0].removeprefix(f"{result.metric} ")
        click.echo(f"{result.metric} {rise}", err=True)
    weights = told_of(result)
    shown = {
        "score": result.score if given.normalisation is None else score_of(nbest, weights, metric),
        "start_score": result.start_score,
        "scale": result.scale,
        "metric": result.metric,
        "segments": len(nbest),
        "hypotheses": len(nbest.features),
    }
    given.show({**shown, **more(result)}, weights)
    if not given.quiet and given.references:
        click.echo(same_score(given, "OUTPUT"), err=True)


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
