"""Handle Ctrl-C in long-running work.

Python handles signals only in the main thread, between bytecodes. So compiled code checks for signals itself
(``_kernels/common/interrupts.pyx``), iteration that stays in C is split into chunks, and other threads are notified.
"""

from __future__ import annotations

from _thread import get_ident
from itertools import islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from threading import Event

# Items that a C loop of CPython or NumPy processes in a few hundredths of a second.
PIECE = 1 << 16

# By thread: an event that is set when its result is no longer needed.
stops: dict[int, Event] = {}


class Stopped(BaseException):
    """Raised in a worker thread whose result is no longer needed."""


def look() -> None:
    """Raise if this worker thread was told to stop. The main thread is interrupted wherever Python code runs."""
    stop = stops.get(get_ident())
    if stop is not None and stop.is_set():
        raise Stopped


def types_of(values: Iterable[object]) -> set[type]:
    """Return the set of types of the values, in chunks that can be interrupted."""
    types: set[type] = set()
    each = map(type, values)
    while piece := set(islice(each, PIECE)):
        types |= piece
    return types
