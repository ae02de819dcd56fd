"""Long work in pieces: over threads, under a progress bar, and stopped by an interrupt between two pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

from ._interrupts import Stopped, stops
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
        _run_in_threads(work, bounds, threads, advance)


def _run_in_threads(
    work: Callable[[int, int], Any], bounds: list[int], threads: int, advance: Callable[[int], Any]
) -> None:
    from concurrent.futures import Future, ThreadPoolExecutor
    from queue import Empty, SimpleQueue
    from threading import Event, get_ident

    given_up = Event()
    done: SimpleQueue[Future[int]] = SimpleQueue()

    def piece(start: int, stop: int) -> int:
        stops[get_ident()] = given_up
        try:
            if given_up.is_set():
                raise Stopped
            work(start, stop)
        finally:
            del stops[get_ident()]
        return stop - start

    with ThreadPoolExecutor(threads) as pool:
        try:
            for start, stop in pairwise(bounds):
                pool.submit(piece, start, stop).add_done_callback(done.put)
            left = len(bounds) - 1
            while left:
                try:
                    finished = done.get(timeout=0.1)  # not for ever: on Windows nothing interrupts waiting
                except Empty:
                    continue
                advance(finished.result())
                left -= 1
        except BaseException:
            given_up.set()
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
