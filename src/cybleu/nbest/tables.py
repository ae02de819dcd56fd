"""Read lines of numbers: the features of plain text in a table, and the files of Moses's extractor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .. import _backend
from .._files.text import Lines, number_of
from .._runtime.arrays import np
from ..errors import InputFileError
from .container import feature_names
from .formats import Record, blocks_of, error_at, pairs_of, record_of, trimmed

if TYPE_CHECKING:
    from numpy.typing import NDArray


class NumberLines:
    """Lines of numbers in a file, which may have others between them.

    :param item: what a number is, for messages
    :param items: what they are
    :param expected: how many there must be
    :param pairs: among the numbers there may be pairs such as ``pp_a=1``, which `fields` stores
    """

    def __init__(self, file: Lines, item: str, items: str, expected: str, pairs: bool = False):
        self.file = file
        self.fields: Any = None
        self._words = item, items, expected
        self._has_pairs = pairs
        self._blocks = file.blocks()
        self._block = b""
        self._place = 0

    def peek(self) -> str | None:
        """Return the next line, or None at the end."""
        if self._place >= len(self._block):
            block = next(self._blocks, None)
            self._block, self._place = b"" if block is None else block + b"\n", 0
            if block is None:
                return None
        return self.file.text(self._block[self._place : self._block.index(b"\n", self._place)]).removesuffix("\r")

    def line(self) -> str | None:
        """Read the next line, or None at the end; `file.count` is then its number."""
        line = self.peek()
        if line is not None:
            self._place = self._block.index(b"\n", self._place) + 1
            self.file.count += 1
        return line

    def read(self, count: int, width: int) -> NDArray[np.float64]:
        """Read `count` lines of `width` numbers, fewer at the end of the file."""
        if self.fields is None:
            self.fields = _backend.chosen.Fields([b""] * width, "glued" if self._has_pairs else "none")
        parts = [np.zeros((0, width))]
        done = 0
        while done < count and self.peek() is not None:
            # a heading may announce more rows than the file has: allocate only the rows that can be in the block
            fits = (len(self._block) - self._place) // max(1, 2 * width) + 1
            rows = np.zeros((min(count - done, fits), width))
            row = 0
            while row < len(rows) and self._place < len(self._block):
                before = row
                row, self._place = self.fields.read_rows(self._block, self._place, rows, row)
                self.file.count += row - before
                if row < len(rows) and self._place < len(self._block):
                    self.fields.add(self._row((self.line() or "").split(), rows[row]))
                    row += 1
            parts.append(rows[:row])
            done += row
        return np.concatenate(parts)

    def _row(self, tokens: list[str], row: NDArray[np.float64]) -> list[tuple[str, float]]:
        """Fill a row with the numbers of the line that was read last, and return its pairs."""
        item, items, expected = self._words
        plain = [token for token in tokens if not self._has_pairs or "=" not in token]
        try:
            if len(plain) != len(row):
                raise InputFileError(f"has {len(plain)} {items}, and {expected.format(len(row))}")
            row[:] = [number_of(token, item) for token in plain]
            return pairs_of([token for token in tokens if "=" in token])
        except InputFileError as error:
            raise error_at(self.file, self.file.count, error) from None


def plain(file: Lines, size: int, table: Lines | None, names: Sequence[str] | None) -> Iterator[Record]:
    """Read plain text with `size` lines for each segment, and the features of its lines in another file."""
    rows = None if table is None else NumberLines(table, "a feature", "features", "the lines before have {}")
    named = feature_names(names, 0) if rows is None else ()
    for block, ends in blocks_of(file):
        count = len(ends)
        features = np.zeros((count, 0))
        if rows is not None:
            if not file.count:
                named = feature_names(names, len((rows.peek() or "").split()))
            features = rows.read(count, len(named))
            if len(features) < count:
                raise InputFileError(
                    f"{rows.file.name}: has {file.count + len(features)} lines, fewer than {file.name}; a line of features "
                    "is of one hypothesis"
                )
        begins, ends = trimmed(block, np.append(0, ends[:-1] + 1), ends)
        lines = np.arange(file.count, file.count + count, dtype=np.int64)
        yield record_of(lines + 1, block, begins, ends, lines // size, features=features, names=named)
    if file.count % size:
        raise InputFileError(
            f"{file.name}: has {file.count} lines, which is not a multiple of {size}, the lines of each segment"
        )
    if rows is not None and rows.peek() is not None:
        raise InputFileError(
            f"{rows.file.name}: has more lines than {file.name}, which has {file.count}; a line of features is of one hypothesis"
        )
