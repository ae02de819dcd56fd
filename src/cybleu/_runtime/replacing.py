"""cybleu's objects in the place of another package's, until nobody wants them there any more."""

from __future__ import annotations

import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TypeVar

    Self = TypeVar("Self", bound="Replacement")

_lock = threading.Lock()


class Replacement:
    """One call that puts objects into the namespaces of another package.

    The calls of a subclass share what they have replaced: the last one to be undone puts it back.

    :param places: a namespace, such as that of a module, a name in it, and the object that is to have this name
    """

    _active: list[Replacement]
    _replaced: list[tuple[dict[str, Any], str, Any, Any]]

    def __init_subclass__(cls) -> None:
        cls._active, cls._replaced = [], []

    def __init__(self, places: Iterable[tuple[dict[str, Any], str, Any]]):
        with _lock:
            for names, name, ours in places:
                if names[name] is not ours:
                    self._replaced.append((names, name, ours, names[name]))
                    names[name] = ours
            self._active.append(self)
            self._moved(there=True)

    def undo(self) -> None:
        """Take this installation back. The last one puts the package's own objects back. A second call does nothing."""
        with _lock:
            if self not in self._active:
                return
            self._active.remove(self)
            if not self._active:
                while self._replaced:
                    names, name, ours, theirs = self._replaced.pop()
                    if names.get(name, ours) is ours:  # or else the module was loaded anew
                        names[name] = theirs
                self._moved(there=False)

    def _moved(self, there: bool) -> None:
        """What else is to be done when objects have taken their places, or have left them."""

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.undo()
