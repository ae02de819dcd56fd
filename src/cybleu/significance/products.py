"""Exact sums over samples of segments, by matrix products for all systems and many samples at once.

A matrix product of integers is exact if its sums stay below 2**53 in float64, or 2**24 in float32. So the result does not depend
on the order of the additions, the number of threads or the library. Larger numbers, and floats, are split into limbs that are
small enough; the sums of the limbs are combined exactly, or with a single rounding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import np
from ..errors import ArrayValueError

if TYPE_CHECKING:
    from numpy.typing import NDArray

EXACT_IN_FLOAT32 = 1 << 24
EXACT_IN_FLOAT64 = 1 << 50  # leaves some bits for sums and differences of sums


class Columns:
    """The columns of all systems, split into limbs.

    The sums of a table are an array `(limbs * columns, n)` of whole numbers in float64. Sums of different tables may be
    added and subtracted; :meth:`numbers` converts them to numbers.

    :param tables: for each run of each system, an array `(segments, columns)`, all of int64 or all of finite float64
    """

    def __init__(self, tables: Sequence[NDArray[Any]]):
        self.segments, self.width = tables[0].shape
        self.whole = tables[0].dtype.kind == "i"  # whether the numbers are integers
        self._shifts: list[int]  # the exponents of the limbs
        split = self._limbs_of_integers(tables) if self.whole else self._limbs_of_floats(tables)
        self._gather(split)
        #: The sums of all segments, `(tables, limbs * columns)`.
        self.totals = self.sums(np.ones((1, self.segments), dtype=self.dtype))[:, :, 0]

    def _limbs_of_integers(self, tables: Sequence[NDArray[np.int64]]) -> list[list[NDArray[Any]]]:
        self.largest = max(max(abs(int(table.min())), abs(int(table.max()))) for table in tables)
        if 4 * self.largest * self.segments > np.iinfo(np.int64).max:
            raise ArrayValueError(
                f"the numbers are as large as {self.largest}, and sums of {self.segments} of them do not fit int64; divide them "
                "by something"
            )
        if self.largest * self.segments <= EXACT_IN_FLOAT64:
            self._shifts = [0]
            return [list(table.T) for table in tables]
        bits = self._bits()
        self._shifts = list(range(0, 64, bits))
        mask = (1 << bits) - 1
        return [
            [
                column >> shift if shift + bits >= 64 else column >> shift & mask
                for shift in self._shifts
                for column in table.T
            ]
            for table in tables
        ]

    def _limbs_of_floats(self, tables: Sequence[NDArray[np.float64]]) -> list[list[NDArray[Any]]]:
        found = [_bits_of(table) for table in tables]
        lowest, highest = min(low for low, _ in found), max(high for _, high in found)
        if highest + self.segments.bit_length() > 1020:
            raise ArrayValueError("the sum of the numbers is too large for a float; divide them by something")
        bits = self._bits()
        self._shifts = list(range(lowest, max(highest, lowest + 1), bits))
        split = []
        for table in tables:
            rest, limbs = table.copy(), []
            for shift in reversed(self._shifts):
                limb = np.trunc(np.ldexp(rest, -shift))
                rest -= np.ldexp(limb, shift)
                limbs.append(limb)
            split.append([column for limb in reversed(limbs) for column in limb.T])
        self.largest = 1 << bits
        return split

    def _bits(self) -> int:
        return int(EXACT_IN_FLOAT64.bit_length() - 1 - self.segments.bit_length())

    def _gather(self, split: list[list[NDArray[Any]]]) -> None:
        """Build the matrix of all distinct columns. Systems often share columns, such as the reference lengths."""
        columns: list[NDArray[Any]] = []
        places: dict[tuple[Any, ...], list[int]] = {}
        where = []
        for column in (column for table in split for column in table):
            # compare a few entries first, so that few columns are compared completely
            alike = places.setdefault((column.sum(), *column[:8].tolist()), [])
            same = next((place for place in alike if np.array_equal(columns[place], column)), None)
            if same is None:
                same = len(columns)
                columns.append(column)
                alike.append(same)
            where.append(same)
        largest = max(max(abs(int(column.min())), abs(int(column.max()))) for column in columns)
        self.dtype = np.dtype(np.float32 if largest * self.segments <= EXACT_IN_FLOAT32 else np.float64)
        self.where = np.array(where).reshape(len(split), -1)
        self._matrix = np.empty((self.segments, len(columns)), dtype=self.dtype)
        for place, column in enumerate(columns):
            self._matrix[:, place] = column

    @property
    def limbs(self) -> int:
        """The number of limbs of a number."""
        return len(self._shifts)

    def sums(self, weights: NDArray[Any], tables: Sequence[int] | None = None) -> NDArray[np.float64]:
        """Compute the sums of samples.

        :param weights: how often each segment is in each sample, `(n, segments)`, of :attr:`dtype`
        :param tables: the tables to sum, by default all
        :return: `(tables, limbs * columns, n)`
        """
        if tables is None:
            product = weights @ self._matrix
            sums: NDArray[np.float64] = np.ascontiguousarray(product.T, dtype=np.float64)[self.where]
            return sums
        where = self.where[list(tables)]
        needed, back = np.unique(where, return_inverse=True)
        product = weights @ self._matrix[:, needed]
        return np.ascontiguousarray(product.T, dtype=np.float64)[back.reshape(where.shape)]

    def of_segments(self, table: int, part: slice) -> NDArray[np.float64]:
        """Return the columns of a table without summing, `(limbs * columns, segments)`."""
        return self._matrix[part, self.where[table]].T.astype(np.float64)

    def numbers(self, sums: NDArray[np.float64]) -> NDArray[Any]:
        """Convert sums to numbers.

        :param sums: `(..., limbs * columns, n)`
        :return: `(... * n, columns)`: int64; or float64, each rounded once
        """
        limbs = len(self._shifts)
        rows = np.moveaxis(sums, -2, -1).reshape(-1, limbs, self.width)
        if self.whole:
            if limbs == 1:
                return np.ascontiguousarray(rows[:, 0], dtype=np.int64)
            parts = rows.astype(np.int64)
            for place, shift in enumerate(self._shifts):
                parts[:, place] <<= shift
            return np.ascontiguousarray(parts.sum(axis=1))
        values = np.ldexp(rows, np.array(self._shifts)[:, None])
        if limbs == 1:
            return np.ascontiguousarray(values[:, 0])
        rounded = [math.fsum(parts) for parts in np.moveaxis(values, 1, 2).reshape(-1, limbs).tolist()]
        return np.array(rounded, dtype=np.float64).reshape(-1, self.width)

    def nearly(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert sums of float columns to approximate numbers, with a rounding for each limb.

        :param sums: `(..., limbs * columns, n)`
        :return: `(..., columns, n)`
        """
        parts = sums.reshape(*sums.shape[:-2], len(self._shifts), self.width, sums.shape[-1])
        scaled: NDArray[np.float64] = np.ldexp(parts, np.array(self._shifts)[:, None, None]).sum(axis=-3)
        return scaled


def _bits_of(table: NDArray[np.float64]) -> tuple[int, int]:
    """Return the exponents of the lowest bit set in any number, and of the first bit above all numbers."""
    mantissas, exponents = np.frexp(table[table != 0])
    if not len(mantissas):
        return 0, 0
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    lowest = np.frexp((whole & -whole).astype(np.float64))[1] - 1
    return int((exponents - 53 + lowest).min()), int(exponents.max())
