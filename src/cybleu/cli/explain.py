"""`cybleu explain`: how the score of one line came about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from .. import bleu_score
from ..errors import ArrayValueError
from ..explanations import explain as steps_of
from .common import FILES, SMOOTHING_OF_TEXT, input_errors, of_steps_of_bleu, variant
from .texts import TextOptions, segments


@click.command()
@FILES
@click.option("--line", type=click.IntRange(1), required=True, metavar="N", help="The line to explain, counted from 1.")
@variant("sacrebleu", of_steps_of_bleu)
@SMOOTHING_OF_TEXT
def explain(
    hypothesis: str,
    references: tuple[str, ...],
    line: int,
    **options: Any,
) -> None:
    """Show how the score of one line came about.

    Prints the n-grams of the line of HYP that match, the precisions and the brevity penalty. The files and the options are
    those of `cybleu score`. A line is scored as the tool scores a single sentence.
    """
    given = TextOptions(**options)
    metric, method = given.metric_and_method()
    with input_errors():
        texts, text = _segment(line, hypothesis, references, given.splitter(), given.drop_bom)
        if method is None:
            explained = steps_of(texts, text, metric=metric)
        else:
            vector = given.weights or (1 / (given.order or 4),) * (given.order or 4)
            explained = steps_of(texts, text, vector, getattr(bleu_score.SmoothingFunction(), method))
    click.echo(str(explained))


def _segment(
    line: int, hypothesis: str, references: tuple[str, ...], split: Callable[[str], Any], drop_bom: bool
) -> tuple[list[list[str]], list[str]]:
    """The references and the hypothesis of a line, counted from 1."""
    before = 0
    for list_of_references, hypotheses in segments(hypothesis, references, split, drop_bom):
        if line <= before + len(hypotheses):
            return list_of_references[line - before - 1], hypotheses[line - before - 1]
        before += len(hypotheses)
    raise ArrayValueError(f"--line is {line}, and the files have {before} lines")
