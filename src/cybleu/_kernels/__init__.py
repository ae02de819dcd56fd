"""The compiled backend: n-gram counting and the common BLEU scores on integers.

Nothing imports this package but :mod:`cybleu._backend`. Its twin is :mod:`cybleu._mirror`, a second
implementation from the same definition; the functions and classes that both export behave alike. Of its own it has
`sentence_bleu` and `sentence_gleu`, which compile functions, and `serve`, which turns that off.
"""

from __future__ import annotations

from .._runtime.backends import NAMES
from .._runtime.later import later

try:
    from .scores import sentence_bleu as sentence_bleu
    from .scores import serve as serve
except ModuleNotFoundError as error:
    import os

    # Without any file the kernels are not installed; with some of them they are broken.
    if any(name.endswith((".so", ".pyd")) for folder in __path__ for name in os.listdir(folder)):
        raise ImportError(f"only a part of the compiled extension is installed: {error}") from error
    raise

__getattr__, __dir__, __all__ = later(__name__, {**NAMES, "gleu": NAMES["gleu"] + " sentence_gleu"})
