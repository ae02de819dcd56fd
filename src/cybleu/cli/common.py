"""Errors and options that the commands share."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeAlias, TypeVar

import click
from click.core import ParameterSource

from .._files.text import STANDARD_INPUT, number_of, shown
from .._files.writing import check_paths
from .._runtime.numbers import remark_on_weights
from ..errors import CybleuError, InputFileError, _printable
from ..metrics import METRICS, Bleu, Gleu, Metric, find

Command = TypeVar("Command", bound=Callable[..., Any])
Options = TypeVar("Options")


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


_ADVISED = {"size": "--size", "first_id": "--first-id", "segments": "--segment-count", "format": "--format"}
_ADVICE = re.compile(rf"\b(give|as|of) ({'|'.join(_ADVISED)})=(?=\s|$)")

_FORMAT = re.compile(r"\bformat='(\w+)'")


def _for_commands(message: str) -> str:
    """Replace arguments by options in the advice of a message, and drop advice that this command has no option for."""
    options = {name for parameter in click.get_current_context().command.params for name in parameter.opts}
    clauses = [
        _FORMAT.sub(r"--format \1", _ADVICE.sub(lambda found: f"{found[1]} {_ADVISED[found[2]]}", clause))
        for clause in message.split("; ")
        if {_ADVISED[name] for _, name in _ADVICE.findall(clause)} <= options
    ]
    return "; ".join(clauses) or message


def with_parameters(*parameters: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """A decorator that adds these arguments and options to a command, in this order."""

    def decorate(command: Command) -> Command:
        for parameter in reversed(parameters):
            command = parameter(command)
        return command

    return decorate


def as_options(kind: Callable[..., Options]) -> Callable[[Callable[[Options], None]], Callable[..., None]]:
    """A decorator that passes all arguments and options to a command as one object of this class."""

    def decorate(command: Callable[[Options], None]) -> Callable[..., None]:
        @wraps(command)
        def run(**arguments: Any) -> None:
            command(kind(**arguments))

        return run

    return decorate


def from_command_line(name: str) -> bool:
    """Whether the user gave this argument or option, by its Python name."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


# ------------------------------------------------------------------------------------------------------------- options


# A file to read or to write, or `-`; mistakes are reported when it is opened.
FILE = click.Path(readable=False)


def number_option(
    *names: str, least: int = 1, most: int | None = None, default: int | None = None, **more: Any
) -> Callable[[Command], Command]:
    """An option that takes an integer in a range."""
    return click.option(*names, type=click.IntRange(least, most), **_shown(default), **more)


def choice_option(
    *names: str, of: Sequence[str], default: str | None = None, **more: Any
) -> Callable[[Command], Command]:
    """An option that takes one of some names."""
    return click.option(*names, type=click.Choice(of), **_shown(default), **more)


def _shown(default: Any) -> dict[str, Any]:
    """A default that is shown in the help; nothing for None, because click takes None for a value of a required option."""
    return {} if default is None else {"default": default, "show_default": True}


def file_option(*names: str, metavar: str = "FILE", **more: Any) -> Callable[[Command], Command]:
    """An option that takes the path of a file."""
    return click.option(*names, metavar=metavar, type=FILE, **more)


TOKENIZE = click.option(
    "--tokenize",
    metavar="NAME",
    default="unicode",
    show_default=True,
    help="The tokeniser: unicode splits at any white space, ascii at that of ASCII only as multi-bleu.perl does, space at spaces "
    "only as Moses does; or one of sacreBLEU, such as 13a, intl, zh or char.",
)


