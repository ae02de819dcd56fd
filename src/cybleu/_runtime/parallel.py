"""Split long-running work into chunks, with threads, a progress bar and checks for interrupts between chunks."""

from __future__ import annotations

from _thread import get_ident, start_new_thread
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from queue import Empty, SimpleQueue
from threading import Event
from time import sleep
from typing import Any, TypeVar

from ..errors import UnknownNameError
from .extras import extra
from .interrupts import stops

_Piece = TypeVar("_Piece")
_Result = TypeVar("_Result")

# Cost of a chunk, in tokens or work of the same cost: a few hundredths of a second.
PIECE = 500_000


def run(work: Callable[[int, int], Any], total: int, cost: int, threads: int | None, progress: bool, unit: str) -> None:
    """Call `work(start, stop)` for chunks of `total` items with the total cost `cost`.

    :param threads: number of threads; None means one
    """
    threads = checked_threads(threads)
    if total == 0 or (threads == 1 and not progress):
        work(0, total)
        return
    pieces = max(4 * threads, 100 if progress else 1, cost // PIECE)
    pieces = min(total, pieces + -pieces % threads)  # a multiple of the number of threads
    bounds = [total * piece // pieces for piece in range(pieces + 1)]

    def done(piece: tuple[int, int]) -> int:
        work(*piece)
        return piece[1] - piece[0]

    with bar(total, progress, f" {unit}") as advance:
        for count in in_order(done, pairwise(bounds), threads):
            advance(count)


def in_order(
    work: Callable[[_Piece], _Result], pieces: Iterable[_Piece], threads: int | None = None
) -> Iterator[_Result]:
    """Yield the result of `work` for each piece, in order, reading only a few pieces ahead.

    The calling thread generates the pieces and processes some itself, so the work is completed even if no other thread
    can start, for example for lack of memory. Buffers are referenced by the pieces only and are released when this
    function returns, although a thread may end slightly later.

    :param threads: number of threads; None means one
    """
    threads = checked_threads(threads)
    if threads == 1:
        yield from map(work, pieces)
        return
    source = iter(pieces)
    given_up = Event()
    waiting: SimpleQueue[Any] = SimpleQueue()  # items (work, number, piece); None at the end
    done: SimpleQueue[Any] = SimpleQueue()  # items (number, result), or an exception
    found: dict[int, _Result] = {}
    started = taken = given = 0
    more = True
    try:
        while more or given < taken:
            # limit the number of finished results kept while an earlier piece is still running
            while more and waiting.qsize() < 2 * threads and taken - given < 4 * threads:
                try:
                    waiting.put((work, taken, next(source)))
                except StopIteration:
                    more = False
                    break
                taken += 1
                if started + 1 < min(threads, taken):
                    started += 1
                    with suppress(RuntimeError):  # the thread limit is reached
                        start_new_thread(_help_out, (waiting, done, given_up))
            with suppress(Empty):
                done.put(_worked(waiting.get_nowait()))
            for finished in _all_of(done) if taken > given + len(found) else ():
                if isinstance(finished, BaseException):
                    raise finished
                number, result = finished
                found[number] = result
            while given in found:
                yield found.pop(given)
                given += 1
    finally:
        given_up.set()
        for _ in range(started):
            waiting.put(None)
        while given_up in list(stops.values()):
            sleep(0.0002)
        for queue in (waiting, done):
            while not queue.empty():
                queue.get()


def _help_out(waiting: SimpleQueue[Any], done: SimpleQueue[Any], given_up: Event) -> None:
    if given_up.is_set():
        return
    stops[get_ident()] = given_up
    try:
        while not given_up.is_set() and _helped(waiting, done):
            pass
    except BaseException as error:
        done.put(error)
    finally:
        del stops[get_ident()]


def _helped(waiting: SimpleQueue[Any], done: SimpleQueue[Any]) -> bool:
    """Process one piece; return False if there are no more."""
    piece = waiting.get()
    if piece is not None:
        done.put(_worked(piece))
    return piece is not None


def _worked(piece: tuple[Callable[[_Piece], _Result], int, _Piece]) -> tuple[int, _Result]:
    work, number, thing = piece
    return number, work(thing)


def _all_of(queue: SimpleQueue[Any]) -> Iterator[Any]:
    """Wait for an item, a tenth of a second at a time, because on Windows blocking waits cannot be interrupted."""
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
        raise UnknownNameError(f"threads is {threads!r}; it must be a whole number from 1, or None for one thread")
    return threads


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
    with tqdm(total=total, unit=unit, **options) as shown:
        yield shown.update
