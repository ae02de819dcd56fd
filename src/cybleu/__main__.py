"""``python -m cybleu`` and the command ``cybleu``."""

from __future__ import annotations

import errno
import gc
import os
import sys
from importlib.util import find_spec

from ._about import version
from .errors import MissingExtraError, printable

RUNNERS = (["run-as-nltk"], ["run-as-sacrebleu"])


def main() -> None:
    """Run the command line; what needs no extra works without one."""
    arguments = sys.argv[1:]
    if arguments[:1] in RUNNERS and arguments[1:2] not in (["-h"], ["--help"]):
        _run(arguments)  # whose output is the script's own affair
        return
    try:
        try:
            _run(arguments)
        finally:
            if hasattr(gc, "freeze"):
                gc.freeze()  # all goes with the process: to look for cycles in it takes longer than many a command
            if sys.stdout is not None and not sys.stdout.closed:  # as it is when nobody read what a wrapper wrote to it
                sys.stdout.flush()  # or it fails when nobody can report it
    except MissingExtraError as error:
        print(f"cybleu: error: {error}", file=sys.stderr)
        sys.exit(2)
    except MemoryError as error:
        what = printable(str(error))
        print(f"cybleu: error: there is not enough memory{f': {what}' if what else ''}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        if error.filename is not None:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # where the rest goes
        if error.errno == errno.EPIPE:
            sys.exit(1)
        print(f"cybleu: error: standard output: cannot be written: {error.strerror or error}", file=sys.stderr)
        sys.exit(2)


def _run(arguments: list[str]) -> None:
    if arguments == ["--version"]:
        print(version())
    elif arguments[:1] == ["run-as-nltk"]:
        from .bleu_score.install import run_as_nltk

        run_as_nltk(arguments[1:])
    elif arguments[:1] == ["run-as-sacrebleu"]:
        from .sacrebleu_compat.install import run_as_sacrebleu

        run_as_sacrebleu(arguments[1:])
    else:
        if not (find_spec("click") and find_spec("tqdm")):  # to import the second takes long, and few commands need it
            sys.exit(
                "the cybleu command needs packages that are not installed; install them with: pip install 'cybleu[cli]'"
            )
        from .cli import cli

        cli(prog_name="cybleu")


if __name__ == "__main__":
    main()
