"""The names of :mod:`cybleu._runtime.lazy_arrays`, for modules that require NumPy."""

from __future__ import annotations

from typing import Any

from .extras import extra
from .lazy_arrays import *  # noqa: F403

with extra("numpy", "this requires NumPy", "cybleu[numpy]"):
    import numpy as np
    from numpy.typing import NDArray as NDArray

Array = NDArray[Any]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
