"""`cybleu tune mert`, `kbmira` and `pro`: weights by line searches, or by pairs of hypotheses."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from operator import eq
from typing import TYPE_CHECKING, Any

import click

from .._files.text import listed, number_of, shown
from .._files.weights import formatted, lines_of
from .._files.writing import writing
from .._runtime.samples import MOST_REPEATS, MOST_SAMPLES
from .._runtime.scales import counted, percent
from ..errors import FeatureError, InputFileError, WeightsError
from ..metrics import Metric
from .common import (
    ReferenceFiles,
    metric_option,
    orders_option,
    reference_length_option,
    say_same_score,
    seed_option,
    shows_progress,
    threads_option,
)
from .given import argument, arguments_of, choice, command, file, from_command_line, number, option, real, switch
from .lists import MetricOptions, TokenOptions, check_form, names_of, output_format_option, told

if TYPE_CHECKING:
    from ..nbest import NBest
    from ..tuning import Mira, Tuning

NORMALISATIONS = {"l1": "sum", "largest": "largest", "none": None}


def _bounds(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, Any]:
    bounds = {}
    for value in values:
        name, _, text = value.rpartition("=")
        if name in bounds:
            raise click.UsageError(f"--bounds is given twice for {shown(name)}; give it once")
        low, colon, high = text.partition(":")
        try:
            bounds[name] = float(low or "-inf"), float(high or "inf")
        except ValueError:
            colon = ""
        if not (name and colon):
            raise click.UsageError(f"--bounds {shown(value)} is not NAME=LOW:HIGH, such as lm_0=0:1 or lm_0=0:")
    return bounds


# The fields of OfMert, OfMira, PassesOfMira and OfPro are arguments of `tune`, `kbmira` and `pro`, with the same names.


@dataclass(kw_only=True)
class OfMert:
    """Line searches (mert)"""

    restarts: int | None = number(
        least=0,
        most=MOST_REPEATS,
        help="Number of restarts after the climb from the start weights.  [default: 20, or 60 below 20,000 hypotheses]",
    )
    bounds: Mapping[str, Any] = option(
        metavar="NAME=LOW:HIGH",
        multiple=True,
        default=(),
        callback=_bounds,
        help="The bounds of a weight, such as lm_0=0:1; repeatable.",
    )
    fixed: tuple[str, ...] = option(
        metavar="NAME", multiple=True, default=(), help="Keep this weight at its start value; repeatable."
    )
    threads: int = threads_option()


@dataclass(kw_only=True)
class OfMira:
    """Batch MIRA (kbmira)"""

    step: float = real(default=0.01, help="The maximum step size of the weights (C).")
    decay: float = real(
        most=1, with_zero=True, default=0.999, help="The factor by which the background decays with each segment."
    )
    shuffle: bool = switch(
        "--shuffle/--no-shuffle",
        default=True,
        help="Visit the segments in a random order in each pass, or in the order of the list.",
    )
    safe_hope: bool = switch(help="Limit the influence of the model score on the choice of hope.")
    model_background: bool = switch(help="Add the model's best hypothesis to the background instead of hope.")


@dataclass(kw_only=True)
class PassesOfMira(OfMira):
    """Batch MIRA (kbmira)"""

    iterations: int = number(most=MOST_REPEATS, default=60, help="Number of passes over the segments.")
    return_best_dev: bool = switch(
        "--return-best-dev/--return-last",
        default=True,
        help="Print the average weights after the pass that scored best, or after the last pass.  [default: best]",
    )


@dataclass(kw_only=True)
class OfPro:
    """Pairwise ranked optimisation (pro)"""

    samples: int = number(most=MOST_SAMPLES, default=5000, help="Number of pairs drawn from each segment.")
    keep: int = number(default=50, help="Maximum number of pairs kept from each segment.")
    minimum: float = real(with_zero=True, default=5.0, help="Minimum difference of a pair, in BLEU from 0 to 100.")
    regularisation: float = real(default=1.0, help="Strength of the L2 regularisation.")
    interpolation: float = real(
        most=1, default=1.0, help="Share of the new weights in the result; the rest comes from the start weights."
    )


def arguments_of_pro(given: OfPro, metric: Metric) -> dict[str, Any]:
    """Return the arguments of :func:`cybleu.tuning.pro`."""
    return {**arguments_of(given, OfPro), "minimum": given.minimum * metric.scale / 100}


@dataclass(kw_only=True)
class CountingOptions(TokenOptions):
    """Metric"""

    max_order: int | None = orders_option()
    reference_length: str | None = reference_length_option()


@dataclass(kw_only=True)
class TuningOptions(ReferenceFiles, CountingOptions, MetricOptions):
    """Metric"""

    names: tuple[str, ...] = metric_option("moses", of_bleu=True, of_sums=True)


@dataclass(kw_only=True)
class WeightsOptions:
    """Weights"""

    start: str | None = None
    output: str | None = file("-o", written=True, help="Also write the weights to this file.")
    output_format: str = output_format_option("json")
    normalise: str = choice(
        of=[*NORMALISATIONS],
        default="l1",
        help="Divide all weights by the sum of their absolute values (l1), or by the largest absolute value (largest). "
        "Moses sums the absolute values of the dense weights only. With --bounds or --fixed, the default is none.",
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


def _with_commas(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Split lists of files at commas, as Moses's commands do. A file whose name has a comma is one file."""
    parts = [[value] if os.path.exists(value) else value.split(",") for value in values]
    return tuple(path for part in parts for path in part)


