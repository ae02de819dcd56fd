"""Convert and validate NumPy arrays. NumPy is imported when it is used first, so modules that work without it import this."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..errors import ArrayValueError, LengthMismatchError
from .extras import extra
from .sequences import check_unmasked

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    np = numpy
    Array = NDArray[Any]
    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
else:
    Array = Floats = Integers = Any  # names for annotations

    class NumPy:
        """The module NumPy, imported with its first attribute."""

        def __getattr__(self, name: str) -> Any:
            with extra("numpy", "this requires NumPy", "cybleu[numpy]"):
                import numpy
            value = getattr(numpy, name)
            setattr(self, name, value)
            return value

    np = NumPy()


def array_given(values: Any, name: str, copy: bool = False) -> Array:
    """Convert a value to an array.

    :param copy: copy an array, too
    :raises ArrayValueError: entries are masked, or conversion fails, such as for lists of different lengths
    """
    check_unmasked(values, name)
    try:
        return np.array(values) if copy else np.asarray(values)
    except (TypeError, ValueError, OverflowError) as error:
        raise ArrayValueError(f"{name} is no array: {error}") from error


def floats_given(values: Any, name: str) -> Floats:
    """Convert a value to an array of numbers. Numbers beyond the range of a float become infinite.

    :raises ArrayValueError: the value is not numeric
    """
    array = array_given(values, name)
    kind = array.dtype.kind
    if kind == "O" and all(hasattr(type(value), "__float__") for value in array.flat):
        kind = "f"
    if kind not in "fiub":
        raise ArrayValueError(f"{name} has dtype {array.dtype}; it must be numbers, best float64")
    try:
        with np.errstate(over="ignore"):  # long double to double
            # astype keeps a dtype that is equal, such as long double on Windows
            return array.astype(np.float64, copy=False).view(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ArrayValueError(f"{name} holds what is no float: {error}") from error


def in_place(array: Array, dtype: Any = None) -> Array:
    """Return the array contiguous and aligned, as the kernels require; copied only if necessary."""
    array = np.asanyarray(array, dtype, order="C")  # np.require, without its comparisons of sets
    return array if array.flags.aligned else array.copy()


def index(positions: Any) -> NDArray[np.intp]:
    """Convert positions or counts to NumPy's index type, as some of its functions require on 32-bit systems."""
    return np.asarray(positions).astype(np.intp, copy=False)


def repeat(values: Any, counts: Any, axis: int | None = None) -> Array:
    return np.repeat(values, index(counts), axis)


def bincount(positions: Any, weights: Any = None, minlength: int = 0) -> Array:
    """Count positions, as int64 on every system, or sum their weights, as float64 also if there are none."""
    counts = np.bincount(index(positions), weights, minlength)
    return counts.astype(np.int64 if weights is None else np.float64, copy=False)


def array_of(values: Iterable[Any], dtype: Any, count: int) -> Array:
    """``np.fromiter`` with an error for lists that another thread changes.

    :raises LengthMismatchError: there are fewer values, because another thread has shortened the lists that they are from
    """
    try:
        return np.fromiter(values, dtype, count)
    except ValueError as error:  # NumPy's, or that of a token's `__hash__`
        if not str(error).startswith("iterator too short"):
            raise
        raise LengthMismatchError(
            "a list became shorter while it was read; do not change lists in another thread during the call"
        ) from None


def least_sum(rows: Array, most: int) -> Array:
    """Return a lower bound of the sum of rows, which a sum of their differences may be below where floats are rounded.

    :param most: how many rows are added up, at most
    """
    with np.errstate(over="ignore"):
        least: Array = rows.min(axis=0, initial=0) * most
    return least


def first_not_finite(array: Array) -> int | None:
    """Return the first index on axis 0 with a number that is not finite, or None if all numbers are finite."""
    finite = np.isfinite(array)
    return None if finite.all() else int(finite.reshape(len(array), -1).all(axis=1).argmin())
