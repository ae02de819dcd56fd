"""Replace sacreBLEU's BLEU, chrF and TER with cybleu's in unchanged programs."""

from __future__ import annotations

import sys
from typing import Any

from .. import sacrebleu_compat
from .._runtime.extras import extra
from .._runtime.replacing import Installation, places_in
from .._runtime.scripts import ProgramArguments


def install_as_sacrebleu() -> Installation:
    """Replace sacreBLEU's BLEU, chrF and TER with cybleu's in the whole process: classes, functions and command.

    From then on ``sacrebleu.BLEU`` is :class:`cybleu.sacrebleu_compat.BLEU` everywhere in sacreBLEU, and the same is true
    of ``sacrebleu.CHRF``, ``sacrebleu.TER``, and the functions ``corpus_bleu``, ``sentence_bleu``, ``corpus_chrf``,
    ``sentence_chrf``, ``corpus_ter`` and ``sentence_ter``, with the same results. Code that imported a class earlier with
    ``from ... import`` keeps sacreBLEU's class, so install first. You can install again.

    :return: an object whose `undo` reverts the installation; it is also a context manager
    :raises MissingExtraError: sacreBLEU is not installed

    >>> import sacrebleu
    >>> with install_as_sacrebleu():
    ...     print(sacrebleu.corpus_bleu(["The cat."], [["The cat."]]).score)
    0.0
    """
    replaced = {name: getattr(sacrebleu_compat, name) for name in sacrebleu_compat.__all__}  # loads sacreBLEU
    return Installation("sacrebleu", places_in("sacrebleu", replaced))


def run_sacrebleu(arguments: list[str]) -> None:
    """Run the command ``sacrebleu`` with cybleu's metrics: the same arguments, environment variables, output and exit status.

    :param arguments: those of the command
    :raises MissingExtraError: sacreBLEU is not installed
    """
    with extra("sacrebleu", "cybleu sacrebleu runs sacreBLEU's command", "cybleu[sacrebleu]"):
        from sacrebleu.sacrebleu import main
    run: Any = main  # which has no types
    sys.argv = ProgramArguments(["sacrebleu", *arguments], install_as_sacrebleu)
    with install_as_sacrebleu():
        run()
