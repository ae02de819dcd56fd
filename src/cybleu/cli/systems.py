"""The systems that commands compare: their names, their files, and the report on their texts."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os.path import basename, exists, isabs
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from .._files.text import shown
from ..errors import EmptyCorpusError
from .common import one_standard_input, references_option, seed_option, stderr_is_tty, threads_option
from .counting import NO_LINE
from .given import ARGUMENTS, argument, option
from .reading import FileTexts, strings_of
from .texts import TextOptions

if TYPE_CHECKING:
    from ..report import Report

Systems: TypeAlias = dict[str, list[str]]  # the files of the runs of each


def baseline_option() -> Any:
    return option(metavar="NAME", help="Compare each system only with this one.  [default: compare all pairs]")


@dataclass(frozen=True, kw_only=True)
class SystemOptions(TextOptions):
    """Systems"""

    systems: tuple[str, ...] = argument("SYSTEM... -r REF", nargs=-1)
    references: tuple[str, ...] = references_option(required=True)
    seed: int = seed_option()
    threads: int = threads_option()
    baseline: str | None = None
    source: str | None = None

    @property
    def analysis(self) -> dict[str, Any]:
        """The options of :func:`cybleu.report.analyse` that the command has."""
        return {"baseline": self.baseline, "seed": self.seed, "threads": self.threads}

    @property
    def sources(self) -> list[str]:
        """The file of the source text, if there is one."""
        return [] if self.source is None else [self.source]

    def named(self, least: int) -> Systems:
        """The systems, with the files of the runs of each.

        :param least: how many there must be
        """
        if not self.systems:
            raise click.UsageError(
                f"there is no system; give {'the file of one' if least == 1 else 'the files of at least two'}, "
                "and -r and the references"
            )
        named: Systems = {}
        for given in self.systems:
            name, equals, files = given.partition("=")
            if not equals or exists(given):
                name, paths = basename(given).removesuffix(".gz").removesuffix(".txt"), [given]
            else:
                paths = files.split(",")
            if not name or not all(paths):
                raise click.UsageError(f"{shown(given)} is not a system; give FILE, NAME=FILE or NAME=FILE,FILE,...")
            if name in named:
                raise click.UsageError(f"two systems are called {shown(name)}; give names of your own: NAME=FILE")
            named[name] = paths
        if len(named) < least:
            raise click.UsageError(
                "compare requires at least two systems, and there is one; several runs of one system are NAME=FILE,FILE,..."
            )
        one_standard_input(*files_of(named), *self.references, *self.sources)
        if self.baseline is not None and self.baseline not in named:
            raise click.UsageError(
                f"there is no system {shown(self.baseline)} to be the baseline; there are {', '.join(named)}"
            )
        return named

    def report(self, named: Systems, **choices: Any) -> Report:
        """Analyse the systems.

        :param choices: more options of :func:`cybleu.report.analyse`
        """
        from ..report import analyse

        each = self.each() if self.variants else [self]
        paths = [*dict.fromkeys([*files_of(named), *self.sources])]
        files = FileTexts(paths, self.references, self.drop_bom, hashed=True)
        lines: dict[str, list[str]] = {path: [] for path in paths}
        sets: list[list[str]] = []
        for block in files.blocks():
            sets += strings_of(block[0])[0]
            for found, corpus in zip(lines.values(), block):
                found += strings_of(corpus)[1]
        if not sets:
            raise EmptyCorpusError(NO_LINE)
        paths += [path for path in self.references if path not in paths]
        context = click.get_current_context()
        names = _without_folders(paths)
        page = context.params.get("report_file")
        shortened = {**names, **_without_folders([page] if page else [])}
        arguments = [_renamed(argument, shortened) for argument in context.meta[ARGUMENTS]]
        return analyse(
            sets,
            {name: [lines[path] for path in runs] for name, runs in named.items()},
            [one.metric() for one in each],
            source=None if self.source is None else lines[self.source],
            tokenize=[one.tokenizer for one in each],
            lowercase=self.lowercase,
            command=shlex.join([*context.command_path.split(), *arguments]),
            files={names[path]: digest for path, digest in files.digests.items()},
            progress=stderr_is_tty(),
            **self.analysis,
            **choices,
        )


def files_of(named: Systems) -> list[str]:
    return [path for runs in named.values() for path in runs]


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
