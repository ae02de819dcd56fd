"""`cybleu explain` and `cybleu variants`: the steps of the score of one line, and why tools give different scores."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import chain
from os.path import exists
from typing import Any

from click import IntRange, UsageError, command, echo, option

from .._runtime.numbers import counted
from ..errors import ArrayValueError
from ..explanations import Comparison, explain, settings_of
from ..explanations.differences import TOOLS, Counts
from ..metrics import Bleu
from .command import (
    Command,
    Files,
    Gathered,
    as_option,
    from_command_line,
    hypothesis_argument,
    references_argument,
    section,
)
from .options import format_option, metric_option, orders_option, weights_option
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
    hypothesis: str, references: Files, metric: str, reading: Gathered, line: int | None, **options: Any
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
    tokenization: Any = chosen.tokenization
    text, others = _texts_of_line(Texts([hypothesis], references, **reading), line)
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
    raise ArrayValueError(f"--line is {line}, but the files have {counted(before, 'line')}")


@command("variants", cls=Command, other_tools=SACREBLEU)
@hypothesis_argument
@references_argument()
@text_options
@section(
    "Input, definitions and output",
    option(
        "-m",
        "--metric",
        metavar="NAME[:SMOOTHING],...",
        multiple=True,
        default=TOOLS,
        callback=lambda context, parameter, values: [*chain(*(value.split(",") for value in values))],
        help="The BLEU definitions to compare.",
    ),
    orders_option,
    weights_option,
    option("--find", metavar="SCORE", help="Find the settings that give this score, such as 27.9."),
    format_option("text", "json"),
)
def variants_command(
    hypothesis: str,
    references: Files,
    reading: Gathered,
    metric: list[str],
    find: str | None,
    form: str,
    **options: Any,  # of all variants
) -> None:
    """Show why tools give different scores.

    Prints the rules and lines that make the scores of the same texts differ. The files are the same as for
    `cybleu score`, and each variant tokenises them as it does there. Use --tokenize none for text that is already
    tokenised. --lowercase applies to all variants. In JSON, segments are counted from 0.

    With --find, the command prints which definitions, tokenisers and other settings give a score, each with the command
    and the Python call that print it. Settings that give the same number are one row. The most usual comes first.

    \b
    Examples:
      cybleu variants hypotheses.txt references.txt
      cybleu variants hypotheses.txt references.txt -m nltk,nltk:method1,sacrebleu
      cybleu variants hypotheses.txt references.txt --find 27.9
    """
    if find is not None:
        for name in ("metric", "drop_bom", *options):
            if from_command_line(name):
                raise UsageError(f"--find tries all values of {as_option(name)}, or its default; leave it out")
        texts: list[Any] = []
        sets: list[Any] = []
        for (corpus,) in Texts([hypothesis], references):
            texts += corpus.texts.lists()
            sets += corpus.sets.lists()
        found = settings_of(texts, sets, find)
        if form == "text":
            echo(found.format(hypothesis, references))
            return
        rows = []
        for row in found.rows:
            rows.append({"score": row.score, "scale": 100, "settings": [one._asdict() for one in row.settings]})
        echo(json.dumps({"found": found.found, "rows": rows}))
        return
    weights = options["weights"]
    # Bleu checks that the weights are as many as the orders
    order = Bleu(max_order=options["max_order"], weights=weights).order
    counts = Counts(metric, order, weights, options["tokenize"] or "of-tools", options["lowercase"])
    for (corpus,) in Texts([hypothesis], references, **reading):
        counts.add(corpus)
    comparison = counts.comparison()
    echo(json.dumps(_as_object(comparison)) if form == "json" else comparison.format("line", 1))


def _as_object(comparison: Comparison) -> dict[str, Any]:
    scores = [
        {
            "name": one.name,
            "tokenize": one.tokenize,
            "score": one.score if one.bleu else None,
            "scale": 100,
            "signature": one.bleu and one.bleu.signature,
            "failure": one.failure,
        }
        for one in comparison.scores
    ]
    differences = []
    for pair in comparison.differences:
        causes = [
            {"rule": cause.rule, "points": cause.points, "orders": cause.orders, "segments": cause.segments}
            for cause in pair.causes
        ]
        differences.append(
            {"lower": pair.lower.name, "higher": pair.higher.name, "points": pair.points, "causes": causes}
        )
    return {"segments": comparison.segments, "scores": scores, "differences": differences}
