"""The pure-Python backend, which is the reference implementation.

It is written independently of :mod:`cybleu._kernels`, in modules of the same names: n-grams are tuples in dicts.
It accepts any sequences of hashable tokens and is used if the kernels are not installed or decline the input.
"""

from __future__ import annotations

from .._runtime.backends import NAMES
from .._runtime.later import later

__getattr__, __dir__, __all__ = later(__name__, NAMES)
