"""Long work in pieces: over threads, under a progress bar, and stopped by an interrupt between two pieces."""

from __future__ import annotations

from _thread import get_ident, start_new_thread
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from queue import Empty, SimpleQueue
from threading import Event
from time import sleep
from typing import Any

from ..errors import MissingExtraError, ThreadsError
from .interrupts import stops

_Piece = tuple[Callable[[int, int], Any], int, int]

# Of work: tokens, or what costs as much. A piece takes some hundredths of a second.
PIECE = 500_000


def run(work: Callable[[int, int], Any], total: int, cost: int, threads: int | None, progress: bool, unit: str) -> None:
    """Call `work(start, stop)` for pieces of `total` things that cost `cost` together.

    :param threads: how many threads run at the same time; None is one
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
    """Share the pieces out among this thread and others.

    This one works too, so that all is done although another may not start, for lack of memory, which nothing tells. What the
    work holds, such as buffers, only the pieces hold, and those are gone when this returns: a thread may end a little later.
    """
    given_up = Event()
    waiting: SimpleQueue[_Piece] = SimpleQueue()
    done: SimpleQueue[int | BaseException] = SimpleQueue()
    for start, stop in pairwise(bounds):
        waiting.put((work, start, stop))
    left = waiting.qsize()
    try:
        for _ in range(min(threads, left) - 1):
            with suppress(RuntimeError):  # there are as many as there can be
                start_new_thread(_help_out, (waiting, done, given_up))
        while left:
            with suppress(Empty):
                done.put(_worked(waiting.get_nowait()))
            for finished in _all_of(done):
                if isinstance(finished, BaseException):
                    raise finished
                advance(finished)
                left -= 1
    finally:
        given_up.set()
        while given_up in list(stops.values()):
            sleep(0.0002)
        for queue in (waiting, done):
            while not queue.empty():
                queue.get()


def _help_out(waiting: SimpleQueue[_Piece], done: SimpleQueue[int | BaseException], given_up: Event) -> None:
    if given_up.is_set():
        return
    stops[get_ident()] = given_up
    try:
        while not given_up.is_set():
            done.put(_worked(waiting.get_nowait()))
    except Empty:
        pass
    except BaseException as error:
        done.put(error)
    finally:
        del stops[get_ident()]


def _worked(piece: _Piece) -> int:
    work, start, stop = piece
    work(start, stop)
    return stop - start


def _all_of(queue: SimpleQueue[Any]) -> Iterator[Any]:
    """Wait until there is something, a tenth of a second at a time, because on Windows nothing interrupts waiting."""
    while True:
        try:
            yield queue.get(timeout=0.1)
            break
        except Empty:
            continue
    while not queue.empty():
        yield queue.get()


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
    except ImportError:
        raise MissingExtraError(
            "progress bars need tqdm, which is not installed; install it with: pip install 'cybleu[cli]'"
        ) from None
    with tqdm(total=total, unit=unit, **options) as shown:
        yield shown.update
