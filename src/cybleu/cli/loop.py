"""`cybleu mert-loop`: decode and tune until nothing changes."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from math import inf
from typing import Any

import click
from click.core import ParameterSource

from .._files.text import number_of, shown
from .._files.weights import lines_of
from ..errors import InputFileError
from ..metrics import Metric
from .common import FILE, check_outputs, input_errors, metric_of, need_standard_output
from .lists import AS_JSON, FIX, IN_RANGES, NORMALISE, OF_COUNTS, OUTPUT, RESTARTS, SEARCH, SEED, bounds_of, show
from .pairs import OF_MIRA, OF_PRO, mira_options, on_scale, pro_options


@click.command("mert-loop")
@click.argument("folder", metavar="FOLDER", type=FILE)
@click.argument("references", metavar="REF...", nargs=-1, required=True, type=FILE)
@click.option(
    "--decoder",
    metavar="COMMAND",
    required=True,
    help="The command that decodes, split as a shell does it. {weights} stands for the file of weights, {nbest} for the list to write.",
)
@click.option(
    "--tuner",
    type=click.Choice(["mert", "kbmira", "pro"]),
    default="mert",
    show_default=True,
    help="The tuner. The help of the command of this name explains its options.",
)
@click.option(
    "--start",
    metavar="FILE",
    required=True,
    type=FILE,
    help="The first weights: a file with a name and a weight on each line.",
)
@click.option(
    "--iterations",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="How many times to decode and tune, at most.",
)
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
@click.option(
    "--format",
    "format_",
    type=click.Choice(["moses", "joshua"]),
    help="The format of the lists.  [default: as the first lines look]",
)
@OF_COUNTS
@RESTARTS
@IN_RANGES
@FIX
@SEARCH
@OF_MIRA
@OF_PRO
@SEED
@AS_JSON
@OUTPUT
def mert_loop(folder: str, references: tuple[str, ...], **options: Any) -> None:
    """Decode and tune until nothing changes.

    FOLDER keeps every iteration. The same command, given again, goes on where it stopped. Prints a line with name and weight
    for each feature. On standard error, each iteration is shown when it ends, with BLEU from 0 to 100.
    """
    need_standard_output()
    output = options["output"]
    check_outputs([output], [options["start"], *references])
    metric = metric_of(options["variant"], options["smoothing"])
    settle = _number(options["weights_settle"], "--weights-settle")
    gain = options["score_settles"]
    if gain is not None:
        gain = _number(gain, "--score-settles") * metric.scale / 100
    how = _how(options, metric)
    with input_errors():
        from ..tuning import Iteration, kbmira, read_weights, write_weights
        from ..tuning import mert_loop as loop

        start = read_weights(options["start"])
        lines_of(start)  # for its error

        def trace(iteration: Iteration) -> None:
            click.echo(str(iteration), err=True)

        result = loop(
            folder,
            options["decoder"],
            references,
            start,
            iterations=options["iterations"],
            weights_settle=settle,
            score_settles=gain,
            tuner=partial(kbmira, iterations=how.pop("iterations")) if "iterations" in how else options["tuner"],
            format=options["format_"],
            first_id=options["first_id"],
            tokenize=options["tokenize"] or options["split"],
            max_order=options["order"],
            reference_length=options["reference_length"],
            normalise=options["normalise"],
            historic_best=options["historic_best"],
            seed=options["seed"],
            trace=trace,
            metric=metric,
            **how,
        )
        click.echo(result.reason, err=True)
        best = result.best
        decoded = options["return_best_dev"]
        weights = (best.decoded or result.weights) if decoded else result.weights
        found = {
            "score": best.decoded_score if decoded else result.score,
            "scale": result.iterations[-1].scale,
            "reason": result.reason,
            "iterations": [asdict(iteration) for iteration in result.iterations],
        }
        show(options["as_json"], found, weights)
        if output:
            write_weights(output, weights)


# The options that each tuner has.
OPTIONS = {
    "mert": ("restarts", "ranges", "threads", "fix", "searched"),
    "kbmira": ("passes", "step", "decay", "no_shuffle", "safe_hope", "model_background"),
    "pro": ("samples", "keep", "minimum", "regularisation", "interpolation"),
}


def _how(options: dict[str, Any], metric: Metric) -> dict[str, Any]:
    """The arguments of the tuner. An option of another one is refused."""
    context = click.get_current_context()
    for tuner, names in OPTIONS.items():
        given = [name for name in names if context.get_parameter_source(name) == ParameterSource.COMMANDLINE]
        if tuner != options["tuner"] and given:
            flag = next(parameter.opts[0] for parameter in context.command.params if parameter.name == given[0])
            raise click.UsageError(f"{flag} is an option of {tuner}, and the tuner is {options['tuner']}")
    if options["tuner"] == "kbmira":
        return mira_options(options)
    if options["tuner"] == "pro":
        return on_scale(pro_options(options), metric)
    return {
        "restarts": options["restarts"],
        "bounds": bounds_of(options["ranges"]),
        "fixed": options["fix"],
        "threads": options["threads"],
        "searched": options["searched"],
    }


def _number(text: str, option: str) -> float:
    try:
        number = number_of(text)
    except InputFileError:
        number = -inf
    if number < 0:
        raise click.UsageError(f"{option} {shown(text)} is not a number from 0")
    return number
