"""The command `cybleu` and its groups."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from .._about import version
from ..bleu_score.install import run_as_nltk as run_script_as_nltk
from ..errors import UnknownNameError
from ..sacrebleu_compat.install import run_as_sacrebleu as run_script_as_sacrebleu
from ..sacrebleu_compat.install import run_sacrebleu
from .common import FILE

# The module of each command, which has a function of this name. Only the one that runs is imported: importing all of them takes
# longer than counting a hundred thousand lines.
COMMANDS = {
    "compare": "compare",
    "explain": "explain",
    "extract": "extract",
    "kbmira": "pairs",
    "mert": "tuning",
    "mert-loop": "loop",
    "plot": "plot",
    "pro": "pairs",
    "rerank": "rerank",
    "score": "score",
    "variants": "variants",
}


class Commands(click.Group):
    """A group of these commands and of those that are added."""

    def list_commands(self, context: click.Context) -> list[str]:
        return sorted([*COMMANDS, *super().list_commands(context)])

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return super().get_command(context, name)
        module = import_module(f"{__package__}.{COMMANDS[name]}")
        command: click.Command = getattr(module, name.replace("-", "_"))
        return command

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(context, args)
        except click.UsageError as error:
            similar = get_close_matches(args[0], self.list_commands(context), 3, 0.5)
            if not similar or "Did you mean" in error.message:
                raise
            raise click.UsageError(f"{error.message} Did you mean {' or '.join(similar)}?", error.ctx) from None

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except click.NoSuchOption as error:
            raise _with_option(error) from None


# What other tools and habits call an option.
OTHER_NAMES = {"-l": "--lowercase", "--lc": "--lowercase", "--tok": "--tokenize", "--format": "--json"}


def _with_option(error: click.NoSuchOption) -> click.NoSuchOption:
    """Add what the option is called here."""
    known = [] if error.ctx is None else [name for option in error.ctx.command.params for name in option.opts]
    other = OTHER_NAMES.get(error.option_name, "")
    if other not in known:
        return error
    message = f"No such option '{error.option_name}'. Did you mean '{other}'?"
    return click.NoSuchOption(error.option_name, message, ctx=error.ctx)


def _show_version(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        click.echo(version())
        context.exit()


def _show_citations(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if value is not None and not context.resilient_parsing:
        from .citations import citations

        try:
            click.echo(citations(value))
        except UnknownNameError as error:
            raise click.BadParameter(str(error), context, parameter) from None
        context.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version, the backend and the platform, and exit.",
)
@click.option(
    "--cite",
    metavar="[METRIC]",
    is_flag=False,
    flag_value="sacrebleu",
    is_eager=True,
    expose_value=False,
    callback=_show_citations,
    help="Show BibTeX entries of cybleu and of the papers that define a metric, and exit. METRIC is a name or a signature "
    'that "score" or sacreBLEU has printed, by default "sacrebleu".',
)
def cli() -> None:
    """Score machine-translated and generated text by BLEU and other metrics, and tune and choose by these scores."""


@cli.command("run-as-nltk", add_help_option=False, context_settings={"ignore_unknown_options": True})
@click.argument("arguments", metavar="SCRIPT [ARGUMENT]...", nargs=-1, type=FILE)
def run_as_nltk(arguments: tuple[str, ...]) -> None:
    """Run a script with cybleu's BLEU instead of NLTK's.

    The same holds for chrF and GLEU. The command needs no extra.
    """
    run_script_as_nltk([*arguments])


@cli.command("run-as-sacrebleu", add_help_option=False, context_settings={"ignore_unknown_options": True})
@click.argument("arguments", metavar="SCRIPT [ARGUMENT]...", nargs=-1, type=FILE)
def run_as_sacrebleu(arguments: tuple[str, ...]) -> None:
    """Run a script with cybleu's BLEU instead of sacreBLEU's.

    The same holds for chrF. The command needs sacreBLEU.
    """
    run_script_as_sacrebleu([*arguments])


@cli.command("sacrebleu", context_settings={"ignore_unknown_options": True})
@click.argument("arguments", metavar="[ARGUMENT]...", nargs=-1, type=FILE)
def sacrebleu(arguments: tuple[str, ...]) -> None:
    """Run sacreBLEU's own command, faster.

    The arguments, the environment variables and the output are those of `sacrebleu`. The command needs sacreBLEU.
    """
    run_sacrebleu([*arguments])
