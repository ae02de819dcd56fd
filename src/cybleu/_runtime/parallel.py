"""Long work in pieces: over threads, under a progress bar, and stopped by an interrupt between two pieces."""

from __future__ import annotations

from _thread import get_ident, start_new_thread
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from queue import Empty, SimpleQueue
from threading import Event
from time import sleep
from typing import Any, TypeVar

from ..errors import MissingExtraError, ThreadsError
from .interrupts import stops

_Piece = TypeVar("_Piece")
_Result = TypeVar("_Result")

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

    def done(piece: tuple[int, int]) -> int:
        work(*piece)
        return piece[1] - piece[0]

    with bar(total, progress, f" {unit}") as advance:
        for count in in_order(done, pairwise(bounds), threads):
            advance(count)


def in_order(
    work: Callable[[_Piece], _Result], pieces: Iterable[_Piece], threads: int | None = None
) -> Iterator[_Result]:
    """What `work` makes of each piece, in their order; only some pieces are taken ahead.

    This thread makes the pieces and works too, so that all is done although another may not start, for lack of memory, which
    nothing tells. What the work holds, such as buffers, only the pieces hold, and those are gone when this ends: a thread may end
    a little later.

    :param threads: how many threads work at the same time; None is one
    """
    threads = checked_threads(threads)
    if threads == 1:
        yield from map(work, pieces)
        return
    source = iter(pieces)
    given_up = Event()
    waiting: SimpleQueue[Any] = SimpleQueue()  # of (work, number, piece), at the end None
    done: SimpleQueue[Any] = SimpleQueue()  # of (number, result), or an exception
    found: dict[int, _Result] = {}
    started = taken = given = 0
    more = True
    try:
        while more or given < taken:
            # and while one piece takes long, the results of only some after it are kept
            while more and waiting.qsize() < 2 * threads and taken - given < 4 * threads:
                try:
                    waiting.put((work, taken, next(source)))
                except StopIteration:
                    more = False
                    break
                taken += 1
                if started + 1 < min(threads, taken):
                    started += 1
                    with suppress(RuntimeError):  # there are as many as there can be
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
    """Do one piece; false if there will be no more."""
    piece = waiting.get()
    if piece is not None:
        done.put(_worked(piece))
    return piece is not None


def _worked(piece: tuple[Callable[[_Piece], _Result], int, _Piece]) -> tuple[int, _Result]:
    work, number, thing = piece
    return number, work(thing)


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
