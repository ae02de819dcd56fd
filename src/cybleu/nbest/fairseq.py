"""Read the output of ``fairseq-generate`` and ``fairseq-interactive``: lines ``H-id<tab>score<tab>tokens`` and others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from os import PathLike
from typing import TYPE_CHECKING

from .._files.text import number_of, shown
from .._runtime.arrays import np
from ..errors import InputFileError
from .lines import BLANKS, MOST_DIGITS, Block, Reader, line_ends

if TYPE_CHECKING:
    Path = str | PathLike[str]

HYPOTHESIS = re.compile(rb"^H-.*$", re.MULTILINE)
FIELDS = re.compile(rb"H-(\d{1,%d})\t([^\t]*)\t(.*)" % MOST_DIGITS, re.DOTALL)
SCORE = "score"


class FairseqReader(Reader):
    """Reader of lines that begin with ``H-``. The score is the only feature; other lines are ignored."""

    def __init__(self, path: Path):
        super().__init__(path)
        self.names = (SCORE,)

    def blocks(self) -> Iterator[Block]:
        found = False
        for block, _ in self.checked_blocks():
            places = [match.span() for match in HYPOTHESIS.finditer(block)]
            if places:
                yield self._block(block, places)
                found = True
        if not found:
            raise InputFileError(
                f"{self.file.name}: there is no line in it that begins with H-, as fairseq prints them"
            )

    def _block(self, block: bytes, places: list[tuple[int, int]]) -> Block:
        lines = self.file.count + 1 + np.searchsorted(line_ends(block), [begin for begin, _ in places])
        ids, begins, ends = (np.zeros(len(places), dtype=np.int64) for _ in range(3))
        scores = np.zeros(len(places))
        for row, (begin, end) in enumerate(places):
            line = block[begin:end].removesuffix(b"\r")
            fields = FIELDS.fullmatch(line)
            try:
                if fields is None:
                    raise InputFileError(
                        f"{shown(line.decode())} is not H-, a whole number, a tab, a score, a tab and tokens"
                    )
                scores[row] = number_of(fields[2].decode(), "the score")
            except InputFileError as error:
                raise self.error(str(error), int(lines[row])) from None
            text = fields[3].lstrip(BLANKS)
            ids[row] = int(fields[1])
            begins[row] = begin + len(line) - len(text)
            ends[row] = begins[row] + len(text.rstrip(BLANKS))
        return Block(lines, block, begins, ends, ids, scores.reshape(-1, 1), scores, None)
