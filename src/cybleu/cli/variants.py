"""`cybleu variants`: why tools give different scores for the same texts."""

from __future__ import annotations

import json
from dataclasses import dataclass

import click

from ..errors import EmptyCorpusError
from ..explanations import TOOLS, Comparison, explain_blocks
from .common import FILES, as_options, input_errors, metric_of, need_standard_output
from .reading import FileTexts
from .texts import NO_LINE


@dataclass(frozen=True)
class VariantsOptions:
    hypothesis: str
    references: tuple[str, ...]
    names: tuple[str, ...]
    order: int | None
    weights: tuple[float, ...] | None
    tokenize: str | None
    lowercase: bool
    drop_bom: bool
    as_json: bool


@click.command()
@FILES
@click.option(
    "--variant",
    "names",
    metavar="NAME[:SMOOTHING]",
    multiple=True,
    default=TOOLS,
    help=f"A definition to compare; give the option once for each.  [default: {', '.join(TOOLS)}]",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print a JSON object, with all digits of the scores and segments counted from 0.",
)
@as_options(VariantsOptions)
def variants(given: VariantsOptions) -> None:
    """Show why tools give different scores.

    Prints the tokens, the rules and the lines that make the scores of the same texts differ. The files are those of `cybleu
    score`, and each variant has the tokens that it has there. --tokenize none is for text that is already tokenised.
    --lowercase is the same for all variants.
    """
    need_standard_output()
    size = len(metric_of("sacrebleu", order=given.order, weights=given.weights).columns) // 2 - 1
    name = given.tokenize or "of-tools"
    with input_errors():
        lines = FileTexts([given.hypothesis, *given.references], given.drop_bom).split(str)
        explained = explain_blocks(lines, given.names, size, given.weights, tokenize=name, lowercase=given.lowercase)
        if not explained.segments:
            raise EmptyCorpusError(NO_LINE)
    click.echo(json.dumps(_as_object(explained)) if given.as_json else explained.format("line", 1))


def _as_object(comparison: Comparison) -> dict[str, object]:
    return {
        "segments": comparison.segments,
        "scores": [
            {
                "name": scored.name,
                "tokenize": scored.tokenize,
                "score": scored.score if scored.bleu else None,
                "scale": 100,
                "signature": scored.bleu.signature if scored.bleu else None,
                "failure": scored.failure,
            }
            for scored in comparison.scores
        ],
        "differences": [
            {
                "lower": pair.lower.name,
                "higher": pair.higher.name,
                "points": pair.points,
                "causes": [
                    {name: getattr(cause, name) for name in ("rule", "points", "orders", "segments")}
                    for cause in pair.causes
                ],
            }
            for pair in comparison.differences
        ],
    }
