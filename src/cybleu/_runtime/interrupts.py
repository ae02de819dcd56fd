"""Ctrl-C in long work.

The interpreter tells only the main thread of an interrupt, and only when it looks: compiled code has to look for itself
(``_kernels/interrupts.pyx``), iterators that never leave C have to be cut in pieces, and other threads have to be told.
"""

from __future__ import annotations

from _thread import get_ident
from itertools import islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from threading import Event

# Items that a loop of the interpreter's or of NumPy's goes through in some hundredths of a second.
PIECE = 1 << 16

# By thread: what is set when nobody waits for its work any more.
stops: dict[int, Event] = {}


class Stopped(BaseException):
    """Ends the work of a thread that nobody waits for."""


def look() -> None:
    """End this thread's work if it was told to stop. The main thread is interrupted wherever Python code runs."""
    stop = stops.get(get_ident())
    if stop is not None and stop.is_set():
        raise Stopped


def types_of(values: Iterable[object]) -> set[type]:
    """The types of the values, however many they are."""
    types: set[type] = set()
    each = map(type, values)
    while piece := set(islice(each, PIECE)):
        types |= piece
    return types
