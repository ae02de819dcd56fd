"""`cybleu tune mert`, `kbmira` and `pro`: weights by line searches, or by pairs of hypotheses."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from operator import eq
from typing import TYPE_CHECKING, Any

import click

from .._files.text import listed, number_of, shown
from .._files.writing import writing
from .._runtime.samples import MOST_REPEATS, MOST_SAMPLES
from .._runtime.scales import counted, percent
from ..errors import FeatureError, InputFileError, WeightsError
from ..metrics import find
from .command import Command, Decorator, FilePath, section
from .lists import (
    check_form,
    first_id_option,
    output_format_option,
    say_same_score,
    smoothing_option,
    tokenize_option,
    told,
)
from .options import (
    as_option,
    from_command_line,
    metric_option,
    orders_option,
    reference_length_option,
    references_argument,
    seed_option,
    shows_progress,
    threads_option,
)

if TYPE_CHECKING:
    from ..nbest import NBest
    from ..tuning import Mira, Restart

NORMALISATIONS = {"l1": "sum", "largest": "largest", "none": None}
# What options of Moses's tuners are here.
MOSES = {"--restarts": "-n", "--passes": "-J --iters --iterations", "--step": "-C"}

# ------------------------------------------------------------------------------------------------- options of each tuner


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


mert_section = section(
    "Line searches (mert)",
    click.option(
        "--restarts",
        type=click.IntRange(0, MOST_REPEATS),
        help="Number of restarts after the climb from the start weights.  [default: 20, or 60 below 20,000 hypotheses]",
    ),
    click.option(
        "--bounds",
        metavar="NAME=LOW:HIGH",
        multiple=True,
        callback=_bounds,
        help="The bounds of a weight, such as lm_0=0:1; repeatable.",
    ),
    click.option("--fixed", metavar="NAME", multiple=True, help="Keep this weight at its start value; repeatable."),
    threads_option,
)


def mira_section(*more: Decorator) -> Decorator:
    """Declare the options of batch MIRA.

    :param more: those that the loop does not have
    """
    return section(
        "Batch MIRA (kbmira)",
        click.option(
            "--step",
            type=click.FloatRange(0, min_open=True),
            default=0.01,
            help="The maximum step size of the weights (C).",
        ),
        click.option(
            "--decay",
            type=click.FloatRange(0, 1),
            default=0.999,
            help="The factor by which the background decays with each segment.",
        ),
        click.option(
            "--shuffle/--no-shuffle",
            default=True,
            show_default=False,
            help="Visit the segments in a random order in each pass, or in the order of the list.",
        ),
        click.option("--safe-hope", is_flag=True, help="Limit the influence of the model score on the choice of hope."),
        click.option(
            "--model-background",
            is_flag=True,
            help="Add the model's best hypothesis to the background instead of hope.",
        ),
        click.option(
            "--rules",
            type=click.Choice(["best", "paper", "moses"]),
            default="best",
            help="Follow the paper, Moses's kbmira, or both, and use the weights that score higher.",
        ),
        click.option(
            "--passes",
            type=click.IntRange(1, MOST_REPEATS),
            default=60,
            help="Number of passes over the segments.",
        ),
        *more,
    )


pro_section = section(
    "Pairwise ranked optimisation (pro)",
    click.option(
        "--samples",
        type=click.IntRange(1, MOST_SAMPLES),
        default=5000,
        help="Number of pairs drawn from each segment.",
    ),
    click.option("--keep", type=click.IntRange(1), default=50, help="Maximum number of pairs kept from each segment."),
    click.option(
        "--minimum",
        type=click.FloatRange(0),
        default=5.0,
        help="Minimum difference of a pair, in BLEU from 0 to 100.",
    ),
    click.option(
        "--regularisation",
        type=click.FloatRange(0, min_open=True),
        default=1.0,
        help="Strength of the L2 regularisation.",
    ),
    click.option(
        "--interpolation",
        type=click.FloatRange(0, 1, min_open=True),
        default=1.0,
        help="Share of the new weights in the result; the rest comes from the start weights.",
    ),
)

# ------------------------------------------------------------------------------------------------ options of all tuners

metric_options = section(
    "Metric",
    metric_option("moses", of_bleu=True, of_sums=True),
    smoothing_option,
    orders_option,
    reference_length_option,
)


def weights_section(start: Decorator) -> Decorator:
    """Declare the options of weights."""
    return section(
        "Weights",
        start,
        click.option(
            "--output", "-o", metavar="FILE", type=FilePath(written=True), help="Also write the weights to this file."
        ),
        output_format_option("json"),
        click.option(
            "--normalise",
            type=click.Choice([*NORMALISATIONS]),
            default="l1",
            help="Divide all weights by the sum of their absolute values (l1), or by the largest absolute value "
            "(largest). Moses sums the absolute values of the dense weights only. With --bounds or --fixed, the default "
            "is none.",
        ),
        seed_option,
    )


def normalisation(normalise: str, bounds: Mapping[str, Any], fixed: Sequence[str]) -> str | None:
    """Return the argument of :func:`cybleu.tuning.normalised`."""
    from ..tuning.space import check_normalised

    if (bounds or fixed) and not from_command_line("normalise"):
        return None
    how = NORMALISATIONS[normalise]
    check_normalised(how, bounds, fixed, as_option)
    return how


def _with_commas(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Split lists of files at commas, as Moses's commands do. A file whose name has a comma is one file."""
    parts = [[value] if os.path.exists(value) else value.split(",") for value in values]
    return tuple(path for part in parts for path in part)


