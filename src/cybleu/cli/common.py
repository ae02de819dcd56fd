"""What the commands share: how they report what the user can mend, and their options."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias, TypeVar

import click

from .._files.text import STANDARD_INPUT, number_of, shown
from .._files.writing import check_paths
from ..errors import CybleuError, InputFileError, printable
from ..metrics import METRICS, Bleu, Gleu, Metric, find

Command = TypeVar("Command", bound=Callable[..., Any])


class InputError(click.ClickException):
    """What the user can mend: one sentence on standard error, exit status 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        click.echo(f"cybleu: error: {printable(self.format_message())}", err=True)


@contextmanager
def input_errors() -> Iterator[None]:
    """Report what reading and computing raise."""
    try:
        yield
    except (CybleuError, ValueError, ArithmeticError) as error:
        raise InputError(_for_commands(str(error))) from error


_ADVISED = {"size": "--size", "first_id": "--first-id", "segments": "--segment-count", "format": "--format"}
_ADVICE = re.compile(rf"\b(give|as|of) ({'|'.join(_ADVISED)})=(?=\s|$)")

_FORMAT = re.compile(r"\bformat='(\w+)'")


def _for_commands(message: str) -> str:
    """What functions advise, with options in the place of arguments; without what this command has no option for."""
    options = {name for parameter in click.get_current_context().command.params for name in parameter.opts}
    clauses = [
        _FORMAT.sub(r"--format \1", _ADVICE.sub(lambda found: f"{found[1]} {_ADVISED[found[2]]}", clause))
        for clause in message.split("; ")
        if {_ADVISED[name] for _, name in _ADVICE.findall(clause)} <= options
    ]
    return "; ".join(clauses) or message


