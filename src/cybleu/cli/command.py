"""Click's commands with headings in the help, files and metrics as arguments, and advice for mistakes."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from itertools import chain
from typing import Any, TypeAlias

import click
from click import (
    Argument,
    Choice,
    Context,
    NoSuchOption,
    Option,
    Parameter,
    UsageError,
    argument,
    get_current_context,
    option,
)
from click.core import ParameterSource

from .._files.text import STANDARD_STREAM, shown
from .._files.writing import check_paths
from .._runtime.system import command_line
from ..errors import CybleuError, InputFileError, _printable
from ..metrics import METRICS, VARIANTS, Metric, find
from ..metrics.names import name_of

Decorator: TypeAlias = Callable[[Any], Any]
Files: TypeAlias = tuple[str, ...]
Gathered: TypeAlias = dict[str, Any]  # the values of options, by name

ARGUMENTS = "cybleu.arguments"  # of the command, as the user wrote them
# Advice for options that no command has, or only some: the option to use, or a sentence.
ADVICE = {
    "--confidence": "--ci --interval --intervals --confidence-interval --bootstrap",
    "--report": "--html --page",
    "--metric": "--metrics --utility --tool --tools --variant --variants",
    "--start": "--init --weights --initial-weights",
    "--restarts": "--random-restarts",
    "--size": "-n --samples",
    "--line": "--segment --sentence --index --number",
    "give the files of texts and lists without an option": "--hyp --hypothesis --hypotheses --system --systems --nbest",
    "redirect standard output to a file": "-o --output",
    "redirect standard error to hide all messages": "-q --quiet",
    "texts must be UTF-8; convert them, with iconv for example": "-e --encoding",
    "give it before the name of the command: cybleu --version, cybleu --cite": "-V --version --cite",
}


def say(text: str) -> None:
    """Tell the user something beside the output."""
    click.echo(f"cybleu: {text}", err=True)


def say_same_score(references: Files, **options: Any) -> None:
    """Tell which tokens a score was computed on, and the command that prints the same score of texts.

    :param options: the options of the command, of which some are those of `cybleu score`
    """
    words = ["cybleu", "score", "OUTPUT", *references, "-m", options["metric"]]
    for name in ("smoothing", "max_order", "reference_length", "tokenize"):
        if options.get(name) is not None:
            words += [as_option(name), str(options[name])]
    say(f"scores use --tokenize {options['tokenize']}; to score texts the same way, run: {command_line(words)}")


def as_option(name: str, value: Any = None) -> str:
    """Name the option of an argument in a message."""
    flag = f"--{name.replace('_', '-')}"
    return flag if value is None else f"{flag} {value}"


def from_command_line(name: str) -> bool:
    """Whether the user gave an argument or option, by the name of the parameter."""
    return get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def shows_progress() -> bool:
    """Whether there are progress bars: standard error is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


def _with_attribute(attribute: str, value: str, *options: Decorator) -> Decorator:
    def decorate(function: Any) -> Any:
        before = len(getattr(function, "__click_params__", ()))
        for one in reversed([*options]):
            function = one(function)
        for parameter in function.__click_params__[before:]:  # where click keeps them until the command is made
            setattr(parameter, attribute, value)
        return function

    return decorate


# give options a heading in the help of a command
section = partial(_with_attribute, "heading")
# gather the values of options in one dict, which is an argument of the command's function with this name
gathered = partial(_with_attribute, "gathered")


