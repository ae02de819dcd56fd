"""Split long work into pieces, for threads, progress bars and Ctrl-C."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import UnknownNameError
from .extras import extra
from .numbers import check_whole

if TYPE_CHECKING:
    from concurrent.futures import Future

_Piece = TypeVar("_Piece")
_Result = TypeVar("_Result")

# Cost of a piece, in tokens or work of the same cost: a few hundredths of a second.
PIECE = 500_000

LATE = 2.0  # seconds of work before a progress bar


def run(work: Callable[[int, int], Any], total: int, cost: int, threads: int | None, progress: bool, unit: str) -> None:
    """Call `work(start, stop)` for pieces of `total` items with the total cost `cost`.

    :param threads: number of threads; None means one. Work of a single piece stays in the calling thread
    """
    threads = checked_threads(threads)
    if cost <= PIECE:
        threads = 1
    if total == 0 or (threads == 1 and not progress):
        work(0, total)
        return
    # Several for each thread, because some pieces take longer than others; and a bar moves by percents at least.
    pieces = min(total, max(4 * threads, 100 if progress else 1, cost // PIECE))
    bounds = [total * piece // pieces for piece in range(pieces + 1)]

    def done(piece: tuple[int, int]) -> int:
        work(*piece)
        return piece[1] - piece[0]

    with bar(total, progress, f" {unit}") as advance:
        for count in in_order(done, pairwise(bounds), threads):
            advance(count)


def in_order(work: Callable[[_Piece], _Result], pieces: Iterable[_Piece], threads: int) -> Iterator[_Result]:
    """Yield the result of `work` for each piece, in order, reading only a few pieces ahead.

    After an error or Ctrl-C, the pieces that are at work are finished, and no others.
    """
    if threads == 1:
        yield from map(work, pieces)
        return
    from concurrent.futures import ThreadPoolExecutor  # which imports logging, and takes longer than many calls

    pool = ThreadPoolExecutor(threads)
    waiting: deque[Future[_Result]] = deque()
    try:
        for piece in pieces:
            waiting.append(pool.submit(work, piece))
            # Enough to keep all threads at work, and few enough for the memory that results take.
            if len(waiting) == 2 * threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def checked_threads(threads: int | None) -> int:
    if threads is None:
        return 1
    check_whole(threads, "threads", 1, error=UnknownNameError)
    return int(threads)


@contextmanager
def bar(total: int | None, progress: bool, unit: str, **options: Any) -> Iterator[Callable[[int], Any]]:
    """Return a function that advances a progress bar; without `progress` it does nothing.

    :param options: further options of tqdm
    """
    if not progress:
        yield lambda count: None
        return
    with extra("tqdm", "progress bars require tqdm", "cybleu[cli]"):
        from tqdm.auto import tqdm
    if _is_terminal_of_unknown_size():  # where tqdm would show nothing
        options["ncols"] = 80
        options["nrows"] = 24
    with tqdm(total=total, unit=unit, **options) as shown:
        yield shown.update


def _is_terminal_of_unknown_size() -> bool:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns == 0
    except (AttributeError, OSError, ValueError):  # there is no standard error, or it is no terminal
        return False


def watched(
    parts: Iterable[_Piece], total: int | None, done: Callable[[], int], unit: str, **options: Any
) -> Iterator[_Piece]:
    """Yield parts of long work, and show a progress bar after `LATE` seconds.

    Importing tqdm earlier would take longer than most work.

    :param total: the amount of work, None if it is unknown
    :param done: the amount of work that is done so far
    :param options: further options of tqdm
    """
    remaining = iter(parts)
    begin = monotonic()
    for part in remaining:
        yield part
        if monotonic() - begin >= LATE:
            break
    else:
        return
    position = done()
    with bar(total, True, unit, initial=position, leave=False, **options) as advance:
        for part in remaining:
            yield part
            advance(done() - position)
            position = done()
