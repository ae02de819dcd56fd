"""Backend selection, and fallback to the mirror for input that the kernels decline.

The environment variable ``CYBLEU_BACKEND`` is read once at import: ``auto`` (the default; an empty value
means the same) uses the kernels if they are installed, ``cython`` requires them, ``python`` uses the mirror. Callers
import the functions and classes of the chosen backend from here; `_kernels/kernels.pyi` has their types.

Kernels decline input that they do not support, in one of two ways. A function that computes a single result returns
None without side effects; :func:`answered` then calls the fallback. A function that processes a
range returns the position that it declined; :func:`go_on` processes that item with the fallback and resumes the kernel
after it. The fallback is the mirror, or general Python code if that already is the definition.
"""

from __future__ import annotations

import os
import sys

from . import _mirror
from ._runtime.sequences import check_numbers, refuse_missing, refuse_unhashable
from ._runtime.shapes import mistake_in_tokens, warn_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any, TypeVar

    Answer = TypeVar("Answer")
    from ._kernels.kernels import *  # noqa: F403

CHOICES = ("auto", "cython", "python")


def load(choice: str) -> tuple[str, ModuleType]:
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
    return "python", _mirror


def _is_program() -> bool:
    """Return whether this process runs the command line."""
    program = sys.argv[0] if getattr(sys, "argv", None) else ""
    if program == "-m":  # before Python has located the module
        return "cybleu" in sys.orig_argv
    return os.path.basename(program).removesuffix(".exe") == "cybleu"


try:
    BACKEND, _chosen = load(os.environ.get("CYBLEU_BACKEND") or "auto")
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
    """Return the result of a kernel, or of `general(*arguments)` if the kernel declined."""
    return general(*arguments) if found is None else found


def of_segments(function: str, *arguments: Any) -> Any:
    """Return the result of the kernel with this name, or of the mirror if it declined, as it declines a str as a text.

    The first arguments are lists of references and hypotheses. Warn about a str where tokens are expected, and raise
    an error where a text is missing, a token cannot be hashed, or there are not as many hypotheses as lists of
    references.
    """
    found = None if BACKEND == "python" else getattr(_chosen, function)(*arguments)
    if found is not None:
        return found
    list_of_references, hypotheses = arguments[:2]
    check_numbers(hypotheses, list_of_references)
    warn_of(mistake_in_tokens(list_of_references, hypotheses))
    try:
        return getattr(_mirror, function)(*arguments)
    except TypeError:
        refuse_missing(list_of_references, hypotheses)
        for references, hypothesis in zip(list_of_references, hypotheses):
            refuse_unhashable(hypothesis, "the hypothesis")
            for number, reference in enumerate(references):
                refuse_unhashable(reference, f"reference {number}")
        raise


def go_on(work: Callable[[int], int], start: int, stop: int, general: Callable[[int], Any]) -> None:
    """Process a range: `work(start)` returns the first position that it declines, which `general` then processes."""
    while (start := work(start)) < stop:
        general(start)
        start += 1
