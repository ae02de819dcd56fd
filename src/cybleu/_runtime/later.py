"""Names that a package offers and imports when they are first used: an import costs a program nothing that it may not need."""

from __future__ import annotations

import sys

from ..errors import MissingExtraError

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

        try:
            module = import_module(f".{homes.get(name, name)}", package)
        except MissingExtraError as error:
            # who asked has the one line that asks, not a page of imports
            raise error.with_traceback(None) from error.__cause__
        if name in doors:
            return module
        value = getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    def there(name: str) -> bool:
        try:
            get(name)
        except MissingExtraError:
            return False
        return True

    def listed() -> list[str]:
        from importlib.util import find_spec

        names = {*homes, *doors}
        if find_spec("numpy") is None:  # then what needs it is not to be had, which `help` is not prepared for
            names = set(filter(there, names))
        return sorted({*vars(sys.modules[package]), *names})

    return get, listed, sorted(homes)
