"""Plain-text files, one segment a line, read as a stream.

A file that would exhaust the memory without being long itself is an error: a line of more than 64 MiB, and gzip data that
unpacks to more than 100 times its size and 16 MiB. How long a file is, compressed or not, makes no difference.
"""

from __future__ import annotations

import errno
import gzip
import io
import math
import os
import sys
import zlib
from array import array
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from itertools import chain
from os import PathLike, fspath
from typing import Any, TypeVar

from .._backend import RawTexts
from .._runtime.parallel import watched
from ..errors import InputFileError, LengthMismatchError, NotUtf8Error, _printable

_Text = TypeVar("_Text")
STANDARD_STREAM = "-"
BLOCK = 1 << 18
LONGEST_LINE = 1 << 26  # bytes
MOST_EXPANSION = 100
ALWAYS_UNPACKED = 1 << 24  # bytes, however small the file is
BOM = b"\xef\xbb\xbf"
OTHERS_COMPRESSED = (b"\xfd7zXZ", b"BZh", b"(\xb5/\xfd", b"PK\3\4")  # how files of xz, bzip2, zstd and zip begin

_STANDARD_INPUT_NAME = "standard input"

Path = str | PathLike[str]
Naming = Callable[..., str]  # as `keyword` does; commands name options


def _standard_input() -> io.BufferedReader:
    if sys.stdin is None or sys.stdin.closed:
        raise InputFileError(f"{_STANDARD_INPUT_NAME}: is closed")
    stream: Any = sys.stdin.buffer
    return stream if hasattr(stream, "peek") else io.BufferedReader(stream)


def shown(text: Any) -> str:
    """Shorten and quote text of the user for a message."""
    if not isinstance(text, str):
        text = repr(text)
        return _printable(text, 80)
    return repr(text) if len(text) <= 80 else f"{text[:60]!r}... ({len(text)} characters)"


def listed(names: Sequence[str]) -> str:
    """Shorten a list of names for a message."""
    return ", ".join(_printable(name, 80) for name in names[:20]) + (" ..." if len(names) > 20 else "")


def keyword(name: str, value: Any = None) -> str:
    """Name an argument of a function in a message, as it is passed: ``size=`` or ``first_id=1``."""
    return f"{name}=" if value is None else f"{name}={value!r}"


@dataclass
class _Counted:
    """A stream that counts the bytes that are read from it, and adds them to a digest, if there is one."""

    stream: Any
    digest: Any
    count: int = 0

    def read(self, size: int = -1) -> bytes:
        data: bytes = self.stream.read(size)
        self.count += len(data)
        if self.digest is not None:
            self.digest.update(data)
        return data


