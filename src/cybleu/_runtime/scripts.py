"""Run an unchanged script with another package patched by cybleu."""

from __future__ import annotations

import os
import runpy
import sys

from ..errors import MissingExtraError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


class _Arguments(list[str]):
    """List of a script's arguments, used as `sys.argv`, that applies the patch when it is unpickled.

    multiprocessing sends `sys.argv` to processes started by spawn or forkserver before they load the script, so
    unpickling patches the package in subprocesses as well.
    """

    def __init__(self, arguments: list[str], install: Callable[[], Any]):
        super().__init__(arguments)
        self.install = install

    def __reduce__(self) -> tuple[Any, ...]:
        return _arrived, ([*self], self.install)


def _arrived(arguments: list[str], install: Callable[[], Any]) -> _Arguments:
    install()
    return _Arguments(arguments, install)


def program_arguments(arguments: list[str], install: Callable[[], Any]) -> list[str]:
    """Return a value for `sys.argv` with which processes that multiprocessing starts are patched, too."""
    return _Arguments(arguments, install)


def run_script(
    arguments: list[str],
    command: str,
    place: str,
    install: Callable[[], Any],
    options: Mapping[str, tuple[Callable[[], Any], str]] | None = None,
) -> None:
    """Run a Python script, or a module after ``-m``, as ``__main__`` with a package patched by cybleu.

    :param arguments: options, the script, then its arguments
    :param command: name of the command, for messages
    :param place: name of the patched package, for messages
    :param install: a picklable function that applies the patch
    :param options: alternative functions by option, each with its help text
    """
    options = options or {}
    known = "".join(f"[{name}] " for name in options)
    usage = f"usage: python -m cybleu {command} {known}(SCRIPT | -m MODULE) [ARGUMENT ...]\n"
    if arguments[:1] in (["-h"], ["--help"]):
        lines = "".join(f"  {name:<10}  {words}\n" for name, (_, words) in options.items())
        print(
            f"{usage}\nRun a Python script, or a module, with cybleu instead of {place}.\n\n{lines}"
            "  -h, --help  show this message and exit\n\n"
            "Processes that the script starts with multiprocessing have cybleu there, too, by fork, spawn and forkserver.\n"
            "Other programs that it starts, and processes of other libraries, do not."
        )
        return
    if arguments and arguments[0] in options:
        install = options[arguments[0]][0]
        arguments = arguments[1:]
    module = arguments[:1] == ["-m"]
    arguments = arguments[1:] if module else arguments
    if not arguments:
        print(usage, end="", file=sys.stderr)
        sys.exit(2)
    target = arguments[0]
    if not module and target.startswith("-"):
        has = "".join(f"{name}, " for name in options)
        print(f"cybleu: error: {command} has no option {target!r}; it has {has}-m and --help", file=sys.stderr)
        sys.exit(2)
    if not module and not os.path.exists(target):
        print(f"cybleu: error: there is no script {target!r} to run", file=sys.stderr)
        sys.exit(2)
    try:
        install()
    except MissingExtraError as error:
        sys.exit(f"cybleu: error: {error}")
    sys.argv = _Arguments(arguments, install)
    if module:
        sys.path.insert(0, os.getcwd())
        runpy.run_module(target, run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, os.path.dirname(os.path.abspath(target)))
        runpy.run_path(target, run_name="__main__")
