"""`cybleu extract`: features and statistics of an n-best list, for tuners that read Moses's files."""

from __future__ import annotations

import os
from typing import Any

import click

from .._files.text import STANDARD_INPUT
from .._runtime.collector import collector_paused
from .common import (
    FEATURE_TABLE,
    FILE,
    FIRST_ID,
    REFERENCE_LENGTH,
    SIZE,
    SPLIT,
    THREADS,
    TOKENIZE,
    check_outputs,
    check_size,
    input_errors,
    one_standard_input,
    someone_looks,
)


@click.command()
@click.argument("nbest", metavar="NBEST", type=FILE)
@click.argument("references", metavar="REF...", nargs=-1, required=True, type=FILE)
@click.option("--features-file", metavar="FILE", type=FILE, required=True, help="Where to write the features.")
@click.option("--scores-file", metavar="FILE", type=FILE, required=True, help="Where to write the BLEU statistics.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["moses", "joshua", "plain", "fairseq", "json"]),
    help="The format of NBEST: that of Moses, that of Joshua and cdec, plain text, the output of fairseq, or JSON lines such as "
    "Sockeye's.  [default: moses or joshua, as the first lines look]",
)
@FIRST_ID
@SIZE
@FEATURE_TABLE
@click.option(
    "--order",
    "--max-order",
    "max_order",
    type=click.IntRange(1, 64),
    default=4,
    show_default=True,
    help="Largest n-gram order.",
)
@REFERENCE_LENGTH
@SPLIT
@TOKENIZE
@click.option("--lowercase", "--nocase", is_flag=True, help="Compare in lower case.")
@click.option(
    "--unique",
    is_flag=True,
    help="Leave out a hypothesis with the same features and statistics as an earlier one of its segment.",
)
@THREADS
def extract(
    nbest: str,
    references: tuple[str, ...],
    features_file: str,
    scores_file: str,
    format_: str | None,
    size: int | None,
    feature_table: str | None,
    split: str,
    tokenize: str | None,
    **options: Any,
) -> None:
    """Write the features and statistics of an n-best list.

    The two files have the text format that Moses's tuners read. Input files are UTF-8, and gzip is recognised; one of them may
    be -, which is standard input. An output file is compressed if its name ends in .gz.
    """
    one_standard_input(nbest, feature_table, *references)
    for option, path in (("--features-file", features_file), ("--scores-file", scores_file)):
        if path == STANDARD_INPUT:
            raise click.UsageError(
                f"{option} is a file, not standard output; /dev/stdout is one where the system has it"
            )
    check_size(format_, size)
    check_outputs([features_file, scores_file], [nbest, feature_table, *references])
    # the threads that NumPy starts for products of matrices, of which there are none here, keep a processor busy at first
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with input_errors(), collector_paused():
        from ..nbest import extract as extract_from

        extract_from(
            nbest,
            references,
            features_file,
            scores_file,
            format_,
            size=size,
            features=feature_table,
            tokenize=tokenize or split,
            progress=someone_looks(),
            **options,
        )
