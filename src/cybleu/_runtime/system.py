"""What differs between Windows and other systems."""

from __future__ import annotations

import os
import shlex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

WINDOWS = os.name == "nt"


def command_line(words: Sequence[str]) -> str:
    """Join words into a command that can be copied into the system's shell."""
    if WINDOWS:
        from subprocess import list2cmdline  # importing it is slow

        return list2cmdline(words)
    return shlex.join(words)


def words_of(command: str) -> list[str]:
    """Split a command into words, as a shell does; on Windows, a backslash is an ordinary character.

    :raises ValueError: a quotation is not closed
    """
    lexer = shlex.shlex(command, posix=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    if WINDOWS:
        lexer.escape = ""  # a backslash separates folders
    return list(lexer)
