"""Options of n-best lists and weights, which the commands that tune and rerank share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from click import Choice, IntRange, argument, option

from .._runtime.system import command_line
from ..errors import FeatureError
from ..metrics import Metric, find
from .command import Decorator, FilePath, Gathered, gathered, say, section
from .options import as_option

if TYPE_CHECKING:
    from ..nbest import NBest

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
    """Declare the metric of a list, for :func:`metric_of`.

    :param metric: the option that names it
    """
    smoothing = option("--smoothing", metavar="NAME", help="The smoothing of BLEU.  [default: the tool's]")
    return section("Metric", gathered("scoring", metric, smoothing), *more)


def metric_of(scoring: Gathered) -> Metric:
    return find(scoring["metric"], smoothing=scoring["smoothing"])


def output_format_option(*more: str) -> Decorator:
    return option(
        "--output-format",
        type=Choice(["names", "moses", "dense", "numbers", *more]),
        default="names",
        help="The format of the weights. names: `lm_0 0.5`. moses: `lm= 0.5 0.2`, as in moses.ini. dense: as moses, "
        "with one weight on each line. numbers: only the numbers, in the order of the features.",
    )


def check_form(form: str, nbest: NBest) -> None:
    """Check that the weights of the features can be written in this form."""
    if form == "numbers" and nbest.sparse is not None:
        raise FeatureError(
            f"--output-format numbers does not support sparse features, and the list has {len(nbest.sparse.names)}; use "
            "--output-format names or moses"
        )


def told(nbest: NBest, weights: dict[str, float]) -> dict[str, float]:
    """The weights that are printed: those of dense features, and of sparse ones those that are not 0."""
    # there may be millions of sparse features, and an absent one counts as 0 when weights are read
    dense = set(nbest.names)
    return {name: weight for name, weight in weights.items() if weight or name in dense}


def say_same_score(references: Sequence[str], **options: Any) -> None:
    """Tell which tokens a score was computed on, and the command that prints the same score of texts.

    :param options: the options of the command, of which some are those of `cybleu score`
    """
    words = ["cybleu", "score", "OUTPUT", *references, "-m", options["metric"]]
    for name in ("smoothing", "max_order", "reference_length", "tokenize"):
        if options.get(name) is not None:
            words += [as_option(name), str(options[name])]
    say(f"scores use --tokenize {options['tokenize']}; to score texts the same way, run: {command_line(words)}")
