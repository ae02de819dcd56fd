"""`cybleu compare`: which of several systems are better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from .._runtime.samples import MOST_SAMPLES
from ..metrics.raw_text import fields_of_texts
from ..metrics.signature import as_signature
from .common import digits_option, format_option, metrics_option
from .given import choice, command, file, number, option, switch
from .systems import SystemOptions, baseline_option
from .texts import count

if TYPE_CHECKING:
    from ..significance import SystemComparison

# those of `significance/paired.py`, named here, so that --help works without NumPy
TESTS = ("randomization", "shifted-bootstrap", "win-ratio")


@dataclass(kw_only=True)
class TestOptions:
    """Tests"""

    baseline: str | None = baseline_option()
    test: str = choice(of=TESTS, default=TESTS[0], help="The test that computes the p-values.")
    samples: int | None = number(
        most=MOST_SAMPLES,
        help="Number of shuffles or bootstrap samples in a test.  [default: 10000 shuffles or 1000 bootstrap samples]",
    )


@dataclass(kw_only=True)
class CompareOptions(TestOptions, SystemOptions):
    """Output"""

    names: tuple[str, ...] = metrics_option(of_sums=True)
    format: str = format_option("text", "json", "csv", "markdown", "latex")
    digits: int = digits_option()
    influence: bool = switch(help="Add the contribution of each segment to each difference to the JSON output.")
    report_file: str | None = file(
        "--report",
        written=True,
        help="Also write an HTML page that shows where the systems differ by each metric. A single system is also "
        "allowed.",
    )
    source: str | None = file(help="The source text, shown with each segment in the report.")
    title: str | None = option(metavar="TEXT", help="The title of the report.  [default: the metrics and systems]")
    all_segments: bool = switch(help="Put all segments in the report, not only the 5,000 with the largest influence.")

    @property
    def analysis(self) -> dict[str, Any]:
        return {**super().analysis, "test": self.test, "samples": self.samples}


@command(CompareOptions)
def compare(given: CompareOptions) -> None:
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
    if given.influence and given.format != "json":
        raise click.UsageError("--influence requires --format json")
    for name, chosen in (("--source", given.source), ("--title", given.title), ("--all-segments", given.all_segments)):
        if chosen and given.report_file is None:
            raise click.UsageError(f"{name} requires --report")
    given.check_systems(2 if given.report_file is None else 1)
    if len(given.systems) == 1 and given.format != "text":
        raise click.UsageError(f"--format {given.format} requires at least two systems")
    if given.report_file is None:
        printed = _printed(_compared(given), given)
    else:
        from ..report.page import check_report, save_page

        check_report(given.report_file)
        report = given.report(given.source, title=given.title)
        save_page(report, given.report_file, **({"segments": None} if given.all_segments else {}))
        printed = _printed(report.comparisons, given) if len(given.systems) > 1 else report.format(given.digits)
    click.echo(printed, nl=given.format not in ("csv", "latex"))


def _compared(given: CompareOptions) -> list[SystemComparison]:
    """The comparison by each metric."""
    from .._runtime.arrays import np
    from ..significance import compare_systems

    texts = given.texts(given.files, given.references)
    metrics, counted = count(texts, given.metrics(), given.threads)
    blocks = [block.rows for block in counted]
    results = []
    for metric, of_blocks in zip(metrics, zip(*blocks)):
        tables = iter([np.concatenate([*map(np.asarray, of_path)]) for of_path in zip(*of_blocks)])
        rows = {name: [next(tables) for _ in runs] for name, runs in given.systems.items()}
        result = compare_systems(rows, metric, **given.analysis)
        read = fields_of_texts(metric, metric.tokenization, texts.nrefs)
        results.append(replace(result, signature=as_signature(result.signature).with_fields(**read)))
    return results


def _printed(results: Sequence[SystemComparison], given: CompareOptions) -> str:
    from ..significance import format_comparisons

    return format_comparisons(results, given.format, given.digits, given.influence)
