"""What differs between Windows and other systems."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

WINDOWS = os.name == "nt"


def command_line(words: Sequence[str]) -> str:
    """Join words into a command that can be copied into the system's shell."""
    # importing these modules takes long beside `cybleu --version`
    if WINDOWS:
        from subprocess import list2cmdline

        return list2cmdline(words)
    from shlex import join

    return join(words)


def split_command(command: str) -> list[str]:
    """Split a command into words, as a shell does; on Windows, a backslash is an ordinary character.

    :raises ValueError: a quotation is not closed
    """
    from shlex import shlex

    lexer = shlex(command, posix=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    if WINDOWS:
        lexer.escape = ""  # a backslash separates folders
    return list(lexer)
