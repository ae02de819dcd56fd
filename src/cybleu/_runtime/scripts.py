"""Run an unchanged script with another package patched by cybleu."""

from __future__ import annotations

import os
import sys
from importlib.machinery import SourceFileLoader
from types import ModuleType

from ..errors import MissingExtraError
from . import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn


class ProgramArguments(list[str]):
    """List of a script's arguments, used as `sys.argv`, that applies the patch when it is unpickled.

    multiprocessing sends `sys.argv` to processes started by spawn or forkserver before they load the script, so
    unpickling patches the package in subprocesses as well.
    """

    def __init__(self, arguments: list[str], install: Callable[[], Any]):
        super().__init__(arguments)
        self.install = install

    def __reduce__(self) -> tuple[Any, ...]:
        return _arrived, ([*self], self.install)


def _arrived(arguments: list[str], install: Callable[[], Any]) -> ProgramArguments:
    install()
    return ProgramArguments(arguments, install)


def run_script(arguments: list[str], command: str, place: str, install: Callable[[], Any]) -> None:
    """Run a Python script, or a module after ``-m``, as ``__main__`` with a package patched by cybleu.

    :param arguments: options, the script, then its arguments
    :param command: name of the command, for messages
    :param place: name of the patched package, for messages
    :param install: a picklable function that applies the patch
    """
    usage = f"usage: python -m cybleu {command} (SCRIPT | -m MODULE) [ARGUMENT ...]\n"
    if arguments[:1] in (["-h"], ["--help"]):
        print(
            f"{usage}\nRun a Python script or module with cybleu instead of {place}.\n\n"
            "  -h, --help  show this message and exit\n\n"
            "Processes that the script starts with multiprocessing (fork, spawn or forkserver) also use cybleu.\n"
            "Other programs that it starts, and processes started by other libraries, do not."
        )
        return
    module = arguments[:1] == ["-m"]
    arguments = arguments[1:] if module else arguments
    if not arguments:
        print(usage, end="", file=sys.stderr)
        sys.exit(2)
    target = arguments[0]
    if not module and not os.path.exists(target):
        mistake = f"{command} has no option {target!r}; it has -m and --help"
        if not target.startswith("-"):
            mistake = f"there is no script {target!r} to run"
        print(f"cybleu: error: {mistake}", file=sys.stderr)
        sys.exit(2)
    try:
        install()
    except MissingExtraError as error:
        sys.exit(f"cybleu: error: {error}")
    sys.argv = ProgramArguments(arguments, install)
    if module:
        import runpy  # here, because installing does not need it

        sys.path.insert(0, os.getcwd())
        runpy.run_module(target, run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, os.path.dirname(os.path.abspath(target)))
        _run_file(target)


def _run_file(target: str) -> None:
    """Run a script as `python SCRIPT` does: `__file__` is absolute, `sys.argv[0]` as given. runpy makes both the same."""
    import runpy
    from pkgutil import get_importer

    # Python normalises the path only on Windows
    path = os.path.abspath(target) if system.WINDOWS else os.path.join(os.getcwd(), target)
    if path.endswith(".pyc") or get_importer(path) is not None:  # None for a file that is no archive
        runpy.run_path(target, run_name="__main__")
        return
    loader = _Script("__main__", path)
    main = sys.modules["__main__"] = ModuleType("__main__")
    vars(main).update(__file__=path, __cached__=None, __loader__=loader)
    loader.exec_module(main)


class _Script(SourceFileLoader):
    """Loader that neither reads nor writes bytecode."""

    def path_stats(self, path: Any) -> NoReturn:
        raise OSError
