"""Put cybleu in the place of NLTK's BLEU, for code that cannot be edited."""

from __future__ import annotations

import importlib
import os
import runpy
import sys
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

from .. import bleu_score
from ..errors import MissingExtraError
from .no_match import attribute_warnings_to

__all__ = ["Installation", "install_as_nltk"]

# Where NLTK keeps its functions: module, name there, name here.
_PLACES = (
    *(
        ("nltk.translate.bleu_score", name, name)
        for name in (
            "Fraction",
            "SmoothingFunction",
            "brevity_penalty",
            "closest_ref_length",
            "corpus_bleu",
            "modified_precision",
            "sentence_bleu",
        )
    ),
    ("nltk.translate", "bleu", "sentence_bleu"),
    ("nltk", "bleu", "sentence_bleu"),
)

_lock = threading.Lock()
_active: list[Installation] = []
_replaced: list[tuple[ModuleType, str, Any, Any]] = []


class Installation:
    """One call of :func:`install_as_nltk`, undone by :meth:`undo` or at the end of a ``with`` block.

    >>> import nltk.translate
    >>> installation = install_as_nltk()
    >>> installation.undo()
    >>> nltk.translate.bleu.__module__
    'nltk.translate.bleu_score'
    """

    def undo(self) -> None:
        """Take this installation back; NLTK's own functions return with the last one. A second call does nothing."""
        with _lock:
            if self not in _active:
                return
            _active.remove(self)
            if not _active:
                while _replaced:
                    module, name, ours, original = _replaced.pop()
                    if getattr(module, name, ours) is ours:  # or else the module was loaded anew
                        setattr(module, name, original)
                attribute_warnings_to(bleu_score)

    def __enter__(self) -> Installation:
        return self

    def __exit__(self, *exception: object) -> None:
        self.undo()


def install_as_nltk() -> Installation:
    """Make NLTK's BLEU functions those of cybleu, for the whole process.

    The seven names of ``nltk.translate.bleu_score`` are replaced there, and ``sentence_bleu`` also as
    ``nltk.translate.bleu`` and ``nltk.bleu``. Code that took a name by ``from ... import`` earlier keeps NLTK's, so
    install first. Installing again, or inside another installation, does no harm; each one is undone for itself. After
    ``importlib.reload`` of NLTK's module its names are NLTK's again, until the next call.

    To see which one runs, print ``nltk.translate.bleu_score.sentence_bleu.__module__``: it is ``cybleu.bleu_score``.

    :return: a handle to undo it with, also a context manager
    :raises MissingExtraError: NLTK is not installed

    >>> import nltk.translate.bleu_score
    >>> with install_as_nltk():
    ...     nltk.translate.bleu_score.sentence_bleu.__module__
    'cybleu.bleu_score'
    """
    try:
        modules = {name: importlib.import_module(name) for name, _, _ in _PLACES}
    except ModuleNotFoundError as error:
        if error.name != "nltk":
            raise
        raise MissingExtraError(
            "cybleu cannot take the place of NLTK because NLTK is not installed here; install it with: pip install nltk"
        ) from error
    installation = Installation()
    with _lock:
        for module_name, name, name_here in _PLACES:
            module, ours = modules[module_name], getattr(bleu_score, name_here)
            if getattr(module, name) is not ours:
                _replaced.append((module, name, ours, getattr(module, name)))
                setattr(module, name, ours)
        # filters of warnings by module go on working
        attribute_warnings_to(modules["nltk.translate.bleu_score"])
        _active.append(installation)
    return installation


def run_script(arguments: list[str], command: str = "run-as-nltk", install: Callable[[], Any] | None = None) -> None:
    """Run a Python script, or a module after ``-m``, as ``__main__`` with cybleu in the place of NLTK.

    :param arguments: the script, then the arguments that it is to see
    :param command: under which it is run
    :param install: puts cybleu there, by default :func:`install_as_nltk`
    """
    module = arguments[:1] == ["-m"]
    arguments = arguments[1:] if module else arguments
    if not arguments or (not module and arguments[0] in ("-h", "--help")):
        print(f"usage: python -m cybleu {command} (SCRIPT | -m MODULE) [ARGUMENT ...]", file=sys.stderr)
        sys.exit(2)
    target = arguments[0]
    if not module and not os.path.exists(target):
        print(f"cybleu: error: there is no script {target!r} to run", file=sys.stderr)
        sys.exit(2)
    try:
        (install or install_as_nltk)()
    except MissingExtraError as error:
        sys.exit(f"cybleu: error: {error}")
    sys.argv = arguments
    if module:
        sys.path.insert(0, os.getcwd())
        runpy.run_module(target, run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, os.path.dirname(os.path.abspath(target)))
        runpy.run_path(target, run_name="__main__")
