"""`cybleu kbmira` and `cybleu pro`: weights of many features, by pairs of hypotheses."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from .._files.text import number_of, shown
from .._runtime.samples import MOST_REPEATS, MOST_SAMPLES
from .._runtime.scales import percent
from ..errors import InputFileError
from ..metrics import Metric
from .common import input_errors, with_parameters
from .lists import NORMALISE, WITH_LISTS, begun, names_of, run_tuner


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
    click.option(
        "--passes",
        type=click.IntRange(1, MOST_REPEATS),
        default=60,
        show_default=True,
        help="How many passes over the segments.",
    ),
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
    click.option(
        "--samples",
        type=click.IntRange(1, MOST_SAMPLES),
        default=5000,
        show_default=True,
        help="How many pairs are drawn from each segment.",
    ),
    click.option(
        "--keep",
        type=click.IntRange(1),
        default=50,
        show_default=True,
        help="How many pairs of each segment are kept, at most.",
    ),
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


def mira_options(options: dict[str, Any]) -> dict[str, Any]:
    """The arguments of kbmira."""
    return {
        "iterations": options.pop("passes"),
        "shuffle": not options.pop("no_shuffle"),
        **{name: options.pop(name) for name in ("step", "decay", "safe_hope", "model_background")},
    }


def pro_options(options: dict[str, Any]) -> dict[str, Any]:
    """The arguments of pro, with `minimum` from 0 to 100."""
    return {name: options.pop(name) for name in ("samples", "keep", "minimum", "regularisation", "interpolation")}


def on_scale(arguments: dict[str, Any], metric: Metric) -> dict[str, Any]:
    """The same with `minimum` on the metric's scale."""
    return {**arguments, "minimum": arguments["minimum"] * metric.scale / 100}


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
def kbmira(return_best_dev: bool, normalise: str | None, quiet: bool, **options: Any) -> None:
    """Tune many features by batch MIRA.

    Finds weights on n-best lists (Cherry and Foster 2012), those of sparse features included. Prints a line with name and
    weight for each dense feature, and for each sparse one whose weight is not 0. On standard error, BLEU is from 0 to 100.

    The lists come from decoders or from Moses's extractor.
    """
    from ..tuning import Mira
    from ..tuning import kbmira as tuned

    how = {**mira_options(options), "return_best_dev": return_best_dev}
    best: Mira | None = None

    def trace(result: Mira) -> None:
        nonlocal best
        best = result
        if not quiet:
            score = f"{percent(result.scores[-1], result.scale or 1):.4f}"
            click.echo(f"{len(result.scores):3} {score}", err=True)

    run = partial(tuned, **how, trace=trace)
    _run(run, lambda: best, lambda result: {"scores": list(result.scores)}, normalise, quiet, options)


@click.command()
@WITH_LISTS
@OF_PRO
@NORMALISE
@click.option("--quiet", is_flag=True, help="Do not show the scores on standard error.")
def pro(normalise: str | None, quiet: bool, **options: Any) -> None:
    """Tune many features by pairwise ranked optimisation.

    Finds weights on n-best lists (PRO, Hopkins and May 2011), those of sparse features included. Prints a line with name and
    weight for each dense feature, and for each sparse one whose weight is not 0. On standard error, BLEU is from 0 to 100.

    The lists come from decoders or from Moses's extractor.
    """
    from ..tuning import pro as tuned

    how = pro_options(options)

    def run(nbest: Any, start: Any, *, metric: Metric, seed: int) -> Any:
        return tuned(nbest, start, metric=metric, seed=seed, **on_scale(how, metric))

    _run(run, lambda: None, lambda result: {"pairs": result.pairs}, normalise, quiet, options)


def _run(tuned: Any, best: Any, more: Any, normalise: str | None, quiet: bool, options: dict[str, Any]) -> None:
    given = begun(options)
    with input_errors():
        run_tuner(given, tuned, best, more, normalise, quiet, names_of)
