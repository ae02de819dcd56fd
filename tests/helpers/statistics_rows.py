"""Generate rows of statistics of BLEU, of the type that the kernels read."""

import numpy as np


def ints(*values):
    """NumPy's default integers have 32 bits on some systems."""
    return np.array(values, dtype=np.int64)


def rows_of(generator, segments, longest=12, order=4):
    """Valid rows of segments, some of them empty or without a match."""
    lengths = generator.integers(0, longest, segments)
    rows = np.zeros((segments, 2 + 2 * order), dtype=np.int64)
    rows[:, 0] = lengths
    rows[:, 1] = generator.integers(1, longest, segments)
    most = lengths
    for n in range(order):
        rows[:, 2 + order + n] = np.maximum(lengths - n, 0)
        most = np.minimum(most, rows[:, 2 + order + n])
        rows[:, 2 + n] = most = generator.integers(0, most + 1)
    return rows
