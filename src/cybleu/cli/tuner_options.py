"""Options of the tuners of weights."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from click import Choice, Context, FloatRange, IntRange, Parameter, UsageError, argument, option

from .._files.text import shown
from .._runtime.numbers import MOST_REPEATS, MOST_SAMPLES
from .command import Decorator, FilePath, Files, gathered, section
from .lists import first_id_option, output_format_option, scoring_section, tokenize_option
from .options import (
    as_option,
    from_command_line,
    metric_option,
    orders_option,
    reference_length_option,
    references_argument,
    seed_option,
    threads_option,
)

NORMALISATIONS = {"l1": "sum", "largest": "largest", "none": None}
# What options of Moses's tuners are here.
MOSES = {"--restarts": "-n", "--passes": "-J --iters --iterations", "--step": "-C"}

# ------------------------------------------------------------------------------------------------- options of each tuner


def _bounds(context: Context, parameter: Parameter, values: Files) -> dict[str, Any]:
    bounds = {}
    for value in values:
        name, _, text = value.rpartition("=")
        if name in bounds:
            raise UsageError(f"--bounds is given twice for {shown(name)}; give it once")
        low, colon, high = text.partition(":")
        try:
            bounds[name] = float(low or "-inf"), float(high or "inf")
        except ValueError:
            colon = ""
        if not (name and colon):
            raise UsageError(f"--bounds {shown(value)} is not NAME=LOW:HIGH, such as lm_0=0:1 or lm_0=0:")
    return bounds


mert_section = section(
    "Line searches (mert)",
    option(
        "--restarts",
        type=IntRange(0, MOST_REPEATS),
        help="Number of restarts after the climb from the start weights.  [default: 20, or 60 below 20,000 hypotheses]",
    ),
    option(
        "--bounds",
        metavar="NAME=LOW:HIGH",
        multiple=True,
        callback=_bounds,
        help="The bounds of a weight, such as lm_0=0:1; repeatable.",
    ),
    option("--fixed", metavar="NAME", multiple=True, help="Keep this weight at its start value; repeatable."),
    threads_option,
)


def mira_section(*more: Decorator) -> Decorator:
    """Declare the options of batch MIRA.

    :param more: those that the loop does not have
    """
    return section(
        "Batch MIRA (kbmira)",
        option(
            "--step",
            type=FloatRange(0, min_open=True),
            default=0.01,
            help="The maximum step size of the weights (C).",
        ),
        option(
            "--decay",
            type=FloatRange(0, 1),
            default=0.999,
            help="The factor by which the background decays with each segment.",
        ),
        option(
            "--shuffle/--no-shuffle",
            default=True,
            show_default=False,
            help="Visit the segments in a random order in each pass, or in the order of the list.",
        ),
        option("--safe-hope", is_flag=True, help="Limit the influence of the model score on the choice of hope."),
        option(
            "--model-background",
            is_flag=True,
            help="Add the model's best hypothesis to the background instead of hope.",
        ),
        option(
            "--rules",
            type=Choice(["best", "paper", "moses"]),
            default="best",
            help="Follow the paper, Moses's kbmira, or both, and use the weights that score higher.",
        ),
        option(
            "--passes",
            type=IntRange(1, MOST_REPEATS),
            default=60,
            help="Number of passes over the segments.",
        ),
        *more,
    )


pro_section = section(
    "Pairwise ranked optimisation (pro)",
    option(
        "--samples",
        type=IntRange(1, MOST_SAMPLES),
        default=5000,
        help="Number of pairs drawn from each segment.",
    ),
    option("--keep", type=IntRange(1), default=50, help="Maximum number of pairs kept from each segment."),
    option(
        "--minimum",
        type=FloatRange(0),
        default=5.0,
        help="Minimum difference of a pair, in BLEU from 0 to 100.",
    ),
    option(
        "--regularisation",
        type=FloatRange(0, min_open=True),
        default=1.0,
        help="Strength of the L2 regularisation.",
    ),
    option(
        "--interpolation",
        type=FloatRange(0, 1, min_open=True),
        default=1.0,
        help="Share of the new weights in the result; the rest comes from the start weights.",
    ),
)

# ------------------------------------------------------------------------------------------------ options of all tuners

metric_options = scoring_section(
    metric_option("moses", of_bleu=True, of_sums=True),
    gathered("reading", orders_option, reference_length_option),
)


def weights_section(start: Decorator) -> Decorator:
    """Declare the options of weights."""
    return section(
        "Weights",
        start,
        gathered(
            "written",
            option(
                "--output",
                "-o",
                metavar="FILE",
                type=FilePath(written=True),
                help="Also write the weights to this file.",
            ),
            output_format_option("json"),
        ),
        option(
            "--normalise",
            type=Choice([*NORMALISATIONS]),
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


def _with_commas(context: Context, parameter: Parameter, values: Files) -> Files:
    """Split lists of files at commas, as Moses's commands do. A file whose name has a comma is one file."""
    parts = [[value] if os.path.exists(value) else value.split(",") for value in values]
    return tuple(path for part in parts for path in part)


def moses_files_option(name: str, text: str) -> Decorator:
    return option(name, metavar="FILE,...", type=FilePath(), multiple=True, callback=_with_commas, help=text)


def tuner_options(function: Any) -> Any:
    """Declare the options of all tuners, which :class:`Task` takes."""
    decorators = (
        argument("file", metavar="[NBEST", required=False, type=FilePath()),
        metric_options,
        section(
            "Lists",
            gathered("reading", first_id_option, tokenize_option),
            option(
                "--more",
                metavar="NBEST",
                type=FilePath(),
                multiple=True,
                help="Another list of the same segments to merge with NBEST; repeatable.",
            ),
            gathered(
                "reading",
                option(
                    "--format",
                    type=Choice(["moses", "joshua", "fairseq", "json"]),
                    help="The format of NBEST.  [default: moses or joshua, detected from the first lines]",
                ),
            ),
            moses_files_option(
                "--features-file",
                "Features written by Moses's extractor, instead of NBEST and REF; repeatable, each with a --scores-file.",
            ),
            moses_files_option("--scores-file", "Statistics written by Moses's extractor, for each --features-file."),
            option("--quiet", is_flag=True, help="Do not show progress on standard error."),
        ),
        references_argument("REF...]", required=False),
        weights_section(
            option(
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
