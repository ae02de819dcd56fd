"""Report errors and Ctrl-C during the import of the command line in one line instead of a traceback."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

usual = sys.excepthook


def is_program() -> bool:
    """Return whether this process runs the command line."""
    program = sys.argv[0] if getattr(sys, "argv", None) else ""
    if program == "-m":  # before Python has located the module
        return "cybleu" in sys.orig_argv
    return os.path.basename(program).removesuffix(".exe") == "cybleu"


def report(kind: type[BaseException], error: BaseException, traceback: Any) -> None:
    """Report Ctrl-C the way click does."""
    if issubclass(kind, KeyboardInterrupt):
        print("\nAborted!", file=sys.stderr)
    else:
        usual(kind, error, traceback)


def report_interrupts() -> None:
    """Report Ctrl-C without a traceback until :func:`leave_interrupts`, if this process runs the command line."""
    if is_program():
        sys.excepthook = report


def leave_interrupts() -> None:
    """Restore the exception hook: click handles errors of the command line, and scripts handle their own."""
    if sys.excepthook is report:
        sys.excepthook = usual
