"""Options as fields of a dataclass: each is declared once, with its type, its default and its help."""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, field, fields, is_dataclass
from importlib import import_module
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from .._files.text import STANDARD_STREAM, shown
from .._files.writing import check_paths
from .._runtime.system import command_line
from ..errors import CybleuError, InputFileError, _printable
from ..metrics import METRICS

Given = TypeVar("Given")
# Options of other tools, the option or argument of the command that makes a hint true, and the hint if it is not the usual one.
HABITS: tuple[tuple[str, ...], ...] = (
    ("-w --width", "--digits"),
    ("-w", "--weights FILE", "it is --weights here"),
    ("-tok", "--tokenize"),
    ("-lc", "--lowercase"),
    ("-sl --sentence-level", "--segments"),
    ("-ci -cin", "--confidence-n", "use --confidence and --confidence-n here"),
    ("-f --json", "--format text", "it is --format here, such as --format json"),
    ("-s -sv --smooth-method --smooth-value", "--smoothing-value", "use --smoothing and --smoothing-value here"),
    ("-cw --chrf-word-order", "-m NAME,...", "-m chrf++ also counts words"),
    ("-nr --num-refs", "-r", "repeat -r for each file of references"),
    ("-i --input", "-r", "give the hypotheses first, without -i, and each file of references as -r REF"),
    ("-b --score-only", "HYP", "cybleu sacrebleu REF -i HYP -b prints the score alone"),
    ("-t -l --test-set --language-pair", "HYP", "for sacreBLEU's test sets, use cybleu sacrebleu -t"),
    ("--paired-bs --paired-ar", "HYP", "use cybleu compare with --test shifted-bootstrap or --test randomization"),
    ("--paired-bs --paired-ar", "--test", "--paired-bs is --test shifted-bootstrap, --paired-ar the default"),
    ("--paired-bs-n --paired-ar-n", "--samples"),
    ("-n", "--restarts"),
    ("-J", "--passes"),
    ("-J", "--iterations"),
    ("-C", "--step"),
    ("-q --quiet", "", "redirect standard error to hide all messages"),
    ("-e --encoding", "", "texts must be UTF-8; convert them, with iconv for example"),
    ("-V --version --cite", "", "give it before the name of the command: cybleu --version, cybleu --cite"),
)
ARGUMENTS = "cybleu.arguments"  # of the command, as the user wrote them
# Arguments of the library's functions in its messages, which are options here.
NAMED = re.compile(r"\b(size|first_id|segments|format|normalise|fixed)=(?:'?(\w+)'?)?")


def option(*flags: str, default: Any = None, **how: Any) -> Any:
    """Declare the option that sets a field.

    :param flags: the names of the option, by default that of the field
    :param how: further arguments of :class:`click.Option`
    """
    shows = default not in (None, ()) and not isinstance(default, bool)
    return field(
        default=default, metadata={"kind": click.Option, "flags": flags, "how": {"show_default": shows, **how}}
    )


def number(*flags: str, least: int = 1, most: int | None = None, **how: Any) -> Any:
    """Declare an option that takes an integer in a range."""
    return option(*flags, type=click.IntRange(least, most), **how)


def real(*flags: str, most: float | None = None, with_zero: bool = False, **how: Any) -> Any:
    """Declare an option that takes a number above 0, or from 0 on."""
    return option(*flags, type=click.FloatRange(0, most, min_open=not with_zero), **how)


def switch(*flags: str, default: bool = False, **how: Any) -> Any:
    """Declare an option without a value."""
    return option(*flags, default=default, is_flag=True, **how)


def choice(*flags: str, of: Sequence[str], **how: Any) -> Any:
    """Declare an option that takes one of some names."""
    return option(*flags, type=click.Choice(of), **how)


def file(*flags: str, metavar: str = "FILE", written: bool = False, allow_dash: bool = False, **how: Any) -> Any:
    """Declare an option that takes the path of a file; mistakes are reported when it is opened.

    :param written: the command writes the file
    :param allow_dash: if the path is ``-``, it writes to standard output
    """
    return option(*flags, metavar=metavar, type=_Path(written, allow_dash), **how)


def argument(metavar: str, **how: Any) -> Any:
    """Declare the argument that sets a field: the path of a file, or several."""
    how = {"metavar": metavar, "type": _Path(), **how}
    return field(metadata={"kind": click.Argument, "flags": (), "how": how})


