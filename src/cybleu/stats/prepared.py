"""The base class of prepared references, which metrics recognise without NumPy."""

from __future__ import annotations

__all__ = ["PreparedReferences"]


class PreparedReferences:
    """Base class of :class:`cybleu.References`."""

    __slots__ = ()
