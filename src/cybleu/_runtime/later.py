"""Lazy imports: public names of a package are imported on first use, which keeps `import cybleu` fast."""

from __future__ import annotations

import sys

from ..errors import MissingExtraError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def later(
    package: str, modules: Mapping[str, str], submodules: str = ""
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` for a package.

    :param package: the name of the package
    :param modules: module names, each with the names that it defines, separated by spaces
    :param submodules: public modules of the package, separated by spaces
    """
    exports = {name: module for module, names in modules.items() for name in names.split()}
    module_of = {**exports, **{name: name for name in submodules.split()}}

    def get(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        path = f"{package}.{module_of[name]}"
        try:
            __import__(path)  # `importlib` itself takes long to import
        except MissingExtraError as error:
            # keep the traceback short: the frames of the lazy import do not help the caller
            raise error.with_traceback(None) from error.__cause__
        module = sys.modules[path]
        value = getattr(module, name) if name in exports else module
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

        # without NumPy omit names that require it: `help` fails on them
        names = filter(there, module_of) if find_spec("numpy") is None else module_of
        return sorted({*vars(sys.modules[package]), *names})

    return get, listed, sorted(exports)
