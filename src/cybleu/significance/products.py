"""Exact sums over samples of segments, by matrix products for all systems and many samples at once.

A matrix product of integers is exact if its sums stay below 2**53 in float64, or 2**24 in float32. So the result does
not depend on the order of the additions, the number of threads or the library. Larger numbers, and floats, are split
into limbs that are small enough; the sums of the limbs are combined exactly, or with a single rounding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

from .._runtime.arrays import Array, Floats, Integers, np
from ..errors import ArrayValueError

EXACT_IN_FLOAT32 = 1 << 24
EXACT_IN_FLOAT64 = 1 << 44  # leaves some bits for sums of hundreds of runs


class Columns:
    """The columns of all systems, split into limbs.

    The sums of a table are an array `(limbs * columns, n)` of whole numbers in float64. Sums of different tables may be
    added and subtracted; :meth:`numbers` converts them to numbers.

    :param tables: for each run of each system, an array `(segments, columns)`, all of int64 or all of finite float64
    """

    def __init__(self, tables: Sequence[Array]):
        self.segments, self.width = tables[0].shape
        self.whole = tables[0].dtype.kind == "i"  # whether the numbers are integers
        every = np.stack(tables, axis=1)  # (segments, tables, columns)
        self._bits = EXACT_IN_FLOAT64.bit_length() - 1 - self.segments.bit_length()  # of a limb
        self._shifts = [0]  # the exponents of the limbs
        limbs = self._limbs_of_integers(every) if self.whole else self._limbs_of_floats(every)
        largest = 1 << self._bits
        if self.whole and len(limbs) == 1:  # the differences of numbers of both signs may be larger than the numbers
            largest = int(every.max(initial=0)) - int(every.min(initial=0))
        self.dtype = np.dtype(np.float32 if largest * self.segments <= EXACT_IN_FLOAT32 else np.float64)
        self._matrix = np.concatenate(limbs, axis=2).astype(self.dtype)
        #: The sums of all segments, `(tables, limbs * columns)`.
        self.totals = self.sums(np.ones((1, self.segments), dtype=self.dtype))[:, :, 0]

    def _limbs_of_integers(self, every: Integers) -> list[Array]:
        largest = max(abs(int(every.min())), abs(int(every.max())))
        if 4 * largest * self.segments > np.iinfo(np.int64).max:
            raise ArrayValueError(
                f"the numbers are as large as {largest}, and sums of {self.segments} of them do not fit int64; divide them "
                "by something"
            )
        if largest * self.segments <= EXACT_IN_FLOAT64:
            return [every]
        self._shifts = list(range(0, 64, self._bits))
        *lower, last = self._shifts
        return [*(every >> shift & (1 << self._bits) - 1 for shift in lower), every >> last]

    def _limbs_of_floats(self, every: Floats) -> list[Array]:
        lowest, highest = _bits_of(every)
        if highest + self.segments.bit_length() > 1020:
            raise ArrayValueError("the sum of the numbers is too large for a float; divide them by something")
        self._shifts = list(range(lowest, max(highest, lowest + 1), self._bits))
        limbs: list[Array] = []
        # from the highest limb down: what a limb takes is subtracted without rounding
        for shift in reversed(self._shifts):
            limbs.insert(0, np.trunc(np.ldexp(every, -shift)))
            every = every - np.ldexp(limbs[0], shift)
        return limbs

    def sums(self, weights: Array) -> Floats:
        """Compute the sums of samples.

        :param weights: how often each segment is in each sample, `(n, segments)`, of :attr:`dtype`
        :return: `(tables, limbs * columns, n)`
        """
        _, tables, width = self._matrix.shape
        product = weights @ self._matrix.reshape(self.segments, -1)
        return np.ascontiguousarray(product.T, dtype=np.float64).reshape(tables, width, len(weights))

    def gains(self, weights: Array) -> Floats:
        """Compute how much larger the sums of samples are than those of the first table, as :meth:`sums`."""
        _, tables, width = self._matrix.shape
        gains = np.zeros((tables * width, len(weights)))
        gains[width:] = (weights @ self._differences).T
        return gains.reshape(tables, width, len(weights))

    @cached_property
    def _differences(self) -> Array:
        """How much larger the other tables are than the first, `(segments, (tables - 1) * limbs * columns)`."""
        return (self._matrix[:, 1:] - self._matrix[:, :1]).reshape(self.segments, -1)

    def of_segments(self, table: int, part: slice) -> Floats:
        """Return the columns of a table without summing, `(limbs * columns, segments)`."""
        return self._matrix[part, table].T.astype(np.float64)

    def numbers(self, sums: Floats) -> Array:
        """Convert sums to numbers.

        :param sums: `(..., limbs * columns, n)`
        :return: `(... * n, columns)`: int64; or float64, each rounded once
        """
        limbs = len(self._shifts)
        if self.whole and limbs == 1:
            return np.ascontiguousarray(np.moveaxis(sums, -2, -1), dtype=np.int64).reshape(-1, self.width)
        rows = np.moveaxis(sums, -2, -1).reshape(-1, limbs, self.width)
        shifts = np.array(self._shifts)[:, None]
        if self.whole:
            return np.ascontiguousarray((rows.astype(np.int64) << shifts).sum(axis=1))
        values = np.ldexp(rows, shifts)
        if limbs == 1:  # sums of one limb are exact already
            return np.ascontiguousarray(values[:, 0])
        rounded = [math.fsum(parts) for parts in np.moveaxis(values, 1, 2).reshape(-1, limbs).tolist()]
        return np.array(rounded, dtype=np.float64).reshape(-1, self.width)


def _bits_of(numbers: Floats) -> tuple[int, int]:
    """Return the exponents of the lowest bit set in any number, and of the first bit above all numbers."""
    mantissas, exponents = np.frexp(numbers[numbers != 0])
    if not len(mantissas):
        return 0, 0
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    lowest = np.frexp((whole & -whole).astype(np.float64))[1] - 1
    return int((exponents - 53 + lowest).min()), int(exponents.max())
