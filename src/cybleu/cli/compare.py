"""`cybleu compare`: which of several systems are better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from .._runtime.samples import MOST_SAMPLES
from ..metrics import Metric
from ..metrics.raw_text import fields_of_texts
from ..metrics.signature import as_signature
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
from .systems import check_systems, files_of, report_on, systems_argument
from .texts import SACREBLEU, Texts, count, metric_section, metrics_with, text_options

if TYPE_CHECKING:
    from ..significance import SystemComparison

# those of `significance/paired.py`, named here, so that --help works without NumPy
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
    analysis = {
        "baseline": baseline,
        "test": test,
        "samples": samples,
        "seed": seed,
        "threads": threads,
        "progress": shows_progress(),
    }
    if report_file is None:
        results = _compared(systems, Texts(files_of(systems), references, drop_bom), metrics, analysis)
    else:
        from ..report.page import check_report, save_page

        check_report(report_file)
        report = report_on(
            systems,
            references,
            metrics,
            source,
            drop_bom,
            lowercase=options["lowercase"],
            title=title,
            **analysis,
        )
        save_page(report, report_file, **({"segments": None} if all_segments else {}))
        results = report.comparisons
        if len(systems) == 1:
            click.echo(report.format(digits))
            return
    from ..significance import format_comparisons

    printed = format_comparisons(results, output_format, digits, influence)
    click.echo(printed, nl=output_format not in ("csv", "latex"))


def _compared(
    systems: Mapping[str, list[str]], texts: Texts, metrics: Sequence[Metric], analysis: Mapping[str, Any]
) -> list[SystemComparison]:
    """The comparison by each metric.

    :param analysis: options of :func:`cybleu.significance.compare_systems`
    """
    from .._runtime.arrays import np
    from ..significance import compare_systems

    metrics, counted = count(texts, metrics, analysis["threads"])
    blocks = [block.rows for block in counted]
    results = []
    for metric, of_blocks in zip(metrics, zip(*blocks)):
        tables = iter([np.concatenate([*map(np.asarray, of_path)]) for of_path in zip(*of_blocks)])
        rows = {name: [next(tables) for _ in runs] for name, runs in systems.items()}
        result = compare_systems(rows, metric, **analysis)
        read = fields_of_texts(metric, metric.tokenization, texts.nrefs)
        results.append(replace(result, signature=as_signature(result.signature).with_fields(**read)))
    return results