class Command(click.Command):
    """A command whose options have headings in the help, and which reports errors of the library in one sentence.

    :param other_tools: advice for options of other tools: the option of this command, or a sentence
    """

    def __init__(self, *arguments: Any, other_tools: Mapping[str, str] = {}, **settings: Any):
        super().__init__(*arguments, **settings)
        self.advice = [*other_tools.items(), *ADVICE.items()]

    def format_options(self, ctx: Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, Option):
                sections.setdefault(getattr(parameter, "heading", "Other"), []).append(record)
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        given = list(args)  # click takes from `args` what it has read
        ctx.meta[ARGUMENTS] = given
        try:
            rest = super().parse_args(ctx, args)
        except NoSuchOption as error:
            raise UsageError(self._no_such_option(ctx, error.option_name, given), ctx) from None
        # click would silently ignore all but the last value of an option that has one value
        for one, times in Counter(self.make_parser(ctx).parse_args([*given])[2]).items():
            repeated = times > 1 and isinstance(one, Option) and not (one.multiple or one.is_flag)
            if repeated and not ctx.resilient_parsing:
                raise UsageError(f"{one.opts[0]} is given {times} times; give it once", ctx)
        return rest

    def _no_such_option(self, ctx: Context, name: str, given: list[str]) -> str:
        # click names one letter of -tok
        name = next((word.partition("=")[0] for word in given if word.startswith(name)), name)
        options: list[str] = []
        values: dict[str, str] = {}  # --latex is --format latex
        for parameter in self.get_params(ctx):
            for flag in parameter.opts:
                if flag.startswith("--"):
                    options.append(flag)
                    values |= {f"--{value}": f"{flag} {value}" for value in getattr(parameter.type, "choices", ())}
        for advice, theirs in self.advice:
            if name in theirs.split():
                if " " in advice:
                    return f"there is no option {name}; {advice}"
                if advice in options:  # which only some commands have
                    return f"there is no option {name}; it is {advice} here"
        # the shortest first: --ref is --references, and not --reference-length
        begun = sorted((flag for flag in options if flag.startswith(name)), key=len)
        close = [values[name]] if name in values else begun or similar(name, options)
        return f"there is no option {name}; {f'did you mean {close[0]}?' if close else 'see --help'}"

    def invoke(self, ctx: Context) -> Any:
        try:
            if sys.stdout is None:  # a process may be started without
                raise InputFileError("standard output: is closed")
            # all files that are named are checked before one is read or written
            read: list[str] = []
            written: list[str] = []
            for parameter in self.params:
                if isinstance(parameter.type, FilePath):
                    value = ctx.params.get(str(parameter.name)) or ()
                    if isinstance(value, dict):  # systems with the files of their runs
                        value = chain.from_iterable(value.values())
                    paths = written if parameter.type.written else read
                    paths += [value] if isinstance(value, str) else value
            if read.count(STANDARD_STREAM) > 1:
                raise UsageError("only one of the files can be standard input")
            if written:
                check_paths([path for path in written if path != STANDARD_STREAM], read)
            # click passes each option as an argument of its own
            for parameter in self.params:
                if hasattr(parameter, "gathered"):
                    values = ctx.params.setdefault(parameter.gathered, {})
                    values[parameter.name] = ctx.params.pop(str(parameter.name))
            return super().invoke(ctx)
        except (CybleuError, ValueError, ArithmeticError) as error:
            raise InputError(str(error)) from error


class InputError(click.ClickException):
    """A mistake in the input: one sentence on standard error, exit status 2."""

    exit_code = 2  # as of click's errors of usage, because a script need not tell them apart

    def show(self, file: Any = None) -> None:
        say(f"error: {_printable(self.format_message())}")


class Commands(click.Group):
    """A group of commands in the order of the help, each in a module with a function such as ``score_command``.

    Only the module of the command that runs is imported: all of them take longer than counting a hundred thousand
    lines.
    """

    command_class = Command

    def __init__(self, *arguments: Any, modules: Mapping[str, str] = {}, **settings: Any):
        super().__init__(*arguments, **settings)
        self.modules = modules

    def list_commands(self, context: Context) -> list[str]:
        return [*self.modules, *self.commands]

    def get_command(self, context: Context, name: str) -> click.Command | None:
        if name not in self.modules:
            return super().get_command(context, name)
        command: click.Command = getattr(import_module(f"{__package__}.{self.modules[name]}"), f"{name}_command")
        return command

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except NoSuchOption as error:
            names = ", ".join(self.list_commands(ctx))
            raise UsageError(
                f"there is no option {error.option_name}; the name of a command comes first: {names}", ctx
            ) from None

    def resolve_command(self, ctx: Context, args: list[str]) -> Any:
        """Name the command that is meant, which click looks for only among those that are imported."""
        if self.get_command(ctx, args[0]) is None:
            names = self.list_commands(ctx)
            # a command of a group, such as mert, is meant by its own name more often than a similar one
            for name in names:
                group = self.get_command(ctx, name)
                if isinstance(group, click.Group) and args[0] in group.list_commands(ctx):
                    ctx.fail(f"No such command '{args[0]}'. Did you mean '{name} {args[0]}'?")
            if os.path.isfile(args[0]):
                ctx.fail(f"'{args[0]}' is a file; the name of a command comes first: {', '.join(names)}")
            if "score" in names and metric_named(args[0]) in METRICS:
                files = args[1:] or ["HYP", "REF"]
                metric = args[0] if args[0] in METRICS else args[0].lower()
                line = command_line([ctx.command_path, "score", "-m", metric, *files])
                ctx.fail(f"No such command '{args[0]}'; to score by this metric, run: {line}")
            if close := similar(args[0], names):
                ctx.fail(f"No such command '{args[0]}'. Did you mean '{close[0]}'?")
            ctx.fail(f"No such command '{args[0]}'; use one of {', '.join(names)}")
        return super().resolve_command(ctx, args)


