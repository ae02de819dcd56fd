"""Text files as segments of raw text: from their bytes, some at a time, with nothing made of a line."""

from __future__ import annotations

from array import array

from .. import _backend
from ..errors import InputFileError, LengthMismatchError, NotUtf8Error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from .._files.text import Lines

__all__ = ["ENOUGH", "raw_segments"]

ENOUGH = 1 << 17  # bytes of each file, fewer than are read at a time


class _Reader:
    """The lines of a file as the backend reads them.

    :ivar texts: some of them, of which those from `start` on are left
    """

    def __init__(self, file: Lines, change: Callable[[bytes], bytes] | None):
        self.file = file
        self.texts = _backend.chosen.RawTexts()
        self.start = 0
        self._blocks = file.blocks()
        self._change = change

    @property
    def left(self) -> int:
        return len(self.texts) - self.start

    def fill(self, size: int) -> None:
        """Read on where there is nothing left, about so many bytes."""
        if self.left:
            return
        self.file.count += len(self.texts)
        self.texts, self.start = _backend.chosen.RawTexts(), 0
        blocks = []
        for block in self._blocks:
            blocks.append(block)
            size -= len(block)
            if size <= 0:
                break
        if not blocks:
            return
        together = b"\n".join(blocks)
        try:
            self.texts = _backend.chosen.RawTexts.of_block(together if self._change is None else self._change(together))
        except NotUtf8Error as error:
            raise InputFileError(
                f"{self.file.name}, line {self.file.count + error.line + 1}: not UTF-8 text: byte 0x{error.byte:02x}; "
                "convert the file, with iconv for example"
            ) from None


def raw_segments(
    hypothesis: Lines,
    references: Sequence[Lines],
    change: Callable[[bytes], bytes] | None = None,
    size: int = ENOUGH,
) -> Iterator[tuple[Any, Any, array[int]]]:
    """The segments of parallel files, some at a time: hypotheses, all their references, and where each set begins.

    :param hypothesis: an open file, one segment a line
    :param references: open files of as many lines
    :param change: is applied to the bytes first, some whole lines at a time; it must keep their number
    :param size: about how many bytes of a file to read at a time
    :raises InputFileError: a file is not UTF-8; the message names file and line
    :raises LengthMismatchError: the files have different numbers of lines; raised at the end, with the numbers
    """
    readers = [_Reader(file, change) for file in (hypothesis, *references)]
    side_by_side = _backend.chosen.RawTexts.side_by_side
    while True:
        for reader in readers:
            reader.fill(size)
        count = min(reader.left for reader in readers)
        if not count:
            break
        others = readers[1:]
        bounds = array("q", bytes(8 * (count + 1)))
        texts = side_by_side([readers[0].texts], [readers[0].start], bounds)
        sets = side_by_side([reader.texts for reader in others], [reader.start for reader in others], bounds)
        yield texts, sets, bounds
        for reader in readers:
            reader.start += count
    if any(reader.left for reader in readers):
        counts = []
        for reader in readers:
            while reader.left:
                reader.start = len(reader.texts)
                reader.fill(size)
            counts.append(f"{reader.file.name}: {reader.file.count}")
        raise LengthMismatchError(
            f"the files have different numbers of lines, and a line is a segment: {', '.join(counts)}"
        )