def command(kind: type[Given], group: click.Group | None = None) -> Callable[[Callable[[Given], None]], click.Command]:
    """Make a command of a function that takes all arguments and options as one object.

    :param kind: a dataclass; the first line of its docstring, and of those of its bases, is a heading in the help
    :param group: the group that the command belongs to
    """

    def decorate(function: Callable[[Given], None]) -> click.Command:
        declared = {one.name: _parameter(one) for one in fields(kind) if one.metadata}  # type: ignore[arg-type]
        sections: dict[str, list[click.Parameter]] = {}
        rest = dict(declared)
        for part in filter(is_dataclass, reversed(kind.__mro__)):
            heading = (inspect.getdoc(part) or "").partition("\n")[0].rstrip(".")
            own = [rest.pop(one.name) for one in fields(part) if one.name in rest]
            sections.setdefault(heading, []).extend(own)
        made = _Command(
            function.__name__.replace("_", "-"),
            callback=lambda **values: function(kind(**values)),
            params=sorted(declared.values(), key=lambda one: one.nargs == -1),  # what takes all other words is the last
            help=inspect.getdoc(function),
        )
        made.sections = sections
        if group is not None:
            group.add_command(made)
        return made

    return decorate


def arguments_of(given: Any, kind: type) -> dict[str, Any]:
    """Return the options of one class as arguments of a function of the library."""
    return {one.name: getattr(given, one.name) for one in fields(kind)}


def from_command_line(name: str) -> bool:
    """Whether the user gave this argument or option, by the name of its field."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def _parameter(of: Field[Any]) -> click.Parameter:
    flags = list(of.metadata["flags"])
    if of.metadata["kind"] is click.Option and not any(flag.startswith("--") for flag in flags):
        flags.insert(0, f"--{of.name.replace('_', '-')}")
    default = {} if of.default in (MISSING, None) else {"default": of.default}
    parameter: click.Parameter = of.metadata["kind"]([*flags, of.name], **default, **of.metadata["how"])
    return parameter


class Commands(click.Group):
    """A group of commands in the order of the help, each in a module that has a function of its name.

    Only the module of the command that runs is imported: all of them take longer than counting a hundred thousand
    lines.
    """

    def __init__(self, *arguments: Any, modules: Mapping[str, str] = {}, **more: Any):
        super().__init__(*arguments, **more)
        self.modules = modules

    def list_commands(self, context: click.Context) -> list[str]:
        return [*self.modules, *self.commands]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in self.modules:
            return super().get_command(context, name)
        command: click.Command = getattr(import_module(f"{__package__}.{self.modules[name]}"), name)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Name the command that is meant, which click looks for only among those that are imported."""
        if self.get_command(ctx, args[0]) is None:
            names = self.list_commands(ctx)
            if os.path.isfile(args[0]):
                ctx.fail(f"'{args[0]}' is a file; the name of a command comes first: {', '.join(names)}")
            if "score" in names and metric_named(args[0]) in METRICS:
                files = args[1:] or ["HYP", "REF"]
                line = command_line([ctx.command_path, "score", "-m", args[0].lower(), *files])
                ctx.fail(f"No such command '{args[0]}'; to score by this metric, run: {line}")
            if close := similar(args[0], names):
                ctx.fail(f"No such command '{args[0]}'. Did you mean '{close[0]}'?")
        return super().resolve_command(ctx, args)


def metric_named(name: str) -> str:
    """The name of a metric that the user wrote, which may be sacreBLEU's, in upper or lower case."""
    name = name.lower()
    return "sacrebleu" if name == "bleu" else name.replace("chrf2", "chrf")


def _forms(parameter: click.Parameter) -> Iterator[str]:
    """What the help shows of a parameter: an argument, or the names of an option, alone and with each value."""
    values = str(parameter.metavar), *getattr(parameter.type, "choices", ())
    yield from (values[0], *parameter.opts, *(f"{flag} {value}" for flag in parameter.opts for value in values))


def similar(name: str, names: list[str]) -> list[str]:
    """The most similar of some names in a list, which is empty if none is similar."""
    from difflib import get_close_matches

    return get_close_matches(name, names, 1, 0.75)


