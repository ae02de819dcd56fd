"""Arrays of integers as the kernels read them; NumPy's default integers have 32 bits on some systems."""

from __future__ import annotations

import numpy as np


def ints(*values):
    return np.array(values, dtype=np.int64)
