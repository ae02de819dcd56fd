"""`cybleu tune extract`: features and statistics of an n-best list, for tuners that read Moses's files."""

from __future__ import annotations

import os
from typing import Any

from click import IntRange, command, option

from .._definitions.ngrams import MOST_ORDERS
from .command import Command, FilePath, Files, section
from .lists import first_id_option, nbest_argument, reading_options, tokenize_option
from .options import as_option, reference_length_option, references_argument, shows_progress, threads_option


@command("extract", cls=Command)
@nbest_argument
@section("Lists", first_id_option, tokenize_option, *reading_options)
@references_argument()
@section(
    "Counts",
    option("--max-order", type=IntRange(1, MOST_ORDERS), default=4, help="The maximum n-gram order."),
    reference_length_option,
    option("--lowercase", is_flag=True, help="Convert the texts to lower case first."),
    option(
        "--unique",
        is_flag=True,
        help="Skip hypotheses with the same features and statistics as an earlier one of their segment.",
    ),
    threads_option,
)
@section(
    "Output",
    option(
        "--features-file",
        metavar="FILE",
        type=FilePath(written=True),
        required=True,
        help="The output file for the features.",
    ),
    option(
        "--scores-file",
        metavar="FILE",
        type=FilePath(written=True),
        required=True,
        help="The output file for the BLEU statistics.",
    ),
)
def extract_command(nbest: str, references: Files, features_file: str, scores_file: str, **reading: Any) -> None:
    """Write the features and statistics of an n-best list.

    The two output files have the text format that Moses's tuners read. Input files are UTF-8; gzip is recognised. One
    of them may be -, which means standard input. An output file is compressed if its name ends in .gz.

    \b
    Examples:
      cybleu tune extract dev.nbest.gz dev.ref --features-file features.dat --scores-file scores.dat
      cybleu tune extract hyps.txt dev.ref --format plain --size 10 --features-file f.gz --scores-file s.gz
    """
    # NumPy would start threads for products of matrices, of which there are none here; they keep a processor busy at first
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from ..nbest import extract as extract_from

    extract_from(nbest, references, features_file, scores_file, progress=shows_progress(), naming=as_option, **reading)
