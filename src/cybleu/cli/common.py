"""Errors and options that the commands share."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import click
from click.shell_completion import CompletionItem

from .._files.text import STANDARD_INPUT, number_of, shown
from .._files.writing import check_paths
from .._runtime.numbers import remark_on_weights
from ..errors import CybleuError, InputFileError, _printable
from ..metrics import METRICS, Bleu, Gleu, Metric, find
from .given import argument, choice, file, number, option

MOST_ORDERS = 64
NAMED = re.compile(r"\b(size|first_id|segments|format)=(?:'(\w+)'|(?=\s|$))")
SAME = {
    "-m": "variant",
    "--smoothing": "smoothing",
    "--max-order": "order",
    "--reference-length": "reference_length",
    "--tokenize": "tokenize",
}
OTHER_NAMES = {"bleu": "sacrebleu", "chrf2": "chrf", "chrf2+": "chrf+", "chrf2++": "chrf++"}


class InputError(click.ClickException):
    """A mistake in the input: one sentence on standard error, exit status 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        click.echo(f"cybleu: error: {_printable(self.format_message())}", err=True)


@contextmanager
def input_errors() -> Iterator[None]:
    """Report the errors of reading and computing."""
    try:
        yield
    except (CybleuError, ValueError, ArithmeticError) as error:
        raise InputError(_for_commands(str(error))) from error


def _for_commands(message: str) -> str:
    """Replace arguments of functions by options, and drop advice that this command has no option for."""
    flags = {one.name: one.opts[0] for one in click.get_current_context().command.params}

    def known(clause: str) -> bool:
        return {name for name, _ in NAMED.findall(clause)} <= flags.keys()

    clauses = filter(known, message.split("; "))
    return "; ".join(NAMED.sub(lambda found: f"{flags[found[1]]} {found[2] or ''}".rstrip(), one) for one in clauses)


# ------------------------------------------------------------------------------------------------------------- metrics


def of_any(metric: Metric) -> None:
    """The reason why a command refuses a metric: there is none, for a command that accepts all."""


def of_bleu(metric: Metric) -> str | None:
    """The same for commands that count n-grams as BLEU does."""
    if metric.reads == "text" or isinstance(metric, Gleu):
        return "this command counts the n-grams of BLEU, and {} needs other counts"
    return None


def of_sums(metric: Metric) -> str | None:
    """The same for commands that score sums of the counts of segments."""
    if isinstance(metric, Bleu) and metric.level == "mean":
        return "this command scores sums of counts, and {} is a mean of the scores of segments; give another --metric"
    return None


def of_sums_of_bleu(metric: Metric) -> str | None:
    """The same for commands that do both."""
    return of_bleu(metric) or of_sums(metric)


def of_steps_of_bleu(metric: Metric) -> str | None:
    """The same for commands that explain the steps of BLEU."""
    return None if isinstance(metric, Bleu) else "this command explains the steps of BLEU, and {} is not BLEU"


WhyNot: TypeAlias = "Callable[[Metric], str | None]"


def _offered(why_not: WhyNot) -> str:
    return ", ".join(name for name, metric in METRICS.items() if why_not(metric) is None)


class MetricNames(click.ParamType):  # type: ignore[type-arg]
    """Names of metrics that a command accepts, or sacreBLEU's, in upper or lower case, separated by commas."""

    name = "metric"

    def __init__(self, why_not: WhyNot, several: bool):
        self._why_not, self._several = why_not, several

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        names = []
        for given in value.lower().split(",") if self._several else [value.lower()]:
            name = OTHER_NAMES.get(given, given)
            if name not in METRICS:
                self.fail(f"{shown(given)} is not one of {_offered(self._why_not)}", param, ctx)
            reason = self._why_not(METRICS[name])
            if reason is not None:
                self.fail(reason.format(name), param, ctx)
            names.append(name)
        return tuple(names) if self._several else names[0]

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(name) for name in _offered(self._why_not).split(", ") if name.startswith(incomplete)]


def metric_option(default: str, why_not: WhyNot = of_any) -> Any:
    """Declare the option for the metric."""
    what = f"One of {_offered(why_not)}. bleu is sacreBLEU's."
    return option("-m", "--metric", metavar="NAME", type=MetricNames(why_not, False), default=default, help=what)


