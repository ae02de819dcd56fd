"""cybleu in the place of sacreBLEU's BLEU and chrF, in programs that are not changed for it."""

from __future__ import annotations

import importlib

from .._runtime.replacing import Replacement
from .._runtime.scripts import run_script

__all__ = ["SacrebleuInstallation", "install_as_sacrebleu", "run_as_sacrebleu"]

# Where the classes have a name: sacreBLEU's functions and its command take them from there.
_MODULES = ("sacrebleu.metrics.bleu", "sacrebleu.metrics.chrf", "sacrebleu.metrics", "sacrebleu.compat", "sacrebleu")


class SacrebleuInstallation(Replacement):
    """The result of :func:`install_as_sacrebleu`. :meth:`undo`, or the end of a ``with`` block, takes it back.

    >>> import sacrebleu
    >>> with install_as_sacrebleu():
    ...     sacrebleu.BLEU.__module__
    'cybleu.sacrebleu_compat.metric'
    >>> sacrebleu.BLEU.__module__
    'sacrebleu.metrics.bleu'
    """


def install_as_sacrebleu() -> SacrebleuInstallation:
    """Put cybleu's BLEU and chrF in the place of sacreBLEU's, for the whole process: classes, functions and command.

    From then on ``sacrebleu.BLEU`` is :class:`cybleu.sacrebleu_compat.BLEU` everywhere in sacreBLEU, and
    ``sacrebleu.CHRF`` is :class:`cybleu.sacrebleu_compat.CHRF`. So cybleu counts for ``sacrebleu.corpus_bleu``,
    ``sentence_bleu``, ``corpus_chrf``, ``sentence_chrf`` and their callers, with the same results. Code that imported a
    class earlier with ``from ... import`` keeps sacreBLEU's class, so install first. You can install again.

    :return: an object whose `undo` takes the installation back; it is also a context manager
    :raises MissingExtraError: sacreBLEU is not installed

    >>> import sacrebleu
    >>> with install_as_sacrebleu():
    ...     print(sacrebleu.corpus_bleu(["The cat."], [["The cat."]]).score)
    0.0
    """
    from . import chrf, metric

    exchanged = (("BLEU", metric.ORIGINAL, metric.BLEU), ("CHRF", chrf.ORIGINAL, chrf.CHRF))
    modules = [importlib.import_module(name) for name in _MODULES]
    # sacreBLEU's command takes the classes from a dict
    spaces = [names for module in modules for names in (vars(module), getattr(module, "METRICS", {}))]
    return SacrebleuInstallation(
        (names, name, ours) for names in spaces for name, theirs, ours in exchanged if names.get(name) is theirs
    )


def run_as_sacrebleu(arguments: list[str]) -> None:
    """Run a Python script, or a module after ``-m``, as ``__main__`` with cybleu in the place of sacreBLEU.

    :param arguments: options, the script, then the arguments that it is to see
    """
    run_script(arguments, "run-as-sacrebleu", "sacreBLEU's BLEU and chrF", install_as_sacrebleu)
