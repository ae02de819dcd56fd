"""Long work in pieces: over threads, under a progress bar, and stopped by an interrupt between two pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

from .errors import MissingExtraError, ThreadsError

# Of work: tokens, or what costs as much. A piece takes some hundredths of a second.
PIECE = 500_000


def run(work: Callable[[int, int], Any], total: int, cost: int, threads: int | None, progress: bool, unit: str) -> None:
    """Call `work(start, stop)` for pieces of `total` things that cost `cost` together.

    :param threads: how many run at the same time; None is one
    """
    threads = checked_threads(threads)
    if total == 0 or (threads == 1 and not progress):
        work(0, total)
        return
    pieces = max(4 * threads, 100 if progress else 1, cost // PIECE)
    pieces = min(total, pieces + -pieces % threads)  # as many for each thread
    bounds = [total * piece // pieces for piece in range(pieces + 1)]
    with bar(total, progress, f" {unit}") as advance:
        if threads == 1:
            for start, stop in pairwise(bounds):
                work(start, stop)
                advance(stop - start)
            return
        from concurrent.futures import ThreadPoolExecutor, as_completed

        with ThreadPoolExecutor(threads) as pool:
            futures = {pool.submit(work, start, stop): stop - start for start, stop in pairwise(bounds)}
            try:
                for future in as_completed(futures):
                    future.result()
                    advance(futures[future])
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise


def checked_threads(threads: int | None) -> int:
    if threads is None:
        return 1
    if type(threads) is not int or threads < 1:
        raise ThreadsError(f"threads is {threads!r}; it must be a whole number from 1, or None for one thread")
    return threads


@contextmanager
def bar(total: int | None, progress: bool, unit: str, **options: Any) -> Iterator[Callable[[int], Any]]:
    """A function that moves a progress bar on by so much; without `progress` there is none.

    :param options: more of tqdm's
    """
    if not progress:
        yield lambda count: None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise MissingExtraError(
            "progress bars need tqdm, which is not installed; install it with: pip install 'cybleu[cli]'"
        ) from error
    with tqdm(total=total, unit=unit, **options) as shown:
        yield shown.update
