"""`cybleu mert-loop`: decode and tune until nothing changes."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from functools import partial
from math import inf
from typing import Any

import click

from .._files.text import number_of, shown
from .._files.weights import lines_of
from ..errors import InputFileError
from ..metrics import Metric
from .common import (
    FILE,
    as_options,
    check_outputs,
    choice_option,
    file_option,
    from_command_line,
    input_errors,
    metric_of,
    need_standard_output,
    number_option,
)
from .lists import (
    AS_JSON,
    FIX,
    IN_RANGES,
    NORMALISE,
    OF_COUNTS,
    OUTPUT,
    RESTARTS,
    SEED,
    SearchOptions,
    TuningOptions,
    show,
)
from .pairs import OF_MIRA, OF_PRO, MiraOptions, ProOptions

OF_TUNERS = {"mert": SearchOptions, "kbmira": MiraOptions, "pro": ProOptions}


@dataclass(frozen=True, kw_only=True)
class LoopOptions(SearchOptions, MiraOptions, ProOptions, TuningOptions):
    folder: str
    decoder: str
    tuner: str
    start: str
    iterations: int
    weights_settle: str
    score_settles: str | None
    historic_best: bool
    return_best_dev: bool

    def tuner_and_options(self, metric: Metric) -> tuple[Any, dict[str, Any]]:
        """The tuner, and its arguments. An option of another tuner is refused."""
        parameters = click.get_current_context().command.params
        for tuner, kind in OF_TUNERS.items():
            for field in fields(kind):
                if tuner != self.tuner and from_command_line(field.name):
                    flag = next(option.opts[0] for option in parameters if option.name == field.name)
                    raise click.UsageError(f"{flag} is an option of {tuner}, and the tuner is {self.tuner}")
        if self.tuner == "pro":
            return self.tuner, self.pro(metric)
        if self.tuner == "kbmira":
            with input_errors():
                from ..tuning import kbmira
            how = self.mira
            # the loop has an argument of this name
            return partial(kbmira, iterations=how.pop("iterations")), how
        return self.tuner, {
            "restarts": self.restarts,
            "bounds": self.bounds,
            "fixed": self.fix,
            "threads": self.threads,
        }


@click.command("mert-loop")
@click.argument("folder", metavar="FOLDER", type=FILE)
@click.argument("references", metavar="REF...", nargs=-1, required=True, type=FILE)
@click.option(
    "--decoder",
    metavar="COMMAND",
    required=True,
    help="The command that decodes, split as a shell does it. {weights} becomes the file of weights, {nbest} that of the list to write.",
)
@choice_option(
    "--tuner",
    of=["mert", "kbmira", "pro"],
    default="mert",
    help="The tuner. The help of the command of this name explains its options.",
)
@file_option(
    "--start", required=True, help="The first weights: a file with a name and a weight on each line, or moses.ini."
)
@number_option("--iterations", default=20, help="How many times to decode and tune, at most.")
@click.option(
    "--weights-settle",
    metavar="X",
    default="1e-5",
    show_default=True,
    help="Stop when no weight changes by more than this.",
)
@click.option(
    "--score-settles",
    metavar="X",
    help="Stop when BLEU, from 0 to 100, gains no more than this.  [default: 0; with pro the score does not stop the loop]",
)
@NORMALISE
@click.option(
    "--historic-best", is_flag=True, help="Begin each tuning at the best of all weights that were decoded with."
)
@click.option(
    "--return-best-dev", is_flag=True, help="Print the weights with which the decoder did best, not those tuned last."
)
@choice_option(
    "--format", "format_", of=["moses", "joshua"], help="The format of the lists.  [default: as the first lines look]"
)
@OF_COUNTS
@RESTARTS
@IN_RANGES
@FIX
@OF_MIRA
@OF_PRO
@SEED
@AS_JSON
@OUTPUT
@as_options(LoopOptions)
def mert_loop(given: LoopOptions) -> None:
    """Decode and tune until nothing changes.

    FOLDER keeps every iteration. The same command, given again, goes on where it stopped. Prints a line with name and weight
    for each feature. On standard error, each iteration is shown when it ends, with BLEU from 0 to 100.
    """
    need_standard_output()
    check_outputs([given.output], [given.start, *given.references])
    metric = metric_of(given.variant, given.smoothing)
    settle = _number(given.weights_settle, "--weights-settle")
    gain = given.score_settles
    settles = None if gain is None else _number(gain, "--score-settles") * metric.scale / 100
    tuner, how = given.tuner_and_options(metric)
    with input_errors():
        from ..tuning import Iteration, read_weights, write_weights
        from ..tuning import mert_loop as loop

        start = read_weights(given.start)
        lines_of(start)  # for its error

        def trace(iteration: Iteration) -> None:
            click.echo(str(iteration), err=True)

        result = loop(
            given.folder,
            given.decoder,
            given.references,
            start,
            iterations=given.iterations,
            weights_settle=settle,
            score_settles=settles,
            tuner=tuner,
            format=given.format_,
            first_id=given.first_id,
            tokenize=given.tokenize,
            max_order=given.order,
            reference_length=given.reference_length,
            normalise=given.normalise,
            historic_best=given.historic_best,
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
        show(given.as_json, found, weights, given.output_format)
        if given.output:
            write_weights(given.output, weights, given.output_format)


def _number(text: str, option: str) -> float:
    try:
        number = number_of(text)
    except InputFileError:
        number = -inf
    if number < 0:
        raise click.UsageError(f"{option} {shown(text)} is not a number from 0")
    return number
