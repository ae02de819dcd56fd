"""The systems that commands compare: their names and files, and the report of their texts."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from hashlib import sha256
from os.path import basename, exists, isfile
from typing import TYPE_CHECKING, Any

import click

from .._files.text import STANDARD_INPUT, Lines
from ..errors import EmptyCorpusError, LengthMismatchError
from .common import (
    DROP_BOM,
    FILE,
    ORDER,
    RAW,
    SMOOTHING,
    WEIGHTS,
    MetricName,
    of_sums,
    one_standard_input,
    someone_looks,
    with_parameters,
)
from .texts import NO_LINE, TextOptions, note_marks

if TYPE_CHECKING:
    from ..metrics import Metric
    from ..report import Report

ARGUMENTS = "cybleu.arguments"  # of the command, as they were given


class ManyReferences(click.Command):
    """Takes all files up to the next option for those of `-r`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[ARGUMENTS] = list(args)
        parsed: list[str] = []
        of_references = False
        for place, argument in enumerate(args):
            if argument == "--":
                parsed += args[place:]
                break
            if argument.startswith("-") and argument != "-":
                of_references = argument in ("-r", "--references")
                # the option itself comes again before each file
                parsed += [] if of_references and place + 1 < len(args) else [argument]
            else:
                parsed += ["-r", argument] if of_references else [argument]
        return super().parse_args(ctx, parsed)


SYSTEMS = with_parameters(
    click.argument("systems", metavar="SYSTEM... -r REF...", nargs=-1, type=FILE),
    click.option(
        "-r",
        "--references",
        metavar="REF...",
        type=FILE,
        multiple=True,
        required=True,
        help="One or more files of references.",
    ),
    click.option(
        "--metric",
        "variant",
        type=MetricName(of_sums),
        default="sacrebleu",
        show_default=True,
        help="The metric that scores the systems.",
    ),
    SMOOTHING,
    ORDER,
    WEIGHTS,
    RAW,
    DROP_BOM,
)
BASELINE = click.option("--baseline", metavar="NAME", help="Compare each system only with this one, not all pairs.")
SEED = click.option(
    "--seed", type=click.IntRange(0), default=12345, show_default=True, help="Seed of all random samples."
)


def named_systems(
    systems: Sequence[str], references: Sequence[str], baseline: str | None, least: int = 2
) -> dict[str, list[str]]:
    """The files of the runs of each system."""
    if not systems:
        raise click.UsageError(
            f"there is no system; give {'the file of one' if least == 1 else 'the files of at least two'}, "
            "before -r and the references"
        )
    named: dict[str, list[str]] = {}
    for given in systems:
        name, equals, files = given.partition("=")
        if not equals or exists(given):
            name, paths = basename(given).removesuffix(".gz").removesuffix(".txt"), [given]
        else:
            paths = files.split(",")
        if not name or not all(paths):
            raise click.UsageError(f"{given!r} is no system; give FILE, NAME=FILE or NAME=FILE,FILE,...")
        if name in named:
            raise click.UsageError(f"two systems are called {name!r}; give names of your own: NAME=FILE")
        named[name] = paths
    if len(named) < least:
        raise click.UsageError(
            "there is one system, and comparing takes two; several runs of one are NAME=FILE,FILE,..."
        )
    one_standard_input(*(path for paths in named.values() for path in paths), *references)
    if baseline is not None and baseline not in named:
        raise click.UsageError(f"there is no system {baseline!r} to be the baseline; there are {', '.join(named)}")
    return named


def report_of(
    named: Mapping[str, list[str]], references: Sequence[str], metric: Metric, given: TextOptions, **choices: Any
) -> Report:
    """The report of these files.

    :param choices: of :func:`cybleu.report.analyse`
    """
    from ..report import analyse

    paths = dict.fromkeys([*(path for runs in named.values() for path in runs), *references])
    lines = {path: _lines(path, given.drop_bom) for path in paths}
    if not any(lines.values()):
        raise EmptyCorpusError(NO_LINE)
    counts = {path: len(found) for path, found in lines.items()}
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"{path}: {count}" for path, count in counts.items())
        raise LengthMismatchError(f"the files have different numbers of lines, and a line is a segment: {listed}")
    context = click.get_current_context()
    return analyse(
        list(zip(*(lines[path] for path in references))),
        {name: [lines[path] for path in runs] for name, runs in named.items()},
        metric,
        tokenize=given.tokenizer,
        lowercase=given.lowercase,
        command=shlex.join([*context.command_path.split(), *context.meta[ARGUMENTS]]),
        files={path: _digest(path, lines[path]) for path in paths},
        progress=someone_looks(),
        **choices,
    )


def _lines(path: str, drop_bom: bool) -> list[str]:
    with Lines(path, keep_mark=not drop_bom) as file:
        found = list(file)
    note_marks([file], drop_bom)
    return found


def can_be_read_again(path: str) -> bool:
    """Whether it is a file, not a pipe."""
    return path != STANDARD_INPUT and isfile(path)


def _digest(path: str, lines: Sequence[str]) -> str:
    """SHA-256 of the file; of a pipe, which can be read once, that of its lines."""
    if not can_be_read_again(path):
        return sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()
    digest = sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
