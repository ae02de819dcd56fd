"""Options as fields of a dataclass: each is declared once, with its type, its default and its help."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, field, fields, is_dataclass
from math import inf
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from .._files.text import number_of, shown
from ..errors import InputFileError
from ..metrics import METRICS

Given = TypeVar("Given")
ARGUMENTS = "cybleu.arguments"  # of the command, as the user wrote them


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


def real(*flags: str, most: float = inf, with_zero: bool = False, **how: Any) -> Any:
    """Declare an option that takes a number above 0, or from 0 on."""
    return option(*flags, type=Real(most, with_zero), **how)


def switch(*flags: str, default: bool = False, **how: Any) -> Any:
    """Declare an option without a value."""
    return option(*flags, default=default, is_flag=True, **how)


def choice(*flags: str, of: Sequence[str], **how: Any) -> Any:
    """Declare an option that takes one of some names."""
    return option(*flags, type=click.Choice(of), **how)


def file(*flags: str, metavar: str = "FILE", **how: Any) -> Any:
    """Declare an option that takes the path of a file; mistakes are reported when it is opened."""
    return option(*flags, metavar=metavar, type=click.Path(readable=False), **how)


def argument(metavar: str, **how: Any) -> Any:
    """Declare the argument that sets a field: the path of a file, or several."""
    how = {"metavar": metavar, "type": _Path(readable=False), **how}
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
            params=list(declared.values()),
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


class _Command(click.Command):
    """A command whose options have headings in the help. Files of references are also options."""

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
        ctx.meta[ARGUMENTS] = list(args)
        return super().parse_args(ctx, args)


class _Path(click.Path):
    """The path of a file, and not a metric."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if str(value).lower() in METRICS and not os.path.exists(value):
            self.fail(
                f"{shown(value)} is a metric, and there is no such file; give metrics as -m bleu,{value}", param, ctx
            )
        return super().convert(value, param, ctx)


class Real(click.ParamType):  # type: ignore[type-arg]
    """A number as files of weights have it, in a range."""

    name = "x"

    def __init__(self, most: float, with_zero: bool):
        self.most, self.with_zero = most, with_zero

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            number = value if isinstance(value, float) else number_of(value)
        except InputFileError:
            number = -1.0
        if not (0 < number <= self.most or (number == 0 and self.with_zero)):
            most = "" if self.most == inf else f", at most {self.most:g}"
            self.fail(
                f"{shown(str(value))} is not a number {'from' if self.with_zero else 'above'} 0{most}", param, ctx
            )
        return number