def moses_files_option(name: str, text: str) -> Decorator:
    return click.option(name, metavar="FILE,...", type=FilePath(), multiple=True, callback=_with_commas, help=text)


def tuner_options(function: Any) -> Any:
    """Declare the options of all tuners, which :class:`Task` takes."""
    decorators = (
        click.argument("nbest", metavar="[NBEST", required=False, type=FilePath()),
        metric_options,
        section(
            "Lists",
            first_id_option,
            tokenize_option,
            click.option(
                "--more",
                metavar="NBEST",
                type=FilePath(),
                multiple=True,
                help="Another list of the same segments to merge with NBEST; repeatable.",
            ),
            click.option(
                "--format",
                type=click.Choice(["moses", "joshua", "fairseq", "json"]),
                help="The format of NBEST.  [default: moses or joshua, detected from the first lines]",
            ),
            moses_files_option(
                "--features-file",
                "Features written by Moses's extractor, instead of NBEST and REF; repeatable, each with a --scores-file.",
            ),
            moses_files_option("--scores-file", "Statistics written by Moses's extractor, for each --features-file."),
            click.option("--quiet", is_flag=True, help="Do not show progress on standard error."),
        ),
        references_argument("REF...]", required=False),
        weights_section(
            click.option(
                "--start",
                metavar="FILE|W,W,...",
                type=FilePath(),
                help="The start weights: a file with a name and a weight on each line, a weight file of Moses such as "
                "moses.ini, or a list of the dense weights.  [default: 1, and 0 for sparse features]",
            )
        ),
    )
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


# ---------------------------------------------------------------------------------------------------- read, tune, show


class Task:
    """What a tuner works on, and where its weights go. The parameters are the options that all tuners have.

    :param normalise: see :func:`normalisation`
    :param counting: `format`, `first_id`, `tokenize`, `max_order` and `reference_length`
    :ivar nbest: the merged lists
    :ivar progress: whether there are progress bars
    """

    def __init__(
        self,
        *,
        nbest: str | None,
        references: tuple[str, ...],
        more: tuple[str, ...],
        features_file: tuple[str, ...],
        scores_file: tuple[str, ...],
        metric: str,
        smoothing: str | None,
        start: str | None,
        normalise: str | None,
        output: str | None,
        output_format: str,
        seed: int,
        quiet: bool,
        **counting: Any,
    ):
        from ..nbest.weight_files import check_weights

        self.quiet = quiet
        self.progress = shows_progress() and not quiet
        self.metric = find(metric, smoothing=smoothing)
        self._seed = seed
        self._normalise = normalise
        self._output = output
        self._output_format = output_format
        self._references = references
        self._of_score = {"metric": metric, "smoothing": smoothing, **counting}
        self._best: Any = None  # of the results so far
        if bool(nbest) == bool(features_file) or len(features_file) != len(scores_file):
            raise click.UsageError(
                "give an n-best list and its references, or --features-file and --scores-file in pairs"
            )
        if features_file:
            of_texts = [references, more, counting["format"], counting["max_order"], counting["reference_length"]]
            if any(of_texts) or from_command_line("tokenize"):
                raise click.UsageError(
                    "--features-file cannot be combined with --more, with references or with options of the list"
                )
            self.nbest = _read_moses(features_file, scores_file, counting["first_id"])
        elif not references:
            raise click.UsageError("an n-best list requires a file of references after it")
        else:
            self.nbest = _read_texts([nbest or "", *more], references, progress=self.progress, **counting)
        _say_missing(self.nbest)
        if output is not None:  # names that cannot be written are an error before the work, not after it
            check_weights(dict.fromkeys(self.nbest.all_names, 0.0))
        self._start, unlisted = _start_weights(start, self.nbest)
        check_form(output_format, self.nbest)
        # numbers have no names, so they are only those of the features of the list
        self._unlisted = {} if output_format == "numbers" else unlisted

    def tune(self, tuner: Callable[..., Any], **options: Any) -> Any:
        """Return the result of a tuner. If the user interrupts it, print the best weights so far."""
        try:
            return tuner(self.nbest, self._start, metric=self.metric, seed=self._seed, **options)
        except KeyboardInterrupt:
            best = self._best
            if best is not None:
                click.echo("cybleu: interrupted; these are the best weights so far", err=True)
                found = {"score": best.score, "scale": best.scale, "interrupted": True}
                print_weights(found, self._weights(best), self._output, self._output_format)
            raise

    def follow(self, result: Any, described: str) -> None:
        """Keep the best result so far, and print a line about this one beside the progress bar."""
        if self._best is None or result.score > self._best.score:
            self._best = result
        if not self.quiet and sys.stderr is not None:
            from tqdm import tqdm

            tqdm.write(described, file=sys.stderr)

    def show(self, result: Any, **details: Any) -> None:
        """Print the result and its weights.

        :param details: more entries of the JSON object
        """
        from ..tuning.problem import Problem, score_of
        from ..tuning.results import rise

        if not self.quiet:
            click.echo(f"{result.metric} {rise(result.start_score, result.score, result.scale)}", err=True)
        weights = self._weights(result)
        score = result.score
        if self._normalise is not None:  # products that are rounded differently may break ties differently
            score = score_of(Problem(self.nbest, self.metric), weights)
        found = {
            "score": score,
            "start_score": result.start_score,
            "scale": result.scale,
            "metric": result.metric,
            "segments": len(self.nbest),
            "hypotheses": len(self.nbest.features),
            **details,
        }
        print_weights(found, weights, self._output, self._output_format)
        if not self.quiet and self._references:
            say_same_score(self._references, **self._of_score)

    def _weights(self, result: Any) -> dict[str, float]:
        from ..tuning import normalised

        weights = {**(self._start or {}), **result.weights}
        return normalised({**told(self.nbest, weights), **self._unlisted}, self._normalise)


