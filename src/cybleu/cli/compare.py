"""`cybleu compare`: which of several systems are better."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from os.path import isfile
from typing import TYPE_CHECKING, Any

import click

from .. import __version__
from .._files.text import STANDARD_INPUT
from .._runtime.parallel import in_order
from .._runtime.samples import MOST_SAMPLES
from ..errors import EmptyCorpusError
from ..text.batches import Corpus
from .common import (
    SEED,
    THREADS,
    WIDTH,
    as_options,
    check_outputs,
    choice_option,
    file_option,
    input_errors,
    number_option,
    of_sums,
    stderr_is_tty,
    variants,
)
from .systems import BASELINE, SYSTEMS, ManyReferences, SystemOptions, Systems, files_of
from .texts import NO_LINE, with_weights

if TYPE_CHECKING:
    from ..significance import SystemComparison

FORMATS = ("text", "json", "csv", "markdown", "latex")
# named here, so that --help works without NumPy
TESTS = ("randomization", "shifted-bootstrap", "win-ratio")


@dataclass(frozen=True, kw_only=True)
class CompareOptions(SystemOptions):
    test: str
    samples: int | None
    given_form: str
    as_json: bool
    influence: bool
    width: int
    report_file: str | None
    source: str | None
    all_segments: bool

    @property
    def form(self) -> str:
        return "json" if self.as_json else self.given_form

    @property
    def analysis(self) -> dict[str, Any]:
        return {**super().analysis, "test": self.test, "samples": self.samples}


@click.command(cls=ManyReferences)
@SYSTEMS
@variants(of_sums)
@BASELINE
@choice_option("--test", of=TESTS, default=TESTS[0], help="The test that gives the p-values.")
@number_option(
    "--samples",
    most=MOST_SAMPLES,
    help="How many shuffles or bootstrap samples a test takes.  [default: 10000 shuffles, 1000 samples]",
)
@SEED
@click.option("--json", "as_json", is_flag=True, help="Print JSON with all digits, as --format json does.")
@choice_option("--format", "given_form", of=FORMATS, default="text", help="The format of the output.")
@click.option(
    "--influence", is_flag=True, help="With --format json: add how much each segment contributes to each difference."
)
@WIDTH
@file_option(
    "--report",
    "report_file",
    help=(
        "Also write an HTML page that shows where the systems differ, by each --metric. One metric must be a BLEU. There may be one "
        "system alone."
    ),
)
@file_option("--source", help="With --report: the source text, which the page shows with each segment.")
@click.option(
    "--all-segments",
    is_flag=True,
    help="With --report: put all segments on the page. By default it has at most 5,000, those with the largest influence.",
)
@THREADS
@as_options(CompareOptions)
def compare(given: CompareOptions) -> None:
    """Test which systems are better.

    Prints the score of each system with an interval, and tests whether the differences are significant.

    A SYSTEM is a file, or NAME=FILE to give it a name. NAME=FILE,FILE,... is a system with several runs. Give the systems first,
    then -r and the references. All files are plain UTF-8 text with one segment on each line, in the same order; gzip is
    recognised.
    """
    if given.as_json and given.given_form not in ("text", "json"):
        raise click.UsageError(f"--json and --format {given.given_form} exclude each other")
    if given.influence and given.form != "json":
        raise click.UsageError("--influence is for --format json")
    for option, chosen in (("--source", given.source), ("--all-segments", given.all_segments)):
        if chosen and given.report_file is None:
            raise click.UsageError(f"{option} is for --report")
    for one in given.each():
        one.metric()  # its options are checked before files are read
    named = given.named(2 if given.report_file is None else 1)
    if given.report_file == STANDARD_INPUT:
        raise click.UsageError("--report - would mix the page with the tables; give it a file")
    if len(named) == 1 and given.form != "text":
        raise click.UsageError(f"--format {given.form} is for two systems and more")
    check_outputs([given.report_file], [*files_of(named), *given.references, *given.sources])
    with input_errors():
        if given.report_file is None:
            printed = _printed(_compared(given, named), given)
        else:
            from ..report import check_report, save_page

            check_report(given.report_file)
            report = given.report(named)
            save_page(report, given.report_file, **({"segments": None} if given.all_segments else {}))
            printed = _printed(report.comparisons, given) if report.comparisons else report.format(given.width)
        click.echo(printed, nl=given.form not in ("csv", "latex"))


class _Counter:
    """What counts the segments for one metric."""

    def __init__(self, given: CompareOptions):
        metric = given.metric()
        self.given = given
        self.metric = given.reading(metric)

    def compared(self, named: Systems, tables: Iterator[Any]) -> SystemComparison:
        from ..significance import compare_systems

        given = self.given
        rows = {name: [next(tables) for _ in runs] for name, runs in named.items()}
        result = compare_systems(rows, self.metric, progress=stderr_is_tty(), **given.analysis)
        described = f"nrefs:{len(given.references)}{given.described(self.metric)}|version:{__version__}"
        return replace(result, signature=f"{result.signature}|{described}")


def _compared(given: CompareOptions, named: Systems) -> list[SystemComparison]:
    """The comparison by each metric."""
    from .._runtime.arrays import np

    counters = [_Counter(one) for one in given.each()]
    paths, references = files_of(named), given.references
    tables: list[list[Any]] = [[] for _ in counters]  # of each metric, the statistics of all runs

    def weighted(blocks: Iterable[Any]) -> Iterable[Any]:
        metrics, blocks = with_weights([counter.metric for counter in counters], blocks, len(references))
        for counter, metric in zip(counters, metrics):
            counter.metric = metric
        return blocks

    if all(map(isfile, references)):
        noted: set[str] = set()

        def count(block: Corpus) -> list[Any]:
            return [counter.metric.rows_of(block) for counter in counters]

        for path in paths:
            blocks = weighted(counters[0].given.files([path, *references], noted).raw())
            lists = [*zip(*in_order(count, blocks, given.threads))] or [()] * len(counters)
            for table, parts in zip(tables, lists):
                table.append(np.concatenate([np.asarray(part) for part in parts] or [np.zeros(0)]))
    else:  # one pass through all files: a pipe is read once
        pieces: list[list[list[Any]]] = [[[] for _ in paths] for _ in counters]
        for others, first in weighted(given.files([paths[0], *references, *paths[1:]]).split(str)):
            of_references = [lines[: len(references)] for lines in others]
            outputs = [first, *map(list, list(zip(*others))[len(references) :])]
            for counter, of_paths in zip(counters, pieces):
                for piece, output in zip(of_paths, outputs):
                    piece.append(counter.metric.rows(output, of_references))
        tables = [[np.concatenate(piece or [[]]) for piece in of_paths] for of_paths in pieces]
    if not len(tables[0][0]):
        raise EmptyCorpusError(NO_LINE)
    return [counter.compared(named, iter(table)) for counter, table in zip(counters, tables)]


def _printed(results: Sequence[SystemComparison], given: CompareOptions) -> str:
    from ..significance import format_comparisons

    return format_comparisons(results, given.form, given.width, given.influence)
