"""Locks of folders, so that only one process at a time works in a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .._runtime.extras import extra
from ..errors import InputFileError

NAME = "cybleu.lock"


@contextmanager
def locked(folder: Path) -> Iterator[Callable[[], None]]:
    """Lock a folder by a file in it, and yield a function that checks that this is still the same file.

    The system releases the lock when the process ends, however it ends.

    :raises InputFileError: the lock is held by another process, or by another thread of this one
    """
    with extra("filelock", "the tuning loop requires filelock", "cybleu[tuning]"):
        from filelock import FileLock, Timeout
    path = folder / NAME
    lock = FileLock(path, timeout=0)
    try:
        if path.exists() and not path.is_file():
            raise InputFileError(f"{path}: is not a regular file, so it cannot be locked; remove it")
        lock.acquire()
        status = path.stat()
    except Timeout:
        raise InputFileError(
            f"{folder}: another loop is running in this folder; wait until it ends, or give another folder"
        ) from None
    except OSError as error:
        raise InputFileError(f"{path}: cannot be locked: {error.strerror or error}") from error

    def check() -> None:
        try:
            same = os.path.samestat(status, path.stat())
        except OSError:
            same = False
        if not same:
            raise InputFileError(
                f"{path}: was removed during the run, so another loop may be running in this folder; wait until it ends, "
                "and call again"
            )

    try:
        yield check
    finally:
        lock.release()
