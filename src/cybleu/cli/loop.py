"""`cybleu tune loop`: decode and tune until nothing changes."""

from __future__ import annotations

from dataclasses import asdict

from click import Choice, FloatRange, IntRange, UsageError, argument, command, echo, option

from .command import Command, FilePath, Files, Gathered, gathered, section
from .lists import first_id_option, metric_of, say_same_score, tokenize_option
from .options import as_option, from_command_line, references_argument
from .tuner_options import (
    MOSES,
    mert_section,
    metric_options,
    mira_section,
    normalisation,
    pro_section,
    weights_section,
)
from .tuning import print_weights


@command("loop", cls=Command, other_tools=MOSES)
@argument("folder", metavar="FOLDER", type=FilePath())
@metric_options
@section("Lists", gathered("reading", first_id_option, tokenize_option))
@references_argument()
@weights_section(
    option(
        "--start",
        metavar="FILE",
        type=FilePath(),
        required=True,
        help="The initial weights: a file with a name and a weight on each line, or moses.ini.",
    )
)
@gathered("pro", pro_section)
@gathered("kbmira", mira_section())
@gathered("mert", mert_section)
@section(
    "Loop",
    gathered(
        "stopping",
        option("--iterations", type=IntRange(1), default=20, help="Maximum number of iterations."),
        option(
            "--weights-settle",
            type=FloatRange(0),
            default=1e-5,
            help="Stop when no weight changes by more than this.",
        ),
        option(
            "--score-settles",
            type=FloatRange(0),
            help="Stop when BLEU, from 0 to 100, improves by no more than this.  "
            "[default: 0; off with pro and with --rules moses]",
        ),
    ),
    gathered(
        "reading",
        option(
            "--format",
            type=Choice(["moses", "joshua"]),
            help="The format of the lists.  [default: detected from the first lines]",
        ),
    ),
    option(
        "--decoder",
        metavar="COMMAND",
        required=True,
        help="The decoder command, split as in a shell. {weights} is replaced by the weights file, and {nbest} by the "
        "file to write the list to.",
    ),
    option(
        "--tuner",
        type=Choice(["mert", "kbmira", "pro"]),
        default="mert",
        help="The tuner. Options of the other tuners are errors.",
    ),
    option(
        "--return-best-dev",
        is_flag=True,
        help="Print the weights with which the decoder scored best, not those tuned last.",
    ),
)
def loop_command(
    folder: str,
    references: Files,
    scoring: Gathered,
    reading: Gathered,
    start: str,
    written: Gathered,
    normalise: str,
    seed: int,
    stopping: Gathered,
    decoder: str,
    tuner: str,
    return_best_dev: bool,
    **of_tuners: Gathered,
) -> None:
    """Decode and tune repeatedly until convergence.

    FOLDER keeps every iteration. To resume an interrupted loop, run the same command again. Prints one line with the
    name and weight of each feature. After each iteration, prints a line on standard error, with BLEU from 0 to 100.

    \b
    Examples:
      cybleu tune loop run dev.ref --decoder "./decode.sh {weights} {nbest}" --start moses.ini
      cybleu tune loop run dev.ref --decoder "./decode.sh {weights} {nbest}" --start moses.ini --tuner kbmira
    """
    from ..nbest.weight_files import check_weights
    from ..tuning import DecoderCommand, Iteration, Stopping, Tuner, mert_loop, read_weights

    chosen = metric_of(scoring)
    for name, options in of_tuners.items():
        for parameter in options:
            if name != tuner and from_command_line(parameter):
                raise UsageError(f"{as_option(parameter)} is an option of {name}, but the tuner is {tuner}")
    own = of_tuners[tuner]
    # users give differences of BLEU from 0 to 100, and the library takes those of the metric's scale
    if tuner == "pro":
        own["minimum"] *= chosen.scale / 100
    if stopping["score_settles"] is not None:
        stopping["score_settles"] *= chosen.scale / 100
    weights = read_weights(start)
    check_weights(weights)  # before the decoder runs, which may take hours

    def trace(iteration: Iteration) -> None:
        echo(str(iteration), err=True)

    result = mert_loop(
        folder,
        DecoderCommand(decoder),
        references,
        weights,
        Tuner(
            tuner,
            metric=chosen,
            seed=seed,
            normalise=normalisation(normalise, own.get("bounds", {}), own.get("fixed", ())),
            **own,
        ),
        Stopping(**stopping),
        trace=trace,
        **reading,
    )
    echo(result.reason, err=True)
    score = result.score
    tuned = result.weights
    if return_best_dev:
        best = result.best
        score = best.decoded_score
        tuned = best.decoded or result.weights
    found = {
        "score": score,
        "scale": result.iterations[-1].scale,
        "reason": result.reason,
        "iterations": [asdict(iteration) for iteration in result.iterations],
    }
    print_weights(found, tuned, **written)
    say_same_score(references, **scoring, **reading)
