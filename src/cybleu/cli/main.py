"""The command `cybleu` and its groups."""

from __future__ import annotations

from click import Argument, BadParameter, Command, Context, Option, Parameter, Path, echo

from .._about import version
from ..errors import UnknownNameError
from .command import Commands


def _show_and_exit(context: Context, parameter: Parameter, value: bool | str | None) -> None:
    """Show what --version and --cite ask for, and end as --help does, without a command."""
    if value in (False, None) or context.resilient_parsing:
        return
    if isinstance(value, str):
        from .citations import citations

        try:
            echo(citations(value))
        except UnknownNameError as error:
            # this runs before any command, which would report the error of the library
            raise BadParameter(str(error), context, parameter) from None
    else:
        echo(version())
    context.exit()


cli = Commands(
    modules={"score": "score", "compare": "compare", "explain": "explain", "variants": "explain", "rerank": "rerank"},
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
    params=[
        Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_and_exit,
            help="Show the version, the backend and the platform, and exit.",
        ),
        Option(
            ["--cite"],
            metavar="[METRIC]",
            is_flag=False,
            flag_value="sacrebleu",
            is_eager=True,
            expose_value=False,
            callback=_show_and_exit,
            help="Show BibTeX entries for cybleu and for the papers that define a metric, and exit. METRIC is the name of a "
            "metric or a "
            'signature printed by "cybleu score" or sacreBLEU; the default is "sacrebleu".',
        ),
    ],
    help="""Score generated text with BLEU and other metrics, and use these metrics to tune models and rerank n-best lists.

    \b
    Examples:
      cybleu score hypotheses.txt references.txt
      cybleu compare old.txt new.txt -r references.txt -m bleu,chrf,ter

    sacreBLEU command lines run unchanged after `cybleu sacrebleu`.
    """,
)
tune_command = Commands(
    "tune",
    modules=dict.fromkeys(("mert", "kbmira", "pro", "loop", "extract"), "tuning"),
    help="""Tune the weights of a model on n-best lists.

    An n-best list has one line for each hypothesis, such as `0 ||| it rains ||| lm= -2.5 len= 2 ||| -1`. The fields are
    the segment number (from 0), the tokens, the features and the model score. `cybleu rerank linear` applies the tuned
    weights.

    \b
    Examples:
      cybleu tune mert dev.nbest.gz dev.ref --start moses.ini
      cybleu tune kbmira dev.nbest.gz dev.ref
    """,
)
cli.add_command(tune_command)

# __main__ runs these itself; here they are for the help and for completion in shells
for name, text in (
    ("sacrebleu", "Run sacreBLEU's own command, faster."),
    ("run-as-nltk", "Run a script with cybleu's BLEU instead of NLTK's."),
    ("run-as-rouge-score", "Run a script with cybleu's ROUGE instead of rouge_score's."),
    ("run-as-sacrebleu", "Run a script with cybleu's BLEU instead of sacreBLEU's."),
):
    cli.add_command(Command(name, help=text, params=[Argument(["files"], nargs=-1, type=Path())]))
