"""Read lines of numbers: tables of features, and the files of Moses's extractor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _backend
from .._files.text import Lines, number_of, shown
from .._runtime.arrays import np
from ..errors import InputFileError

if TYPE_CHECKING:
    from numpy.typing import NDArray


class NumberLines:
    """Lines of numbers in a file, which may have others between them.

    :param item: what a number is, for messages
    :param items: what they are
    :param expected: how many there must be
    :param pairs: after the numbers there may be pairs such as ``pp_a=1``, which `fields` stores
    """

    def __init__(self, file: Lines, item: str, items: str, expected: str, pairs: bool = False):
        self.file = file
        self.fields: Any = _backend.chosen.Fields(pairs)
        self._words = item, items, expected
        self._has_pairs = pairs
        self._blocks = file.blocks()
        self._block = b""
        self._place = 0

    def error(self, reason: object, line: int) -> InputFileError:
        return InputFileError(f"{self.file.name}, line {line}: {reason}")

    def _more(self) -> bool:
        """Whether there is more to read; reads the next block at the end of one."""
        if self._place < len(self._block):
            return True
        block = next(self._blocks, None)
        self._block, self._place = b"" if block is None else block + b"\n", 0
        return block is not None

    def peek(self) -> str | None:
        """Return the next line, or None at the end."""
        if not self._more():
            return None
        return self.file.text(self._block[self._place : self._block.index(b"\n", self._place)]).removesuffix("\r")

    def line(self) -> str | None:
        """Read the next line, or None at the end; `file.count` is then its number."""
        line = self.peek()
        if line is not None:
            self._place = self._block.index(b"\n", self._place) + 1
            self.file.count += 1
        return line

    def width(self) -> int:
        """Return how many numbers the next line has."""
        return len((self.peek() or "").split())

    def read(self, count: int, width: int, stop: str | None = None) -> NDArray[np.float64]:
        """Read the numbers of lines: `count` of them, or those before the end of the file or a line that begins with `stop`."""
        parts = [np.zeros((0, width))]
        done = 0
        while done < count and self._more():
            # a heading may announce more rows than the file has: allocate only the rows that can be in the block
            fits = (len(self._block) - self._place) // max(1, 2 * width) + 1
            rows = np.zeros((min(count - done, fits), width))
            row = 0
            while row < len(rows) and self._place < len(self._block):
                before = row
                row, self._place = self.fields.read_rows(self._block, self._place, rows, row, len(rows))
                self.file.count += row - before
                if row < len(rows) and self._place < len(self._block):
                    line = self.peek() or ""
                    if stop is not None and line.startswith(stop):
                        return np.concatenate([*parts, rows[:row]])
                    self.line()
                    self.fields.add(self._row(line.split(), rows[row]))
                    row += 1
            parts.append(rows[:row])
            done += row
        return parts[-1] if len(parts) == 2 else np.concatenate(parts)

    def _row(self, tokens: list[str], row: NDArray[np.float64]) -> list[tuple[str, float]]:
        """Fill a row with the numbers of the line that was read last, and return its pairs."""
        item, items, expected = self._words
        plain = [token for token in tokens if not self._has_pairs or "=" not in token]
        found: dict[str, float] = {}
        try:
            if len(plain) != len(row):
                raise InputFileError(f"has {len(plain)} {items}, and {expected.format(len(row))}")
            row[:] = [number_of(token, item) for token in plain]
            for token in tokens if len(plain) < len(tokens) else ():
                name, equals, value = token.rpartition("=")
                if not equals:
                    continue
                if not name or name in found:
                    raise InputFileError(
                        f"the feature {shown(name)} appears twice" if name else f"{shown(token)} has no name"
                    )
                found[name] = number_of(value, item)
        except InputFileError as error:
            raise self.error(error, self.file.count) from None
        return list(found.items())
