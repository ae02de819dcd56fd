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
from .common import check_outputs, digits_option, format_option, input_errors, metrics_option, of_sums, stderr_is_tty
from .given import choice, command, file, number, option, switch
from .systems import SystemOptions, Systems, baseline_option, files_of
from .texts import NO_LINE, with_weights

if TYPE_CHECKING:
    from ..significance import SystemComparison

FORMATS = ("text", "json", "csv", "markdown", "latex")
# named here, so that --help works without NumPy
TESTS = ("randomization", "shifted-bootstrap", "win-ratio")


@dataclass(frozen=True, kw_only=True)
class TestOptions:
    """Tests"""

    baseline: str | None = baseline_option()
    test: str = choice(of=TESTS, default=TESTS[0], help="The test that gives the p-values.")
    samples: int | None = number(
        most=MOST_SAMPLES,
        help="How many shuffles or bootstrap samples a test takes.  [default: 10000 shuffles, 1000 samples]",
    )


@dataclass(frozen=True, kw_only=True)
class CompareOptions(TestOptions, SystemOptions):
    """Output"""

    variants: tuple[str, ...] = metrics_option(of_sums)
    format: str = format_option(*FORMATS)
    digits: int = digits_option()
    influence: bool = switch(help="In JSON, add how much each segment contributes to each difference.")
    report_file: str | None = file(
        "--report",
        help="Also write an HTML page that shows where the systems differ, by each metric. There may be one system alone.",
    )
    source: str | None = file(help="The source text, which the report shows with each segment.")
    title: str | None = option(metavar="TEXT", help="The title of the report.  [default: the metrics and systems]")
    all_segments: bool = switch(help="Put all segments into the report, not only the 5,000 with the largest influence.")

    @property
    def analysis(self) -> dict[str, Any]:
        return {**super().analysis, "test": self.test, "samples": self.samples}


@command(CompareOptions)
def compare(given: CompareOptions) -> None:
    """Test which systems are better.

    Prints the score of each system with an interval, and tests whether the differences are significant. Several metrics are in
    one table, with p against the baseline or the best system.

    A SYSTEM is a file, or NAME=FILE to give it a name. NAME=FILE,FILE,... is a system with several runs. All files are plain
    UTF-8 text with one segment on each line, in the same order; gzip is recognised.

    \b
    Examples:
      cybleu compare old.txt new.txt -r references.txt
      cybleu compare old.txt a=new1.txt,new2.txt -r references.txt -m bleu,chrf,ter --format latex
    """
    if given.influence and given.format != "json":
        raise click.UsageError("--influence is for --format json")
    for name, chosen in (("--source", given.source), ("--title", given.title), ("--all-segments", given.all_segments)):
        if chosen and given.report_file is None:
            raise click.UsageError(f"{name} is for --report")
    for one in given.each():
        one.metric()  # its options are checked before files are read
    named = given.named(2 if given.report_file is None else 1)
    if given.report_file == STANDARD_INPUT:
        raise click.UsageError("--report - would mix the page with the tables; give it a file")
    if len(named) == 1 and given.format != "text":
        raise click.UsageError(f"--format {given.format} is for two systems and more")
    check_outputs([given.report_file], [*files_of(named), *given.references, *given.sources])
    with input_errors():
        if given.report_file is None:
            printed = _printed(_compared(given, named), given)
        else:
            from ..report import check_report, save_page

            check_report(given.report_file)
            report = given.report(named, title=given.title)
            save_page(report, given.report_file, **({"segments": None} if given.all_segments else {}))
            printed = _printed(report.comparisons, given) if report.comparisons else report.format(given.digits)
        click.echo(printed, nl=given.format not in ("csv", "latex"))


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

    return format_comparisons(results, given.format, given.digits, given.influence)
