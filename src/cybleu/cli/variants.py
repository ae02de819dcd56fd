"""`cybleu variants`: why tools give different scores for the same texts."""

from __future__ import annotations

import json
from itertools import chain
from typing import Any

import click

from ..explanations import Comparison
from ..explanations.differences import TOOLS, Counts
from ..metrics import Bleu
from .command import Command, section
from .options import format_option, hypothesis_argument, orders_option, references_argument, weights_option
from .texts import SACREBLEU, Texts, text_options


@click.command("variants", cls=Command, other_tools=SACREBLEU)
@hypothesis_argument
@references_argument()
@text_options
@section(
    "Input, definitions and output",
    click.option(
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
    format_option("text", "json"),
)
def variants_command(
    hypothesis: str,
    references: tuple[str, ...],
    drop_bom: bool,
    metric: list[str],
    output_format: str,
    **options: Any,  # of all variants
) -> None:
    """Show why tools give different scores.

    Prints the rules and lines that make the scores of the same texts differ. The files are the same as for
    `cybleu score`, and each variant tokenises them as it does there. Use --tokenize none for text that is already
    tokenised. --lowercase applies to all variants. In JSON, segments are counted from 0.

    \b
    Examples:
      cybleu variants hypotheses.txt references.txt
      cybleu variants hypotheses.txt references.txt -m nltk,nltk:method1,sacrebleu
    """
    weights = options["weights"]
    # Bleu checks that the weights are as many as the orders
    order = Bleu(max_order=options["max_order"], weights=weights).order
    counts = Counts(metric, order, weights, options["tokenize"] or "of-tools", options["lowercase"])
    for (corpus,) in Texts([hypothesis], references, drop_bom):
        counts.add(corpus)
    found = counts.comparison()
    click.echo(json.dumps(_as_object(found)) if output_format == "json" else found.format("line", 1))


def _as_object(comparison: Comparison) -> dict[str, Any]:
    scores = []
    for one in comparison.scores:
        entry = {
            "name": one.name,
            "tokenize": one.tokenize,
            "score": one.score if one.bleu else None,
            "scale": 100,
            "signature": one.bleu.signature if one.bleu else None,
            "failure": one.failure,
        }
        scores.append(entry)
    differences = []
    for pair in comparison.differences:
        causes = []
        for cause in pair.causes:
            causes.append(
                {"rule": cause.rule, "points": cause.points, "orders": cause.orders, "segments": cause.segments}
            )
        differences.append(
            {"lower": pair.lower.name, "higher": pair.higher.name, "points": pair.points, "causes": causes}
        )
    return {"segments": comparison.segments, "scores": scores, "differences": differences}
