"""`cybleu extract`: features and statistics of an n-best list, for tuners that read Moses's files."""

from __future__ import annotations

import os
from dataclasses import dataclass

import click

from .._files.text import STANDARD_INPUT
from .._runtime.collector import collector_paused
from .common import (
    FEATURE_TABLE,
    FILE,
    FIRST_ID,
    REFERENCE_LENGTH,
    SIZE,
    THREADS,
    TOKENIZE,
    as_options,
    check_outputs,
    check_size,
    choice_option,
    file_option,
    input_errors,
    number_option,
    one_standard_input,
    stderr_is_tty,
)


@dataclass(frozen=True)
class ExtractOptions:
    nbest: str
    references: tuple[str, ...]
    features_file: str
    scores_file: str
    format_: str | None
    first_id: int
    size: int | None
    feature_table: str | None
    max_order: int
    reference_length: str | None
    tokenize: str
    lowercase: bool
    unique: bool
    threads: int


@click.command()
@click.argument("nbest", metavar="NBEST", type=FILE)
@click.argument("references", metavar="REF...", nargs=-1, required=True, type=FILE)
@file_option("--features-file", required=True, help="Where to write the features.")
@file_option("--scores-file", required=True, help="Where to write the BLEU statistics.")
@choice_option(
    "--format",
    "format_",
    of=["moses", "joshua", "plain", "fairseq", "json"],
    help=(
        "The format of NBEST: that of Moses, that of Joshua and cdec, plain text, the output of fairseq, or JSON lines such as "
        "Sockeye's.  [default: moses or joshua, as the first lines look]"
    ),
)
@FIRST_ID
@SIZE
@FEATURE_TABLE
@number_option("--order", "--max-order", "max_order", most=64, default=4, help="Largest n-gram order.")
@REFERENCE_LENGTH
@TOKENIZE
@click.option("--lowercase", "--nocase", is_flag=True, help="Compare in lower case.")
@click.option(
    "--unique",
    is_flag=True,
    help="Leave out a hypothesis with the same features and statistics as an earlier one of its segment.",
)
@THREADS
@as_options(ExtractOptions)
def extract(given: ExtractOptions) -> None:
    """Write the features and statistics of an n-best list.

    The two files have the text format that Moses's tuners read. Input files are UTF-8, and gzip is recognised; one of them may
    be -, which is standard input. An output file is compressed if its name ends in .gz.
    """
    inputs = [given.nbest, given.feature_table, *given.references]
    one_standard_input(*inputs)
    for option, path in (("--features-file", given.features_file), ("--scores-file", given.scores_file)):
        if path == STANDARD_INPUT:
            raise click.UsageError(
                f"{option} must be a file, not standard output; /dev/stdout is a file on POSIX systems"
            )
    check_size(given.format_, given.size)
    check_outputs([given.features_file, given.scores_file], inputs)
    # NumPy would start threads for products of matrices, of which there are none here; they keep a processor busy at first
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with input_errors(), collector_paused():
        from ..nbest import extract as extract_from

        extract_from(
            given.nbest,
            given.references,
            given.features_file,
            given.scores_file,
            given.format_,
            first_id=given.first_id,
            size=given.size,
            features=given.feature_table,
            max_order=given.max_order,
            reference_length=given.reference_length,
            tokenize=given.tokenize,
            lowercase=given.lowercase,
            unique=given.unique,
            threads=given.threads,
            progress=stderr_is_tty(),
        )
