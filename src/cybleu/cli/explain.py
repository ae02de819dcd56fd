"""`cybleu explain`: the steps of the score of one line."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import click

from .. import bleu_score
from ..errors import ArrayValueError
from ..explanations import explain as steps_of
from .common import References, input_errors, metric_option, of_steps_of_bleu, references_argument, references_option
from .given import argument, command, number
from .reading import strings_of
from .texts import TextOptions


@dataclass(frozen=True, kw_only=True)
class ExplainOptions(References, TextOptions):
    """Input"""

    hypothesis: str = argument("HYP")
    references: tuple[str, ...] = references_argument()
    other_references: tuple[str, ...] = references_option()
    variant: str = metric_option("bleu", of_steps_of_bleu)
    line: int = number(required=True, metavar="N", help="The line to explain, counted from 1.")


@command(ExplainOptions)
def explain(given: ExplainOptions) -> None:
    """Show the steps of the score of one line.

    Prints the n-grams of the line of HYP that match, the precisions and the brevity penalty. The files and the options are
    those of `cybleu score`. A line is scored as the tool scores a single sentence.

    \b
    Examples:
      cybleu explain hypotheses.txt references.txt --line 7
      cybleu explain hypotheses.txt references.txt --line 7 -m nltk --smoothing method1
    """
    metric, method = given.metric_and_method()
    with input_errors():
        texts, text = _segment(given)
        if method is None:
            explained = steps_of(texts, text, metric=metric)
        else:
            vector = given.weights or (1 / (given.order or 4),) * (given.order or 4)
            explained = steps_of(texts, text, vector, getattr(bleu_score.SmoothingFunction(), method))
    click.echo(str(explained))


def _segment(given: ExplainOptions) -> tuple[list[list[Hashable]], list[Hashable]]:
    """The references and the hypothesis of the line."""
    before, split = 0, given.raw.splitter
    for (corpus,) in given.texts([given.hypothesis], given.references).blocks():
        if given.line <= before + corpus.size:
            sets, texts = strings_of(corpus)
            place = given.line - before - 1
            return [[*split(line)] for line in sets[place]], [*split(texts[place])]
        before += corpus.size
    raise ArrayValueError(f"--line is {given.line}, and the files have {before} lines")
