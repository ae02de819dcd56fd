"""Decoders that are commands."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .._files.text import shown
from .._runtime.system import command_line, words_of
from ..errors import DecoderError

if TYPE_CHECKING:
    from pathlib import Path


class DecoderCommand:
    """A command that decodes, for :func:`mert_loop`. Its standard output goes to standard error.

    :param command: the program and its arguments, as a list; or a str that is split as a shell does, but on Windows a
        backslash is an ordinary character. ``{weights}`` is replaced by the path of the weights file, and ``{nbest}``
        by the path of the list to write
    :raises DecoderError: the command is empty, or cannot be split

    >>> DecoderCommand("decoder --weights {weights} --n-best {nbest}").words
    ['decoder', '--weights', '{weights}', '--n-best', '{nbest}']
    """

    def __init__(self, command: str | Sequence[str]):
        try:
            self.words = words_of(command) if isinstance(command, str) else list(command)
        except ValueError as error:
            raise DecoderError(
                f"the command of the decoder cannot be split into words: {error}: {shown(command)}"
            ) from None
        if not self.words:
            raise DecoderError("the command of the decoder is empty; give the program and its arguments")

    def __call__(self, weights: dict[str, float], path: Path) -> None:
        """Run the command.

        :param weights: what the file of weights holds
        :param path: the list to write; the file of weights, ``weights``, is in its folder
        :raises DecoderError: the command cannot be run, or fails
        """
        paths = {"{weights}": str(path.parent / "weights"), "{nbest}": str(path)}
        # in one pass, because the path of the folder may have such a name in braces
        words = [re.sub("{weights}|{nbest}", lambda found: paths[found[0]], word) for word in self.words]
        # standard output is reserved for the results of the calling program
        output = None if sys.__stderr__ is None else 2
        try:
            status = subprocess.run(words, check=False, stdout=output).returncode
        except OSError as error:
            raise DecoderError(f"the decoder cannot be run: {command_line(words)}: {error}") from error
        if status:
            raise DecoderError(f"the decoder ended with status {status}: {command_line(words)}")
