"""Replace sacreBLEU's BLEU, chrF and TER with cybleu's in unchanged programs."""

from __future__ import annotations

import sys
from typing import Any

from .. import sacrebleu_compat
from .._runtime.extras import extra
from .._runtime.replacing import Replacement
from .._runtime.scripts import ProgramArguments


class SacrebleuInstallation(Replacement):
    """The result of :func:`install_as_sacrebleu`, undone by :meth:`undo` or at the end of a ``with`` block.

    >>> import sacrebleu
    >>> with install_as_sacrebleu():
    ...     sacrebleu.BLEU.__module__
    'cybleu.sacrebleu_compat.classes'
    >>> sacrebleu.BLEU.__module__
    'sacrebleu.metrics.bleu'
    """

    package = "sacrebleu"


def install_as_sacrebleu() -> SacrebleuInstallation:
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
    modules = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] == "sacrebleu"]
    # sacreBLEU's command looks up the classes in a dict
    spaces = [names for module in modules for names in (vars(module), getattr(module, "METRICS", {}))]
    return SacrebleuInstallation(
        (names, name, ours)
        for names in spaces
        for name, ours in replaced.items()
        if getattr(names.get(name), "__module__", "").startswith("sacrebleu.")
    )


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