def metrics_option(why_not: WhyNot = of_any) -> Any:
    """Declare the option for one or more metrics."""

    def flat(context: click.Context, parameter: click.Parameter, values: Sequence[Any]) -> tuple[str, ...]:
        return tuple(name for names in values for name in names)

    return option(
        "-m",
        "--metric",
        metavar="NAME,...",
        type=MetricNames(why_not, True),
        multiple=True,
        default=("bleu",),
        callback=flat,
        help=f"One or more of {_offered(why_not)}. bleu is sacreBLEU's.",
    )


def metric_of(
    name: str,
    smoothing: str | None = None,
    smoothing_value: float | None = None,
    order: int | None = None,
    weights: Sequence[float] | None = None,
) -> Metric:
    """Find the metric that the options describe."""
    if order is not None and weights is not None and order != len(weights):
        raise click.UsageError(f"--max-order {order} does not fit the {len(weights)} weights")
    choices: dict[str, Any] = {
        "smoothing": smoothing,
        "smoothing_value": smoothing_value,
        "max_order": order,
        "weights": weights,
    }
    for name_of_choice, value in choices.items():
        if value is not None and not hasattr(METRICS[name], name_of_choice):
            raise click.UsageError(f"the metric {name} takes no --{name_of_choice.replace('_', '-')}")
    try:
        return find(name, **choices)
    except CybleuError as error:
        raise click.UsageError(str(error)) from error


# ------------------------------------------------------------------------------------------------------------- options


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
        raise click.BadParameter(f"there are {len(weights)} weights, and at most {MOST_ORDERS} n-gram orders")
    if remark := remark_on_weights(weights):
        click.echo(f"cybleu: {remark}", err=True)
    return weights


class References:
    """Merges the files of references of ``REF...`` and of ``-r``, for dataclasses with both."""

    requires_references = True  # no annotation, because this is no field

    def __post_init__(self) -> None:
        given: Any = self
        found = (*given.references, *given.other_references)
        if self.requires_references and not found:
            raise click.UsageError("Missing argument 'REF...'.")
        for name, value in (("references", found), ("other_references", ())):
            object.__setattr__(self, name, value)


def references_argument() -> Any:
    return argument("REF...", nargs=-1)


def references_option(**how: Any) -> Any:
    """Declare the option that is the same as ``REF...``."""
    return file(
        "-r", "--references", metavar="REF", multiple=True, default=(), help="A file of references; repeat it.", **how
    )


def format_option(*forms: str) -> Any:
    return choice("--format", of=forms, default="text", help="The format of the output.")


def digits_option() -> Any:
    return number(least=0, most=17, default=2, help="How many decimals of scores are printed.")


def order_option() -> Any:
    return number("--max-order", most=MOST_ORDERS, help="Largest n-gram order.  [default: 4]")


def reference_length_option() -> Any:
    lengths = ["closest", "closest-first", "shortest", "average"]
    return choice(of=lengths, help="Which length counts if there are several references.  [default: that of the tool]")


def seed_option() -> Any:
    return number(least=0, default=12345, help="Seed of all that is random.")


def threads_option() -> Any:
    return number(default=1, help="How many threads work at the same time.")


def check_outputs(outputs: Sequence[str | None], inputs: Sequence[str | None]) -> None:
    """Refuse an output that is another output or an input."""
    with input_errors():
        check_paths(outputs, inputs)


def check_size(list_format: str | None, size: int | None) -> None:
    """Check that the plain format has a size."""
    if list_format == "plain" and size is None:
        raise InputError("--format plain needs --size, the number of lines of each segment")


def need_standard_output() -> None:
    """Check for a standard output before a long computation: a process may be started without one."""
    if sys.stdout is None:
        raise InputError("standard output: is closed")


def stderr_is_tty() -> bool:
    """Whether standard error is a terminal, for progress bars. A process may be started without standard error."""
    return sys.stderr is not None and sys.stderr.isatty()


def one_standard_input(*paths: str | None) -> None:
    """Check that at most one file is standard input."""
    if paths.count(STANDARD_INPUT) > 1:
        raise click.UsageError("only one of the files can be standard input")


def same_score(given: Any, output: str) -> str:
    """Return a note on the tokens that a score was computed on, with the command that prints the same score.

    :param given: the options of the command
    :param output: what to score
    """
    options = [f"{flag} {value}" for flag, name in SAME.items() if (value := getattr(given, name, None)) is not None]
    command = " ".join(["cybleu score", output, *given.references, *options])
    return f"cybleu: scores are of tokens by --tokenize {given.tokenize}; the same for texts: {command}"
