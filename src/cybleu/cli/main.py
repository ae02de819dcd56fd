"""The command `cybleu` and the groups that it has."""

from __future__ import annotations

import click

from .._about import version
from ..bleu_score.install import run_as_nltk as run_script_as_nltk
from ..sacrebleu_compat.install import run_as_sacrebleu as run_script_as_sacrebleu
from .common import FILE
from .compare import compare
from .explain import explain
from .extract import extract
from .loop import mert_loop
from .pairs import kbmira, pro
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
    """BLEU of machine-translated and generated text."""


@cli.command("run-as-nltk", add_help_option=False, context_settings={"ignore_unknown_options": True})
@click.argument("arguments", metavar="SCRIPT [ARGUMENT]...", nargs=-1, type=FILE)
def run_as_nltk(arguments: tuple[str, ...]) -> None:
    """Run a Python script with cybleu in the place of NLTK's BLEU. Needs no extra."""
    run_script_as_nltk([*arguments])


@cli.command("run-as-sacrebleu", add_help_option=False, context_settings={"ignore_unknown_options": True})
@click.argument("arguments", metavar="SCRIPT [ARGUMENT]...", nargs=-1, type=FILE)
def run_as_sacrebleu(arguments: tuple[str, ...]) -> None:
    """Run a Python script with cybleu in the place of sacreBLEU's BLEU."""
    run_script_as_sacrebleu([*arguments])


for command in (compare, explain, extract, kbmira, mert, mert_loop, pro, random_search, rerank, score, variants):
    cli.add_command(command)
