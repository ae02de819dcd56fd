"""Read plain text with a fixed number of lines for each segment, and features from another file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from os import PathLike
from typing import TYPE_CHECKING

from .._files.text import Lines, number_of
from .._runtime.arrays import np
from ..errors import InputFileError
from .container import feature_names
from .lines import BLANKS, Block, Reader, line_ends

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Path = str | PathLike[str]


class PlainReader(Reader):
    """Reader of plain text with `size` lines for each segment, and of features in another file."""

    def __init__(self, path: Path, size: int, features: Path | None, names: Sequence[str] | None):
        super().__init__(path)
        self._size = size
        self._given_names = names
        try:
            self._table = None if features is None else Lines(features)
        except InputFileError:
            self.file.close()
            raise
        self._rows = iter(()) if self._table is None else self._table_rows(self._table)
        if self._table is None:
            self.names = feature_names(names, 0)

    def __exit__(self, *exception: object) -> None:
        super().__exit__()
        if self._table is not None:
            self._table.close()

    def blocks(self) -> Iterator[Block]:
        for block, _ in self.checked_blocks():
            yield self._block(block, line_ends(block))
        if self.file.count % self._size:
            raise InputFileError(
                f"{self.file.name}: has {self.file.count} lines, which is not a multiple of {self._size}, the lines of "
                "each segment"
            )
        if next(self._rows, None) is not None and self._table is not None:
            raise InputFileError(
                f"{self._table.name}: has more lines than {self.file.name}, which has {self.file.count}; a line of "
                "features is of one hypothesis"
            )

    def _block(self, block: bytes, ends: NDArray[np.int64]) -> Block:
        begins = np.append(0, ends[:-1] + 1)
        for row, (begin, end) in enumerate(zip(begins.tolist(), ends.tolist())):
            line = block[begin:end].removesuffix(b"\r")
            begins[row] = begin + len(line) - len(line.lstrip(BLANKS))
            ends[row] = max(begins[row], begin + len(line.rstrip(BLANKS)))
        count = len(begins)
        features = np.zeros((count, 0))
        if self._table is not None:
            rows = list(islice(self._rows, count))
            if len(rows) < count:
                raise InputFileError(
                    f"{self._table.name}: has {self.file.count + len(rows)} lines, fewer than {self.file.name}; a line "
                    "of features is of one hypothesis"
                )
            features = np.array(rows, dtype=np.float64).reshape(count, len(self.names))
        ids = (self.file.count + np.arange(count, dtype=np.int64)) // self._size
        return Block(self.file.count + 1, block, begins, ends, ids, features, None, None)

    def _table_rows(self, table: Lines) -> Iterator[list[float]]:
        for number, line in enumerate(table, 1):
            try:
                row = [number_of(token, "a feature") for token in line.split()]
                if number == 1:
                    self.names = feature_names(self._given_names, len(row))
                if len(row) != len(self.names):
                    raise InputFileError(f"has {len(row)} features, and the lines before have {len(self.names)}")
            except InputFileError as error:
                raise InputFileError(f"{table.name}, line {number}: {error}") from None
            yield row
