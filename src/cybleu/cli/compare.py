"""`cybleu compare`: which of some systems are better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from .. import __version__
from .._files.text import STANDARD_INPUT
from .._runtime.parallel import in_order
from .._runtime.samples import MOST_SAMPLES
from ..errors import EmptyCorpusError
from ..text.raw import Raw
from .common import FILE, THREADS, WIDTH, check_outputs, input_errors, someone_looks, taken
from .systems import BASELINE, SEED, SYSTEMS, ManyReferences, can_be_read_again, named_systems, report_of
from .texts import NO_LINE, TextOptions, segments

if TYPE_CHECKING:
    from ..metrics import Metric
    from ..significance import SystemComparison

FORMATS = ("text", "json", "csv", "markdown", "latex")
# named here, so that --help needs no NumPy
TESTS = ("randomization", "shifted-bootstrap", "win-ratio")


@click.command(cls=ManyReferences)
@SYSTEMS
@BASELINE
@click.option(
    "--test", type=click.Choice(TESTS), default=TESTS[0], show_default=True, help="The test that gives the p-values."
)
@click.option(
    "--samples",
    type=click.IntRange(1, MOST_SAMPLES),
    help="How many shuffles or bootstrap samples a test takes.  [default: 10000 shuffles, 1000 samples]",
)
@SEED
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="The format of the output."
)
@click.option(
    "--influence", is_flag=True, help="With --format json: add how much each segment contributes to each difference."
)
@WIDTH
@click.option(
    "--report",
    metavar="FILE",
    type=FILE,
    help="Also write an HTML page that shows where the systems differ. With it, one system is enough.",
)
@THREADS
def compare(
    systems: tuple[str, ...],
    references: tuple[str, ...],
    form: str,
    influence: bool,
    width: int,
    report: str | None,
    **options: Any,
) -> None:
    """Say which systems are better.

    Prints the scores with intervals, and whether the differences may be chance.

    A SYSTEM is a file, or NAME=FILE. Several runs of a system are NAME=FILE,FILE,... All files are plain UTF-8 text with one
    segment on each line. -r and the references come after the systems.
    """
    if influence and form != "json":
        raise click.UsageError("--influence is for --format json")
    given: TextOptions = taken(TextOptions, options)
    metric = given.metric()
    named = named_systems(systems, references, options["baseline"], 2 if report is None else 1)
    if report == STANDARD_INPUT:
        raise click.UsageError("--report - would mix the page with the tables; give it a file")
    if len(named) == 1 and form != "text":
        raise click.UsageError(f"--format {form} is for two systems and more")
    check_outputs([report], [*(file for files in named.values() for file in files), *references])
    if given.lowercase and metric.of_raw_text and report is None:
        metric = metric.with_choices(lowercase=True)
    with input_errors():
        if report is None:
            from ..significance import compare_systems

            rows = _rows(named, references, metric, given, options["threads"])
            result = compare_systems(rows, metric, progress=someone_looks(), **options)
            signature = f"{result.signature}|nrefs:{len(references)}{given.described(metric)}|version:{__version__}"
            printed = _printed(replace(result, signature=signature), form, influence, width)
        else:
            from ..report import check_report, save_page

            check_report(report)
            of_texts = report_of(named, references, metric, given, **options)
            save_page(of_texts, report)
            if of_texts.comparison is None:
                printed = of_texts.format(width)
            else:
                printed = _printed(of_texts.comparison, form, influence, width)
        click.echo(printed, nl=form not in ("csv", "latex"))


def _rows(
    named: dict[str, list[str]], references: Sequence[str], metric: Metric, given: TextOptions, threads: int
) -> dict[str, list[Any]]:
    """The statistics of all runs."""
    import numpy as np

    raw = Raw(given.tokenizer, given.lowercase)
    first, *others = [path for paths in named.values() for path in paths]
    tables: list[Any] = []
    if raw.own and metric.reads_raw_text and all(map(can_be_read_again, references)):
        noted: set[str] = set()
        for path in (first, *others):
            blocks = given.raw_segments(path, references, noted)
            lists = in_order(lambda block: metric.rows_of_raw(raw, *block) or [], blocks, threads)
            tables.append(np.array([row for some in lists for row in some], dtype=np.int64))
    else:  # one pass through all files
        parts: list[list[Any]] = [[] for _ in (first, *others)]
        split: Any = str if metric.of_raw_text else given.splitter()
        for texts, hypotheses in segments(first, [*references, *others], split, given.drop_bom):
            of_references = [lines[: len(references)] for lines in texts]
            parts[0].append(metric.rows(of_references, hypotheses))
            for number, part in enumerate(parts[1:], len(references)):
                part.append(metric.rows(of_references, [lines[number] for lines in texts]))
        tables = [np.concatenate(part or [[]]) for part in parts]
    if not len(tables[0]):
        raise EmptyCorpusError(NO_LINE)
    of_files = iter(tables)
    return {name: [next(of_files) for _ in paths] for name, paths in named.items()}


def _printed(result: SystemComparison, form: str, influence: bool, width: int) -> str:
    if form == "json":
        return result.to_json(influence)
    if form == "csv":
        return result.to_csv()
    if form == "markdown":
        return result.to_markdown(width)
    return result.to_latex(width) if form == "latex" else result.format(width)
