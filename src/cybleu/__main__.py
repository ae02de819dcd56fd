"""Entry point of ``python -m cybleu`` and of the command ``cybleu``."""

from __future__ import annotations

import errno
import gc
import os
import sys
from importlib.util import find_spec
from io import FileIO, TextIOWrapper
from types import ModuleType

import cybleu

from ._about import version
from ._runtime import system
from .errors import MissingExtraError, _printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

# by command, the name of what cybleu replaces in a script, and the function that does so
RUNNERS = {
    "run-as-nltk": ("NLTK's BLEU, chrF, GLEU and NIST", "install_as_nltk"),
    "run-as-rouge-score": ("rouge_score's RougeScorer", "install_as_rouge_score"),
    "run-as-sacrebleu": ("sacreBLEU's BLEU, chrF and TER", "install_as_sacrebleu"),
}


def main() -> None:
    """Run the command line. Commands without optional dependencies run without them."""
    gc.set_threshold(100_000)  # lists of tokens hold no cycles, and looking for some takes a fifth of the time
    arguments = sys.argv[1:]
    if arguments and arguments[0] in (*RUNNERS, "sacrebleu") and arguments[1:2] not in (["-h"], ["--help"]):
        try:
            _run(arguments)  # a program writes its own output
        except MissingExtraError as error:
            _end(str(error))
        return
    if system.WINDOWS:
        _write_utf8(sys.stdout)
        _write_utf8(sys.stderr)
    try:
        try:
            _run(arguments)
        finally:
            if hasattr(gc, "freeze"):
                gc.freeze()  # a last collection takes longer than many commands, and the process ends anyway
            if sys.stdout is not None and not sys.stdout.closed:  # a wrapper may close it when its reader has ended
                sys.stdout.flush()  # here, because errors at exit cannot be reported
    except KeyboardInterrupt:  # during imports; later, click prints the same message
        print("\nAborted!", file=sys.stderr)
        sys.exit(1)
    except MissingExtraError as error:
        _end(str(error))
    except MemoryError as error:
        _end(_printable(f"there is not enough memory: {error}".removesuffix(": ")))
    except OSError as error:
        if error.errno == errno.ENOMEM:
            _end("there is not enough memory")
        if error.filename is not None:
            _end(_printable(f"{error.filename}: {error.strerror}"))
        # discard buffered output, so that flushing at exit does not fail
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        # the reader has ended, which Windows reports as EINVAL
        if error.errno == errno.EPIPE or (system.WINDOWS and error.errno == errno.EINVAL):
            sys.exit(1)
        _end(f"standard output: cannot be written: {error.strerror or error}")


def _write_utf8(stream: Any) -> None:
    """Write UTF-8 with LF to a file or a pipe on Windows, as on other systems; its code pages lack most characters."""
    if not isinstance(stream, TextIOWrapper):
        return
    raw = getattr(stream.buffer, "raw", stream.buffer)  # there is no buffer with python -u
    # the console, which shows all characters, is no FileIO; NUL is one, but isatty() is true for both
    if isinstance(raw, FileIO):
        encoding = None if os.environ.get("PYTHONIOENCODING") else "utf-8"
        stream.reconfigure(encoding=encoding, errors=stream.errors, newline="\n")


def _end(message: str) -> NoReturn:
    print(f"cybleu: error: {message}", file=sys.stderr)
    sys.exit(2)


def _run(arguments: list[str]) -> None:
    if arguments == ["--version"]:
        print(version())
        return
    command = arguments[0] if arguments else ""
    if command in RUNNERS:
        from ._runtime.scripts import run_script

        place, function = RUNNERS[command]
        run_script(arguments[1:], command, place, getattr(cybleu, function))
        return
    if command == "sacrebleu":
        from .sacrebleu_compat.install import run_sacrebleu

        # In place of `sys.argv[0]`, the help of Python 3.15's argparse names a module that runs.
        sys.modules["__main__"] = ModuleType("__main__")
        run_sacrebleu(arguments[1:])
        return
    # not imported, because importing tqdm is slow, and few commands use it
    if not (find_spec("click") and find_spec("tqdm")):
        sys.exit(
            'the cybleu command requires packages that are not installed; install them with: pip install "cybleu[cli]"'
        )
    from .cli import cli

    cli(arguments, prog_name="cybleu")


if __name__ == "__main__":
    main()
