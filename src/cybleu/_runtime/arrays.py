"""NumPy, for the modules that cannot do without it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .interrupts import PIECE
from ..errors import MissingExtraError

if TYPE_CHECKING:
    from numpy.typing import NDArray

try:
    import numpy as np
except ImportError as error:
    raise MissingExtraError(
        "batches need NumPy, which is not installed; install it with: pip install 'cybleu[numpy]'"
    ) from error

__all__ = ["array_of", "in_place", "np"]


def in_place(array: NDArray[Any], dtype: Any = None) -> NDArray[Any]:
    """The array as the kernels read it: contiguous and with aligned numbers; a copy only where it is not."""
    return np.require(array, dtype, ["C", "ALIGNED"])


def array_of(values: Iterable[Any], dtype: Any, count: int) -> NDArray[Any]:
    """``np.fromiter`` that can be interrupted."""
    if count <= PIECE:
        return np.fromiter(values, dtype, count)
    each = iter(values)
    array = np.empty(count, dtype)
    for start in range(0, count, PIECE):
        part = array[start : start + PIECE]
        part[:] = np.fromiter(each, dtype, len(part))
    return array
