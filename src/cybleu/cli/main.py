"""The command `cybleu` and its groups."""

from __future__ import annotations

import click

from .._about import version
from ..errors import UnknownNameError
from .given import Commands


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


OF_CLI = {name: name for name in ("score", "compare", "explain", "variants", "plot", "rerank")}
OF_TUNE = {"mert": "tuning", "kbmira": "tuning", "pro": "tuning", "loop": "loop", "extract": "extract"}
HELP = {"help_option_names": ["-h", "--help"]}
SCRIPTS = {"ignore_unknown_options": True}
SCRIPT = click.Path(readable=False)


@click.group(cls=Commands, modules={**OF_CLI}, context_settings=HELP)
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
    help="Show BibTeX entries for cybleu and for the papers that define a metric, and exit. METRIC is the name of a "
    "metric or a "
    'signature printed by "cybleu score" or sacreBLEU; the default is "sacrebleu".',
)
def cli() -> None:
    """Score generated text with BLEU and other metrics, and use these metrics to tune models and rerank n-best lists.

    \b
    Examples:
      cybleu score hypotheses.txt references.txt
      cybleu compare old.txt new.txt -r references.txt -m bleu,chrf,ter

    sacreBLEU command lines run unchanged after `cybleu sacrebleu`.
    """


@cli.group(cls=Commands, modules=OF_TUNE)
def tune() -> None:
    """Tune the weights of a model on n-best lists.

    An n-best list has one line for each hypothesis, such as `0 ||| it rains ||| lm= -2.5 len= 2 ||| -1`. The fields are
    the segment number (from 0), the tokens, the features and the model score. `cybleu rerank linear` applies the tuned
    weights.

    \b
    Examples:
      cybleu tune mert dev.nbest.gz dev.ref --start moses.ini
      cybleu tune kbmira dev.nbest.gz dev.ref
    """


@cli.command("sacrebleu", context_settings=SCRIPTS)
@click.argument("arguments", metavar="[ARGUMENT]...", nargs=-1, type=SCRIPT)
def sacrebleu(arguments: tuple[str, ...]) -> None:
    """Run sacreBLEU's own command, faster.

    The arguments, environment variables and output are the same as those of `sacrebleu`. This command requires
    sacreBLEU.
    """
    from ..sacrebleu_compat.install import run_sacrebleu

    run_sacrebleu([*arguments])


@cli.command("run-as-nltk", add_help_option=False, context_settings=SCRIPTS)
@click.argument("arguments", metavar="SCRIPT [ARGUMENT]...", nargs=-1, type=SCRIPT)
def run_as_nltk(arguments: tuple[str, ...]) -> None:
    """Run a script with cybleu's BLEU instead of NLTK's.

    chrF, GLEU and NIST are replaced as well. This command has no extra dependencies.
    """
    from ..bleu_score.install import run_as_nltk

    run_as_nltk([*arguments])


@cli.command("run-as-sacrebleu", add_help_option=False, context_settings=SCRIPTS)
@click.argument("arguments", metavar="SCRIPT [ARGUMENT]...", nargs=-1, type=SCRIPT)
def run_as_sacrebleu(arguments: tuple[str, ...]) -> None:
    """Run a script with cybleu's BLEU instead of sacreBLEU's.

    chrF and TER are replaced as well. This command requires sacreBLEU.
    """
    from ..sacrebleu_compat.install import run_as_sacrebleu

    run_as_sacrebleu([*arguments])
