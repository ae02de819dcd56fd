"""`cybleu tune mert`, `kbmira` and `pro`: weights by line searches, or by pairs of hypotheses."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from click import command, option

from .._runtime.scales import counted, percent
from .command import Command, Gathered, gathered, say
from .task import Task
from .tuner_options import MOSES, NORMALISATIONS, mert_section, mira_section, normalisation, pro_section, tuner_options

if TYPE_CHECKING:
    from ..tuning import Mira, Restart


@command("mert", cls=Command, other_tools=MOSES)
@tuner_options
@gathered("search", mert_section)
def mert_command(search: Gathered, normalise: str, **shared: Any) -> None:
    """Tune weights by exact line search (MERT).

    Finds the weights with the best BLEU on n-best lists by line searches from many starting points. Weights of sparse
    features keep their start values. Prints one line with the name and weight of each feature. On standard error, BLEU
    is from 0 to 100.

    The input is an n-best list from a decoder, or files from Moses's extractor.

    \b
    Examples:
      cybleu tune mert dev.nbest.gz dev.ref --start moses.ini
      cybleu tune mert run1.nbest dev.ref --more run2.nbest --bounds lm_0=0: --output-format moses
    """
    from ..tuning import tune

    task = Task(normalise=normalisation(normalise, search["bounds"], search["fixed"]), **shared)
    sparse = task.nbest.sparse
    if sparse is not None and not task.quiet:
        say(
            f"the weights of {counted(len(sparse.names), 'sparse feature')} are not tuned: they keep their start "
            "values, by default 0; use cybleu tune kbmira or cybleu tune pro to tune them"
        )

    def trace(restart: Restart) -> None:
        # whoever interrupts the search gets the best of these
        task.follow(restart, str(restart))

    result = task.tune(tune, **search, progress=task.progress, trace=trace)
    climbs = [asdict(restart) for restart in result.restarts]
    task.show(result, line_searches=result.line_searches, climbs=climbs)


@command("kbmira", cls=Command, other_tools=MOSES)
@tuner_options
@gathered(
    "search",
    mira_section(
        option(
            "--return-best-dev/--return-last",
            default=True,
            show_default=False,
            help="Print the average weights after the pass that scored best, or after the last pass.  [default: best]",
        ),
    ),
)
def kbmira_command(search: Gathered, normalise: str, **shared: Any) -> None:
    """Tune many features by batch MIRA.

    Tunes the weights of dense and sparse features on n-best lists (Cherry and Foster 2012). Prints one line with the
    name and weight of each feature, except sparse features with weight 0. On standard error, BLEU is from 0 to 100.

    The input is an n-best list from a decoder, or files from Moses's extractor.

    \b
    Examples:
      cybleu tune kbmira dev.nbest.gz dev.ref --start moses.ini
      cybleu tune kbmira dev.nbest.gz dev.ref1 dev.ref2 --passes 30 --output-format moses --output sparse.ini
    """
    from ..tuning import kbmira

    task = Task(normalise=NORMALISATIONS[normalise], **shared)

    def trace(result: Mira) -> None:
        score = percent(result.scores[-1], result.scale or 1)
        task.follow(result, f"{len(result.scores):3} {score:.4f} ({result.rules})")

    result = task.tune(kbmira, **search, trace=trace)
    task.show(result, rules=result.rules, scores=[*result.scores])


@command("pro", cls=Command, other_tools=MOSES)
@tuner_options
@gathered("search", pro_section)
def pro_command(search: Gathered, normalise: str, **shared: Any) -> None:
    """Tune many features by pairwise ranked optimisation.

    Tunes the weights of dense and sparse features on n-best lists (PRO, Hopkins and May 2011). Prints one line with the
    name and weight of each feature, except sparse features with weight 0. On standard error, BLEU is from 0 to 100.

    The input is an n-best list from a decoder, or files from Moses's extractor.

    \b
    Examples:
      cybleu tune pro dev.nbest.gz dev.ref --start moses.ini
      cybleu tune pro --features-file run1.dat --scores-file run1.scores --samples 1000
    """
    from ..tuning import pro

    task = Task(normalise=NORMALISATIONS[normalise], **shared)
    # the library takes the minimum on the scale of the metric
    search["minimum"] *= task.scored_by.scale / 100
    result = task.tune(pro, **search)
    task.show(result, pairs=result.pairs)
