"""Text files as segments of raw text: from their bytes, some at a time, with nothing made of a line."""

from __future__ import annotations

from array import array
from itertools import chain

from .._backend import RawTexts
from ..errors import LengthMismatchError, NotUtf8Error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from .._files.text import Lines


def _texts_of(file: Lines) -> Iterator[Any]:
    """The lines of a file as the backend reads them, some at a time."""
    for block in file.blocks():
        try:
            texts = RawTexts.of_block(block)
        except NotUtf8Error:
            file.text(block)  # an error that names the line
        yield texts
        file.count += texts.size


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
    parts = list(map(_texts_of, files))
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
