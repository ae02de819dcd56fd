"""Plain-text files, one segment a line, read as a stream of tokenised segments."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain, islice
from typing import Any, TextIO

from .errors import InputFileError, LengthMismatchError

STANDARD_INPUT = "-"
BLOCK = 1 << 18
LONGEST_LINE = 1 << 28


def split_ascii(line: str) -> list[str]:
    """The tokens between ASCII white space, as multi-bleu.perl takes them: a no-break space is part of a token."""
    if line.isascii():
        return line.split()
    return [token.decode() for token in line.encode().split()]


SPLITS: dict[str, Callable[[str], list[str]]] = {"unicode": str.split, "ascii": split_ascii}


_STANDARD_INPUT_NAME = "standard input"


def _standard_input() -> Any:
    stream: Any = sys.stdin.buffer
    return stream if hasattr(stream, "peek") else io.BufferedReader(stream)


class Lines:
    """The lines of a UTF-8 file, or of standard input for ``-``; gzip is recognised by its first bytes.

    A line ends at LF, and a CR before it is dropped; no other character ends a line. The last one needs no LF.

    :raises InputFileError: the file cannot be opened or read, or is not UTF-8; the message names file and line
    """

    def __init__(self, path: str):
        self.name = _STANDARD_INPUT_NAME if path == STANDARD_INPUT else path
        try:
            self._raw: Any = _standard_input() if path == STANDARD_INPUT else open(path, "rb")  # noqa: SIM115
            compressed = self._raw.peek(2)[:2] == b"\x1f\x8b"
        except OSError as error:
            raise InputFileError(f"{self.name}: cannot be read: {error.strerror or error}") from error
        self._stream = gzip.GzipFile(fileobj=self._raw) if compressed else self._raw
        self.count = 0

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self.name != _STANDARD_INPUT_NAME:
            self._raw.close()

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def size(self) -> int | None:
        """The bytes in the file, None where that is not known beforehand."""
        try:
            status = os.fstat(self._raw.fileno())
        except (OSError, ValueError):
            return None
        return status.st_size or None

    def position(self) -> int:
        """How many of those bytes have been read."""
        try:
            return int(self._raw.tell())
        except (OSError, ValueError):
            return 0

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(self._blocks())

    def _blocks(self) -> Iterator[list[str]]:
        for block in self.blocks():
            lines = self._lines(block)
            yield lines
            self.count += len(lines)

    def blocks(self) -> Iterator[bytes]:
        """Some whole lines at a time, as bytes, without the last LF. Who takes them adds their number to `count`."""
        unfinished: list[bytes] = []
        while True:
            block = self._read()
            end = block.rfind(b"\n") + 1
            if block and not end:
                unfinished.append(block)
                if len(unfinished) * BLOCK > LONGEST_LINE:
                    raise InputFileError(
                        f"{self.name}, line {self.count + 1}: longer than {LONGEST_LINE} bytes; is it a text file?"
                    )
                continue
            unfinished.append(block[: end - 1] if end else block)
            if not block and not any(unfinished):
                return
            lines = b"".join(unfinished)
            unfinished = [block[end:]] if len(block) > end else []
            yield lines

    def _read(self) -> bytes:
        try:
            return self._stream.read(BLOCK)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise InputFileError(
                f"{self.name}, after line {self.count}: the gzip data is damaged or cut off: {error}"
            ) from error
        except OSError as error:
            raise InputFileError(f"{self.name}: cannot be read: {error.strerror or error}") from error

    def _lines(self, block: bytes) -> list[str]:
        text = self.text(block)
        lines = text.split("\n")
        if "\r" in text:
            lines = [line[:-1] if line.endswith("\r") else line for line in lines]
        return lines

    def text(self, block: bytes) -> str:
        """What a block says."""
        try:
            return block.decode("utf-8")
        except UnicodeDecodeError as error:
            line = self.count + block.count(b"\n", 0, error.start) + 1
            raise InputFileError(
                f"{self.name}, line {line}: not UTF-8 text: byte 0x{block[error.start]:02x}; "
                "convert the file, with iconv for example"
            ) from error


@contextmanager
def writing(path: str) -> Iterator[TextIO]:
    """A UTF-8 file to write, compressed where its name ends in ``.gz``, equal for equal text.

    :raises InputFileError: it cannot be written
    """
    try:
        with ExitStack() as stack:
            file: Any = stack.enter_context(open(path, "wb"))
            if path.endswith(".gz"):
                file = stack.enter_context(gzip.GzipFile("", "wb", fileobj=file, mtime=0))
            yield stack.enter_context(io.TextIOWrapper(file, encoding="utf-8", newline="\n"))
    except OSError as error:
        raise InputFileError(f"{path}: cannot be written: {error.strerror or error}") from error
    except UnicodeEncodeError as error:
        raise InputFileError(f"{path}: cannot be written as UTF-8: {error}") from error


def parallel_segments(
    hypothesis: Lines, references: Sequence[Lines], split: Callable[[str], list[str]], at_once: int = 512
) -> Iterator[tuple[list[list[list[str]]], list[list[str]]]]:
    """The segments of parallel files, some at a time: (list of references, hypotheses).

    :raises LengthMismatchError: the files have different numbers of lines; raised at the end, with the numbers
    """
    files = [hypothesis, *references]
    streams = [iter(file) for file in files]
    lines = 0
    while True:
        blocks = [[split(line) for line in islice(stream, at_once)] for stream in streams]
        got = len(blocks[0])
        if any(len(block) != got for block in blocks):
            counts = [
                lines + len(block) + sum(1 for _ in stream) for block, stream in zip(blocks, streams, strict=True)
            ]
            listed = ", ".join(f"{file.name}: {count}" for file, count in zip(files, counts, strict=True))
            raise LengthMismatchError(f"the files have different numbers of lines, and a line is a segment: {listed}")
        if not got:
            return
        lines += got
        yield [list(references) for references in zip(*blocks[1:], strict=True)], blocks[0]
