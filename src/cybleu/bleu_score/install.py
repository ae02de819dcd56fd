"""Replace NLTK's BLEU, chrF, GLEU and NIST with cybleu's, for code that cannot be edited."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from .. import bleu_score, chrf_score, gleu_score, nist_score
from .._runtime.extras import extra
from .._runtime.replacing import Installation
from . import no_match

_MODULES = {"bleu": bleu_score, "chrf": chrf_score, "gleu": gleu_score, "nist": nist_score}


def install_as_nltk() -> Installation:
    """Replace NLTK's functions for BLEU, chrF, GLEU and NIST with cybleu's, for the whole process.

    This replaces the functions in ``nltk.translate.bleu_score``, ``chrf_score``, ``gleu_score`` and ``nist_score``, and
    the aliases of the sentence functions, such as ``nltk.translate.bleu`` and ``nltk.bleu``. Code that imported a
    function earlier with ``from ... import`` keeps NLTK's, so install before such imports. Installations can be nested,
    and each one is undone separately. After ``importlib.reload``, a module has NLTK's functions until you install
    again.

    To check which function runs, print ``nltk.translate.bleu_score.sentence_bleu.__module__``. After installation it is
    ``cybleu.bleu_score``.

    :return: an object whose `undo` method reverts the installation, and which is also a context manager
    :raises MissingExtraError: NLTK is not installed

    >>> import nltk.translate.bleu_score
    >>> with install_as_nltk():
    ...     nltk.translate.bleu_score.sentence_bleu.__module__
    'cybleu.bleu_score'
    """
    with extra("nltk", "replacing NLTK's functions requires NLTK", "nltk"):
        return Installation("nltk", _places())


def _places() -> Iterator[Any]:
    """The names that NLTK's modules have, too: the namespace of the module, the name, and cybleu's object."""
    for metric, module in _MODULES.items():
        theirs = vars(importlib.import_module(f"nltk.translate.{metric}_score"))
        yield from ((theirs, name, getattr(module, name)) for name in module.__all__ if name in theirs)
        for package in ("nltk.translate", "nltk"):
            yield vars(importlib.import_module(package)), metric, getattr(module, f"sentence_{metric}")
    yield vars(no_match), "warning_module", "nltk.translate.bleu_score"  # keeps warning filters by module working
