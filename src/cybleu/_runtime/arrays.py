"""The names of :mod:`cybleu._runtime.lazy_arrays`, for modules that require NumPy."""

from __future__ import annotations

from .extras import extra
from .lazy_arrays import *  # noqa: F403

with extra("numpy", "this requires NumPy", "cybleu[numpy]"):
    import numpy as np  # noqa: F401
    from numpy.typing import NDArray as NDArray
