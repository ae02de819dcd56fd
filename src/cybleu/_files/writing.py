"""Write files completely or not at all."""

from __future__ import annotations

import errno
import gzip
import io
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from ..errors import InputFileError
from .text import STANDARD_STREAM, Path


@contextmanager
def writing(path: Path) -> Iterator[TextIO]:
    """Open a UTF-8 file for writing, compressed if its name ends in ``.gz``; equal text gives equal bytes.

    The text is written to a temporary file in the same folder, which replaces the old one when it is complete and on the disk.
    The mode of the old file is kept, and a link stays a link. Pipes and devices are written to directly.

    :raises InputFileError: it cannot be written, or is ``-``; an existing file is unchanged
    """
    path = os.fspath(path)
    check_paths([path])
    temporary = None
    with errors_named(path):
        target = os.path.realpath(path)
        number = _descriptor(path)
        opened: int | str = path if number is None else os.dup(number)
        if _is_file(path):
            if os.path.exists(target):
                open(target, "ab").close()  # a file without permission to write is not replaced either
            opened = temporary = os.path.join(os.path.dirname(target), f".{os.urandom(8).hex()}.partial")
        raw = open(opened, "wb" if temporary is None else "xb")  # noqa: SIM115
        packed: Any = gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if path.endswith(".gz") else raw
        text = io.TextIOWrapper(packed, encoding="utf-8", newline="\n")
        try:
            yield text
            text.flush()
            if packed is not raw:
                packed.close()
            raw.flush()
            if temporary is not None:
                # a crash of the system right after the replacement would otherwise leave an empty file
                os.fsync(raw.fileno())
                raw.close()
                with suppress(FileNotFoundError):
                    os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))
                os.replace(temporary, target)
        finally:
            for stream in (text, packed, raw):
                with suppress(Exception):
                    stream.close()
            if temporary is not None:
                with suppress(OSError):
                    os.remove(temporary)


@contextmanager
def errors_named(path: str) -> Iterator[None]:
    """
    :raises InputFileError: in place of an error of the system, with the path
    """
    try:
        yield
    except (OSError, UnicodeEncodeError) as error:
        how = " as UTF-8" if isinstance(error, UnicodeEncodeError) else ""
        raise InputFileError(f"{path}: cannot be written{how}: {getattr(error, 'strerror', None) or error}") from error


def check_paths(outputs: Iterable[str | None], inputs: Iterable[str | None] = ()) -> None:
    """Check that outputs can be written, and that none is another output or an input.

    :param outputs: None, pipes and devices are ignored
    :param inputs: likewise, and ``-``
    :raises InputFileError: two are the same file, or one cannot be written where it should be, or is ``-``
    """
    written: list[str] = []
    for path in outputs:
        if path == STANDARD_STREAM:
            raise InputFileError("-: cannot be written: it must be a file; /dev/stdout is one on POSIX systems")
        if path is None or not _is_file(path):
            continue
        with errors_named(path or "''"):
            try:
                target = os.path.realpath(path)
                os.stat(os.path.join(os.path.dirname(target), ""))
            except ValueError as error:  # of a NUL
                raise OSError(errno.EINVAL, str(error)) from error
            if os.path.isdir(target):
                raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
            places = (os.path.dirname(target), target)
            if not all(os.access(place, os.W_OK) for place in places if os.path.exists(place)):
                raise OSError(errno.EACCES, os.strerror(errno.EACCES))
        if any(_same(path, other) for other in written):
            raise InputFileError(f"{path}: two outputs would be written to the same file; give each its own")
        written.append(path)
    for path in inputs:
        if path is not None and _is_file(path) and any(_same(path, output) for output in written):
            raise InputFileError(f"{path}: is read and would be written, too; give the output another name")


def _is_file(path: str) -> bool:
    """Whether this is the path of a file that exists or can be created, not of standard output, a pipe or a device."""
    if path == STANDARD_STREAM or _descriptor(path) is not None:
        return False
    try:
        mode = os.stat(path).st_mode
        return stat.S_ISREG(mode) or stat.S_ISDIR(mode)
    except (OSError, ValueError):
        return True


def _same(path: str, other: str) -> bool:
    try:
        return os.path.samefile(path, other)
    except (OSError, ValueError):
        # of files that do not exist yet; Windows ignores case
        return os.path.normcase(os.path.realpath(path)) == os.path.normcase(os.path.realpath(other))


def _descriptor(path: str) -> int | None:
    """The file descriptor that a path such as /dev/stdout names, which must not be opened again: that would truncate a file."""
    path = {"/dev/stdout": "/dev/fd/1", "/dev/stderr": "/dev/fd/2"}.get(path, path)
    found = re.fullmatch(r"(?:/dev|/proc/self)/fd/([0-9]{1,9})", path)
    return int(found[1]) if found and os.name == "posix" else None
