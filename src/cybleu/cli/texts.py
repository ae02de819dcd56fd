"""Options of texts and metrics, and texts that are read once and counted by all metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from os.path import exists, isfile, splitext
from typing import Any

from click import Context, Parameter, UsageError, option

from .. import bleu_score
from .._files.text import Lines, raw_segments, shown
from .._runtime.lazy_arrays import np
from .._runtime.parallel import in_order
from ..errors import EmptyCorpusError, InputFileError
from ..metrics import METRICS, Metric, find
from ..metrics.operations import rows_without_numpy
from ..text.batches import Corpus, Sets
from .command import Decorator, Files, MetricName, as_option, gathered, say, section, shows_progress
from .options import orders_option, weights_option

# What sacreBLEU's options are here.
SACREBLEU = {
    "--digits": "-w --width",
    "--tokenize": "-tok",
    "--lowercase": "-lc",
    "--segments": "-sl --sentence-level",
    "--samples": "--paired-bs-n --paired-ar-n",
    "use --confidence and --confidence-n here": "-ci -cin",
    "it is --format here, such as --format json": "-f --json",
    "use --smoothing and --smoothing-value here": "-s -sv --smooth-method --smooth-value",
    "-m chrf++ also counts words": "-cw --chrf-word-order",
    "repeat -r for each file of references": "-nr --num-refs",
    "give the hypotheses first, without -i, and each file of references as -r REF": "-i --input",
    "cybleu sacrebleu REF -i HYP -b prints the score alone": "-b --score-only",
    "for sacreBLEU's test sets, use cybleu sacrebleu -t": "-t -l --test-set --language-pair",
    "use cybleu compare with --test shifted-bootstrap or --test randomization": "--paired-bs --paired-ar",
}
# These methods of NLTK require the segment itself, not only its counts.
METHODS_OF_SEGMENTS = ("method5", "method6", "method7")
EMPTY = "the files are empty, so there is no segment to score"
PARQUET = ".parquet"
TABLES = {".csv": "CSV", ".tsv": "a table with tabs", **dict.fromkeys((".json", ".jsonl", ".ndjson"), "JSON lines")}

# ------------------------------------------------------------------------------------------------------------- options

text_options = section(
    "Text",
    option(
        "--tokenize",
        metavar="NAME",
        help="The tokeniser. sacreBLEU's: 13a, intl, zh, char and others. For tokenised text: none or unicode, ascii "
        "(splits as multi-bleu.perl does) or space (splits as Moses does).  [default: the tool's]",
    ),
    option(
        "--lowercase",
        is_flag=True,
        help="Convert the texts to lower case first, also for chrF. mteval-v13a converts only the letters A to Z.",
    ),
    gathered(
        "reading",
        option(
            "--drop-bom",
            is_flag=True,
            help="Remove a byte order mark. By default it is part of the first token, as in the tools.",
        ),
    ),
)


def metrics_option(of_sums: bool = False) -> Decorator:
    """Declare the option for one or more metrics."""
    name = MetricName(of_sums=of_sums)

    # click would convert each value, but not the names within one
    def read(context: Context, parameter: Parameter, values: Files) -> list[str]:
        return [name.convert(one, parameter, context) for one in ",".join(values).split(",")]

    return option(
        "-m",
        "--metric",
        metavar="NAME,...",
        multiple=True,
        default=["bleu"],
        callback=read,
        shell_complete=name.shell_complete,
        help=f"One or more of {', '.join(name.choices)}. bleu is an alias of sacrebleu.",
    )


def metric_section(metric: Decorator, *more: Decorator) -> Decorator:
    """Declare the metrics of texts and their options.

    :param metric: the option that names them
    :param more: options that only some commands have
    """
    smoothing = option(
        "--smoothing",
        metavar="NAME",
        help="Smoothing of n-gram orders without a match. sacrebleu: exp, floor, add-k, none; nltk: none, method0 to "
        "method7; mteval-v13a: exp, none; moses: none, add; huggingface: none, smooth.  [default: the tool's]",
    )
    value = option("--smoothing-value", type=float, metavar="X", help="Parameter of the smoothing.")
    return section("Metric", metric, orders_option, weights_option, smoothing, value, *more)


def metrics_with(names: Sequence[str], options: Mapping[str, Any], has_methods: bool = False) -> list[Metric]:
    """Return the metrics with these options. An option that only some of them have is for these.

    :param has_methods: whether the command applies :func:`method_of_segments`, which no metric has
    """
    names = [*dict.fromkeys(names)]  # a metric that is named twice is printed once
    given = {name: value for name, value in options.items() if value is not None and value is not False}
    for field in given:
        if not any(_has_field(name, field) for name in names):
            raise UsageError(f"the metric {', '.join(names)} has no option {as_option(field)}")
    metrics = []
    for name in names:
        own = {field: value for field, value in given.items() if _has_field(name, field)}
        if has_methods and method_of_segments(name, options):
            del own["smoothing"]
        metrics.append(find(name, **own))
    return metrics


def _has_field(name: str, field: str) -> bool:
    metric = METRICS[name]
    return metric.reads != "text" if field == "tokenize" else hasattr(metric, field)


def method_of_segments(name: str, options: Mapping[str, Any]) -> tuple[Any, Any] | None:
    """Return the weights and the function of NLTK for a smoothing that requires the segments."""
    if name != "nltk" or options["smoothing"] not in METHODS_OF_SEGMENTS:
        return None
    order = options["max_order"] or 4
    weights = options["weights"] or (1 / order,) * order
    return weights, getattr(bleu_score.SmoothingFunction(), options["smoothing"])


# --------------------------------------------------------------------------------------------------------------- texts


@dataclass
class Texts:
    """Hypotheses and their references, in parallel files or in columns of a Parquet file, which are read once.

    Iterating yields some segments at a time: a corpus for each text that is scored, all with the same references.

    :param hypotheses: the files whose texts are scored, or columns ``FILE.parquet:COLUMN``
    :param references: those of references
    :param drop_bom: leave out byte order marks
    :param hashed: compute the digests
    :ivar nrefs: how many references a segment has, for signatures, when all is read
    :ivar digests: the SHA-256 of each file, when all is read
    """

    hypotheses: Sequence[str]
    references: Sequence[str]
    drop_bom: bool = False
    hashed: bool = False

    def __post_init__(self) -> None:
        """
        :raises InputFileError: only some are columns, or they are in different files; or a Parquet file is given without
            a column
        """
        paths = [*self.hypotheses, *self.references]
        self._paths = paths
        self.nrefs = str(len(self.references))
        self.digests: dict[str, str] = {}
        for path in paths:
            if path.endswith(PARQUET) and isfile(path):
                with open(path, "rb") as file:
                    if file.read(4) == b"PAR1":
                        raise InputFileError(f"{path}: name a column of the Parquet file: {path}:COLUMN")
        mark = f"{PARQUET}:"
        split = [path.partition(mark) for path in paths if mark in path and not exists(path)]
        self._columns = [column for _, _, column in split]
        self._tables = {f"{file}{PARQUET}" for file, _, _ in split}
        if split and (len(split) < len(paths) or len(self._tables) > 1):
            raise InputFileError(f"{', '.join(paths)}: give columns of one Parquet file, or text files")

    def _of_columns(self) -> Iterator[list[Corpus]]:
        from .parquet import column_segments

        (table,) = self._tables
        numbers: set[int] = set()
        count = len(self.hypotheses)
        for corpora in column_segments(table, self._columns[:count], self._columns[count:]):
            numbers |= {*np.diff(corpora[0].sets.bounds).tolist()}
            self.nrefs = "var" if len(numbers) > 1 else str(max(numbers))
            yield corpora
        if not numbers:
            raise EmptyCorpusError(EMPTY)

    def __iter__(self) -> Iterator[list[Corpus]]:
        """
        :raises EmptyCorpusError: there is no segment
        """
        if self._columns:
            yield from self._of_columns()
            return
        count = len(self.hypotheses)
        empty = True
        with ExitStack() as stack:
            files = [
                stack.enter_context(Lines(path, keep_mark=not self.drop_bom, hashed=self.hashed))
                for path in self._paths
            ]
            with suppress(GeneratorExit):  # notes are also printed if the caller stops reading
                blocks = raw_segments(files[:count], files[count:])
                if shows_progress():
                    blocks = files[0].watched(blocks)
                for texts, others, bounds in blocks:
                    empty = False
                    sets = Sets(others, bounds)
                    yield [Corpus(lines, sets) for lines in texts]
        for path, file in dict(zip(self._paths, files)).items():
            if self.hashed:
                self.digests[path] = file.digest.hexdigest()
            if kind := _kind_of_table(path):
                say(
                    f"{shown(file.name)} looks like {kind}, but each of its lines is read as a text; extract the texts "
                    "first, one per line"
                )
            if file.mark and not self.drop_bom:
                say(
                    f"{shown(file.name)} begins with a byte order mark, which is read as part of the first token, as in "
                    "the tools; use --drop-bom to remove it"
                )
        if empty:
            raise EmptyCorpusError(EMPTY)


def _kind_of_table(path: str) -> str | None:
    """What a file is if its lines are no texts: by its name, or because it begins as a JSON object does."""
    ending = splitext(path.lower().removesuffix(".gz"))[1]
    if ending not in TABLES and isfile(path):
        with suppress(OSError), open(path, "rb") as file:
            return "JSON lines" if file.read(2) == b'{"' else None
    return TABLES.get(ending)


def count(
    texts: Texts, metrics: Sequence[Metric], threads: int, scored: int | None = None
) -> tuple[Sequence[Metric], Iterator[tuple[list[Corpus], list[list[Any]]]]]:
    """Count texts block by block, in threads.

    :param scored: how many of the texts to count, by default all; the others are read only
    :return: the metrics, with the weights of all references if they take such weights; and blocks, each with the
        texts and with their rows by metric and text
    """
    blocks = iter(texts)
    # weights of all references are known when all are read, so that these texts are kept
    if any(metric.weighs_by_call for metric in metrics):
        read = [*blocks]
        references = [lines for corpora in read for lines in corpora[0].sets.lists()]
        metrics = [one.with_weights_of(references) if one.weighs_by_call else one for one in metrics]
        blocks = iter(read)

    def counted(corpora: list[Corpus]) -> Any:
        rows = []
        for metric in metrics:
            rows.append([rows_without_numpy(metric, corpus) for corpus in corpora[:scored]])
        return corpora, rows

    return metrics, in_order(counted, blocks, threads)
