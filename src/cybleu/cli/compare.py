"""`cybleu compare`: which of several systems are better."""

from __future__ import annotations

from dataclasses import dataclass, replace
from os.path import isfile
from typing import TYPE_CHECKING, Any

import click

from .. import __version__
from .._files.text import STANDARD_INPUT
from .._runtime.parallel import in_order
from .._runtime.samples import MOST_SAMPLES
from ..errors import EmptyCorpusError
from ..text.raw import Raw
from .common import (
    THREADS,
    WIDTH,
    as_options,
    check_outputs,
    choice_option,
    file_option,
    input_errors,
    number_option,
    stderr_is_tty,
)
from .systems import BASELINE, SEED, SYSTEMS, ManyReferences, SystemOptions, Systems, files_of
from .texts import NO_LINE

if TYPE_CHECKING:
    from ..metrics import Metric
    from ..significance import SystemComparison

FORMATS = ("text", "json", "csv", "markdown", "latex")
# named here, so that --help works without NumPy
TESTS = ("randomization", "shifted-bootstrap", "win-ratio")


@dataclass(frozen=True, kw_only=True)
class CompareOptions(SystemOptions):
    test: str
    samples: int | None
    form: str
    influence: bool
    width: int
    report_file: str | None

    @property
    def analysis(self) -> dict[str, Any]:
        return {**super().analysis, "test": self.test, "samples": self.samples}


@click.command(cls=ManyReferences)
@SYSTEMS
@BASELINE
@choice_option("--test", of=TESTS, default=TESTS[0], help="The test that gives the p-values.")
@number_option(
    "--samples",
    most=MOST_SAMPLES,
    help="How many shuffles or bootstrap samples a test takes.  [default: 10000 shuffles, 1000 samples]",
)
@SEED
@choice_option("--format", "form", of=FORMATS, default="text", help="The format of the output.")
@click.option(
    "--influence", is_flag=True, help="With --format json: add how much each segment contributes to each difference."
)
@WIDTH
@file_option(
    "--report",
    "report_file",
    help="Also write an HTML page that shows where the systems differ. With it, one system is enough.",
)
@THREADS
@as_options(CompareOptions)
def compare(given: CompareOptions) -> None:
    """Test which systems are better.

    Prints the scores with intervals, and whether the differences may be chance.

    A SYSTEM is a file, or NAME=FILE. Several runs of a system are NAME=FILE,FILE,... All files are plain UTF-8 text with one
    segment on each line. -r and the references come after the systems.
    """
    if given.influence and given.form != "json":
        raise click.UsageError("--influence is for --format json")
    metric = given.metric()
    named = given.named(2 if given.report_file is None else 1)
    if given.report_file == STANDARD_INPUT:
        raise click.UsageError("--report - would mix the page with the tables; give it a file")
    if len(named) == 1 and given.form != "text":
        raise click.UsageError(f"--format {given.form} is for two systems and more")
    check_outputs([given.report_file], [*files_of(named), *given.references])
    with input_errors():
        if given.report_file is None:
            printed = _printed(_compared(given, named, metric), given)
        else:
            from ..report import check_report, save_page

            check_report(given.report_file)
            report = given.report(named, metric)
            save_page(report, given.report_file)
            printed = report.format(given.width) if report.comparison is None else _printed(report.comparison, given)
        click.echo(printed, nl=given.form not in ("csv", "latex"))


def _compared(given: CompareOptions, named: Systems, metric: Metric) -> SystemComparison:
    from ..significance import compare_systems

    if given.lowercase and metric.of_raw_text:
        metric = metric.in_lowercase()
    rows = _rows(given, named, metric)
    result = compare_systems(rows, metric, progress=stderr_is_tty(), **given.analysis)
    described = f"nrefs:{len(given.references)}{given.described(metric)}|version:{__version__}"
    return replace(result, signature=f"{result.signature}|{described}")


def _rows(given: CompareOptions, named: Systems, metric: Metric) -> dict[str, list[Any]]:
    """The statistics of all runs."""
    import numpy as np

    raw = Raw(given.tokenizer, given.lowercase)
    paths, references = files_of(named), given.references
    tables: list[Any] = []
    if raw.own and metric.reads_raw_text and all(map(isfile, references)):
        noted: set[str] = set()
        for path in paths:
            blocks = given.files([path, *references], noted).raw(raw)
            lists = in_order(lambda block: metric.rows_of_raw(raw, *block) or [], blocks, given.threads)
            tables.append(np.array([row for some in lists for row in some], dtype=metric.dtype))
    else:  # one pass through all files: a pipe is read once
        parts: list[list[Any]] = [[] for _ in paths]
        split: Any = str if metric.of_raw_text else given.splitter()
        for others, first in given.files([paths[0], *references, *paths[1:]]).split(split):
            of_references = [texts[: len(references)] for texts in others]
            outputs = list(zip(*others))[len(references) :]
            for part, texts in zip(parts, [first, *map(list, outputs)]):
                part.append(metric.rows(of_references, texts))
        tables = [np.concatenate(part or [[]]) for part in parts]
    if not len(tables[0]):
        raise EmptyCorpusError(NO_LINE)
    of_files = iter(tables)
    return {name: [next(of_files) for _ in runs] for name, runs in named.items()}


def _printed(result: SystemComparison, given: CompareOptions) -> str:
    if given.form == "json":
        return result.to_json(given.influence)
    if given.form == "csv":
        return result.to_csv()
    if given.form == "markdown":
        return result.to_markdown(given.width)
    return result.to_latex(given.width) if given.form == "latex" else result.format(given.width)
