"""The command `cybleu` and the groups that it has."""

from __future__ import annotations

import click

from .._about import version
from .extract import extract
from .rerank import rerank
from .score import score
from .tuning import mert, random_search
from .variants import variants


def _show_version(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        click.echo(version())
        context.exit()


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show what runs and exit.",
)
def cli() -> None:
    """BLEU of machine-translated and generated text.

    `cybleu run-as-nltk SCRIPT ...` runs a Python script with cybleu in the place of NLTK's BLEU, and `cybleu run-as-sacrebleu
    SCRIPT ...` in that of sacreBLEU's.
    """


for command in (extract, mert, random_search, rerank, score, variants):
    cli.add_command(command)