def _extracted(what: str) -> Any:
    return file(metavar="FILE,...", multiple=True, default=(), callback=_with_commas, help=what)


@dataclass(kw_only=True)
class ListOptions(WeightsOptions, TuningOptions):
    """Lists"""

    requires_references = False  # files of Moses's extractor have none

    nbest: str | None = argument("[NBEST", required=False)
    references: tuple[str, ...] = argument("REF...]", nargs=-1)
    more: tuple[str, ...] = file(
        metavar="NBEST",
        multiple=True,
        default=(),
        help="Another list of the same segments to merge with NBEST; repeatable.",
    )
    format: str | None = choice(
        of=["moses", "joshua", "fairseq", "json"],
        help="The format of NBEST.  [default: moses or joshua, detected from the first lines]",
    )
    features_file: tuple[str, ...] = _extracted(
        "Features written by Moses's extractor, instead of NBEST and REF; repeatable, each with a --scores-file."
    )
    scores_file: tuple[str, ...] = _extracted("Statistics written by Moses's extractor, for each --features-file.")
    start: str | None = file(
        metavar="FILE|W,W,...",
        help="The start weights: a file with a name and a weight on each line, a weight file of Moses such as "
        "moses.ini, or a list of the dense weights.  [default: 1, and 0 for sparse features]",
    )
    quiet: bool = switch(help="Do not show progress on standard error.")

    def merged(self) -> NBest:
        """Read and merge the lists."""
        from ..nbest import NBest, merge
        from ..nbest.references import prepare_references

        if bool(self.nbest) == bool(self.features_file) or len(self.features_file) != len(self.scores_file):
            raise click.UsageError(
                "give an n-best list and its references, or --features-file and --scores-file in pairs"
            )
        if self.features_file:
            of_texts = self.references or self.max_order or self.reference_length or from_command_line("tokenize")
            if self.more or self.format or of_texts:
                raise click.UsageError(
                    "--features-file cannot be combined with --more, with references or with options of the list"
                )
            read = partial(NBest.from_moses, first_id=self.first_id)
            pairs = list(zip(self.features_file, self.scores_file))
            parts = [read(*pair) for pair in pairs]
            segments = max(map(len, parts))
            parts = [part if len(part) == segments else read(*pair, segments) for part, pair in zip(parts, pairs)]
        elif not self.references:
            raise click.UsageError("an n-best list requires a file of references after it")
        else:
            prepared = prepare_references(self.references)
            progress = shows_progress() and not self.quiet
            how = {**arguments_of(self, CountingOptions), "texts": False, "progress": progress}
            lists = self.nbest or "", *self.more
            parts = [NBest.from_files(path, prepared, self.format, **how) for path in lists]
        nbest = merge(*parts)
        missing = sum(map(eq, nbest.offsets[:-1].tolist(), nbest.offsets[1:].tolist()))
        if missing:
            click.echo(
                f"cybleu: segments without a hypothesis in the list are ignored: {missing} of {len(nbest)}",
                err=True,
            )
        return nbest

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
                    f"cybleu: weights of features that are not in the list are not tuned: {listed([*others])}", err=True
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
                f"--start has {len(numbers)} numbers, but there are {len(nbest.names)} features: {listed(nbest.names)}"
            )
        return dict(zip(nbest.names, numbers)), {}


