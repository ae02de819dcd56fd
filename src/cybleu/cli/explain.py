"""`cybleu explain`: the steps of the score of one line."""

from __future__ import annotations

from dataclasses import replace
from os.path import exists
from typing import Any

from click import IntRange, UsageError, command, echo, option

from ..errors import ArrayValueError
from ..explanations import explain
from .command import Command, Files, section
from .options import hypothesis_argument, metric_option, references_argument
from .texts import SACREBLEU, Texts, method_of_segments, metric_section, metrics_with, text_options


@command("explain", cls=Command, other_tools={"use --line here": "-l -n", **SACREBLEU})
@hypothesis_argument
@references_argument(advice="run: cybleu explain HYP REF... --line N")
@text_options
@metric_section(metric_option(of_bleu=True))
@section(
    "Input",
    option("--line", metavar="N", type=IntRange(1), help="The line to explain, counting from 1.  [required]"),
)
def explain_command(
    hypothesis: str, references: Files, metric: str, drop_bom: bool, line: int | None, **options: Any
) -> None:
    """Explain the score of one line step by step.

    Prints the matching n-grams of the line in HYP, the precisions and the brevity penalty. The files are the same as
    for `cybleu score`. The line is scored as the tool scores a single sentence.

    \b
    Examples:
      cybleu explain hypotheses.txt references.txt --line 7
      cybleu explain hypotheses.txt references.txt --line 7 -m nltk --smoothing method1
    """
    if line is None:  # not required for click, so that a number among the files is named
        last = references[-1]
        hint = f"; did you mean --line {last}?" if last.isdecimal() and not exists(last) else ""
        raise UsageError(f"Missing option '--line'{hint or '.'}")
    (chosen,) = metrics_with([metric], options, has_methods=True)
    tokenization = chosen.tokenization
    assert tokenization is not None
    text, others = _texts_of_line(Texts([hypothesis], references, drop_bom), line)
    tokens = tokenization.split([text])[0]
    sets = tokenization.split(others)
    method = method_of_segments(metric, options)
    if method is None:
        # the tokens are the tool's already
        explained = explain(tokens, sets, metric=replace(chosen, tokenize=None, lowercase=False))
    else:
        explained = explain(tokens, sets, weights=method[0], smoothing_function=method[1])
    echo(str(explained))


def _texts_of_line(texts: Texts, line: int) -> tuple[Any, Any]:
    """The hypothesis and the references of the line."""
    before = 0
    for (corpus,) in texts:  # in parts, so that a line near the beginning is explained at once
        if line <= before + corpus.size:
            place = line - before - 1
            return corpus.texts.lists()[place], corpus.sets.lists()[place]
        before += corpus.size
    raise ArrayValueError(f"--line is {line}, but the files have {before} lines")
