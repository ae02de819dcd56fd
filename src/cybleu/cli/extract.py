"""`cybleu tune extract`: features and statistics of an n-best list, for tuners that read Moses's files."""

from __future__ import annotations

import os
from dataclasses import dataclass

import click

from .._files.text import STANDARD_INPUT
from .choosing import NbestOptions
from .common import (
    MOST_ORDERS,
    References,
    check_outputs,
    check_size,
    input_errors,
    one_standard_input,
    reference_length_option,
    references_argument,
    references_option,
    stderr_is_tty,
    threads_option,
)
from .given import command, file, number, switch


@dataclass(frozen=True, kw_only=True)
class ExtractOptions(NbestOptions, References):
    """Counts and output"""

    references: tuple[str, ...] = references_argument()
    other_references: tuple[str, ...] = references_option()
    features_file: str = file(required=True, help="Where to write the features.")
    scores_file: str = file(required=True, help="Where to write the BLEU statistics.")
    max_order: int = number(most=MOST_ORDERS, default=4, help="Largest n-gram order.")
    reference_length: str | None = reference_length_option()
    lowercase: bool = switch(help="Compare in lower case.")
    unique: bool = switch(
        help="Leave out a hypothesis with the same features and statistics as an earlier one of its segment."
    )
    threads: int = threads_option()


@command(ExtractOptions)
def extract(given: ExtractOptions) -> None:
    """Write the features and statistics of an n-best list.

    The two files have the text format that Moses's tuners read. Input files are UTF-8, and gzip is recognised; one of them may
    be -, which is standard input. An output file is compressed if its name ends in .gz.

    \b
    Examples:
      cybleu tune extract dev.nbest.gz dev.ref --features-file features.dat --scores-file scores.dat
      cybleu tune extract hyps.txt dev.ref --format plain --size 10 --features-file f.gz --scores-file s.gz
    """
    inputs = [given.nbest, given.feature_table, *given.references]
    one_standard_input(*inputs)
    for option, path in (("--features-file", given.features_file), ("--scores-file", given.scores_file)):
        if path == STANDARD_INPUT:
            raise click.UsageError(
                f"{option} must be a file, not standard output; /dev/stdout is a file on POSIX systems"
            )
    check_size(given.format, given.size)
    check_outputs([given.features_file, given.scores_file], inputs)
    # NumPy would start threads for products of matrices, of which there are none here; they keep a processor busy at first
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with input_errors():
        from ..nbest import extract as extract_from

        extract_from(
            given.nbest,
            given.references,
            given.features_file,
            given.scores_file,
            given.format,
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
