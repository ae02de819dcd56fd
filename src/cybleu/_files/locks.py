"""Locks of folders, so that only one process at a time works in a folder."""

from __future__ import annotations

import errno
import os
import platform
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ..errors import InputFileError, printable

BEYOND = 1 << 30  # the byte that is locked on Windows, where a locked byte cannot be read
PATIENCE = 0.2  # seconds in which a holder writes its line
HELD = {errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK}

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        os.lseek(descriptor, BEYOND, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a folder, by a file in it that is named ``lock`` and says who holds the lock.

    The system releases the lock when the process ends, however it ends. The file stays.

    :raises InputFileError: the lock is held by another process, or by another thread of this one
    """
    path = folder / "lock"
    try:
        # created, but not truncated, as "w+b" would the line of a holder
        file = open(path, "r+b", buffering=0, opener=lambda name, flags: os.open(name, flags | os.O_CREAT, 0o666))  # noqa: SIM115
    except OSError as error:
        raise InputFileError(f"{path}: cannot be written: {error.strerror or error}") from error
    with file:
        try:
            _take(file, folder)
        except OSError as error:
            warnings.warn(
                f"{folder}: this file system has no locks ({error.strerror}); do not run two loops in this folder",
                RuntimeWarning,
                stacklevel=4,
            )
        now = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")
        file.truncate(0)
        file.seek(0)
        file.write(f"process {os.getpid()} on {platform.node() or 'this machine'}, since {now}\n".encode())
        try:
            yield
        finally:
            file.truncate(0)


def _take(file: Any, folder: Path) -> None:
    """Lock the file.

    :raises InputFileError: the lock is held
    :raises OSError: the file system has no locks
    """
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return _lock(file.fileno())
        except OSError as error:
            if error.errno not in HELD:
                raise
        file.seek(0)
        line = file.read(200)
        if line.endswith(b"\n") or time.monotonic() > deadline:
            holder = printable(line.decode("utf-8", "replace").strip()) or "another process"
            raise InputFileError(f"{folder}: is in use by {holder}; wait until that run ends, or give another folder")
        time.sleep(0.005)  # the holder has not written its line yet, or is about to release the lock
