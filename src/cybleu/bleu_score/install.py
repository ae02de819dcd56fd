"""Put cybleu in the place of NLTK's BLEU, chrF and GLEU, for code that cannot be edited."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

from .. import bleu_score, chrf_score, gleu_score
from .._runtime.replacing import Replacement
from .._runtime.scripts import run_script
from ..errors import CybleuError, MissingExtraError
from .no_match import attribute_warnings_to

__all__ = ["Installation", "install_as_nltk", "run_as_nltk"]

# Where NLTK keeps its functions: module, name there, module and name here.
_PLACES = (
    *(
        ("nltk.translate.bleu_score", name, bleu_score, name)
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
    *(
        ("nltk.translate.chrf_score", name, chrf_score, name)
        for name in ("chrf_precision_recall_fscore_support", "corpus_chrf", "sentence_chrf")
    ),
    *(("nltk.translate.gleu_score", name, gleu_score, name) for name in ("corpus_gleu", "sentence_gleu")),
    *(
        (place, alias, room, name)
        for place in ("nltk.translate", "nltk")
        for alias, room, name in (
            ("bleu", bleu_score, "sentence_bleu"),
            ("chrf", chrf_score, "sentence_chrf"),
            ("gleu", gleu_score, "sentence_gleu"),
        )
    ),
)


class Installation(Replacement):
    """One call of :func:`install_as_nltk`, undone by :meth:`undo` or at the end of a ``with`` block.

    >>> import nltk.translate
    >>> installation = install_as_nltk()
    >>> installation.undo()
    >>> nltk.translate.bleu.__module__
    'nltk.translate.bleu_score'
    """

    def _moved(self, there: bool) -> None:
        # filters of warnings by module go on working
        attribute_warnings_to(sys.modules["nltk.translate.bleu_score"] if there else bleu_score)


def install_as_nltk() -> Installation:
    """Put cybleu's functions of BLEU, chrF and GLEU in the place of NLTK's, for the whole process.

    It replaces the names in ``nltk.translate.bleu_score``, ``chrf_score`` and ``gleu_score``, and those of
    ``sentence_bleu``, ``sentence_chrf`` and ``sentence_gleu`` elsewhere, such as ``nltk.translate.bleu`` and
    ``nltk.bleu``. Code that imported a name earlier with ``from ... import`` keeps NLTK's function, so install first.
    You can install again, also inside another installation; each installation is undone separately. After
    ``importlib.reload`` a module has NLTK's functions again, until the next call.

    To see which function runs, print ``nltk.translate.bleu_score.sentence_bleu.__module__``: it is then
    ``cybleu.bleu_score``.

    :return: an object whose `undo` takes the installation back; it is also a context manager
    :raises MissingExtraError: NLTK is not installed

    >>> import nltk.translate.bleu_score
    >>> with install_as_nltk():
    ...     nltk.translate.bleu_score.sentence_bleu.__module__
    'cybleu.bleu_score'
    """
    return Installation(_places())


def _places() -> list[tuple[dict[str, Any], str, Any]]:
    """For each place its namespace, the name there, and what is put there."""
    try:
        return [
            (vars(importlib.import_module(module)), name, getattr(room, here)) for module, name, room, here in _PLACES
        ]
    except ModuleNotFoundError as error:
        if error.name != "nltk":
            raise
        raise MissingExtraError(
            "cybleu cannot take the place of NLTK because NLTK is not installed here; install it with: pip install nltk"
        ) from None


def install_with_checks() -> Installation:
    """:func:`install_as_nltk`, and say on standard error where a function is given arguments of the wrong shape."""
    corpus, sentence = bleu_score.corpus_bleu, bleu_score.sentence_bleu
    checked = {
        corpus: _checked(corpus, lambda references, hypotheses: (references, hypotheses)),
        sentence: _checked(sentence, lambda references, hypothesis: ([references], [hypothesis])),
    }
    return Installation((names, name, checked.get(ours, ours)) for names, name, ours in _places())


def _checked(function: Callable[..., Any], as_corpus: Callable[[Any, Any], tuple[Any, Any]]) -> Callable[..., Any]:
    """The function, which says what :func:`cybleu.check` finds, once for each line that calls it."""
    from functools import wraps
    from inspect import signature

    from ..checks import check

    parameters = signature(function)
    said: set[tuple[str, int, str]] = set()

    @wraps(function)
    def checking(*arguments: Any, **named: Any) -> Any:
        try:
            given = list(parameters.bind(*arguments, **named).arguments.values())[:2]
            check(*as_corpus(*given))
        except CybleuError as error:
            caller = sys._getframe(1)
            found = caller.f_code.co_filename, caller.f_lineno, str(error)
            if found not in said:
                said.add(found)
                print(f"cybleu: {found[0]}, line {found[1]}: {function.__name__}: {found[2]}", file=sys.stderr)
        except TypeError:
            pass  # the function itself says what is wrong with the call
        return function(*arguments, **named)

    return checking


def run_as_nltk(arguments: list[str]) -> None:
    """Run a Python script, or a module after ``-m``, as ``__main__`` with cybleu in the place of NLTK.

    :param arguments: options, the script, then the arguments that it is to see
    """
    words = (
        "say on standard error where sentence_bleu or corpus_bleu is given arguments of the wrong shape;\n"
        "              the script goes on"
    )
    run_script(
        arguments,
        "run-as-nltk",
        "NLTK's BLEU, chrF and GLEU",
        install_as_nltk,
        {"--check": (install_with_checks, words)},
    )
