"""The names of :mod:`cybleu._runtime.lazy_arrays`, for modules that require NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .extras import extra
from .lazy_arrays import *  # noqa: F403

with extra("numpy", "this requires NumPy", "cybleu[numpy]"):
    import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