def read_weights(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[float, ...] | None:
    if value is None:
        return None
    try:
        return tuple(number_of(weight.strip()) for weight in value.split(","))
    except InputFileError:
        raise click.BadParameter(f"{shown(value)} is not a list of numbers such as 0.1,0.3,0.5,0.1") from None


def read_weights_of_orders(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> tuple[float, ...] | None:
    weights = read_weights(context, parameter, value)
    if weights is not None and len(weights) > MOST_ORDERS:
        raise click.BadParameter(f"there are {len(weights)} weights, and at most {MOST_ORDERS} n-gram orders")
    remark = weights and remark_on_weights(weights)
    if remark:
        click.echo(f"cybleu: {remark}", err=True)
    return weights


MOST_ORDERS = 64
WEIGHTS = click.option(
    "--weights",
    callback=read_weights_of_orders,
    metavar="W,W,...",
    help="Weights of the n-gram orders.  [default: uniform]",
)
ORDER = number_option("--order", most=MOST_ORDERS, help="Largest n-gram order.  [default: 4]")
RAW = with_parameters(
    click.option(
        "--tokenize",
        metavar="NAME",
        help="The tokeniser: 13a, intl, zh, char or another one of sacreBLEU, or none for text that is already tokenised; ascii "
        "splits at white space of ASCII only as multi-bleu.perl does, space at spaces only as Moses does.  [default: that of the "
        "tool, such as 13a for sacrebleu, huggingface and mteval-v13a, white space for most others]",
    ),
    click.option(
        "--lowercase", is_flag=True, help="Put the texts in lower case first; for mteval-v13a only the letters A to Z."
    ),
)
FIRST_ID = number_option("--first-id", least=0, default=0, help="The id of the first segment.")
SIZE = number_option("--size", help="How many lines each segment has, in the plain format.")
FEATURE_TABLE = file_option(
    "--feature-table", help="The file of features of the plain format, one line for each hypothesis."
)
REFERENCE_LENGTH = choice_option(
    "--reference-length",
    of=["closest", "closest-first", "shortest", "average"],
    help="Which length counts if there are several references.  [default: closest]",
)
SMOOTHING = click.option("--smoothing", metavar="NAME", help="The smoothing of BLEU.  [default: that of the tool]")


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
_NAMES_OF_SACREBLEU = {"bleu": "sacrebleu", "chrf2": "chrf", "chrf2+": "chrf+", "chrf2++": "chrf++"}


class MetricName(click.ParamType):  # type: ignore[type-arg]
    """A name in :data:`cybleu.metrics.METRICS` of a metric that the command accepts, or sacreBLEU's, in upper or lower case."""

    name = "metric"

    def __init__(self, why_not: WhyNot = of_any):
        self._why_not = why_not

    @property
    def _offered(self) -> list[str]:
        return [name for name, metric in METRICS.items() if self._why_not(metric) is None]

    def get_metavar(self, *arguments: Any, **named: Any) -> str:  # the arguments depend on the version of click
        return f"[{'|'.join(self._offered)}]"

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        name = _NAMES_OF_SACREBLEU.get(value.lower(), value.lower())
        if name not in METRICS:
            self.fail(f"{shown(value)} is not one of {', '.join(self._offered)}", parameter, context)
        reason = self._why_not(METRICS[name])
        if reason is not None:
            self.fail(reason.format(name), parameter, context)
        return name

    def shell_complete(self, *arguments: Any) -> list[Any]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(name) for name in self._offered if name.startswith(arguments[-1])]


def variant(default: str, why_not: WhyNot = of_any) -> Callable[[Command], Command]:
    """The option for the metric."""
    other = "" if why_not(METRICS["chrf"]) else "; or another metric"
    return click.option(
        "--variant",
        "--metric",
        "variant",
        type=MetricName(why_not),
        default=default,
        show_default=True,
        help=f"The definition of BLEU: sacrebleu is the field's standard, nltk is NLTK's corpus_bleu{other}.",
    )


def variants(why_not: WhyNot = of_any) -> Callable[[Command], Command]:
    """The option for one or more metrics."""
    return click.option(
        "--variant",
        "--metric",
        "variants",
        type=MetricName(why_not),
        multiple=True,
        default=["sacrebleu"],
        show_default=True,
        help="A definition of BLEU, of which sacrebleu (or bleu) is the field's standard, or another metric. Repeat the option for "
        "several metrics.",
    )


SMOOTHING_OF_TEXT = with_parameters(
    click.option(
        "--smoothing",
        metavar="NAME",
        help="Smoothing of orders without a match, by default the tool's. sacrebleu: exp, floor, add-k, none; "
        "nltk: none, method0 to method7; mteval-v13a: exp, none; moses: none, add; huggingface: none, smooth.",
    ),
    click.option(
        "--smoothing-value", type=float, metavar="X", help="Parameter of the smoothing, by default the tool's."
    ),
)
SEED = number_option("--seed", least=0, default=12345, help="Seed of all random samples.")
THREADS = number_option("--threads", default=1, help="How many threads work at the same time.")
WIDTH = number_option("--width", least=0, most=17, default=2, help="How many decimals are printed.")
DROP_BOM = click.option(
    "--drop-bom",
    is_flag=True,
    help="Leave out a byte order mark at the start of a file. The tools take it for a part of the first token.",
)
OF_TEXTS = with_parameters(ORDER, WEIGHTS, RAW, DROP_BOM)
FILES = with_parameters(
    click.argument("hypothesis", metavar="HYP", type=FILE),
    click.argument("references", metavar="REF...", nargs=-1, required=True, type=FILE),
    OF_TEXTS,
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
        raise click.UsageError(f"--order {order} does not fit the {len(weights)} weights")
    choices: dict[str, Any] = {
        "smoothing": smoothing,
        "smoothing_value": smoothing_value,
        "max_order": order,
        "weights": weights,
    }
    for choice, value in choices.items():
        if value is not None and not hasattr(METRICS[name], choice):
            option = "--order" if choice == "max_order" else f"--{choice.replace('_', '-')}"
            raise click.UsageError(f"the metric {name} takes no {option}")
    try:
        return find(name, **choices)
    except CybleuError as error:
        raise click.UsageError(str(error)) from error


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
    if paths.count(STANDARD_INPUT) > 1:
        raise click.UsageError("only one of the files can be standard input")