class Lines(ExitStack):
    """The lines of a UTF-8 file, or of standard input for ``-``; gzip is recognised by its first bytes.

    A line ends at LF, and a CR before it is dropped; no other character ends a line. The last one needs no LF.

    :param keep_mark: a byte order mark at the start of the file is part of the first line; otherwise it is dropped
    :param hashed: compute the SHA-256 of the bytes that are read
    :ivar mark: a byte order mark was read
    :ivar digest: the SHA-256 of the bytes as they are in the file, if they are hashed
    :raises InputFileError: the file cannot be opened or read, is not UTF-8, or is beyond the limits of the module; the
        message names file and line
    """

    def __init__(self, path: Path, keep_mark: bool = False, hashed: bool = False):
        super().__init__()
        path = fspath(path)  # a number would be the descriptor of an open file, and be closed
        self.mark = False
        self._keep_mark = keep_mark
        self.name = _STANDARD_INPUT_NAME if path == STANDARD_STREAM else path
        try:
            if path == STANDARD_STREAM:
                self._raw: Any = _standard_input()  # which stays open
            else:
                self._raw = self.enter_context(open(path, "rb"))  # noqa: SIM115
            compressed = self._raw.peek(2)[:2] == b"\x1f\x8b"
        except InputFileError:
            raise
        except OSError as error:
            reason = error.strerror or error
            if os.path.isdir(path):  # for which Windows says that permission is denied
                reason = os.strerror(errno.EISDIR)
            raise InputFileError(f"{self.name}: cannot be read: {reason}") from error
        except ValueError as error:  # a NUL or half a character
            raise InputFileError(f"{shown(self.name)} cannot be the name of a file: {error}") from error
        self.digest: Any = None
        if hashed:
            from hashlib import sha256

            self.digest = sha256()
        self._source = _Counted(self._raw, self.digest)
        self._packed = compressed
        self._stream: Any = gzip.GzipFile(mode="rb", fileobj=self._source) if compressed else self._source  # type: ignore[call-overload]
        self._bytes = 0
        self.count = 0

    def watched(self, parts: Iterable[_Text]) -> Iterator[_Text]:
        """Yield parts of the file. A long file gets a progress bar that shows how much of it was read."""
        size = None  # of a pipe
        with suppress(OSError, ValueError):
            size = os.fstat(self._raw.fileno()).st_size or None
        return watched(parts, size, lambda: self._source.count, "B", unit_scale=True)

    def __iter__(self) -> Iterator[str]:
        for block in self.blocks():
            lines = self.text(block).split("\n")
            yield from [line.removesuffix("\r") for line in lines] if b"\r" in block else lines
            self.count += len(lines)

    def blocks(self) -> Iterator[bytes]:
        """Yield some whole lines at a time, as bytes, without the last LF. The caller adds their number to `count`."""
        unfinished: list[bytes] = []
        while True:
            block = self._read()
            end = block.rfind(b"\n") + 1
            if sum(map(len, unfinished)) + (block.find(b"\n") if end else len(block)) > LONGEST_LINE:
                raise InputFileError(
                    f"{self.name}, line {self.count + 1}: longer than {LONGEST_LINE} bytes; is it a text file?"
                )
            if block and not end:
                # Joined at the end of the line: growing a bytes object would take quadratic time.
                unfinished.append(block)
                continue
            unfinished.append(block[: end - 1] if end else block)
            if not block and not any(unfinished):
                return
            lines = b"".join(unfinished)
            unfinished = [block[end:]] if len(block) > end else []
            yield lines

    def texts(self) -> Iterator[RawTexts]:
        """Yield some lines at a time, as the backend reads them: nothing is made of a line."""
        for block in self.blocks():
            try:
                texts = RawTexts.of_block(block)
            except NotUtf8Error:
                self.text(block)  # an error that names the line
            yield texts
            self.count += texts.size

    def _read(self) -> bytes:
        try:
            block: bytes = self._stream.read(BLOCK)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            where = f"after line {self.count}" if self.count else "before the end of line 1"
            raise InputFileError(f"{self.name}, {where}: the gzip data is damaged or cut off: {error}") from error
        except OSError as error:
            raise InputFileError(f"{self.name}: cannot be read: {error.strerror or error}") from error
        first = not self._bytes
        self._bytes += len(block)
        if self._packed and self._bytes > max(ALWAYS_UNPACKED, MOST_EXPANSION * self._source.count):
            raise InputFileError(
                f"{self.name}, after line {self.count}: unpacks to more than {MOST_EXPANSION} times its size, and may be made to "
                "fill the memory; if it is not, decompress it with gunzip first"
            )
        if first and block.startswith(BOM):
            self.mark = True
            return block if self._keep_mark else block[len(BOM) :]
        return block

    def text(self, block: bytes) -> str:
        """Decode a block."""
        try:
            return block.decode("utf-8")
        except UnicodeDecodeError as error:
            line = self.count + block.count(b"\n", 0, error.start) + 1
            advice = "convert the file, with iconv for example"
            has_mark = block.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
            if not self.count and block.startswith(OTHERS_COMPRESSED):
                advice = "it looks compressed, and only gzip is read; decompress it first"
            elif has_mark or block.count(b"\0") > len(block) // 4:  # each ASCII character has one
                advice = "it looks like UTF-16, as written by > in Windows PowerShell; convert the file to UTF-8"
            raise InputFileError(
                f"{self.name}, line {line}: not UTF-8 text: byte 0x{block[error.start]:02x}; {advice}"
            ) from error


def raw_segments(
    hypotheses: Sequence[Lines], references: Sequence[Lines]
) -> Iterator[tuple[list[Any], Any, array[int]]]:
    """The segments of parallel files, some at a time: the lines of each file of hypotheses, all references, and where each set begins.

    :param hypotheses: open files, one segment a line
    :param references: open files of as many lines
    :raises InputFileError: a file is not UTF-8; the message names file and line
    :raises LengthMismatchError: the files have different numbers of lines; raised at the end, with the numbers
    """
    files = [*hypotheses, *references]
    systems = len(hypotheses)
    parts = [file.texts() for file in files]
    texts = [RawTexts() for _ in files]
    starts = [0] * len(files)
    while True:
        for number, part in enumerate(parts):
            if starts[number] == texts[number].size:
                texts[number] = next(part, RawTexts())
                starts[number] = 0
        count = min(lines.size - start for lines, start in zip(texts, starts))
        if not count:
            break
        of_systems = [RawTexts.side_by_side([lines], [start], count) for lines, start in zip(texts[:systems], starts)]
        sets = RawTexts.side_by_side(texts[systems:], starts[systems:], count)
        yield of_systems, sets, array("q", range(0, sets.size + 1, len(references)))
        starts = [start + count for start in starts]
    if any(lines.size for lines in texts):
        for _ in chain.from_iterable(parts):
            pass  # the lines that are left are counted
        counts = [f"{file.name}: {file.count}" for file in files]
        raise LengthMismatchError(
            f"the files have different numbers of lines, and a line is a segment: {', '.join(counts)}"
        )


def number_of(token: str, what: str = "the value", owner: str | None = None) -> float:
    """Parse a number in a file.

    :param what: the number is, for messages
    :param owner: the name of the feature that it belongs to, if it has one
    """
    try:
        # Python accepts underscores and other digits, which no decoder writes
        value = float(token) if token.isascii() and "_" not in token else None
    except ValueError:
        value = None
    if value is not None and math.isfinite(value):
        return value
    if owner is not None:
        what = f"{what} of {shown(owner)}"
    if value is None:
        raise InputFileError(f"{what} {shown(token)} is not a number")
    raise InputFileError(f"{what} is {token[:80]}; it must be a finite number")
