"""Base class of metrics of raw text whose kernels read words as numbers."""

from __future__ import annotations

from abc import abstractmethod
from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from .._runtime.parallel import run
from .text_metric import TextMetric

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .text_metric import Lines

    # numbers of words, and where each text ends
    Words: TypeAlias = tuple[memoryview[int], array[int]]
    # writes rows: (words of the hypotheses, of the references, sets, texts, owners, start, stop, rows)
    FillRows: TypeAlias = Callable[..., None]

PAIRS_AT_ONCE = 65536


class WordsMetric(TextMetric):
    """A metric of raw text whose kernel reads words as numbers, and writes rows of floats."""

    dtype = "float64"
    #: The cost of a word, in the unit of `run`.
    _cost: int

    @abstractmethod
    def _numbered(self, hypotheses: Any, references: Any) -> tuple[Words, Words, FillRows]:
        """Number the words of texts that the backend has read, and return them with the function that writes rows.

        Equal words have equal numbers in hypotheses and references.
        """

    def _fill(self, lines: Lines, rows: Any, threads: int | None, progress: bool = False, owners: Any = None) -> None:
        texts, references, bounds = lines
        hypotheses, others, fill_rows = self._numbered(texts, references)
        everyone = array("q", range(len(texts)))
        given = *hypotheses, *others, bounds, everyone, everyone if owners is None else owners

        def work(start: int, stop: int) -> None:
            fill_rows(*given, start, stop, rows)

        run(work, len(texts), self._cost * (len(hypotheses[0]) + len(others[0])), threads, progress, "segments")

    def _fill_pairs(
        self, references: Any, hypotheses: Any, result: NDArray[np.float64], threads: int | None, progress: bool
    ) -> NDArray[np.float64]:
        from .._runtime.arrays import np

        texts, others, fill_rows = self._numbered(hypotheses.lines, references.lines)
        count = references.size
        bounds = np.arange(count + 1, dtype=np.int64)
        at_once = max(1, PAIRS_AT_ONCE // max(1, count))

        def work(start: int, stop: int) -> None:
            for first in range(start, stop, at_once):
                some = np.arange(first, min(stop, first + at_once), dtype=np.int64)
                rows = np.empty((len(some) * count, len(self.columns)))
                places = np.repeat(some, count), np.tile(bounds[:-1], len(some))
                fill_rows(*texts, *others, bounds, *places, 0, len(rows), rows)
                result[some] = self.scores(rows).reshape(len(some), count)

        cost = self._cost * (len(texts[0]) * count + len(others[0]) * hypotheses.size)
        run(work, len(result), cost, threads, progress, "hypotheses")
        return result