def with_parameters(*parameters: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """A decorator that gives a command these arguments and options, in this order."""

    def decorate(command: Command) -> Command:
        for parameter in reversed(parameters):
            command = parameter(command)
        return command

    return decorate


def taken(kind: Any, options: dict[str, Any]) -> Any:
    """A tuple with names of those options that it has, which are then no longer among them."""
    return kind(**{name: options.pop(name) for name in kind._fields if name in options})


# ------------------------------------------------------------------------------------------------------------- options


# A file to read or to write, or `-`. What is wrong with it is said when it is opened.
FILE = click.Path(readable=False)

SPLIT = click.option(
    "--split",
    type=click.Choice(["ascii", "space", "unicode"]),
    default="unicode",
    show_default=True,
    help="What separates tokens: any white space, white space of ASCII only as in multi-bleu.perl, or spaces only as in Moses.",
)
TOKENIZE = click.option(
    "--tokenize", metavar="NAME", help="A tokeniser of sacreBLEU, such as 13a, intl, zh or char, instead of --split."
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
    return weights


MOST_ORDERS = 64
WEIGHTS = click.option(
    "--weights",
    callback=read_weights_of_orders,
    metavar="W,W,...",
    help="Weights of the n-gram orders.  [default: uniform]",
)
ORDER = click.option("--order", type=click.IntRange(1, MOST_ORDERS), help="Largest n-gram order.  [default: 4]")
RAW = with_parameters(
    click.option(
        "--tokenize",
        metavar="NAME",
        help="The tokeniser: 13a, intl, zh, char or another one of sacreBLEU, or none for text that is already tokenised.  "
        "[default: that of the tool, such as 13a for sacrebleu, huggingface and mteval-v13a, white space for most others]",
    ),
    click.option(
        "--split",
        type=click.Choice(["ascii", "space", "unicode"]),
        help="What separates tokens, instead of --tokenize: any white space, white space of ASCII only as in multi-bleu.perl, or "
        "spaces only as in Moses.",
    ),
    click.option(
        "--lowercase", is_flag=True, help="Put the texts in lower case first; for mteval-v13a only the letters A to Z."
    ),
)
FIRST_ID = click.option(
    "--first-id",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="The id of the first segment.",
)
SIZE = click.option("--size", type=click.IntRange(1), help="How many lines each segment has, in the plain format.")
FEATURE_TABLE = click.option(
    "--feature-table",
    metavar="FILE",
    type=FILE,
    help="The file of features of the plain format, one line for each hypothesis.",
)
REFERENCE_LENGTH = click.option(
    "--reference-length",
    type=click.Choice(["closest", "closest-first", "shortest", "average"]),
    help="Which length counts if there are several references.  [default: closest]",
)
SMOOTHING = click.option("--smoothing", metavar="NAME", help="The smoothing of BLEU.  [default: that of the tool]")


def of_any(metric: Metric) -> None:
    """Why a command does not take a metric, where it takes every one."""


def of_bleu(metric: Metric) -> str | None:
    """The same where texts are counted as BLEU needs it."""
    if metric.of_raw_text or isinstance(metric, Gleu):
        return "this command counts the n-grams of BLEU, and {} needs other counts"
    return None


def of_sums(metric: Metric) -> str | None:
    """The same where sums of the counts of segments are scored."""
    if isinstance(metric, Bleu) and metric.level == "mean":
        return "this command scores sums of counts, and {} is a mean of the scores of segments; give another --metric"
    return None


def of_sums_of_bleu(metric: Metric) -> str | None:
    """The same for both reasons."""
    return of_bleu(metric) or of_sums(metric)


def of_steps_of_bleu(metric: Metric) -> str | None:
    """The same where the steps of BLEU are explained."""
    return None if isinstance(metric, Bleu) else "this command explains the steps of BLEU, and {} is not BLEU"


WhyNot: TypeAlias = "Callable[[Metric], str | None]"


class MetricName(click.ParamType):  # type: ignore[type-arg]
    """A name in :data:`cybleu.metrics.METRICS`, as it is when the command runs, of those that the command takes."""

    name = "metric"

    def __init__(self, why_not: WhyNot = of_any):
        self._why_not = why_not

    @property
    def _offered(self) -> list[str]:
        return [name for name, metric in METRICS.items() if self._why_not(metric) is None]

    def get_metavar(self, *arguments: Any, **named: Any) -> str:  # which, depends on the version of click
        return f"[{'|'.join(self._offered)}]"

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        if value not in METRICS:
            self.fail(f"{shown(value)} is not one of {', '.join(self._offered)}", parameter, context)
        reason = self._why_not(METRICS[value])
        if reason is not None:
            self.fail(reason.format(value), parameter, context)
        return value

    def shell_complete(self, *arguments: Any) -> list[Any]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(name) for name in self._offered if name.startswith(arguments[-1])]


def variant(default: str, why_not: WhyNot = of_any) -> Callable[[Command], Command]:
    """The option that names the metric."""
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
THREADS = click.option(
    "--threads", type=click.IntRange(1), default=1, show_default=True, help="How many threads work at the same time."
)
WIDTH = click.option(
    "--width", type=click.IntRange(0, 17), default=2, show_default=True, help="How many decimals are printed."
)
DROP_BOM = click.option(
    "--drop-bom",
    is_flag=True,
    help="Leave out a byte order mark at the start of a file. The tools take it for a part of the first token.",
)
FILES = with_parameters(
    click.argument("hypothesis", metavar="HYP", type=FILE),
    click.argument("references", metavar="REF...", nargs=-1, required=True, type=FILE),
    ORDER,
    WEIGHTS,
    RAW,
    DROP_BOM,
)


def metric_of(
    name: str,
    smoothing: str | None = None,
    smoothing_value: float | None = None,
    order: int | None = None,
    weights: Sequence[float] | None = None,
) -> Metric:
    """The metric that the options ask for."""
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
    """See that the plain format comes with what it needs."""
    if list_format == "plain" and size is None:
        raise InputError("--format plain needs --size, the number of lines of each segment")


def need_standard_output() -> None:
    """Refuse to begin what could not be printed, because the process was started without a standard output."""
    if sys.stdout is None:
        raise InputError("standard output: is closed")


def someone_looks() -> bool:
    """Whether progress is seen: standard error is a terminal. A process may have been started without one."""
    return sys.stderr is not None and sys.stderr.isatty()


def one_standard_input(*paths: str | None) -> None:
    if paths.count(STANDARD_INPUT) > 1:
        raise click.UsageError("only one of the files can be standard input")
