"""Growing array of rows of a file, which never holds all rows twice in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._runtime.arrays import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._files.text import Lines

MARGIN = 1.1  # relative to the expected size; memory that is not written to is not used
AT_LEAST = 1.25  # the smallest factor by which the array grows


class GrowingRows:
    """Array to which rows are added. A new column is 0 in earlier rows.

    :param file: the source of the rows; the share that was read predicts their number
    """

    def __init__(self, file: Lines, dtype: Any):
        self._file = file
        self._array: NDArray[Any] = np.empty((0, 0), dtype)
        self._count = 0

    def add(self, rows: NDArray[Any]) -> None:
        """Add rows `(n, columns)`."""
        count, width = self._count + len(rows), rows.shape[1]
        if count > len(self._array) or width > self._array.shape[1]:
            self._grow(count, width)
        self._array[self._count : count, :width] = rows
        self._array[self._count : count, width:] = 0
        self._count = count

    def _grow(self, count: int, width: int) -> None:
        before = self._array
        capacity = max(count, len(before))
        if len(before) < count:
            size, position = self._file.size, self._file.position()
            expected = count * size / position if size and 0 < position <= size else 2 * count
            capacity = max(int(MARGIN * expected), int(AT_LEAST * len(before)), count)
        self._array = np.empty((capacity, max(width, before.shape[1])), before.dtype)
        self._array[: self._count, : before.shape[1]] = before[: self._count]
        self._array[: self._count, before.shape[1] :] = 0

    def rows(self, width: int) -> NDArray[Any]:
        """Return all rows, `(n, width)`."""
        if width > self._array.shape[1]:
            self._grow(self._count, width)
        return self._array[: self._count]

    def column(self) -> NDArray[Any]:
        """Return the first column."""
        return self.rows(1)[:, 0]
