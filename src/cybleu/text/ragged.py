"""Texts of token ids one after the other. Imports no other module, because `cybleu.text` is imported with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class Ragged:
    """Texts of token ids of any lengths in two arrays: text i is ``ids[offsets[i]:offsets[i + 1]]``.

    It has a length, and iteration gives the texts as lists.

    :param ids: the ids of all texts, one after the other
    :param offsets: where each text begins in `ids`, and the end of the last one

    >>> import numpy
    >>> import cybleu
    >>> hypotheses = Ragged(numpy.array([5, 6, 7, 8, 9]), numpy.array([0, 3, 5]))
    >>> cybleu.rows(hypotheses, [[5, 6, 8], [8, 9]], max_order=1)
    array([[3, 3, 2, 3],
           [2, 2, 2, 2]])
    """

    ids: Any
    offsets: Any

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[list[int]]:
        from .ids import ids_of_ragged

        return iter(ids_of_ragged(self, "a list of texts").lists())
