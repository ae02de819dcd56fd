"""The compiled backend: n-gram counting and the common BLEU scores on integers.

Only :mod:`cybleu._backend` imports the extension module `kernels`. Its functions and classes behave like those of these
names in the mirror, an independent implementation in Python. `kernels.pyi` has the types of both.
"""

from __future__ import annotations

import sys


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


# Kernels acquire the GIL with PyGILState_Ensure, which blocks forever in a subinterpreter. The check comes before they
# are loaded, because they load only in the interpreter of a process that tries first.
if not in_main_interpreter():
    from importlib.util import find_spec

    if find_spec(f"{__name__}.kernels"):
        raise ImportError("the kernels of cybleu load only in the main interpreter, not in subinterpreters")
