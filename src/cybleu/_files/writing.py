"""Write files completely or not at all."""

from __future__ import annotations

import errno
import gzip
import io
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

from ..errors import InputFileError

if TYPE_CHECKING:
    from typing import TypeGuard

STANDARD_STREAM = "-"


@contextmanager
def writing(path: str) -> Iterator[TextIO]:
    """Open a UTF-8 file for writing, compressed if its name ends in ``.gz``; equal text gives equal bytes.

    The text is written to a temporary file in the same folder, which replaces the old one when it is complete and on the disk.
    The mode of the old file is kept, and a link stays a link. Pipes and devices are written to directly.

    :raises InputFileError: it cannot be written; an existing file is unchanged
    """
    with writing_all(path) as (file,):
        yield file


@contextmanager
def writing_all(*paths: str) -> Iterator[list[TextIO]]:
    """Open several such files: none replaces an old one before all are complete and on the disk.

    :raises InputFileError: a file cannot be written, or is there twice
    """
    check_paths(paths)
    with ExitStack() as stack:
        files: list[_File] = []
        for path in paths:
            with errors_named(path):
                files.append(_File(path))
            stack.callback(files[-1].discard)
        try:
            yield [file.text for file in files]
        except (OSError, UnicodeEncodeError) as error:
            how = " as UTF-8" if isinstance(error, UnicodeEncodeError) else ""
            reason = getattr(error, "strerror", None) or error
            raise InputFileError(f"{', '.join(paths)}: cannot be written{how}: {reason}") from error
        for step in (_File.complete, _File.take_place):
            for file in files:
                with errors_named(file.path):
                    step(file)


def check_paths(outputs: Iterable[str | None], inputs: Iterable[str | None] = ()) -> None:
    """Check that outputs can be written, and that none is another output or an input.

    :param outputs: None, ``-``, pipes and devices are ignored
    :param inputs: likewise
    :raises InputFileError: two are the same file, or one cannot be written where it should be
    """
    seen: list[str] = []
    written = [path for path in outputs if may_be_a_file(path)]
    for path in written:
        with errors_named(path or "''"):
            _check_place(os.path.realpath(path) if path else "")
        if any(_same(path, other) for other in seen):
            raise InputFileError(f"{path}: two outputs would be written to the same file; give each its own")
        seen.append(path)
    for path in filter(may_be_a_file, inputs):
        if any(_same(path, output) for output in written):
            raise InputFileError(f"{path}: is read and would be written, too; give the output another name")


def _check_place(target: str) -> None:
    """:raises OSError: it is a folder, or in none that can be written to."""
    folder = os.path.dirname(target)
    reason = 0
    if os.path.isdir(target):
        reason = errno.EISDIR
    elif not target or not os.path.isdir(folder):
        reason = errno.ENOTDIR if os.path.exists(folder) else errno.ENOENT
    elif not os.access(folder, os.W_OK) or (os.path.exists(target) and not os.access(target, os.W_OK)):
        reason = errno.EACCES
    if reason:
        raise OSError(reason, os.strerror(reason))


def may_be_a_file(path: str | None) -> TypeGuard[str]:
    """Whether this is the path of a file that exists or can be created, not of standard output, a pipe or a device."""
    if path is None or path == STANDARD_STREAM or _descriptor(path) is not None:
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
        return os.path.realpath(path) == os.path.realpath(other)


def _descriptor(path: str) -> int | None:
    """The file descriptor that a path such as /dev/stdout names."""
    name = {"/dev/stdout": "1", "/dev/stderr": "2"}.get(path)
    for folder in ("/dev/fd/", "/proc/self/fd/"):
        name = path.removeprefix(folder) if path.startswith(folder) else name
    is_number = name is not None and name.isascii() and name.isdecimal() and len(name) < 10  # a C int
    return int(name) if name and is_number and os.name == "posix" else None


@contextmanager
def errors_named(path: str) -> Iterator[None]:
    """
    :raises InputFileError: in place of an error of the system, with the path
    """
    try:
        yield
    except (OSError, ValueError) as error:  # the latter of a path with a NUL
        raise InputFileError(f"{path}: cannot be written: {getattr(error, 'strerror', None) or error}") from error


class _File:
    """The file for one path: temporary until it is complete, or the pipe or device itself."""

    def __init__(self, path: str):
        self.path = path
        self._temporary: str | None = None
        self._mode: int | None = None
        self._target = os.path.realpath(path)
        self._raw: BinaryIO = self._opened()
        packed: Any = gzip.GzipFile("", "wb", fileobj=self._raw, mtime=0) if path.endswith(".gz") else self._raw
        self._packed = packed
        self.text = io.TextIOWrapper(packed, encoding="utf-8", newline="\n")

    def _opened(self) -> BinaryIO:
        number = _descriptor(self.path)
        if number is not None:
            return open(os.dup(number), "wb")
        with suppress(FileNotFoundError):
            status = os.stat(self.path)
            if not stat.S_ISREG(status.st_mode):
                return open(self.path, "wb")
            with open(self._target, "ab"):
                pass  # a file without permission to write is not replaced either
            self._mode = stat.S_IMODE(status.st_mode)
        self._temporary = _new_file_beside(self._target)
        return open(self._temporary, "wb")

    def complete(self) -> None:
        """Flush all data, to the disk if it is a file."""
        self.text.detach()
        if self._packed is not self._raw:
            self._packed.close()
        with self._raw:
            self._raw.flush()
            if self._temporary is not None:
                os.fsync(self._raw.fileno())
        if self._temporary is not None and self._mode is not None:
            os.chmod(self._temporary, self._mode)

    def take_place(self) -> None:
        if self._temporary is not None:
            os.replace(self._temporary, self._target)

    def discard(self) -> None:
        """Close and remove the temporary file; a file that was put in place stays."""
        with suppress(Exception):
            self.text.detach()  # or it would write to a closed file when it is deleted
        with suppress(Exception):
            if self._packed is not self._raw:
                self._packed.fileobj = io.BytesIO()  # what it has left, for the same reason
                self._packed.close()
        with suppress(Exception):
            self._raw.close()
        if self._temporary is not None:
            with suppress(OSError):
                os.remove(self._temporary)


def _new_file_beside(target: str) -> str:
    """Create an empty file with an unpredictable name and the default mode, and return its path."""
    folder, name = os.path.split(target)
    short = os.fsencode(name)[:100].decode(sys.getfilesystemencoding(), "ignore")  # a name may have 255 bytes
    while True:
        path = os.path.join(folder, f".{short}.{os.urandom(8).hex()}.partial")
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
            return path
