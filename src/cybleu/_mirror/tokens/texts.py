"""Texts as ids of tokens, and the rows of segments."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


class TokenTexts:
    """See the class of this name in :mod:`cybleu._kernels`."""

    def __init__(self, ids: Any, begins: Any, ends: Any):
        self.texts: list[list[int]] = [ids[begin:end].tolist() for begin, end in zip(begins.tolist(), ends.tolist())]


def fill_rows(
    row_of: Callable[[Any, list[Any]], Iterable[float]],
    hypotheses: Any,
    references: Any,
    sets: Any,
    owners: Any,
    start: int,
    stop: int,
    rows: Any,
) -> None:
    """Write the rows of the segments from a first one to before another one.

    :param row_of: returns the row of a hypothesis and its references
    :param hypotheses: TokenTexts or RawTexts, as the references
    :param sets: where the references of each set begin, and the end
    :param owners: the set of each segment; None if segment i has set i
    """
    for number in range(start, stop):
        owner = number if owners is None else owners[number]
        row = row_of(hypotheses.texts[number], references.texts[sets[owner] : sets[owner + 1]])
        for column, value in enumerate(row):
            rows[number, column] = value
