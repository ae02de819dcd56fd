"""Counts of raw text that the backend has read. Needs no NumPy."""

from __future__ import annotations

from array import array

from .. import _backend
from .._runtime.parallel import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..text.raw import Raw

__all__ = ["fill_raw_rows", "raw_numbers", "raw_row_lists", "raw_sum"]


def raw_sum(
    raw: Raw,
    texts: Any,
    references: Any,
    bounds: Any,
    order: int,
    reference_length: str = "closest",
    threads: int | None = None,
) -> tuple[list[int], list[int]]:
    """The sum of the segments' rows, and for each order how many segments are too short to have an n-gram of it.

    :param raw: with one of the backend's tokenisers
    :param texts: hypotheses as the backend reads them
    :param references: of all segments, likewise, one after the other
    :param bounds: where those of each segment begin, and the end
    """
    sums: list[tuple[list[int], list[int]]] = []
    tokenizer = raw.backend

    def work(start: int, stop: int) -> None:
        arguments = tokenizer, texts, references, bounds, order, reference_length, start, stop
        sums.append(_backend.chosen.raw_sum(*arguments))

    _run(work, texts, references, threads)
    rows, short = zip(*sums)
    return [sum(column) for column in zip(*rows)], [sum(column) for column in zip(*short)]


def raw_row_lists(
    raw: Raw,
    texts: Any,
    references: Any,
    bounds: Any,
    order: int,
    reference_length: str = "closest",
    threads: int | None = None,
) -> list[list[int]]:
    """The statistics rows of the segments. The parameters are those of :func:`raw_sum`."""
    if not len(texts):
        return []
    numbers = raw_numbers(raw, texts, references, bounds, order, reference_length, threads)
    found: Any = memoryview(numbers).cast("B").cast("q", (len(texts), 2 + 2 * order)).tolist()  # as nested as rows are
    return found  # type: ignore[no-any-return]


def raw_numbers(
    raw: Raw,
    texts: Any,
    references: Any,
    bounds: Any,
    order: int,
    reference_length: str = "closest",
    threads: int | None = None,
) -> array[int]:
    """The same rows one after the other, for those who want columns; there is at least one segment."""
    count, width = len(texts), 2 + 2 * order
    numbers = array("q", bytes(8 * count * width))
    rows = memoryview(numbers).cast("B").cast("q", (count, width))
    fill_raw_rows(rows, raw, texts, references, bounds, order, reference_length, threads)
    return numbers


def fill_raw_rows(
    rows: Any,
    raw: Raw,
    texts: Any,
    references: Any,
    bounds: Any,
    order: int,
    reference_length: str,
    threads: int | None,
    progress: bool = False,
) -> None:
    """Write the same rows, as many as there are segments, into an array or a view of two dimensions."""
    tokenizer = raw.backend

    def work(start: int, stop: int) -> None:
        arguments = tokenizer, texts, references, bounds, order, reference_length, start, stop
        _backend.chosen.raw_rows(*arguments, rows)

    _run(work, texts, references, threads, progress)


def _run(work: Any, texts: Any, references: Any, threads: int | None, progress: bool = False) -> None:
    run(work, len(texts), (texts.size + references.size) // 4 + 64 * len(texts), threads, progress, "segments")
