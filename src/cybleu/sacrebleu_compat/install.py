"""cybleu in the place of sacreBLEU's BLEU, in programs that are not changed for it."""

from __future__ import annotations

import importlib
import threading
from types import ModuleType
from typing import Any

from .._runtime.scripts import run_script

__all__ = ["SacrebleuInstallation", "install_as_sacrebleu", "run_as_sacrebleu"]

# Where the class has a name: its functions and its command take it from there.
_MODULES = ("sacrebleu.metrics.bleu", "sacrebleu.metrics", "sacrebleu.compat", "sacrebleu")

_lock = threading.Lock()
_active: list[SacrebleuInstallation] = []
_replaced: list[ModuleType] = []


class SacrebleuInstallation:
    """One call of :func:`install_as_sacrebleu`, undone by :meth:`undo` or at the end of a ``with`` block.

    >>> import sacrebleu
    >>> with install_as_sacrebleu():
    ...     sacrebleu.BLEU.__module__
    'cybleu.sacrebleu_compat.metric'
    >>> sacrebleu.BLEU.__module__
    'sacrebleu.metrics.bleu'
    """

    def undo(self) -> None:
        """Take this installation back; sacreBLEU's class returns with the last one. A second call does nothing."""
        with _lock:
            if self not in _active:
                return
            _active.remove(self)
            if not _active:
                from .metric import BLEU, ORIGINAL

                while _replaced:
                    _exchange(_replaced.pop(), BLEU, ORIGINAL)

    def __enter__(self) -> SacrebleuInstallation:
        return self

    def __exit__(self, *exception: object) -> None:
        self.undo()


def _exchange(module: ModuleType, old: Any, new: Any) -> None:
    if getattr(module, "BLEU", None) is old:
        module.BLEU = new  # type: ignore[attr-defined]
    metrics = getattr(module, "METRICS", {})
    if metrics.get("BLEU") is old:
        metrics["BLEU"] = new


def install_as_sacrebleu() -> SacrebleuInstallation:
    """Make sacreBLEU's BLEU that of cybleu, for the whole process: its class, its functions and its command.

    ``sacrebleu.BLEU`` is :class:`cybleu.sacrebleu_compat.BLEU` from then on wherever the package has it, and so
    ``sacrebleu.corpus_bleu``, ``sacrebleu.sentence_bleu`` and what calls them are counted here, with the same results. Code that
    took the class by ``from ... import`` earlier keeps sacreBLEU's, so install first. Installing again does no harm.

    :return: a handle to undo it with, also a context manager
    :raises MissingExtraError: sacreBLEU is not installed

    >>> import sacrebleu
    >>> with install_as_sacrebleu():
    ...     print(sacrebleu.corpus_bleu(["The cat."], [["The cat."]]).score)
    0.0
    """
    from .metric import BLEU, ORIGINAL

    modules = [importlib.import_module(name) for name in _MODULES]
    installation = SacrebleuInstallation()
    with _lock:
        for module in modules:
            _exchange(module, ORIGINAL, BLEU)
            if module not in _replaced:
                _replaced.append(module)
        _active.append(installation)
    return installation


def run_as_sacrebleu(arguments: list[str]) -> None:
    """Run a Python script, or a module after ``-m``, as ``__main__`` with cybleu in the place of sacreBLEU.

    :param arguments: options, the script, then the arguments that it is to see
    """
    run_script(arguments, "run-as-sacrebleu", "sacreBLEU's BLEU", install_as_sacrebleu)
