"""Options that the commands share."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import chain
from typing import Any

import click

from .._files.text import number_of, shown
from .._runtime.numbers import MOST_ORDERS, remark_on_weights
from .._runtime.system import command_line
from ..errors import InputFileError
from ..metrics import METRICS, Bleu, counting
from .given import argument, choice, file, metric_named, number, option, similar

SAME = ("smoothing", "max_order", "reference_length", "tokenize")

# ------------------------------------------------------------------------------------------------------------- metrics


class MetricNames(click.ParamType):  # type: ignore[type-arg]
    """Names of metrics, or sacreBLEU's, in upper or lower case, separated by commas.

    :param of_bleu: the command accepts only metrics with the counts of BLEU
    :param of_sums: it accepts none that is a mean of the scores of segments
    """

    name = "metric"

    def __init__(self, of_bleu: bool, of_sums: bool, several: bool):
        self._of_bleu, self._of_sums, self._several = of_bleu, of_sums, several
        self.offered = [name for name in METRICS if self._reason_against(name) is None]

    def _reason_against(self, name: str) -> str | None:
        metric = METRICS[name]
        if self._of_bleu and not isinstance(metric, Bleu):
            return f"this command supports only BLEU, and {name} is another metric"
        if self._of_sums and getattr(metric, "level", None) == "mean":
            return (
                f"this command requires a corpus score, and {name} is a mean of the scores of segments; use another one"
            )
        return None

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if not isinstance(value, str):
            return tuple(value)
        given = value.lower().split(",") if self._several else [value.lower()]
        names = [metric_named(name) for name in given]
        for name, written in zip(names, given):
            if name not in METRICS:
                hint = "".join(f"; did you mean {name}?" for name in similar(written, ["bleu", *self.offered]))
                what = shown(written) if written else "an empty name beside a comma"
                self.fail(f"{what} is not one of {', '.join(self.offered)}{hint}", param, ctx)
            if reason := self._reason_against(name):
                self.fail(reason, param, ctx)
        return tuple(names)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(name) for name in self.offered if name.startswith(incomplete)]


def metric_option(default: str = "bleu", of_bleu: bool = False, of_sums: bool = False) -> Any:
    """Declare the option for the metric, as a tuple with its name."""
    names = MetricNames(of_bleu, of_sums, False)
    shown = f"One of {', '.join(names.offered)}. bleu is an alias of sacrebleu."
    return option("-m", "--metric", metavar="NAME", type=names, default=default, help=shown)


def metrics_option(of_sums: bool = False) -> Any:
    """Declare the option for one or more metrics."""
    names = MetricNames(False, of_sums, True)
    return option(
        "-m",
        "--metric",
        metavar="NAME,...",
        type=names,
        multiple=True,
        default=("bleu",),
        callback=lambda context, parameter, values: (*chain(*values),),
        help=f"One or more of {', '.join(names.offered)}. bleu is an alias of sacrebleu.",
    )


def read_weights_of_orders(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> tuple[float, ...] | None:
    if value is None:
        return None
    try:
        weights = tuple(number_of(weight.strip()) for weight in value.split(","))
    except InputFileError:
        raise click.BadParameter(f"{shown(value)} is not a list of numbers such as 0.1,0.3,0.5,0.1") from None
    if len(weights) > MOST_ORDERS:
        raise click.BadParameter(f"there are {len(weights)} weights, but at most {MOST_ORDERS} n-gram orders")
    if remark := remark_on_weights(weights):
        click.echo(f"cybleu: {remark}", err=True)
    return weights


# ------------------------------------------------------------------------------------------------------------- options


def file_of_references(**how: Any) -> Any:
    """Declare the option that names a file of references."""
    return file(
        "-r", "--references", metavar="REF", multiple=True, default=(), help="A reference file; repeatable.", **how
    )


@dataclass(kw_only=True)
class ReferenceFiles:
    """Files"""

    requires_references = True  # no annotation, because this is no field

    references: tuple[str, ...] = argument("REF...", nargs=-1)
    more_references: tuple[str, ...] = file_of_references()

    def __post_init__(self) -> None:
        found = (*self.references, *self.more_references)
        if self.requires_references and not found:
            raise click.UsageError(f"Missing argument 'REF...'; {self.advice}")
        if self.references and self.more_references:
            raise click.UsageError(
                "give either all references or none with -r; to score several systems, use cybleu compare"
            )
        object.__setattr__(self, "references", found)

    @property
    def advice(self) -> str:
        """The command with references, for the message that they are missing."""
        context = click.get_current_context()
        parameters = context.command.params
        arguments = [str(one.metavar) for one in parameters if isinstance(one, click.Argument)]
        required = [one for one in parameters if isinstance(one, click.Option) and one.required]
        options = [f"{one.opts[0]} {one.metavar}" for one in required]
        return f"run: {' '.join([context.command_path, *arguments, *options])}"


@dataclass(kw_only=True)
class TextFiles(ReferenceFiles):
    """Files"""

    hypothesis: str = argument("HYP")


def format_option(*forms: str) -> Any:
    return choice("--format", of=forms, default="text", help="The output format.")


def digits_option() -> Any:
    return number(least=0, most=17, default=2, help="Number of decimal places of scores in text and tables.")


def orders_option() -> Any:
    return number(most=MOST_ORDERS, help="The maximum n-gram order.  [default: 4]")


def reference_length_option() -> Any:
    lengths = counting.REFERENCE_LENGTHS
    return choice(of=lengths, help="The length to use if there are several references.  [default: the tool's]")


def seed_option() -> Any:
    return number(least=0, default=12345, help="Seed of the random number generator.")


def threads_option() -> Any:
    return number(default=1, help="Number of threads.")


def shows_progress() -> bool:
    """Whether there are progress bars: standard error is a terminal, and tqdm is installed."""
    return sys.stderr is not None and sys.stderr.isatty() and find_spec("tqdm") is not None


def say_same_score(given: Any) -> None:
    """Tell which tokens a score was computed on, and the command that prints the same score of texts."""
    values = {name.replace("_", "-"): getattr(given, name, None) for name in SAME}
    options = [word for name, value in values.items() if value is not None for word in (f"--{name}", str(value))]
    command = command_line(["cybleu", "score", "OUTPUT", *given.references, "-m", *given.names, *options])
    click.echo(f"cybleu: scores use --tokenize {given.tokenize}; to score texts the same way, run: {command}", err=True)
