"""Containers of any library, without importing NumPy: what they are, and the order of their items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MappingView, Set, Sized

from ..errors import ArrayValueError, SequenceTypeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LISTS: set[type] = {list, tuple}
LINE = (str, bytes, bytearray)


def is_sized(value: Any) -> bool:
    """Return whether the value is a container that can be read more than once."""
    # By the methods of its class: a class, which may be a token, has them for its objects, and not for itself.
    return isinstance(value, Sized) and isinstance(value, Iterable) and getattr(value, "ndim", 1) != 0


def has_no_dimension(value: Any) -> bool:
    return getattr(value, "ndim", 1) == 0 and not isinstance(value, LINE)  # NumPy's texts have 0


def is_array(value: Any) -> bool:
    """Return whether the value is an array of any library, and no text of NumPy's."""
    return hasattr(value, "__array__") and not isinstance(value, LINE)


def is_missing(value: Any) -> bool:
    """Return whether this is None, NaN, or one of the missing values of pandas."""
    # By name, because pandas is not imported for them.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def by_position(values: Any) -> Any:
    """Convert a sequence whose ``[]`` is not positional, such as a data frame column, to a list.

    :param values: any value; arrays of numbers and values of other types are returned unchanged
    """
    if isinstance(values, (list, tuple, *LINE)) or not is_sized(values) or _is_unordered(values):
        return values
    kind = getattr(getattr(values, "dtype", None), "kind", None)
    if is_array(values):
        if kind is None and not hasattr(values, "__dlpack_device__"):  # a tensor may not be in main memory
            kind = values.__array__().dtype.kind
        if kind not in ("O", "T", "U", "S"):  # objects, and three kinds of text
            return values
    return values.tolist() if kind in ("U", "S") and hasattr(values, "tolist") else list(values)


def _is_unordered(values: Any) -> bool:
    return isinstance(values, (Mapping, Set)) and not isinstance(values, MappingView)  # views are ordered


def check_ordered(values: Any, name: str, what: str = "entries") -> None:
    """Reject containers without an order.

    :param what: the entries, for messages
    :raises SequenceTypeError: the value is a mapping, or a set that is no view of a mapping
    """
    if _is_unordered(values):
        advice = f", such as list({name}.values())" if isinstance(values, Mapping) else ""
        raise SequenceTypeError(
            f"{name} is a {type(values).__name__}, which has no order of {what} and no equal ones; give a list{advice}"
        )


def check_unmasked(values: Any, name: str) -> None:
    """:raises ArrayValueError: an array (``numpy.ma``) has masked entries, which would be counted"""
    if hasattr(values, "filled") and values.mask.any():
        raise ArrayValueError(
            f"{name} has masked entries; leave them out, or fill them with .filled(...), and for texts give pad_id"
        )
