"""`cybleu variants`: why tools give different scores for the same texts."""

from __future__ import annotations

import json
from dataclasses import dataclass

import click

from ..explanations import Comparison
from ..explanations.differences import TOOLS, Counts
from ..metrics import Bleu
from .common import TextFiles, format_option, orders_option, read_weights_of_orders
from .given import command, option
from .texts import ReadingOptions, Texts


@dataclass(kw_only=True)
class VariantsOptions(ReadingOptions, TextFiles):
    """Input, definitions and output"""

    names: tuple[str, ...] = option(
        "-m",
        "--metric",
        metavar="NAME[:SMOOTHING],...",
        multiple=True,
        default=TOOLS,
        callback=lambda context, parameter, values: [name for value in values for name in value.split(",")],
        help="The BLEU definitions to compare.",
    )
    max_order: int | None = orders_option()
    weights: tuple[float, ...] | None = option(
        callback=read_weights_of_orders, metavar="W,W,...", help="Weights of the n-gram orders.  [default: uniform]"
    )
    format: str = format_option("text", "json")


@command(VariantsOptions)
def variants(given: VariantsOptions) -> None:
    """Show why tools give different scores.

    Prints the rules and lines that make the scores of the same texts differ. The files are the same as for
    `cybleu score`, and each variant tokenises them as it does there. Use --tokenize none for text that is already
    tokenised. --lowercase applies to all variants. In JSON, segments are counted from 0.

    \b
    Examples:
      cybleu variants hypotheses.txt references.txt
      cybleu variants hypotheses.txt references.txt -m nltk,nltk:method1,sacrebleu
    """
    order = Bleu(max_order=given.max_order, weights=given.weights).order
    texts = Texts([given.hypothesis], given.references, given.drop_bom)
    counts = Counts(given.names, order, given.weights, given.tokenize or "of-tools", given.lowercase)
    for (corpus,) in texts:
        counts.add(corpus)
    explained = counts.comparison()
    click.echo(json.dumps(_as_object(explained)) if given.format == "json" else explained.format("line", 1))


def _as_object(comparison: Comparison) -> dict[str, object]:
    scores, differences = [], []
    for one in comparison.scores:
        score, signature = (one.score, one.bleu.signature) if one.bleu else (None, None)
        shown = {"name": one.name, "tokenize": one.tokenize, "score": score, "scale": 100, "signature": signature}
        scores.append({**shown, "failure": one.failure})
    for pair in comparison.differences:
        names = "rule", "points", "orders", "segments"
        causes = [{name: getattr(cause, name) for name in names} for cause in pair.causes]
        both = {"lower": pair.lower.name, "higher": pair.higher.name}
        differences.append({**both, "points": pair.points, "causes": causes})
    return {"segments": comparison.segments, "scores": scores, "differences": differences}
