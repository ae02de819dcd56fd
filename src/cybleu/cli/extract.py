"""`cybleu tune extract`: features and statistics of an n-best list, for tuners that read Moses's files."""

from __future__ import annotations

import os
from dataclasses import dataclass

from .._runtime.numbers import MOST_ORDERS
from .common import ReferenceFiles, reference_length_option, shows_progress, threads_option
from .given import arguments_of, command, file, number, switch
from .lists import FormatOptions, NbestOptions


@dataclass(kw_only=True)
class CountsOptions(FormatOptions):
    """Counts"""

    max_order: int = number(most=MOST_ORDERS, default=4, help="The maximum n-gram order.")
    reference_length: str | None = reference_length_option()
    lowercase: bool = switch(help="Convert the texts to lower case first.")
    unique: bool = switch(
        help="Skip hypotheses with the same features and statistics as an earlier one of their segment."
    )
    threads: int = threads_option()


@dataclass(kw_only=True)
class ExtractOptions(CountsOptions, ReferenceFiles, NbestOptions):
    """Output"""

    features_file: str = file(required=True, written=True, help="The output file for the features.")
    scores_file: str = file(required=True, written=True, help="The output file for the BLEU statistics.")


@command(ExtractOptions)
def extract(given: ExtractOptions) -> None:
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

    how = arguments_of(given, CountsOptions)
    outputs = given.features_file, given.scores_file
    extract_from(given.nbest, given.references, *outputs, **how, progress=shows_progress())
