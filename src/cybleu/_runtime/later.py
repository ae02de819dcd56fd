"""Names that a package offers and imports when they are first used: an import costs a program nothing that it may not need."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def later(
    package: str, modules: Mapping[str, str], rooms: str = ""
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """The functions `__getattr__` and `__dir__` of a package, and its `__all__`.

    :param package: its name
    :param modules: below it, each with the names that it has, separated by blanks
    :param rooms: modules below it that are names of the package themselves
    """
    doors = rooms.split()
    homes = {name: module for module, names in modules.items() for name in names.split()}

    def get(name: str) -> Any:
        if name not in homes and name not in doors:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        if name in doors:
            return import_module(f".{name}", package)
        value = getattr(import_module(f".{homes[name]}", package), name)
        setattr(sys.modules[package], name, value)
        return value

    def listed() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes, *doors})

    return get, listed, sorted(homes)
