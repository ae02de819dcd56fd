"""Options that several commands have, as decorators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from click import (
    Choice,
    Context,
    IntRange,
    Parameter,
    ParamType,
    argument,
    option,
)

from .._definitions.bleu import remark_on_weights
from .._definitions.ngrams import MOST_ORDERS
from .._files.text import number_of, shown
from ..errors import FeatureError, InputFileError
from ..metrics import variants
from .command import Decorator, FilePath, MetricName, gathered, say, section

if TYPE_CHECKING:
    from ..nbest import NBest


# ------------------------------------------------------------------------------------------------------------- metrics


def metric_option(default: str = "bleu", of_bleu: bool = False, of_sums: bool = False) -> Decorator:
    """Declare the option for the metric."""
    name = MetricName(of_bleu, of_sums)
    listed = f"One of {', '.join(name.choices)}. bleu is an alias of sacrebleu."
    return option("-m", "--metric", metavar="NAME", type=name, default=default, help=listed)


class WeightsOfOrders(ParamType):  # type: ignore[type-arg]
    """Numbers with commas between them."""

    name = "weights"

    def convert(self, value: Any, param: Parameter | None, ctx: Context | None) -> tuple[float, ...]:
        try:
            weights = tuple(number_of(weight.strip()) for weight in value.split(","))
        except InputFileError:
            self.fail(f"{shown(value)} is not a list of numbers such as 0.1,0.3,0.5,0.1", param, ctx)
        if len(weights) > MOST_ORDERS:
            self.fail(f"there are {len(weights)} weights, but at most {MOST_ORDERS} n-gram orders", param, ctx)
        if remark := remark_on_weights(weights):  # not an error, because the tools accept such weights
            say(remark)
        return weights


orders_option = option("--max-order", type=IntRange(1, MOST_ORDERS), help="The maximum n-gram order.  [default: 4]")
weights_option = option(
    "--weights",
    metavar="W,W,...",
    type=WeightsOfOrders(),
    help="Weights of the n-gram orders.  [default: uniform]",
)
reference_length_option = option(
    "--reference-length",
    type=Choice(variants.REFERENCE_LENGTHS),
    help="The length to use if there are several references.  [default: the tool's]",
)

# --------------------------------------------------------------------------------------------------------------- others

digits_option = option(
    "--digits", "width", type=IntRange(0, 17), default=2, help="Number of decimal places of scores in text and tables."
)
seed_option = option("--seed", type=IntRange(0), default=12345, help="Seed of the random number generator.")
threads_option = option("--threads", type=IntRange(1), default=1, help="Number of threads.")


def format_option(*formats: str) -> Decorator:
    """Declare the option for the format of the output."""
    return option("--format", "form", type=Choice(formats), default="text", help="The output format.")


# ------------------------------------------------------------------------------------------------- n-best lists and weights

nbest_argument = argument("nbest", metavar="NBEST", type=FilePath())
first_id_option = option("--first-id", type=IntRange(0), default=0, help="The id of the first segment.")
tokenize_option = option(
    "--tokenize",
    metavar="NAME",
    default="unicode",
    help="The tokeniser. unicode splits at any white space, ascii only at ASCII white space (as multi-bleu.perl does), "
    "space only at spaces (as Moses does). sacreBLEU's tokenisers, such as 13a, intl, zh and char, are also available.",
)
# Arguments of `cybleu.nbest.chunks`, with the same names.
reading_options = (
    option(
        "--format",
        type=Choice(["moses", "joshua", "plain", "fairseq", "json"]),
        help="The format of NBEST: Moses, Joshua (also cdec), plain text, the output of fairseq, or JSON lines from a "
        "model server or Sockeye.  [default: plain with --size, else moses or joshua, detected from the first lines]",
    ),
    option("--size", type=IntRange(1), help="Number of lines for each segment in the plain format."),
    option(
        "--feature-table",
        "features",
        metavar="FILE",
        type=FilePath(),
        help="The feature file of the plain format, with one line for each hypothesis.",
    ),
)


def scoring_section(metric: Decorator, *more: Decorator) -> Decorator:
    """Declare the metric of a list, for :func:`cybleu.cli.command.metric_of`.

    :param metric: the option that names it
    """
    smoothing = option("--smoothing", metavar="NAME", help="The smoothing of BLEU.  [default: the tool's]")
    return section("Metric", gathered("scoring", metric, smoothing), *more)


def output_format_option(*more: str) -> Decorator:
    return option(
        "--output-format",
        type=Choice(["names", "moses", "dense", "numbers", *more]),
        default="names",
        help="The format of the weights. names: `lm_0 0.5`. moses: `lm= 0.5 0.2`, as in moses.ini. dense: as moses, "
        "with one weight on each line. numbers: only the numbers, in the order of the features.",
    )


def check_numbers(nbest: NBest) -> None:
    """Check that weights can be written as numbers alone, which do not say which sparse feature they belong to."""
    if nbest.sparse is not None:
        raise FeatureError(
            f"--output-format numbers does not support sparse features, and the list has {len(nbest.sparse.names)}; use "
            "--output-format names or moses"
        )
