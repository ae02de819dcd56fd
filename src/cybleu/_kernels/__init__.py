"""The compiled backend: n-gram counting and the common BLEU scores on integers.

Only :mod:`cybleu._backend` imports this package. Functions and classes that it shares with :mod:`cybleu._mirror`, an
independent implementation in Python, behave identically. Only this package exports `sentence_bleu` and `sentence_gleu`,
which return compiled entry points, and `serve`, which enables or disables these.
"""

from __future__ import annotations

import sys

from .._runtime.backends import NAMES
from .._runtime.later import later


def in_main_interpreter() -> bool:
    """Return whether this is the main interpreter of the process."""
    try:
        if sys.version_info >= (3, 13):
            from _interpreters import get_current, get_main
        else:
            from _xxsubinterpreters import get_current, get_main
    except ModuleNotFoundError:  # a CPython without subinterpreters
        return True
    return bool(get_current() == get_main())


def is_installed() -> bool:
    """Return whether there is any file of the extension."""
    from pathlib import Path

    return any(path.suffix in (".so", ".pyd") for folder in __path__ for path in Path(folder).rglob("*"))


# Kernels acquire the GIL with PyGILState_Ensure, which blocks forever in a subinterpreter. The check comes before the
# first kernel is loaded, because each loads only in the interpreter of a process that tries first.
if not in_main_interpreter() and is_installed():
    raise ImportError("the kernels of cybleu load only in the main interpreter, not in subinterpreters")

try:
    from .scoring.scores import sentence_bleu as sentence_bleu
    from .scoring.scores import serve as serve
except ModuleNotFoundError as error:
    # If no extension file exists, the kernels are not installed; if some exist, the installation is broken.
    if is_installed():
        raise ImportError(f"only a part of the compiled extension is installed: {error}") from error
    raise

__getattr__, __dir__, __all__ = later(__name__, {**NAMES, "scoring.gleu": NAMES["scoring.gleu"] + " sentence_gleu"})
