"""Locks of folders, so that only one process at a time works in a folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .._runtime.extras import extra
from ..errors import InputFileError

NAME = "cybleu.lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a folder by a file in it. The system releases the lock when the process ends, however it ends.

    :raises InputFileError: the lock is held by another process, or by another thread of this one
    """
    with extra("filelock", "the tuning loop requires filelock", "cybleu[tuning]"):
        from filelock import FileLock, Timeout
    lock = FileLock(folder / NAME, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise InputFileError(
            f"{folder}: another loop is running in this folder; wait until it ends, or give another folder"
        ) from None
    except OSError as error:
        raise InputFileError(f"{folder / NAME}: cannot be locked: {error.strerror or error}") from error
    try:
        yield
    finally:
        lock.release()
