"""The names of :mod:`cybleu._runtime.lazy_arrays`, for modules that require NumPy."""

from __future__ import annotations

from .extras import extra
from .lazy_arrays import (
    array_given,
    array_of,
    bincount,
    first_not_finite,
    floats_given,
    in_place,
    index,
    repeat,
)

with extra("numpy", "this requires NumPy", "cybleu[numpy]"):
    import numpy as np

__all__ = [
    "array_given",
    "array_of",
    "bincount",
    "first_not_finite",
    "floats_given",
    "in_place",
    "index",
    "np",
    "repeat",
]
