"""`cybleu compare`: which of several systems are better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from .._runtime.samples import MOST_SAMPLES
from .command import Command, FilePath, section
from .options import (
    digits_option,
    format_option,
    metrics_option,
    references_option,
    seed_option,
    shows_progress,
    threads_option,
)
from .systems import check_systems, command_and_files, files_of, systems_argument
from .texts import SACREBLEU, Texts, count, metric_section, metrics_with, strings_of, text_options

if TYPE_CHECKING:
    from ..report.texts import Texts as ReportTexts
    from ..text.batches import Corpus

# those of `significance/settings.py`, named here, so that --help works without NumPy
TESTS = ("randomization", "shifted-bootstrap", "win-ratio")
PAIRED = {"--paired-bs is --test shifted-bootstrap, --paired-ar the default": "--paired-bs --paired-ar"}


@click.command(cls=Command, other_tools={**PAIRED, **SACREBLEU})
@systems_argument
@text_options
@metric_section(metrics_option(of_sums=True))
@section(
    "Systems",
    references_option(required=True),
    seed_option,
    threads_option,
    click.option(
        "--baseline",
        metavar="NAME",
        help="Compare each system only with this one.  [default: compare all pairs]",
    ),
)
@section(
    "Tests",
    click.option("--test", type=click.Choice(TESTS), default=TESTS[0], help="The test that computes the p-values."),
    click.option(
        "--samples",
        type=click.IntRange(1, MOST_SAMPLES),
        help="Number of shuffles or bootstrap samples in a test.  [default: 10000 shuffles or 1000 bootstrap samples]",
    ),
)
@section(
    "Output",
    format_option("text", "json", "csv", "markdown", "latex"),
    digits_option,
    click.option(
        "--influence", is_flag=True, help="Add the contribution of each segment to each difference to the JSON output."
    ),
    click.option(
        "--report",
        "report_file",
        metavar="FILE",
        type=FilePath(written=True),
        help="Also write an HTML page that shows where the systems differ by each metric. A single system is also "
        "allowed.",
    ),
    click.option(
        "--source", metavar="FILE", type=FilePath(), help="The source text, shown with each segment in the report."
    ),
    click.option("--title", metavar="TEXT", help="The title of the report.  [default: the metrics and systems]"),
    click.option(
        "--all-segments",
        is_flag=True,
        help="Put all segments in the report, not only the 5,000 with the largest influence.",
    ),
)
def compare(
    systems: dict[str, list[str]],
    references: tuple[str, ...],
    metric: list[str],
    drop_bom: bool,
    seed: int,
    threads: int,
    baseline: str | None,
    test: str,
    samples: int | None,
    output_format: str,
    digits: int,
    influence: bool,
    report_file: str | None,
    source: str | None,
    title: str | None,
    all_segments: bool,
    **options: Any,  # of the metrics
) -> None:
    """Test which systems are better.

    Prints the score of each system with a confidence interval, and tests whether the differences are significant.
    Several metrics share one table, with p-values against the baseline or the best system. The tests randomization and
    shifted-bootstrap each correct an error of sacreBLEU's --paired-ar and --paired-bs, so the p-values differ; `cybleu
    sacrebleu` runs sacreBLEU's own tests.

    A SYSTEM is a file, or NAME=FILE to name the system. NAME=FILE,FILE,... is a system with several runs. All files are
    plain UTF-8 text with one segment per line, in the same order. Gzip is recognised.

    \b
    Examples:
      cybleu compare old.txt new.txt -r references.txt --baseline old
      cybleu compare old.txt a=new1.txt,new2.txt -r references.txt -m bleu,chrf,ter --format latex
    """
    if influence and output_format != "json":
        raise click.UsageError("--influence requires --format json")
    for name, chosen in (("--source", source), ("--title", title), ("--all-segments", all_segments)):
        if chosen and report_file is None:
            raise click.UsageError(f"{name} requires --report")
    check_systems(systems, 2 if report_file is None else 1)
    if len(systems) == 1 and output_format != "text":
        raise click.UsageError(f"--format {output_format} requires at least two systems")
    metrics = metrics_with(metric, options)
    from ..significance import Settings, format_comparisons
    from ..significance.comparison import compare_counts

    if report_file is not None:
        from ..report.page import check_report

        check_report(report_file)
    settings = Settings(test=test, samples=samples, seed=seed, threads=threads, progress=shows_progress())
    files = files_of(systems)
    sources = [] if source is None else [source]
    texts = Texts([*files, *sources], references, drop_bom, hashed=report_file is not None)
    counted, blocks = count(texts, metrics, threads, scored=len(files))
    rows = []
    corpora = []
    for block in blocks:
        rows.append(block.rows)
        if report_file is not None:
            corpora.append(block.corpora)
    comparisons = []
    for one, of_metric in zip(counted, zip(*rows)):
        tables = _by_system(systems, of_metric)
        comparisons.append(compare_counts(tables, one, texts.nrefs, baseline, settings))
    if report_file is not None:
        from ..report import Report
        from ..report.page import MOST_SEGMENTS, save_page

        command, digests = command_and_files(texts.digests, report_file)
        report = Report(
            counted,
            comparisons,
            _report_texts(systems, corpora, has_source=source is not None),
            lowercase=options["lowercase"],
            title=title,
            command=command,
            files=digests,
        )
        save_page(report, report_file, segments=None if all_segments else MOST_SEGMENTS)
    if len(systems) == 1:
        click.echo(report.format(digits))
        return
    printed = format_comparisons(comparisons, output_format, digits, influence)
    click.echo(printed, nl=output_format not in ("csv", "latex"))


def _by_system(systems: Mapping[str, list[str]], blocks: Sequence[Sequence[Any]]) -> dict[str, list[Any]]:
    """Join the rows of blocks.

    :param blocks: for each block the rows of each file
    :return: the rows of each run of each system
    """
    from .._runtime.arrays import np

    tables = iter([np.concatenate([np.asarray(rows) for rows in of_file]) for of_file in zip(*blocks)])
    return {name: [next(tables) for _ in runs] for name, runs in systems.items()}


def _report_texts(
    systems: Mapping[str, list[str]], corpora: Sequence[Sequence[Corpus]], has_source: bool
) -> ReportTexts:
    """Return the texts of a report.

    :param corpora: for each block the corpus of each file, and of the source if there is one
    """
    from ..report.texts import Texts as ReportTexts

    references = []
    files: list[list[str]] = [[] for _ in corpora[0]]
    for block in corpora:
        references += strings_of(block[0])[1]
        for lines, corpus in zip(files, block):
            lines += strings_of(corpus)[0]
    source = files.pop() if has_source else None
    outputs = iter(files)
    return ReportTexts({name: [next(outputs) for _ in runs] for name, runs in systems.items()}, references, source)
