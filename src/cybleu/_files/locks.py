"""Locks of folders, so that only one process at a time works in a folder."""

from __future__ import annotations

import errno
import os
import platform
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path

from ..errors import InputFileError, printable

BEYOND = 1 << 30  # the byte that is locked on Windows, where a locked byte cannot be read
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
        file = open(path, "r+b" if path.exists() else "w+b", buffering=0)  # noqa: SIM115
    except OSError as error:
        raise InputFileError(f"{path}: cannot be written: {error.strerror or error}") from error
    with file:
        try:
            _lock(file.fileno())
        except OSError as error:
            if error.errno in HELD:
                holder = printable(file.read(200).decode("utf-8", "replace").strip()) or "another process"
                raise InputFileError(
                    f"{folder}: is in use by {holder}; wait until that run ends, or give another folder"
                ) from None
            warnings.warn(
                f"{folder}: this file system has no locks ({error.strerror}); do not run two loops in this folder",
                RuntimeWarning,
                stacklevel=4,
            )
        now = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")
        file.truncate(0)
        file.seek(0)
        file.write(f"process {os.getpid()} on {platform.node() or 'this machine'}, since {now}\n".encode())
        yield
        file.truncate(0)
