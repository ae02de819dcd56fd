"""`cybleu explain`: the steps of the score of one line."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import click

from ..errors import ArrayValueError
from ..explanations import explain as steps_of
from ..metrics import Metric
from .common import TextFiles, metric_option
from .given import command, number
from .texts import TextOptions, method_of, strings_of


@dataclass(kw_only=True)
class ExplainOptions(TextOptions, TextFiles):
    """Input"""

    has_methods = True

    names: tuple[str, ...] = metric_option(of_bleu=True)
    line: int = number(required=True, metavar="N", help="The line to explain, counting from 1.")


@command(ExplainOptions)
def explain(given: ExplainOptions) -> None:
    """Explain the score of one line step by step.

    Prints the matching n-grams of the line in HYP, the precisions and the brevity penalty. The files are the same as
    for `cybleu score`. The line is scored as the tool scores a single sentence.

    \b
    Examples:
      cybleu explain hypotheses.txt references.txt --line 7
      cybleu explain hypotheses.txt references.txt --line 7 -m nltk --smoothing method1
    """
    (metric,) = given.metrics()
    hypothesis, references = _segment(given, metric)
    method = method_of(metric, given)
    if method is None:
        explained = steps_of(hypothesis, references, metric=replace(metric, tokenize=None, lowercase=False))
    else:
        weights, function = method
        explained = steps_of(hypothesis, references, weights=weights, smoothing_function=function)
    click.echo(str(explained))


def _segment(given: ExplainOptions, metric: Metric) -> tuple[Any, list[Any]]:
    """The hypothesis and the references of the line."""
    before, raw = 0, metric.tokenization
    assert raw is not None
    for (corpus,) in given.texts([given.hypothesis], given.references):
        if given.line <= before + corpus.size:
            texts, sets = strings_of(corpus)
            place = given.line - before - 1
            return raw.split([texts[place]])[0], raw.split(sets[place])
        before += corpus.size
    raise ArrayValueError(f"--line is {given.line}, but the files have {before} lines")
