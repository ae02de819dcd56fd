"""`cybleu tune kbmira` and `cybleu tune pro`: weights of many features, by pairs of hypotheses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from .._runtime.samples import MOST_REPEATS, MOST_SAMPLES
from .._runtime.scales import percent
from ..metrics import Metric
from .common import input_errors
from .given import arguments_of, command, number, real, switch
from .lists import ListOptions, names_of, run_tuner

if TYPE_CHECKING:
    from ..nbest import NBest
    from ..tuning import Mira


@dataclass(frozen=True, kw_only=True)
class OfMira:
    """Batch MIRA (kbmira)"""

    step: float = real(default=0.01, help="The largest step (C) of the weights.")
    decay: float = real(
        most=1, with_zero=True, default=0.999, help="The factor by which the background decays with each segment."
    )
    shuffle: bool = switch(
        "--shuffle/--no-shuffle",
        default=True,
        help="Take the segments in a random order in each pass, or in that of the list.",
    )
    safe_hope: bool = switch(help="Limit how much the model's score counts in the choice of hope.")
    model_background: bool = switch(help="Add the model's best hypothesis, not hope, to the background.")


@dataclass(frozen=True, kw_only=True)
class OfPro:
    """Pairwise ranked optimisation (pro)"""

    samples: int = number(most=MOST_SAMPLES, default=5000, help="How many pairs are drawn from each segment.")
    keep: int = number(default=50, help="How many pairs of each segment are kept, at most.")
    minimum: float = real(with_zero=True, default=5.0, help="The smallest difference of a pair, in BLEU from 0 to 100.")
    regularisation: float = real(default=1.0, help="How much the squares of the weights count.")
    interpolation: float = real(
        most=1, default=1.0, help="The share of the new weights in the result; the rest is that of the start."
    )


def arguments_of_pro(given: OfPro, metric: Metric) -> dict[str, Any]:
    """Return the arguments of :func:`cybleu.tuning.pro`."""
    return {**arguments_of(given, OfPro), "minimum": given.minimum * metric.scale / 100}


@dataclass(frozen=True, kw_only=True)
class KbmiraOptions(OfMira, ListOptions):
    """Passes"""

    iterations: int = number(most=MOST_REPEATS, default=60, help="How many passes over the segments.")
    return_best_dev: bool = switch(
        "--return-best-dev/--return-last",
        default=True,
        help="Print the average of the weights after the pass that scored best, or after the last pass.  [default: best]",
    )


@dataclass(frozen=True, kw_only=True)
class ProOptions(OfPro, ListOptions):
    """Pairwise ranked optimisation"""


@command(KbmiraOptions)
def kbmira(given: KbmiraOptions) -> None:
    """Tune many features by batch MIRA.

    Finds weights on n-best lists (Cherry and Foster 2012), those of sparse features included. Prints a line with name and
    weight for each dense feature, and for each sparse one whose weight is not 0. On standard error, BLEU is from 0 to 100.

    The lists come from decoders or from Moses's extractor.

    \b
    Examples:
      cybleu tune kbmira dev.nbest.gz dev.ref --start moses.ini
      cybleu tune kbmira dev.nbest.gz dev.ref1 dev.ref2 --iterations 30 --output-format moses --output sparse.ini
    """
    from ..tuning import kbmira as tuned

    passes: list[Mira] = []

    def trace(result: Mira) -> None:
        passes[:] = [result]
        if not given.quiet:
            score = f"{percent(result.scores[-1], result.scale or 1):.4f}"
            click.echo(f"{len(result.scores):3} {score}", err=True)

    how = {**arguments_of(given, OfMira), "iterations": given.iterations, "return_best_dev": given.return_best_dev}
    given.check()
    with input_errors():
        run_tuner(
            given,
            partial(tuned, trace=trace, **how),
            lambda: passes[-1] if passes else None,
            lambda result: {"scores": list(result.scores)},
            names_of,
        )


@command(ProOptions)
def pro(given: ProOptions) -> None:
    """Tune many features by pairwise ranked optimisation.

    Finds weights on n-best lists (PRO, Hopkins and May 2011), those of sparse features included. Prints a line with name and
    weight for each dense feature, and for each sparse one whose weight is not 0. On standard error, BLEU is from 0 to 100.

    The lists come from decoders or from Moses's extractor.

    \b
    Examples:
      cybleu tune pro dev.nbest.gz dev.ref --start moses.ini
      cybleu tune pro --features-file run1.dat --scores-file run1.scores --samples 1000
    """
    from ..tuning import pro as tuned

    def run(nbest: NBest, start: Any, *, metric: Metric, seed: int) -> Any:
        return tuned(nbest, start, metric=metric, seed=seed, **arguments_of_pro(given, metric))

    given.check()
    with input_errors():
        run_tuner(given, run, lambda: None, lambda result: {"pairs": result.pairs}, names_of)
