"""`cybleu compare`: which of some systems are better."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from os.path import basename, exists
from typing import TYPE_CHECKING, Any

import click

from .. import __version__
from .._files.text import STANDARD_INPUT
from .._runtime.parallel import in_order
from ..errors import EmptyCorpusError
from ..text.raw import Raw
from .common import (
    DROP_BOM,
    FILE,
    NO_LINE,
    ORDER,
    RAW,
    SMOOTHING,
    WEIGHTS,
    MetricName,
    described,
    input_errors,
    lowercase_of,
    metric_of,
    no_tokenizer,
    one_standard_input,
    raw_segments_of_files,
    segments,
    splitter_of,
    tokenizer_of,
)

if TYPE_CHECKING:
    from ..metrics import Metric
    from ..significance import SystemComparison

FORMATS = ("text", "json", "csv", "markdown", "latex")
TESTS = ("randomization", "shifted-bootstrap", "win-ratio")  # named here, so that --help needs no NumPy


class _ManyReferences(click.Command):
    """Takes all files up to the next option for those of `-r`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
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


@click.command(cls=_ManyReferences)
@click.argument("systems", metavar="SYSTEM... -r REF...", nargs=-1, type=FILE)
@click.option(
    "-r", "--references", metavar="REF...", type=FILE, multiple=True, required=True, help="The references, one or more."
)
@click.option("--metric", type=MetricName(), default="sacrebleu", show_default=True, help="What scores the systems.")
@SMOOTHING
@ORDER
@WEIGHTS
@RAW
@DROP_BOM
@click.option("--baseline", metavar="NAME", help="Compare each system with this one alone, not all pairs.")
@click.option("--test", type=click.Choice(TESTS), default=TESTS[0], show_default=True, help="The test that gives p.")
@click.option(
    "--samples", type=click.IntRange(1), help="Shuffles or bootstrap samples of the test.  [default: 10000 or 1000]"
)
@click.option("--seed", type=click.IntRange(0), default=12345, show_default=True, help="Of all samples.")
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="What is printed."
)
@click.option("--influence", is_flag=True, help="In JSON: how much each segment adds to each difference.")
@click.option("--width", type=click.IntRange(0, 17), default=2, show_default=True, help="Decimals of a printed score.")
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True, help="That work at the same time.")
def compare(
    systems: tuple[str, ...],
    references: tuple[str, ...],
    metric: str,
    smoothing: str | None,
    order: int | None,
    weights: tuple[float, ...] | None,
    split: str | None,
    tokenize: str | None,
    lowercase: bool,
    drop_bom: bool,
    baseline: str | None,
    test: str,
    samples: int | None,
    seed: int,
    form: str,
    influence: bool,
    width: int,
    threads: int,
) -> None:
    """Which systems are better: scores, intervals, and whether the differences may be chance.

    A SYSTEM is a file, or NAME=FILE; several runs of a system are NAME=FILE,FILE,... All files are plain UTF-8 text, one
    segment a line, and -r and the references come after the systems.
    """
    if influence and form != "json":
        raise click.UsageError("--influence is for --format json")
    name = tokenizer_of(metric, tokenize, split)
    found = metric_of(metric, smoothing, None, order, weights)
    no_tokenizer(found, tokenize, split)
    if lowercase and found.of_raw_text:
        found = found.with_choices(lowercase=True)
    named = _named(systems)
    one_standard_input(*(path for paths in named.values() for path in paths), *references)
    if baseline is not None and baseline not in named:
        raise click.UsageError(f"there is no system {baseline!r} to be the baseline; there are {', '.join(named)}")
    with input_errors():
        from ..significance import compare_systems

        rows = _rows(named, references, found, name, lowercase, drop_bom, threads)
        result = compare_systems(
            rows,
            found,
            baseline=baseline,
            test=test,
            samples=samples,
            seed=seed,
            threads=threads,
            progress=sys.stderr.isatty(),
        )
        tokens = described(found, name, lowercase)
        signature = f"{result.signature}|nrefs:{len(references)}{tokens}|version:{__version__}"
        result = replace(result, signature=signature)
        click.echo(_printed(result, form, influence, width), nl=form not in ("csv", "latex"))


def _named(systems: Sequence[str]) -> dict[str, list[str]]:
    """The files of the runs of each system."""
    if not systems:
        raise click.UsageError("there is no system; give the files of at least two, before -r and the references")
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
    if len(named) == 1:
        raise click.UsageError(
            "there is one system, and comparing takes two; several runs of one are NAME=FILE,FILE,..."
        )
    return named


def _rows(
    named: dict[str, list[str]],
    references: Sequence[str],
    metric: Metric,
    tokenizer: str,
    lowercase: bool,
    drop_bom: bool,
    threads: int,
) -> dict[str, list[Any]]:
    """The statistics of all runs."""
    import numpy as np

    raw = Raw(tokenizer, lowercase)
    first, *others = [path for paths in named.values() for path in paths]
    if raw.own and metric.reads_raw_text and STANDARD_INPUT not in references:
        noted: set[str] = set()
        change = lowercase_of(metric.name, lowercase)
        counted = []
        for path in (first, *others):
            blocks = raw_segments_of_files(path, references, change, drop_bom, noted)
            lists = in_order(lambda block: metric.rows_of_raw(raw, *block) or [], blocks, threads)
            rows = [row for some in lists for row in some]
            if not rows:
                raise EmptyCorpusError(NO_LINE)
            counted.append(np.array(rows, dtype=np.int64))
        of_files = iter(counted)
        return {name: [next(of_files) for _ in paths] for name, paths in named.items()}
    # one pass through all files
    parts: list[list[Any]] = [[] for _ in (first, *others)]
    split: Any = str if metric.of_raw_text else splitter_of(metric.name, tokenizer, lowercase)
    for texts, hypotheses in segments(first, [*references, *others], split, drop_bom):
        of_references = [lines[: len(references)] for lines in texts]
        parts[0].append(metric.rows(of_references, hypotheses))
        for number, part in enumerate(parts[1:]):
            part.append(metric.rows(of_references, [lines[len(references) + number] for lines in texts]))
    if not parts[0]:
        raise EmptyCorpusError(NO_LINE)
    tables = iter([np.concatenate(part) for part in parts])
    return {name: [next(tables) for _ in paths] for name, paths in named.items()}


def _printed(result: SystemComparison, form: str, influence: bool, width: int) -> str:
    if form == "json":
        return result.to_json(influence)
    if form == "csv":
        return result.to_csv()
    if form == "markdown":
        return result.to_markdown(width)
    return result.to_latex(width) if form == "latex" else result.format(width)
