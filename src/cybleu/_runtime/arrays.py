"""NumPy, for the modules that cannot do without it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..errors import ArrayTypeError, MissingExtraError
from .interrupts import PIECE

if TYPE_CHECKING:
    from numpy.typing import NDArray

try:
    import numpy as np
except ModuleNotFoundError as error:
    if error.name != "numpy":
        raise MissingExtraError(f"batches need NumPy, which is installed and does not load: {error}") from error
    raise MissingExtraError(
        "batches need NumPy, which is not installed; install it with: pip install 'cybleu[numpy]'"
    ) from None
except ImportError as error:
    raise MissingExtraError(f"batches need NumPy, which is installed and does not load: {error}") from error

__all__ = ["array_of", "checked_output", "in_place", "np"]


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


def checked_output(out: Any, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    if not isinstance(out, np.ndarray):
        raise ArrayTypeError(f"out must be a NumPy array, not {type(out).__name__}")
    if out.dtype != dtype or out.shape != shape or not out.flags.c_contiguous or not out.flags.behaved:
        raise ArrayTypeError(
            f"out must be a contiguous, writable array of {np.dtype(dtype)} with the shape {shape}; it is "
            f"{'' if out.flags.c_contiguous else 'not contiguous, '}{'' if out.flags.aligned else 'not aligned, '}"
            f"{'' if out.flags.writeable else 'not writable, '}"
            f"of {out.dtype} with the shape {out.shape}"
        )
    return out
