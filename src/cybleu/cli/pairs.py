"""`cybleu kbmira` and `cybleu pro`: weights of many features, by pairs of hypotheses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from .._files.text import number_of, shown
from .._runtime.samples import MOST_REPEATS, MOST_SAMPLES
from .._runtime.scales import percent
from ..errors import InputFileError
from ..metrics import Metric
from .common import as_options, input_errors, number_option, with_parameters
from .lists import NORMALISE, WITH_LISTS, ListOptions, names_of, run_tuner

if TYPE_CHECKING:
    from ..nbest import NBest


class Number(click.ParamType):  # type: ignore[type-arg]
    """A number as files of weights have it, in a range."""

    name = "x"

    def __init__(self, most: float = float("inf"), with_zero: bool = False):
        self.most, self.with_zero = most, with_zero

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        if isinstance(value, float):
            return value
        try:
            number = number_of(value)
        except InputFileError:
            number = -1.0
        if not (0 < number <= self.most or (number == 0 and self.with_zero)):
            least = "from 0" if self.with_zero else "above 0"
            most = "" if self.most == float("inf") else f", at most {self.most:g}"
            self.fail(f"{shown(str(value))} is not a number {least}{most}", parameter, context)
        return number


OF_MIRA = with_parameters(
    number_option("--passes", most=MOST_REPEATS, default=60, help="How many passes over the segments."),
    click.option("--step", type=Number(), default=0.01, show_default=True, help="The largest step (C) of the weights."),
    click.option(
        "--decay",
        type=Number(1, True),
        default=0.999,
        show_default=True,
        help="The factor by which the background decays with each segment.",
    ),
    click.option("--no-shuffle", is_flag=True, help="Take the segments in the order of the list in each pass."),
    click.option("--safe-hope", is_flag=True, help="Limit how much the model's score counts in the choice of hope."),
    click.option(
        "--model-background",
        "--model-bg",
        is_flag=True,
        help="Add the model's best hypothesis, not hope, to the background.",
    ),
)
OF_PRO = with_parameters(
    number_option("--samples", most=MOST_SAMPLES, default=5000, help="How many pairs are drawn from each segment."),
    number_option("--keep", default=50, help="How many pairs of each segment are kept, at most."),
    click.option(
        "--minimum",
        type=Number(with_zero=True),
        default=5.0,
        show_default=True,
        help="The smallest difference of a pair, in BLEU from 0 to 100.",
    ),
    click.option(
        "--regularisation",
        type=Number(),
        default=1.0,
        show_default=True,
        help="How much the squares of the weights count.",
    ),
    click.option(
        "--interpolation",
        type=Number(1),
        default=1.0,
        show_default=True,
        help="The share of the new weights in the result; the rest is that of the start.",
    ),
)


@dataclass(frozen=True, kw_only=True)
class MiraOptions:
    """The options of batch MIRA."""

    passes: int
    step: float
    decay: float
    no_shuffle: bool
    safe_hope: bool
    model_background: bool

    @property
    def mira(self) -> dict[str, Any]:
        """The arguments of :func:`cybleu.tuning.kbmira`."""
        return {
            "iterations": self.passes,
            "step": self.step,
            "decay": self.decay,
            "shuffle": not self.no_shuffle,
            "safe_hope": self.safe_hope,
            "model_background": self.model_background,
        }


@dataclass(frozen=True, kw_only=True)
class ProOptions:
    """The options of pairwise ranked optimisation."""

    samples: int
    keep: int
    minimum: float  # from 0 to 100
    regularisation: float
    interpolation: float

    def pro(self, metric: Metric) -> dict[str, Any]:
        """The arguments of :func:`cybleu.tuning.pro`."""
        return {
            "samples": self.samples,
            "keep": self.keep,
            "minimum": self.minimum * metric.scale / 100,
            "regularisation": self.regularisation,
            "interpolation": self.interpolation,
        }


@dataclass(frozen=True, kw_only=True)
class KbmiraOptions(MiraOptions, ListOptions):
    return_best_dev: bool


@dataclass(frozen=True, kw_only=True)
class ProCommandOptions(ProOptions, ListOptions):
    pass


@click.command()
@WITH_LISTS
@OF_MIRA
@click.option(
    "--return-best-dev/--return-last",
    default=True,
    help="Print the average of the weights after the pass that scored best, or after the last pass.  [default: best]",
)
@NORMALISE
@click.option("--quiet", is_flag=True, help="Do not show the passes on standard error.")
@as_options(KbmiraOptions)
def kbmira(given: KbmiraOptions) -> None:
    """Tune many features by batch MIRA.

    Finds weights on n-best lists (Cherry and Foster 2012), those of sparse features included. Prints a line with name and
    weight for each dense feature, and for each sparse one whose weight is not 0. On standard error, BLEU is from 0 to 100.

    The lists come from decoders or from Moses's extractor.
    """
    from ..tuning import Mira
    from ..tuning import kbmira as tuned

    best: Mira | None = None

    def trace(result: Mira) -> None:
        nonlocal best
        best = result
        if not given.quiet:
            score = f"{percent(result.scores[-1], result.scale or 1):.4f}"
            click.echo(f"{len(result.scores):3} {score}", err=True)

    run = partial(tuned, **given.mira, return_best_dev=given.return_best_dev, trace=trace)
    given.check()
    with input_errors():
        run_tuner(given, run, lambda: best, lambda result: {"scores": list(result.scores)}, names_of)


@click.command()
@WITH_LISTS
@OF_PRO
@NORMALISE
@click.option("--quiet", is_flag=True, help="Do not show the scores on standard error.")
@as_options(ProCommandOptions)
def pro(given: ProCommandOptions) -> None:
    """Tune many features by pairwise ranked optimisation.

    Finds weights on n-best lists (PRO, Hopkins and May 2011), those of sparse features included. Prints a line with name and
    weight for each dense feature, and for each sparse one whose weight is not 0. On standard error, BLEU is from 0 to 100.

    The lists come from decoders or from Moses's extractor.
    """
    from ..tuning import pro as tuned

    def run(nbest: NBest, start: Any, *, metric: Metric, seed: int) -> Any:
        return tuned(nbest, start, metric=metric, seed=seed, **given.pro(metric))

    given.check()
    with input_errors():
        run_tuner(given, run, lambda: None, lambda result: {"pairs": result.pairs}, names_of)