class InputError(click.ClickException):
    """A mistake in the input: one sentence on standard error, exit status 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        click.echo(f"cybleu: error: {_printable(self.format_message())}", err=True)


class _Command(click.Command):
    """A command whose options have headings in the help, and which reports what the library raises in one sentence."""

    sections: dict[str, list[click.Parameter]]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        others = [one for one in self.get_params(ctx) if not any(one in own for own in self.sections.values())]
        for heading, own in [*self.sections.items(), ("Other", others)]:
            options = [one for one in own if isinstance(one, click.Option)]
            records = [record for one in options if (record := one.get_help_record(ctx)) is not None]
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[ARGUMENTS] = given = list(args)
        try:
            rest = super().parse_args(ctx, args)
        except click.NoSuchOption as error:  # click names one letter of -tok, and takes any option for a similar one
            written = [one.partition("=")[0] for one in given if one.startswith(error.option_name)]
            name = [*written, error.option_name][0]
            known = {""} | {form for one in self.get_params(ctx) for form in _forms(one)}
            close = similar(name, [form for form in known if re.fullmatch(r"--\S+", form)])
            rows = [row for row in HABITS if name in row[0].split() and row[1] in known]
            hints = [row[2] if row[2:] else f"it is {row[1]} here" for row in rows]
            hints += [f"did you mean {close[0]}?"] if close else ["see --help"]
            raise click.UsageError(f"there is no option {name}; {hints[0]}", ctx) from None
        except click.MissingParameter as error:  # of a number, which may be among the files
            missing = error.param
            last = given[-1] if given else ""
            is_number = last.isdecimal() and not os.path.exists(last)
            if missing is None or not isinstance(missing.type, click.IntRange) or not is_number:
                raise
            name = missing.opts[0]
            raise click.UsageError(f"Missing option '{name}'; did you mean {name} {last}?", ctx) from None
        self._check_repeated(ctx, given)
        return rest

    def _check_repeated(self, ctx: click.Context, given: list[str]) -> None:
        """Refuse a second value of an option that has one value, of which click would silently ignore the first."""
        *_, found = self.make_parser(ctx).parse_args([*given])
        single = [one for one in found if isinstance(one, click.Option) and not (one.multiple or one.is_flag)]
        if not ctx.resilient_parsing and (twice := [one for one in single if single.count(one) > 1]):
            raise click.UsageError(f"{twice[0].opts[0]} is given {single.count(twice[0])} times; give it once", ctx)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            self._check_files(ctx)
            return super().invoke(ctx)
        except (CybleuError, ValueError, ArithmeticError) as error:
            raise InputError(self._with_options(str(error))) from error

    def _check_files(self, ctx: click.Context) -> None:
        """Check all files that are named before one is read or written."""
        if sys.stdout is None:  # a process may be started without
            raise InputFileError("standard output: is closed")
        of_files = [one for one in self.params if isinstance(one.type, _Path)]
        read, written = (
            [path for one in of_files if one.type.written is is_written for path in _paths(ctx.params[str(one.name)])]  # type: ignore[attr-defined]
            for is_written in (False, True)
        )
        if read.count(STANDARD_STREAM) > 1:
            raise click.UsageError("only one of the files can be standard input")
        check_paths([path for path in written if path != STANDARD_STREAM], read)

    def _with_options(self, message: str) -> str:
        """A message with options for arguments of functions, and without advice that this command has no option for."""
        flags = {one.name: one.opts[0] for one in self.params}

        def known(clause: str) -> bool:
            return {name for name, *_ in NAMED.findall(clause)} <= flags.keys()

        # only advice names arguments; the reason may quote a file such as size=5.txt
        reason, *advice = message.split("; ")
        clauses = filter(known, advice)
        named = (NAMED.sub(lambda found: f"{flags[found[1]]} {found[2] or ''}".rstrip(), one) for one in clauses)
        return "; ".join([reason, *named])


class _Path(click.Path):
    """The path of a file, and not a metric."""

    def __init__(self, written: bool = False, allow_dash: bool = False):
        super().__init__(readable=False, allow_dash=allow_dash)
        self.written = written

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if str(value).lower() in METRICS and not os.path.exists(value):
            self.fail(
                f"{shown(value)} is a metric, and there is no such file; give metrics as -m bleu,{value}", param, ctx
            )
        if self.written and value == STANDARD_STREAM and not self.allow_dash:
            self.fail("must be a file, not standard output", param, ctx)
        return super().convert(value, param, ctx)


def _paths(value: Any) -> Iterator[str]:
    """The paths in the value of an option or an argument, which may be several, or systems with several each."""
    if isinstance(value, str):
        yield value
    elif value is not None:
        for one in value.values() if isinstance(value, dict) else value:
            yield from _paths(one)
