"""Reference-counted patching of another package's objects."""

from __future__ import annotations

import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TypeVar

    Self = TypeVar("Self", bound="Replacement")

_lock = threading.Lock()


def uninstall() -> None:
    """Undo all installations of :func:`cybleu.install_as_nltk`, :func:`cybleu.install_as_sacrebleu` and
    :func:`cybleu.install_as_rouge_score`.

    Call it if the objects that these functions returned are no longer available. Without an installation it does
    nothing.

    >>> import nltk.translate, cybleu
    >>> _ = cybleu.install_as_nltk()
    >>> cybleu.uninstall()
    >>> nltk.translate.bleu.__module__
    'nltk.translate.bleu_score'
    """
    for kind in Replacement.__subclasses__():
        for installation in list(kind._active):
            installation.undo()


class Replacement:
    """Context manager that patches names in the namespaces of another package.

    Instances of a subclass share a reference count: undoing the last patch restores the original objects.

    :param places: tuples of a namespace, such as the dict of a module, a name in it, and the new object
    """

    #: What the patch replaces, for its repr.
    package: str
    what = "BLEU"
    _active: list[Replacement]
    _replaced: list[tuple[dict[str, Any], str, Any, Any]]

    def __init_subclass__(cls) -> None:
        cls._active = []
        cls._replaced = []

    def __init__(self, places: Iterable[tuple[dict[str, Any], str, Any]]):
        with _lock:
            for names, name, ours in places:
                if names[name] is not ours:
                    self._replaced.append((names, name, ours, names[name]))
                    names[name] = ours
            self._active.append(self)

    def undo(self) -> None:
        """Undo this patch; the last one restores the original objects. A second call does nothing."""
        with _lock:
            if self not in self._active:
                return
            self._active.remove(self)
            if not self._active:
                while self._replaced:
                    names, name, ours, theirs = self._replaced.pop()
                    if names.get(name, ours) is ours:  # otherwise the module was reloaded
                        names[name] = theirs

    def __repr__(self) -> str:
        if self in self._active:
            return f"<{self.package}'s {self.what} is cybleu's; .undo() restores it>"
        return f"<{self.package}'s {self.what} is its own again>"

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.undo()
