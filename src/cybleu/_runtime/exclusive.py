"""Iterators that raise if two threads read them at the same time."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from functools import wraps
from threading import Lock
from typing import Any, TypeVar

__all__ = ["exclusive"]

_Make = TypeVar("_Make", bound=Callable[..., Iterator[Any]])


class ExclusiveIterator(Iterator[Any]):
    """A generator that refuses a second reader. Without the GIL, CPython's own may crash."""

    __slots__ = ("_generator", "_lock", "_name")

    def __init__(self, generator: Generator[Any, None, None], name: str):
        self._generator, self._name, self._lock = generator, name, Lock()

    def __next__(self) -> Any:
        return self._alone(self._generator.__next__)

    def close(self) -> None:
        """Close files that the iterator reads, before its end."""
        self._alone(self._generator.close)

    def _alone(self, step: Callable[[], Any]) -> Any:
        if not self._lock.acquire(blocking=False):
            raise ValueError(
                f"this iterator of {self._name} is already being read; read it in one thread, or hold a lock"
            )
        try:
            return step()
        finally:
            self._lock.release()


def exclusive(function: _Make) -> _Make:
    """Let the iterators that a generator function returns be read by one thread at a time."""

    @wraps(function)
    def made(*arguments: Any, **options: Any) -> Any:
        return ExclusiveIterator(function(*arguments, **options), function.__name__)  # type: ignore[arg-type]

    return made  # type: ignore[return-value]
