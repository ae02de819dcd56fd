"""NumPy, for the modules that cannot do without it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..errors import ArrayTypeError, MissingExtraError
from .interrupts import PIECE
from .sequences import refuse_masked

if TYPE_CHECKING:
    from numpy.typing import NDArray

try:
    import numpy as np
except ImportError as error:
    if isinstance(error, ModuleNotFoundError) and error.name == "numpy":
        raise MissingExtraError(
            "batches need NumPy, which is not installed; install it with: pip install 'cybleu[numpy]'"
        ) from None
    raise MissingExtraError(f"batches need NumPy, which is installed and does not load: {error}") from error

__all__ = ["array_given", "array_of", "checked_output", "first_not_finite", "floats_given", "in_place", "np"]


def array_given(values: Any, name: str) -> NDArray[Any]:
    """What somebody gives as an array.

    :raises ArrayTypeError: entries are masked, or it is none, such as lists of different lengths
    """
    refuse_masked(values, name)
    try:
        return np.asarray(values)
    except (TypeError, ValueError, OverflowError) as error:
        raise ArrayTypeError(f"{name} is no array: {error}") from error


def floats_given(values: Any, name: str) -> NDArray[np.float64]:
    """What somebody gives as an array of numbers, which may be Python's own; infinite where a float cannot hold one.

    :raises ArrayTypeError: it is none
    """
    array = array_given(values, name)
    kind = array.dtype.kind
    if kind == "O" and all(hasattr(type(value), "__float__") for value in array.flat):
        kind = "f"
    if kind not in "fiub":
        raise ArrayTypeError(f"{name} has dtype {array.dtype}; it must be numbers, best float64")
    try:
        with np.errstate(over="ignore"):  # of longer floats
            return array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise ArrayTypeError(f"{name} holds what is no float: {error}") from error


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


def first_not_finite(array: NDArray[Any]) -> int | None:
    """The place, on the first axis, of the first numbers of which one is not finite; None where all are."""
    finite = np.isfinite(array)
    return None if finite.all() else int(finite.reshape(len(array), -1).all(axis=1).argmin())
