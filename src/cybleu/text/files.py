"""Text files as segments of raw text: from their bytes, some at a time, with nothing made of a line."""

from __future__ import annotations

from array import array

from .. import _backend
from ..errors import LengthMismatchError, NotUtf8Error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from .._files.text import Lines


class _Reader:
    """The lines of a file as the backend reads them.

    :ivar texts: some of them, of which those from `start` on are left
    """

    def __init__(self, file: Lines):
        self.file = file
        self.texts = _backend.chosen.RawTexts()
        self.start = 0
        self._blocks = file.blocks()

    @property
    def left(self) -> int:
        return len(self.texts) - self.start

    def fill(self) -> None:
        """Read on if nothing is left."""
        if self.left:
            return
        self.file.count += len(self.texts)
        self.texts, self.start = _backend.chosen.RawTexts(), 0
        block = next(self._blocks, None)
        if block is None:
            return
        try:
            self.texts = _backend.chosen.RawTexts.of_block(block)
        except NotUtf8Error:
            self.file.text(block)  # an error that names the line


def raw_segments(
    hypotheses: Sequence[Lines], references: Sequence[Lines]
) -> Iterator[tuple[list[Any], Any, array[int]]]:
    """The segments of parallel files, some at a time: the lines of each file of hypotheses, all references, and where each set begins.

    :param hypotheses: open files, one segment a line
    :param references: open files of as many lines
    :raises InputFileError: a file is not UTF-8; the message names file and line
    :raises LengthMismatchError: the files have different numbers of lines; raised at the end, with the numbers
    """
    readers = [_Reader(file) for file in (*hypotheses, *references)]
    side_by_side = _backend.chosen.RawTexts.side_by_side
    while True:
        for reader in readers:
            reader.fill()
        count = min(reader.left for reader in readers)
        if not count:
            break
        texts = [side_by_side([reader.texts], [reader.start], count) for reader in readers[: len(hypotheses)]]
        others = readers[len(hypotheses) :]
        sets = side_by_side([reader.texts for reader in others], [reader.start for reader in others], count)
        yield texts, sets, array("q", range(0, len(sets) + 1, len(others)))
        for reader in readers:
            reader.start += count
    if any(reader.left for reader in readers):
        counts = []
        for reader in readers:
            while reader.left:
                reader.start = len(reader.texts)
                reader.fill()
            counts.append(f"{reader.file.name}: {reader.file.count}")
        raise LengthMismatchError(
            f"the files have different numbers of lines, and a line is a segment: {', '.join(counts)}"
        )
