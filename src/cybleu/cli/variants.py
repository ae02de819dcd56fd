"""`cybleu variants`: why tools disagree about the same tokens."""

from __future__ import annotations

import json

import click

from ..errors import EmptyCorpusError
from ..explanations import TOOLS, Comparison, explain_blocks
from ..text import tokenizer
from .common import NO_LINE, OF_TEXT, input_errors, metric_of, need_standard_output, segments


@click.command()
@OF_TEXT
@click.option(
    "--variant",
    "names",
    metavar="NAME[:SMOOTHING]",
    multiple=True,
    default=TOOLS,
    help=f"A definition to compare, to be given for each.  [default: {', '.join(TOOLS)}]",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object, scores in full, segments counted from 0.")
def variants(
    hypothesis: str,
    references: tuple[str, ...],
    names: tuple[str, ...],
    order: int | None,
    weights: tuple[float, ...] | None,
    split: str,
    tokenize: str | None,
    drop_bom: bool,
    as_json: bool,
) -> None:
    """Why tools disagree: the rules and the lines that make their scores differ on the same tokens.

    The files are those of `cybleu score`.
    """
    need_standard_output()
    size = len(metric_of("sacrebleu", order=order, weights=weights).columns) // 2 - 1
    with input_errors():
        blocks = segments(hypothesis, references, tokenizer(tokenize or split), drop_bom)
        explained = explain_blocks(blocks, names, size, weights)
        if not explained.segments:
            raise EmptyCorpusError(NO_LINE)
    click.echo(json.dumps(_as_object(explained)) if as_json else explained.format("line", 1))


def _as_object(comparison: Comparison) -> dict[str, object]:
    return {
        "segments": comparison.segments,
        "scores": [
            {
                "name": scored.name,
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
                    {
                        "rule": cause.rule,
                        "points": cause.points,
                        "orders": cause.orders,
                        "segments": cause.segments,
                    }
                    for cause in pair.causes
                ],
            }
            for pair in comparison.differences
        ],
    }