def _naming(name: str, value: Any = None) -> str:
    """Name the option of an argument; none of all tuners sets the number of lines or of segments."""
    return "" if name in ("size", "segments") else as_option(name, value)


def _read_texts(paths: Sequence[str], references: Sequence[str], **reading: Any) -> NBest:
    """Read lists of a decoder, and merge them."""
    from ..nbest import NBest, merge
    from ..nbest.references import prepare_references

    prepared = prepare_references(references)
    lists = [NBest.from_files(path, prepared, texts=False, naming=_naming, **reading) for path in paths]
    return merge(*lists) if len(lists) > 1 else lists[0]


def _read_moses(features_files: Sequence[str], scores_files: Sequence[str], first_id: int) -> NBest:
    """Read pairs of files of Moses's extractor, and merge their lists."""
    from ..nbest import NBest, merge

    read = partial(NBest.from_moses, first_id=first_id, naming=_naming)
    pairs = [*zip(features_files, scores_files)]
    parts = [read(*pair) for pair in pairs]
    # the last segments of a list may have no hypothesis, so that only the other files tell how many there are
    segments = max(map(len, parts))
    lists = [part if len(part) == segments else read(*pair, segments) for part, pair in zip(parts, pairs)]
    return merge(*lists) if len(lists) > 1 else lists[0]


def _say_missing(nbest: NBest) -> None:
    missing = sum(map(eq, nbest.offsets[:-1].tolist(), nbest.offsets[1:].tolist()))
    if missing:
        click.echo(
            f"cybleu: segments without a hypothesis in the list are ignored: {missing} of {len(nbest)}", err=True
        )


def _start_weights(start: str | None, nbest: NBest) -> tuple[dict[str, float] | None, dict[str, float]]:
    """Return the start weights of features of the list, if any are given, and those of other sparse features.

    :param start: a file of weights, or a list of numbers
    """
    from ..tuning import read_weights

    if start is None:
        return None, {}
    if os.path.exists(start):  # of a text longer than any path, too
        weights = read_weights(start, nbest.names)
        if not weights.keys() >= set(nbest.names):
            return weights, {}  # the tuner reports the feature without a weight
        names = set(nbest.all_names)
        others = {name: weight for name, weight in weights.items() if name not in names}
        if others:
            click.echo(
                f"cybleu: weights of features that are not in the list are not tuned: {listed([*others])}", err=True
            )
        return {name: weight for name, weight in weights.items() if name in names}, others
    try:
        numbers = [number_of(word) for word in start.replace(",", " ").split()]
    except InputFileError:
        raise WeightsError(f"--start {shown(start)} is neither a file nor a list of numbers such as 1,0.5,-1") from None
    if len(numbers) != len(nbest.names):
        raise FeatureError(
            f"--start has {len(numbers)} numbers, but there are {len(nbest.names)} features: {listed(nbest.names)}"
        )
    return dict(zip(nbest.names, numbers)), {}