def run_tuner(
    given: ListOptions,
    tuned: Callable[..., Any],
    more: Callable[[Any], dict[str, Any]],
    line: Callable[[Any], str] | None = None,
) -> None:
    """Read the lists, tune, print and write.

    :param tuned: from a list and a start to a result
    :param more: from the result to more entries of the JSON object
    :param line: from a result so far, which the tuner passes to `trace`, to a line on standard error; None if it passes
        none
    """
    from ..tuning import normalised
    from ..tuning.problem import Problem, score_of

    metric = given.metric
    nbest = given.merged()
    if given.output:
        lines_of(dict.fromkeys(names_of(nbest), 0.0))  # for its error: names that cannot be written
    start, unlisted = given.weights(nbest)
    check_form(given.form, nbest)
    if given.form == "numbers":
        unlisted = {}
    best: Any = None

    def trace(result: Any) -> None:
        nonlocal best
        if best is None or result.score > best.score:
            best = result
        if line is not None and not given.quiet and sys.stderr is not None:
            from tqdm import tqdm

            tqdm.write(line(result), file=sys.stderr)  # beside a progress bar

    def weights_of(result: Any) -> dict[str, float]:
        weights = {**(start or {}), **result.weights}
        return normalised({**told(nbest, weights), **unlisted}, given.normalisation)

    try:
        traced = {} if line is None else {"trace": trace}
        result = tuned(nbest, start, metric=metric, seed=given.seed, **traced)
    except KeyboardInterrupt:
        if best is not None:
            click.echo("cybleu: interrupted; these are the best weights so far", err=True)
            given.show({"score": best.score, "scale": best.scale, "interrupted": True}, weights_of(best))
        raise
    if not given.quiet:
        rise = str(result).partition("\n")[0].removeprefix(f"{result.metric} ")
        click.echo(f"{result.metric} {rise}", err=True)
    weights = weights_of(result)
    shown = {
        "score": result.score if given.normalisation is None else score_of(Problem(nbest, metric), weights),
        "start_score": result.start_score,
        "scale": result.scale,
        "metric": result.metric,
        "segments": len(nbest),
        "hypotheses": len(nbest.features),
    }
    given.show({**shown, **more(result)}, weights)
    if not given.quiet and given.references:
        say_same_score(given)


# ------------------------------------------------------------------------------------------------------------ commands


@dataclass(kw_only=True)
class MertOptions(OfMert, ListOptions):
    """Line searches (mert)"""


@dataclass(kw_only=True)
class KbmiraOptions(PassesOfMira, ListOptions):
    """Batch MIRA (kbmira)"""


@dataclass(kw_only=True)
class ProOptions(OfPro, ListOptions):
    """Pairwise ranked optimisation (pro)"""


@command(MertOptions)
def mert(given: MertOptions) -> None:
    """Tune weights by exact line search (MERT).

    Finds the weights with the best BLEU on n-best lists by line searches from many starting points. Weights of sparse
    features keep their start values. Prints one line with the name and weight of each feature. On standard error, BLEU
    is from 0 to 100.

    The input is an n-best list from a decoder, or files from Moses's extractor.

    \b
    Examples:
      cybleu tune mert dev.nbest.gz dev.ref --start moses.ini
      cybleu tune mert run1.nbest dev.ref --more run2.nbest --bounds lm_0=0: --output-format moses
    """
    from ..tuning import tune
    from ..tuning.space import check_normalised

    def tuned(nbest: NBest, start: dict[str, float] | None, **how: Any) -> Tuning:
        if nbest.sparse is not None and not given.quiet:
            click.echo(
                f"cybleu: the weights of {counted(len(nbest.sparse.names), 'sparse feature')} are not tuned: they keep "
                "their start values, by default 0; use cybleu tune kbmira or cybleu tune pro to tune them",
                err=True,
            )
        how |= {**arguments_of(given, OfMert), "progress": shows_progress() and not given.quiet}
        return tune(nbest, start, **how)

    def more(tuning: Tuning) -> dict[str, Any]:
        return {"line_searches": tuning.line_searches, "climbs": [asdict(restart) for restart in tuning.restarts]}

    check_normalised(given.normalisation, given.bounds, given.fixed)
    run_tuner(given, tuned, more, str)


@command(KbmiraOptions)
def kbmira(given: KbmiraOptions) -> None:
    """Tune many features by batch MIRA.

    Tunes the weights of dense and sparse features on n-best lists (Cherry and Foster 2012). Prints one line with the
    name and weight of each feature, except sparse features with weight 0. On standard error, BLEU is from 0 to 100.

    The input is an n-best list from a decoder, or files from Moses's extractor.

    \b
    Examples:
      cybleu tune kbmira dev.nbest.gz dev.ref --start moses.ini
      cybleu tune kbmira dev.nbest.gz dev.ref1 dev.ref2 --iterations 30 --output-format moses --output sparse.ini
    """
    from ..tuning import kbmira as tuned

    def line(result: Mira) -> str:
        return f"{len(result.scores):3} {percent(result.scores[-1], result.scale or 1):.4f}"

    how = arguments_of(given, PassesOfMira)
    run_tuner(given, partial(tuned, **how), lambda result: {"scores": list(result.scores)}, line)


@command(ProOptions)
def pro(given: ProOptions) -> None:
    """Tune many features by pairwise ranked optimisation.

    Tunes the weights of dense and sparse features on n-best lists (PRO, Hopkins and May 2011). Prints one line with the
    name and weight of each feature, except sparse features with weight 0. On standard error, BLEU is from 0 to 100.

    The input is an n-best list from a decoder, or files from Moses's extractor.

    \b
    Examples:
      cybleu tune pro dev.nbest.gz dev.ref --start moses.ini
      cybleu tune pro --features-file run1.dat --scores-file run1.scores --samples 1000
    """
    from ..tuning import pro as tuned

    how = arguments_of_pro(given, given.metric)
    run_tuner(given, partial(tuned, **how), lambda result: {"pairs": result.pairs})
