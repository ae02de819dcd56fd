"""The systems that commands compare: their names, their files, and the report on their texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os.path import basename, exists, isabs
from pathlib import Path

import click

from .._files.text import shown
from .._runtime.system import command_line
from .command import ARGUMENTS, FilePath


def _named(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, list[str]]:
    """The systems, with the files of the runs of each."""
    named: dict[str, list[str]] = {}
    for given in values:
        name, equals, files = given.partition("=")
        paths = files.split(",")
        if not equals or exists(given):
            name = basename(given).removesuffix(".gz").removesuffix(".txt")
            paths = [given]
        if not name or not all(paths):
            raise click.UsageError(f"{shown(given)} is not a system; give FILE, NAME=FILE or NAME=FILE,FILE,...")
        if name in named:
            raise click.UsageError(f"two systems are named {shown(name)}; give each a different name with NAME=FILE")
        named[name] = paths
    return named


systems_argument = click.argument("systems", metavar="SYSTEM... -r REF", nargs=-1, type=FilePath(), callback=_named)


def check_systems(systems: Mapping[str, list[str]], least: int) -> None:
    """Check that there are enough systems."""
    if not systems:
        raise click.UsageError(
            f"there is no system; give {'the file of one' if least == 1 else 'the files of at least two'}, "
            "and the references with -r"
        )
    if len(systems) < least:
        raise click.UsageError(
            "compare requires at least two systems, but there is one; for several runs of a system use "
            "NAME=FILE,FILE,..."
        )


def files_of(systems: Mapping[str, list[str]]) -> list[str]:
    """Return the files of all runs."""
    return [path for runs in systems.values() for path in runs]


def command_and_files(digests: Mapping[str, str], page: str) -> tuple[str, dict[str, str]]:
    """Return the command that repeats a report, and the digests of the files, with names for the reader of the report.

    :param digests: the digests by the paths of the files
    :param page: the file of the report
    """
    context = click.get_current_context()
    names = _without_folders([*digests])
    shortened = {**names, **_without_folders([page])}
    arguments = [_renamed(argument, shortened) for argument in context.meta[ARGUMENTS]]
    command = command_line([*context.command_path.split(), *arguments])
    return command, {names[path]: digest for path, digest in digests.items()}


def _without_folders(paths: Sequence[str]) -> dict[str, str]:
    """Names for paths, without the folders of an absolute one, which the reader of a report need not know.

    Of absolute paths that end in the same name, as many folders are kept as tell them apart.
    """
    names = {path: path for path in paths if not isabs(path)}
    parts = {path: Path(path).parts for path in paths if isabs(path)}
    for path, own in parts.items():
        others = [other for other in parts.values() if other != own] + [Path(name).parts for name in names.values()]
        kept = next((n for n in range(1, len(own)) if all(own[-n:] != other[-n:] for other in others)), len(own) - 1)
        names[path] = "/".join(own[-kept:])
    return names


def _renamed(argument: str, names: Mapping[str, str]) -> str:
    """An argument of the command with these names for paths."""
    for path in sorted(filter(isabs, names), key=len, reverse=True):
        argument = argument.replace(path, names[path])
    return argument
