"""`cybleu tune mert`: weights of few features, by line searches."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import click

from .._runtime.scales import counted
from .common import input_errors, stderr_is_tty
from .given import command
from .lists import ListOptions, SearchOptions, run_tuner

if TYPE_CHECKING:
    from ..metrics import Metric
    from ..nbest import NBest
    from ..tuning import Restart, Tuning


@dataclass(frozen=True, kw_only=True)
class MertOptions(SearchOptions, ListOptions):
    """Line searches"""


@command(MertOptions)
def mert(given: MertOptions) -> None:
    """Tune weights by exact line search (MERT).

    Finds the weights with the best BLEU on n-best lists, by line searches from many starts. Prints a line with name and weight
    for each feature. On standard error, BLEU is from 0 to 100.

    The lists come from decoders or from Moses's extractor.

    \b
    Examples:
      cybleu tune mert dev.nbest.gz dev.ref --start moses.ini
      cybleu tune mert run1.nbest dev.ref --more run2.nbest --bounds lm=0: --output-format moses
    """
    given.check()
    search = given.search
    best: Restart | None = None

    def run(nbest: NBest, start: dict[str, float] | None, *, metric: Metric, seed: int) -> Tuning:
        if nbest.sparse is not None and not given.quiet:
            click.echo(
                f"cybleu: the weights of {counted(len(nbest.sparse.names), 'sparse feature')} stay, 0 without --start; cybleu "
                "tune kbmira and cybleu tune pro tune all",
                err=True,
            )
        check_normalised(given.normalisation, search["bounds"], given.fixed)

        def trace(restart: Restart) -> None:
            nonlocal best
            if best is None or restart.score > best.score:
                best = replace(restart, weights={**(start or {}), **restart.weights})
            if not given.quiet and sys.stderr is not None:
                from tqdm import tqdm

                tqdm.write(str(restart), file=sys.stderr)

        progress = stderr_is_tty() and not given.quiet
        return tune(nbest, start, metric=metric, seed=seed, progress=progress, trace=trace, **search)

    def more(tuning: Tuning) -> dict[str, Any]:
        climbs = [asdict(restart) for restart in tuning.restarts]
        return {"line_searches": tuning.line_searches, "climbs": climbs}

    with input_errors():
        from ..tuning import check_normalised, tune

        run_tuner(given, run, lambda: best, more, attrgetter("names"))
