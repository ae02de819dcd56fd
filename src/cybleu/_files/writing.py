"""Files written whole or not at all."""

from __future__ import annotations

import gzip
import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from secrets import token_hex
from typing import Any, BinaryIO, TextIO

from ..errors import InputFileError


@contextmanager
def writing(path: str) -> Iterator[TextIO]:
    """A UTF-8 file to write, compressed where its name ends in ``.gz``, equal for equal text.

    What is written goes to a new file of its own in the same folder, which takes the place of the old one when it is complete
    and on the disk. The old one keeps its mode, and where it is a link the link stays. Something other than a file, such as a
    pipe or a device, is written to.

    :raises InputFileError: it cannot be written; a file that was there is as it was
    """
    try:
        with _whole(path) as file:
            packed: Any = gzip.GzipFile("", "wb", fileobj=file, mtime=0) if path.endswith(".gz") else file
            text = io.TextIOWrapper(packed, encoding="utf-8", newline="\n")
            try:
                yield text
            except BaseException:
                with suppress(Exception):
                    text.detach()  # or it would write to a closed file when it is deleted
                raise
            text.detach()
            if packed is not file:
                packed.close()
    except OSError as error:
        raise InputFileError(f"{path}: cannot be written: {error.strerror or error}") from error
    except UnicodeEncodeError as error:
        raise InputFileError(f"{path}: cannot be written as UTF-8: {error}") from error


@contextmanager
def _whole(path: str) -> Iterator[BinaryIO]:
    target = os.path.realpath(path)
    mode = None
    with suppress(FileNotFoundError):
        status = os.stat(target)
        if not stat.S_ISREG(status.st_mode):
            with open(path, "wb") as stream:
                yield stream
            return
        with open(target, "ab"):
            pass  # a file that may not be written is not replaced either
        mode = stat.S_IMODE(status.st_mode)
    temporary = _new_file_beside(target)
    try:
        with open(temporary, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.remove(temporary)
        raise


def _new_file_beside(target: str) -> str:
    """The path of a new empty file that nobody else can have made, with the mode that new files get."""
    folder, name = os.path.split(target)
    while True:
        path = os.path.join(folder, f".{name[:100]}.{token_hex(8)}.partial")
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
            return path
