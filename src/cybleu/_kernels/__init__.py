"""The compiled backend: n-gram counting and the common BLEU scores on integers.

Only :mod:`cybleu._backend` imports this package. Functions and classes that it shares with :mod:`cybleu._mirror`, an
independent implementation in Python, behave identically. Only this package exports `sentence_bleu` and `sentence_gleu`,
which return compiled entry points, and `serve`, which enables or disables these.
"""

from __future__ import annotations

from .._runtime.backends import NAMES
from .._runtime.later import later

try:
    from .scoring.scores import sentence_bleu as sentence_bleu
    from .scoring.scores import serve as serve
except ModuleNotFoundError as error:
    from pathlib import Path

    # If no extension file exists, the kernels are not installed; if some exist, the installation is broken.
    if any(path.suffix in (".so", ".pyd") for folder in __path__ for path in Path(folder).rglob("*")):
        raise ImportError(f"only a part of the compiled extension is installed: {error}") from error
    raise

__getattr__, __dir__, __all__ = later(__name__, {**NAMES, "scoring.gleu": NAMES["scoring.gleu"] + " sentence_gleu"})
