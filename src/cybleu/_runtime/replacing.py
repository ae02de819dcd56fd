"""Reference-counted patching of another package's objects."""

from __future__ import annotations

import sys
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

_lock = threading.Lock()
_active: list[Installation] = []
_replaced: dict[str, list[tuple[dict[str, Any], str, Any, Any]]] = {}  # by package


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
    for installation in _active.copy():
        installation.undo()


class Installation:
    """The result of :func:`cybleu.install_as_nltk`, :func:`cybleu.install_as_sacrebleu` and
    :func:`cybleu.install_as_rouge_score`, undone by :meth:`undo` or at the end of a ``with`` block.

    The installations for a package share a reference count: undoing the last one restores the original objects.

    :param package: the name of the package
    :param places: tuples of a namespace, such as the dict of a module, a name in it, and the new object
    :param what: the metric that is replaced

    >>> import nltk.translate, cybleu
    >>> installation = cybleu.install_as_nltk()
    >>> installation
    <nltk's BLEU is cybleu's; .undo() restores it>
    >>> installation.undo()
    >>> nltk.translate.bleu.__module__
    'nltk.translate.bleu_score'
    """

    def __init__(self, package: str, places: Iterable[tuple[dict[str, Any], str, Any]], what: str = "BLEU"):
        self.package = package
        self.what = what
        with _lock:
            replaced = _replaced.setdefault(package, [])
            for names, name, ours in places:
                if names[name] is not ours:
                    replaced.append((names, name, ours, names[name]))
                    names[name] = ours
            _active.append(self)

    def undo(self) -> None:
        """Undo this installation; the last one restores the original objects. A second call does nothing."""
        with _lock:
            if self not in _active:
                return
            _active.remove(self)
            if any(other.package == self.package for other in _active):
                return
            for names, name, ours, theirs in reversed(_replaced.pop(self.package)):
                if names.get(name, ours) is ours:  # otherwise the module was reloaded
                    names[name] = theirs

    def __repr__(self) -> str:
        if self in _active:
            return f"<{self.package}'s {self.what} is cybleu's; .undo() restores it>"
        return f"<{self.package}'s {self.what} is its own again>"

    def __enter__(self) -> Installation:
        return self

    def __exit__(self, *exception: object) -> None:
        self.undo()


def places_in(package: str, replaced: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], str, Any]]:
    """Yield where modules of a package that are imported have objects of its own with these names, and the new objects."""
    modules = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] == package]
    # sacreBLEU's command looks up the classes in a dict
    for names in [names for module in modules for names in (vars(module), getattr(module, "METRICS", {}))]:
        for name, ours in replaced.items():
            if getattr(names.get(name), "__module__", "").startswith(f"{package}."):
                yield names, name, ours
