"""Python's collector of cycles."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from threading import Lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_lock = Lock()
_pauses = 0
_was_enabled = False


@contextmanager
def collector_paused() -> Iterator[None]:
    """Lists of tokens hold no cycles, and looking for some in them takes a fifth of the time.

    The collector is the process's: the first of several threads stops it, and the last one starts it again.
    """
    global _pauses, _was_enabled
    with _lock:
        if not _pauses:
            _was_enabled = gc.isenabled()
            gc.disable()
        _pauses += 1
    try:
        yield
    finally:
        with _lock:
            _pauses -= 1
            if not _pauses and _was_enabled:
                gc.enable()