def print_weights(found: dict[str, Any], weights: dict[str, float], output: str | None, output_format: str) -> None:
    """Print weights, and write them to a file.

    :param found: further entries of the JSON object
    """
    from ..nbest.weight_files import formatted, lines_of

    form = "names" if output_format == "json" else output_format
    if output_format == "json":
        click.echo(json.dumps({**found, "weights": weights}))
    else:
        click.echo("".join(formatted(weights, form)), nl=False)
    if output is not None:  # after printing, because a disk may be full
        with writing(output) as file:
            file.writelines(lines_of(weights, form))


# ------------------------------------------------------------------------------------------------------------ commands


@click.command(cls=Command, other_tools=MOSES)
@tuner_options
@mert_section
def mert(
    restarts: int | None,
    bounds: dict[str, Any],
    fixed: tuple[str, ...],
    threads: int,
    normalise: str,
    **shared: Any,
) -> None:
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

    task = Task(normalise=normalisation(normalise, bounds, fixed), **shared)
    sparse = task.nbest.sparse
    if sparse is not None and not task.quiet:
        click.echo(
            f"cybleu: the weights of {counted(len(sparse.names), 'sparse feature')} are not tuned: they keep their start "
            "values, by default 0; use cybleu tune kbmira or cybleu tune pro to tune them",
            err=True,
        )

    def trace(restart: Restart) -> None:
        task.follow(restart, str(restart))

    result = task.tune(
        tune, restarts=restarts, bounds=bounds, fixed=fixed, threads=threads, progress=task.progress, trace=trace
    )
    climbs = [asdict(restart) for restart in result.restarts]
    task.show(result, line_searches=result.line_searches, climbs=climbs)


@click.command(cls=Command, other_tools=MOSES)
@tuner_options
@mira_section(
    click.option(
        "--return-best-dev/--return-last",
        default=True,
        show_default=False,
        help="Print the average weights after the pass that scored best, or after the last pass.  [default: best]",
    ),
)
def kbmira(
    step: float,
    decay: float,
    shuffle: bool,
    safe_hope: bool,
    model_background: bool,
    rules: str,
    passes: int,
    return_best_dev: bool,
    normalise: str,
    **shared: Any,
) -> None:
    """Tune many features by batch MIRA.

    Tunes the weights of dense and sparse features on n-best lists (Cherry and Foster 2012). Prints one line with the
    name and weight of each feature, except sparse features with weight 0. On standard error, BLEU is from 0 to 100.

    The input is an n-best list from a decoder, or files from Moses's extractor.

    \b
    Examples:
      cybleu tune kbmira dev.nbest.gz dev.ref --start moses.ini
      cybleu tune kbmira dev.nbest.gz dev.ref1 dev.ref2 --passes 30 --output-format moses --output sparse.ini
    """
    from ..tuning import kbmira as tune

    task = Task(normalise=NORMALISATIONS[normalise], **shared)

    def trace(result: Mira) -> None:
        score = percent(result.scores[-1], result.scale or 1)
        task.follow(result, f"{len(result.scores):3} {score:.4f} ({result.rules})")

    result = task.tune(
        tune,
        step=step,
        decay=decay,
        shuffle=shuffle,
        safe_hope=safe_hope,
        model_background=model_background,
        rules=rules,
        passes=passes,
        return_best_dev=return_best_dev,
        trace=trace,
    )
    task.show(result, rules=result.rules, scores=[*result.scores])


@click.command(cls=Command, other_tools=MOSES)
@tuner_options
@pro_section
def pro(
    samples: int,
    keep: int,
    minimum: float,
    regularisation: float,
    interpolation: float,
    normalise: str,
    **shared: Any,
) -> None:
    """Tune many features by pairwise ranked optimisation.

    Tunes the weights of dense and sparse features on n-best lists (PRO, Hopkins and May 2011). Prints one line with the
    name and weight of each feature, except sparse features with weight 0. On standard error, BLEU is from 0 to 100.

    The input is an n-best list from a decoder, or files from Moses's extractor.

    \b
    Examples:
      cybleu tune pro dev.nbest.gz dev.ref --start moses.ini
      cybleu tune pro --features-file run1.dat --scores-file run1.scores --samples 1000
    """
    from ..tuning import pro as tune

    task = Task(normalise=NORMALISATIONS[normalise], **shared)
    result = task.tune(
        tune,
        samples=samples,
        keep=keep,
        minimum=minimum * task.metric.scale / 100,
        regularisation=regularisation,
        interpolation=interpolation,
    )
    task.show(result, pairs=result.pairs)
