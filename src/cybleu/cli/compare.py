"""`cybleu compare`: which of several systems are better."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from os.path import basename, exists, isabs, normpath, sep
from typing import TYPE_CHECKING, Any

from click import Choice, Context, IntRange, Parameter, UsageError, argument, command, echo, get_current_context, option

from .._files.text import shown
from .._runtime.numbers import MOST_SAMPLES
from .._runtime.system import command_line
from ..significance.settings import CAPTION, LABEL, TESTS, Settings
from .command import (
    ARGUMENTS,
    Command,
    FilePath,
    Files,
    Gathered,
    as_option,
    from_command_line,
    gathered,
    references_option,
    section,
    shows_progress,
)
from .options import digits_option, format_option, seed_option, threads_option
from .texts import SACREBLEU, Texts, count, metric_section, metrics_option, metrics_with, text_options

if TYPE_CHECKING:
    from ..report import Report

ALWAYS = {
    "--paired-bs is --test shifted-bootstrap, --paired-ar the default": "--paired-bs --paired-ar",
    "intervals are always printed": "-ci --ci --interval --intervals --confidence",
    "name a system as NAME=FILE": "--name --names",
}
# Options that are for one form of the output.
REQUIRED = {
    "influence": "--format json",
    "caption": "--format latex",
    "label": "--format latex",
    "source": "--report",
    "title": "--report",
    "all_segments": "--report",
}


def _named(context: Context, parameter: Parameter, values: Files) -> dict[str, list[str]]:
    """The systems, with the files of the runs of each."""
    named: dict[str, list[str]] = {}
    for given in values:
        name, equals, files = given.partition("=")
        paths = files.split(",")
        if not equals or exists(given):  # the name of a file may have =
            name = basename(given).removesuffix(".gz").removesuffix(".txt")
            paths = [given]
        if not name or not all(paths):
            raise UsageError(f"{shown(given)} is not a system; give FILE, NAME=FILE or NAME=FILE,FILE,...")
        if name in named:
            raise UsageError(f"two systems are named {shown(name)}; give each a different name with NAME=FILE")
        named[name] = paths
    return named


@command("compare", cls=Command, other_tools={**ALWAYS, **SACREBLEU})
@argument("systems", metavar="SYSTEM... -r REF", nargs=-1, type=FilePath(), callback=_named)
@text_options
@metric_section(metrics_option(of_sums=True))
@section(
    "Systems",
    gathered("reading", references_option(required=True)),
    gathered(
        "settings",
        seed_option,
        threads_option,
        option(
            "--baseline",
            metavar="NAME",
            help="Compare each system only with this one.  [default: compare all pairs]",
        ),
    ),
)
@section(
    "Tests",
    gathered(
        "settings",
        option("--test", type=Choice([*TESTS]), default="randomization", help="The test that computes the p-values."),
        option(
            "--samples",
            type=IntRange(1, MOST_SAMPLES),
            help="Number of shuffles or bootstrap samples in a test.  [default: 10000 shuffles or 1000 bootstrap samples]",
        ),
    ),
)
@section(
    "Output",
    gathered(
        "printed",
        format_option("text", "json", "csv", "markdown", "latex"),
        digits_option,
        option(
            "--influence",
            is_flag=True,
            help="Add the contribution of each segment to each difference to the JSON output.",
        ),
        option("--caption", metavar="TEXT", default=CAPTION, help="The caption in LaTeX."),
        option("--label", metavar="NAME", default=LABEL, help="The label in LaTeX, after tab:."),
    ),
    gathered(
        "page",
        option(
            "--report",
            metavar="FILE",
            type=FilePath(written=True),
            help="Also write an HTML page that shows where the systems differ by each metric. A single system is also "
            "allowed.",
        ),
        option(
            "--source", metavar="FILE", type=FilePath(), help="The source text, shown with each segment in the report."
        ),
        option("--title", metavar="TEXT", help="The title of the report.  [default: the metrics and systems]"),
        option(
            "--all-segments",
            is_flag=True,
            help="Put all segments in the report, not only the 5,000 with the largest influence.",
        ),
    ),
)
def compare_command(
    systems: dict[str, list[str]],
    metric: list[str],
    reading: Gathered,
    settings: Gathered,
    printed: Gathered,
    page: Gathered,
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
    form = printed["form"]
    report_file = page["report"]
    _check_options(systems, form, has_page=report_file is not None)
    metrics = metrics_with(metric, options)
    from .._runtime.arrays import np
    from ..significance.comparison import compare_counts
    from ..significance.results import format_comparisons

    if report_file is not None:
        from ..report.page import check_report

        check_report(report_file)  # before the comparison, which may take minutes
    files = [*chain(*systems.values())]
    read = files if page["source"] is None else [*files, page["source"]]
    texts = Texts(read, **reading, hashed=report_file is not None)
    counted, blocks = count(texts, metrics, settings["threads"], scored=len(files))
    rows = []
    lines: list[list[Any]] = [[] for _ in read]
    sets: list[Any] = []
    for corpora, of_block in blocks:
        rows.append(of_block)
        if report_file is not None:  # otherwise texts are forgotten when they are counted
            sets += corpora[0].sets.lists()
            for of_file, corpus in zip(lines, corpora):
                of_file += corpus.texts.lists()
    baseline = settings.pop("baseline")
    how = Settings(**settings, progress=shows_progress())
    # texts are counted once for all metrics, and each metric compares its own rows
    comparisons = []
    for one, of_blocks in zip(counted, zip(*rows)):
        of_files = zip(*of_blocks)
        tables = {name: [np.concatenate(next(of_files)) for _ in runs] for name, runs in systems.items()}
        comparisons.append(compare_counts(tables, one, texts.nrefs, baseline, how))
    if report_file is not None:
        from ..report import Report
        from ..report.texts import Outputs

        of_lines = iter(lines)
        outputs = {name: [next(of_lines) for _ in runs] for name, runs in systems.items()}
        source = next(of_lines, None)
        report = Report(counted, comparisons, Outputs(outputs, sets, source), lowercase=options["lowercase"])
        _save_page(report, texts.digests, page)
    if len(systems) == 1:
        echo(report.format(printed["width"]))
        return
    # csv and latex end with a line feed
    echo(format_comparisons(comparisons, **printed), nl=form not in ("csv", "latex"))


def _check_options(systems: Mapping[str, Any], form: str, has_page: bool) -> None:
    """Refuse options that do not go together.

    :raises UsageError: one requires another, or there are too few systems
    """
    given = [f"--format {form}", "--report" if has_page else ""]
    for name, needed in REQUIRED.items():
        if from_command_line(name) and needed not in given:
            raise UsageError(f"{as_option(name)} requires {needed}")
    if not systems:
        needed = "the file of one" if has_page else "the files of at least two"
        raise UsageError(f"there is no system; give {needed}, and the references with -r")
    if len(systems) == 1 and not has_page:
        raise UsageError(
            "compare requires at least two systems, but there is one; for several runs of a system use "
            "NAME=FILE,FILE,..."
        )
    if len(systems) == 1 and form != "text":
        raise UsageError(f"--format {form} requires at least two systems")


def _save_page(report: Report, digests: Mapping[str, str], page: Gathered) -> None:
    """Write the page of a report, with the files that were read and the command that repeats it.

    :param digests: the SHA-256 of each file
    :param page: the options of the page
    """
    from ..report.page import MOST_SEGMENTS, save_page

    names = _without_folders([*digests, page["report"]])
    context = get_current_context()
    arguments = []
    for word in context.meta[ARGUMENTS]:
        for path in sorted(names, key=len, reverse=True):  # a path may begin as a longer one does
            word = word.replace(path, names[path])
        arguments.append(word)
    report.title = page["title"] or report.subject
    report.command = command_line([*context.command_path.split(), *arguments])
    report.files = {names[path]: digest for path, digest in digests.items()}
    save_page(report, page["report"], segments=None if page["all_segments"] else MOST_SEGMENTS)


def _without_folders(paths: Iterable[str]) -> dict[str, str]:
    """Names for files without the folders of an absolute path, which the reader of a report need not know.

    Of an absolute path, as many folders are kept as tell it apart.
    """
    parts = {path: normpath(path).split(sep) for path in paths}
    names = {}
    # from the last folder on: a reader knows the file by its name, and not by where it was
    for path, own in parts.items():
        kept = 1
        while kept < len(own) and any(own[-kept:] == other[-kept:] for other in parts.values() if other != own):
            kept += 1
        names[path] = "/".join(own[-kept:]) if isabs(path) else path
    return names
