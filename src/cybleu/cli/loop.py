"""`cybleu tune loop`: decode and tune until nothing changes."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from functools import partial
from typing import Any

import click

from .._files.weights import lines_of
from .._runtime.samples import MOST_REPEATS
from ..metrics import Metric
from .common import say_same_score
from .given import argument, arguments_of, choice, command, file, from_command_line, number, option, real, switch
from .tuning import CountingOptions, OfMert, OfMira, OfPro, TuningOptions, WeightsOptions, arguments_of_pro


@dataclass(kw_only=True)
class PassesOptions(OfMira):
    """Batch MIRA (kbmira)"""

    passes: int = number(most=MOST_REPEATS, default=60, help="Number of passes over the segments.")


OF_TUNERS = {"mert": OfMert, "kbmira": PassesOptions, "pro": OfPro}


@dataclass(kw_only=True)
class OfLoop:
    """Loop"""

    iterations: int = number(default=20, help="Maximum number of iterations.")
    weights_settle: float = real(with_zero=True, default=1e-5, help="Stop when no weight changes by more than this.")
    score_settles: float | None = real(
        with_zero=True,
        help="Stop when BLEU, from 0 to 100, improves by no more than this.  [default: 0; off with pro]",
    )
    historic_best: bool = switch(help="Start each tuning from the best of all weights used for decoding so far.")
    format: str | None = choice(
        of=["moses", "joshua"], help="The format of the lists.  [default: detected from the first lines]"
    )


@dataclass(kw_only=True)
class LoopOptions(OfLoop, OfMert, PassesOptions, OfPro, WeightsOptions, TuningOptions):
    """Loop"""

    folder: str = argument("FOLDER")
    decoder: str = option(
        metavar="COMMAND",
        required=True,
        help="The decoder command, split as in a shell. {weights} is replaced by the weights file, and {nbest} by the "
        "file to write the list to.",
    )
    tuner: str = choice(of=[*OF_TUNERS], default="mert", help="The tuner. Options of the other tuners are errors.")
    start: str = file(
        required=True, help="The initial weights: a file with a name and a weight on each line, or moses.ini."
    )
    return_best_dev: bool = switch(help="Print the weights with which the decoder scored best, not those tuned last.")

    def tuner_and_options(self, metric: Metric) -> tuple[Any, dict[str, Any]]:
        """The tuner, and its arguments. An option of another tuner is refused."""
        for tuner, kind in OF_TUNERS.items():
            for field in fields(kind):
                if tuner != self.tuner and from_command_line(field.name):
                    flag = f"--{field.name.replace('_', '-')}"
                    raise click.UsageError(f"{flag} is an option of {tuner}, but the tuner is {self.tuner}")
        if self.tuner == "pro":
            return self.tuner, arguments_of_pro(self, metric)
        if self.tuner == "kbmira":
            from ..tuning import kbmira

            # the loop has an argument of this name
            return partial(kbmira, iterations=self.passes), arguments_of(self, OfMira)
        return self.tuner, arguments_of(self, OfMert)


@command(LoopOptions)
def loop(given: LoopOptions) -> None:
    """Decode and tune repeatedly until convergence.

    FOLDER keeps every iteration. To resume an interrupted loop, run the same command again. Prints one line with the
    name and weight of each feature. After each iteration, prints a line on standard error, with BLEU from 0 to 100.

    \b
    Examples:
      cybleu tune loop run dev.ref --decoder "./decode.sh {weights} {nbest}" --start moses.ini
      cybleu tune loop run dev.ref --decoder "./decode.sh {weights} {nbest}" --start moses.ini --tuner kbmira
    """
    from ..tuning import Iteration, mert_loop, read_weights

    metric = given.metric
    tuner, how = given.tuner_and_options(metric)
    how |= arguments_of(given, OfLoop) | arguments_of(given, CountingOptions)
    if given.score_settles is not None:
        how["score_settles"] = given.score_settles * metric.scale / 100
    start = read_weights(given.start)
    lines_of(start)  # for its error

    def trace(iteration: Iteration) -> None:
        click.echo(str(iteration), err=True)

    result = mert_loop(
        given.folder,
        given.decoder,
        given.references,
        start,
        tuner=tuner,
        normalise=given.normalisation,
        seed=given.seed,
        trace=trace,
        metric=metric,
        **how,
    )
    click.echo(result.reason, err=True)
    best = result.best
    decoded = given.return_best_dev
    weights = (best.decoded or result.weights) if decoded else result.weights
    found = {
        "score": best.decoded_score if decoded else result.score,
        "scale": result.iterations[-1].scale,
        "reason": result.reason,
        "iterations": [asdict(iteration) for iteration in result.iterations],
    }
    given.show(found, weights)
    say_same_score(given)
