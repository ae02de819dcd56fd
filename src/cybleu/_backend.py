"""The backend that is chosen when cybleu is imported, and two ways to go on where a kernel declines its input.

The environment variable ``CYBLEU_BACKEND`` is read once: ``auto`` (the default; an empty value means the same) uses the
kernels if they are installed, ``cython`` requires them, ``python`` uses the mirror. Other modules import the functions and
classes of the chosen backend from here; `_kernels/kernels.pyi` has their types.

A kernel declines what it does not support, such as tokens of a user's class, which could run Python code. The caller then
computes the same in Python, with :mod:`cybleu._definitions`: see :func:`answered` for a result, :func:`go_on` for a range.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any, TypeVar

    Answer = TypeVar("Answer")
    from ._kernels.kernels import *  # noqa: F403

CHOICES = ("auto", "cython", "python")


def choose_backend(choice: str) -> tuple[str, ModuleType]:
    """Return the name and the module of the backend for a value of ``CYBLEU_BACKEND``.

    If the extension is not installed, the mirror is used silently; if it is installed but does not load, the mirror is
    used with a ``RuntimeWarning``, because the loss of speed is unexpected.

    :raises ValueError: the value is not one of the three
    :raises ImportError: the value is ``cython`` and the extension is missing or broken
    """
    if choice not in CHOICES:
        raise ValueError(f"CYBLEU_BACKEND={choice!r} is not a backend; use one of {', '.join(CHOICES)}")
    if choice != "python":
        try:
            import cybleu._kernels.kernels as kernels
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("cybleu._kernels"):
                raise
            if choice == "cython":
                raise ImportError(
                    "CYBLEU_BACKEND=cython, but this installation of cybleu has no compiled extension; "
                    "install a binary wheel or build from source with a C compiler"
                ) from error
        except ImportError as error:
            if choice == "cython":
                raise
            import warnings

            warnings.warn(
                f"the compiled extension of cybleu does not load, so the slower pure-Python backend runs: {error}",
                RuntimeWarning,
                stacklevel=2,
            )
        else:
            return "cython", kernels
    from . import _mirror

    return "python", _mirror


def _is_program() -> bool:
    """Return whether this process runs the command line."""
    program = sys.argv[0] if getattr(sys, "argv", None) else ""
    if program == "-m":  # before Python has located the module
        return "cybleu" in sys.orig_argv
    return os.path.basename(program).removesuffix(".exe") == "cybleu"


try:
    BACKEND, _chosen = choose_backend(os.environ.get("CYBLEU_BACKEND") or "auto")
except (ValueError, ImportError) as error:
    if not _is_program():
        raise
    print(f"cybleu: error: {error}", file=sys.stderr)
    sys.exit(2)


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Return a function or a class of the chosen backend."""
        if name.startswith("_"):  # such as the `__path__` of a package
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(_chosen, name)


def answered(found: Answer | None, general: Callable[..., Answer], *arguments: Any) -> Answer:
    """Return what a kernel has found, or `general(*arguments)` if it has declined.

    A kernel that computes one result returns None to decline, and has then changed nothing. `general` is the definition in
    Python, which takes any arguments and raises the errors for those that are mistaken.
    """
    return general(*arguments) if found is None else found


def go_on(work: Callable[[int], int], start: int, stop: int, general: Callable[[int], Any]) -> None:
    """Process a range with a kernel, and with `general` the positions that it declines.

    A kernel that works on a range takes the position to start at, and returns how far it came: `stop`, or the first
    position that it declines. `general` processes this one in Python, and the kernel starts again after it.
    """
    while (start := work(start)) < stop:
        general(start)
        start += 1
