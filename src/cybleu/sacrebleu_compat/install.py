"""cybleu in the place of sacreBLEU's BLEU and chrF, in programs that are not changed for it."""

from __future__ import annotations

import importlib
import threading
from types import ModuleType
from typing import Any

from .._runtime.scripts import run_script

__all__ = ["SacrebleuInstallation", "install_as_sacrebleu", "run_as_sacrebleu"]

# Where the classes have a name: sacreBLEU's functions and its command take them from there.
_MODULES = ("sacrebleu.metrics.bleu", "sacrebleu.metrics.chrf", "sacrebleu.metrics", "sacrebleu.compat", "sacrebleu")

_lock = threading.Lock()
_active: list[SacrebleuInstallation] = []
_replaced: list[ModuleType] = []


class SacrebleuInstallation:
    """The result of :func:`install_as_sacrebleu`. :meth:`undo`, or the end of a ``with`` block, takes it back.

    >>> import sacrebleu
    >>> with install_as_sacrebleu():
    ...     sacrebleu.BLEU.__module__
    'cybleu.sacrebleu_compat.metric'
    >>> sacrebleu.BLEU.__module__
    'sacrebleu.metrics.bleu'
    """

    def undo(self) -> None:
        """Take this installation back. A second call does nothing.

        After the last installation is taken back, sacreBLEU's classes are in their place again.
        """
        with _lock:
            if self not in _active:
                return
            _active.remove(self)
            if not _active:
                while _replaced:
                    module = _replaced.pop()
                    for name, ours, theirs in _classes():
                        _exchange(module, name, ours, theirs)

    def __enter__(self) -> SacrebleuInstallation:
        return self

    def __exit__(self, *exception: object) -> None:
        self.undo()


def _classes() -> list[tuple[str, Any, Any]]:
    """The name of each class, ours, and sacreBLEU's."""
    from . import chrf, metric

    return [("BLEU", metric.BLEU, metric.ORIGINAL), ("CHRF", chrf.CHRF, chrf.ORIGINAL)]


def _exchange(module: ModuleType, name: str, old: Any, new: Any) -> None:
    if getattr(module, name, None) is old:
        setattr(module, name, new)
    metrics = getattr(module, "METRICS", {})
    if metrics.get(name) is old:
        metrics[name] = new


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
    classes = _classes()
    modules = [importlib.import_module(name) for name in _MODULES]
    installation = SacrebleuInstallation()
    with _lock:
        for module in modules:
            for name, ours, theirs in classes:
                _exchange(module, name, theirs, ours)
            if module not in _replaced:
                _replaced.append(module)
        _active.append(installation)
    return installation


def run_as_sacrebleu(arguments: list[str]) -> None:
    """Run a Python script, or a module after ``-m``, as ``__main__`` with cybleu in the place of sacreBLEU.

    :param arguments: options, the script, then the arguments that it is to see
    """
    run_script(arguments, "run-as-sacrebleu", "sacreBLEU's BLEU and chrF", install_as_sacrebleu)