class FilePath(click.Path):
    """The path of a file, and not a metric; mistakes are reported when it is opened.

    :param written: the command writes the file
    :param allow_dash: if the path is ``-``, it writes to standard output
    """

    def __init__(self, written: bool = False, allow_dash: bool = False):
        super().__init__(readable=False, allow_dash=allow_dash)
        self.written = written

    def convert(self, value: Any, param: click.Parameter | None, ctx: Context | None) -> Any:
        if metric_named(str(value)) in METRICS and not os.path.exists(value):
            self.fail(
                f"{shown(value)} is a metric, and there is no such file; give metrics as -m bleu,{value}", param, ctx
            )
        if self.written and value == STANDARD_STREAM and not self.allow_dash:
            self.fail("must be a file, not standard output", param, ctx)
        return super().convert(value, param, ctx)


hypothesis_argument = argument("hypothesis", metavar="HYP", type=FilePath())


def references_option(*names: str, **settings: Any) -> Decorator:
    """Declare the option for a file of references."""
    return option(
        "-r",
        "--references",
        *names,
        metavar="REF",
        type=FilePath(),
        multiple=True,
        help="A reference file; repeatable.",
        **settings,
    )


def references_argument(metavar: str = "REF...", required: bool = True, advice: str | None = None) -> Decorator:
    """Declare the argument for files of references, which may also be given with -r.

    :param advice: how to call the command, for the message that there are no references; by default with all arguments
    """

    def read(context: Context, parameter: Parameter, values: Files) -> Files:
        more: Files = context.params.pop("more_references")  # the command has one argument for both
        if values and more:
            raise UsageError("give either all references or none with -r; to score several systems, use cybleu compare")
        if required and not (values or more):
            raise UsageError(f"Missing argument '{metavar}'; {advice or f'run: {_whole_command(context)}'}")
        return values or more

    files = argument("references", metavar=metavar, nargs=-1, type=FilePath(), callback=read)
    # read before the argument, which takes its files
    more_files = section("Files", references_option("more_references", is_eager=True))
    return lambda function: files(more_files(function))


def _whole_command(context: Context) -> str:
    """The command with its arguments and required options."""
    words = [context.command_path]
    for parameter in context.command.params:
        if isinstance(parameter, Argument):
            words.append(str(parameter.metavar))
        elif parameter.required:
            words += [parameter.opts[0], str(parameter.metavar)]
    return " ".join(words)


class MetricName(Choice):  # type: ignore[type-arg]
    """The name of a metric, or sacreBLEU's, in upper or lower case.

    :param of_bleu: the command accepts only metrics with the counts of BLEU
    :param of_sums: it accepts none that is a mean of the scores of segments
    """

    def __init__(self, of_bleu: bool = False, of_sums: bool = False):
        self._reasons: dict[str, str] = {}  # against the other metrics
        for name in METRICS:
            variant = VARIANTS.get("sacrebleu" if name == "bleu" else name)
            if of_bleu and variant is None:
                self._reasons[name] = f"this command supports only BLEU, and {name} is another metric"
            elif of_sums and variant is not None and variant.level == "mean":
                self._reasons[name] = (
                    f"this command requires a corpus score, and {name} is a mean of the scores of segments; use another one"
                )
        super().__init__([name for name in METRICS if name not in self._reasons])

    def convert(self, value: Any, param: Parameter | None, ctx: Context | None) -> Any:
        name = metric_named(value)
        if name not in METRICS:
            hint = "".join(f"; did you mean {close}?" for close in similar(value.lower(), ["bleu", *self.choices]))
            what = shown(value.lower()) if value else "an empty name beside a comma"
            self.fail(f"{what} is not one of {', '.join(self.choices)}{hint}", param, ctx)
        if name in self._reasons:
            self.fail(self._reasons[name], param, ctx)
        return name


def metric_named(name: str) -> str:
    """The name of a metric that the user wrote, which may be sacreBLEU's, in upper or lower case."""
    name = name.lower()
    name = "sacrebleu" if name == "bleu" else name.replace("chrf2", "chrf")
    return name_of(name)


def metric_of(scoring: Gathered) -> Metric:
    """The metric that options name, see :func:`cybleu.cli.options.scoring_section`."""
    return find(scoring["metric"], smoothing=scoring["smoothing"])


def similar(name: str, names: list[str]) -> list[str]:
    """The most similar of some names in a list, which is empty if none is similar."""
    from difflib import get_close_matches

    return get_close_matches(name, names, 1, 0.75)
