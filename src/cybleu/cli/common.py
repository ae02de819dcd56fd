"""What the commands share: how they report what the user can mend, and the options and files of texts and metrics."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem
from tqdm import tqdm

from .._files.text import STANDARD_INPUT, Lines, parallel_segments, shown
from .._files.writing import check_paths
from ..errors import CybleuError, printable
from ..metrics import METRICS, Metric, find
from ..text.files import raw_segments

Command = TypeVar("Command", bound=Callable[..., Any])
NO_LINE = "the files have no line, so there is no segment to score"


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
        raise InputError(str(error)) from error


def with_parameters(*parameters: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """A decorator that gives a command these arguments and options, in this order."""

    def decorate(command: Command) -> Command:
        for parameter in reversed(parameters):
            command = parameter(command)
        return command

    return decorate


# ------------------------------------------------------------------------------------------------------------- options

SPLIT = click.option(
    "--split",
    type=click.Choice(["ascii", "unicode"]),
    default="unicode",
    show_default=True,
    help="What separates tokens: any white space, or ASCII white space only, as in multi-bleu.perl.",
)
TOKENIZE = click.option(
    "--tokenize", metavar="NAME", help="Tokenise with sacreBLEU's 13a, intl, zh, char, ... instead of --split."
)


def read_weights(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[float, ...] | None:
    if value is None:
        return None
    try:
        return tuple(float(weight) for weight in value.split(","))
    except ValueError:
        raise click.BadParameter(f"{shown(value)} is not a list of numbers such as 0.1,0.3,0.5,0.1") from None


WEIGHTS = click.option(
    "--weights", callback=read_weights, metavar="W,W,...", help="Weights of the orders.  [default: uniform]"
)
ORDER = click.option("--order", type=click.IntRange(1, 64), help="Largest n-gram order.  [default: 4]")
RAW = with_parameters(
    click.option(
        "--tokenize",
        metavar="NAME",
        help="13a, intl, zh, char, none for text that is tokenised already, or another tokeniser of sacreBLEU.  "
        "[default: the tool's: 13a for sacrebleu, huggingface and mteval-v13a, otherwise white space]",
    ),
    click.option(
        "--split",
        type=click.Choice(["ascii", "unicode"]),
        help="Instead of --tokenize: split on any white space, or on that of ASCII only, as multi-bleu.perl does.",
    ),
    click.option("--lowercase", is_flag=True, help="Put the texts in lower case first; for mteval-v13a only A to Z."),
)
FIRST_ID = click.option(
    "--first-id",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Id of the first segment of the references.",
)
REFERENCE_LENGTH = click.option(
    "--reference-length",
    type=click.Choice(["closest", "shortest", "average"]),
    help="Which length counts where there are several references.  [default: closest]",
)
SMOOTHING = click.option("--smoothing", metavar="NAME", help="Smoothing of BLEU, by default the tool's.")


class MetricName(click.ParamType):  # type: ignore[type-arg]
    """A name in :data:`cybleu.metrics.METRICS`, as it is when the command runs."""

    name = "metric"

    def get_metavar(self, *context: Any) -> str:
        return f"[{'|'.join(METRICS)}]"

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        if value not in METRICS:
            self.fail(f"{shown(value)} is not one of {', '.join(METRICS)}", parameter, context)
        return value

    def shell_complete(self, *arguments: Any) -> list[CompletionItem]:
        return [CompletionItem(name) for name in METRICS if name.startswith(arguments[-1])]


def variant(default: str) -> Callable[[Command], Command]:
    """The option that names the metric."""
    return click.option(
        "--variant",
        type=MetricName(),
        default=default,
        show_default=True,
        help="The definition of BLEU: sacrebleu is the field's standard, nltk is NLTK's corpus_bleu.",
    )


DROP_BOM = click.option(
    "--drop-bom",
    is_flag=True,
    help="Leave out a byte order mark at the start of a file. The tools take it for a part of the first token.",
)
FILES = with_parameters(
    click.argument("hypothesis", metavar="HYP"),
    click.argument("references", metavar="REF...", nargs=-1, required=True),
    ORDER,
    WEIGHTS,
)
OF_TEXT = with_parameters(FILES, SPLIT, TOKENIZE, DROP_BOM)


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
    try:
        return find(name, smoothing=smoothing, smoothing_value=smoothing_value, max_order=order, weights=weights)
    except CybleuError as error:
        raise click.UsageError(str(error)) from error


def check_outputs(outputs: Sequence[str | None], inputs: Sequence[str | None]) -> None:
    """Refuse an output that is another output or an input."""
    with input_errors():
        check_paths(outputs, inputs)


def one_standard_input(*paths: str | None) -> None:
    if paths.count(STANDARD_INPUT) > 1:
        raise click.UsageError("only one of the files can be standard input")


# --------------------------------------------------------------------------------------------------------------- texts


def default_tokenizer(variant: str) -> str:
    """What makes tokens of the files that the tool of a variant would be given."""
    of_tools = {"sacrebleu": "13a", "huggingface": "13a", "mteval-v13a": "13a", "multi-bleu": "ascii"}
    return of_tools.get(variant, "none")


def raw_segments_of_files(
    hypothesis: str,
    references: Sequence[str],
    change: Callable[[bytes], bytes] | None,
    see: Callable[[bytes], None],
    size: int,
    drop_bom: bool,
) -> Iterator[tuple[Any, Any, Any]]:
    """The segments of parallel files as raw text, some at a time, under a progress bar."""
    one_standard_input(hypothesis, *references)
    with _files(hypothesis, references, drop_bom, 1) as (files, advance):
        for block in raw_segments(files[0], files[1:], change, see, size):
            yield block
            advance()


def segments(
    hypothesis: str,
    references: Sequence[str],
    split: Callable[[str], list[str]],
    drop_bom: bool,
    delay: float = 1,
) -> Iterator[tuple[list[list[list[str]]], list[list[str]]]]:
    """The segments of parallel files, some at a time, under a progress bar."""
    one_standard_input(hypothesis, *references)
    return _segments(hypothesis, references, split, drop_bom, delay)


def _segments(
    hypothesis: str, references: Sequence[str], tokens_of: Callable[[str], list[str]], drop_bom: bool, delay: float
) -> Iterator[tuple[list[list[list[str]]], list[list[str]]]]:
    with _files(hypothesis, references, drop_bom, delay) as (files, advance), _collector_paused():
        for block in parallel_segments(files[0], files[1:], tokens_of):
            yield block
            advance()


@contextmanager
def _files(
    hypothesis: str, references: Sequence[str], drop_bom: bool, delay: float
) -> Iterator[tuple[list[Lines], Callable[[], Any]]]:
    """The open files, and what moves the progress bar on. At the end, a note where there is a byte order mark."""
    with ExitStack() as stack:
        files = [stack.enter_context(Lines(path, keep_mark=not drop_bom)) for path in (hypothesis, *references)]
        file = files[0]
        bar = stack.enter_context(
            # `disable=None` is: unless a person is looking; `delay`: unless it takes long
            tqdm(total=file.size, unit="B", unit_scale=True, disable=None, delay=delay, leave=False, file=sys.stderr)
        )
        yield files, lambda: bar.update(file.position() - bar.n)
    for name in [shown(marked.name) for marked in files if marked.mark and not drop_bom]:
        click.echo(
            f"cybleu: {name} begins with a byte order mark, which is part of its first token here, as in the tools; "
            "--drop-bom leaves it out",
            err=True,
        )


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Lists of tokens hold no cycles, and looking for some in them takes a fifth of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
