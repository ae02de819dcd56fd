"""Run the decoder of a loop, and read the list that it writes."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from .._files.text import shown
from .._files.weights import read_weights, write_weights
from .._files.writing import errors_named
from ..errors import CybleuError, DecoderError, InputFileError, WeightsError
from ..nbest import NBest

Decoder = Callable[[dict[str, float], Path], Any] | str | Sequence[str]
PROBE = 1 << 16  # bytes to write in order to check for a full disk


def words_of(command: str | Sequence[str]) -> list[str]:
    """Split the command of a decoder as a shell does.

    :raises DecoderError: it cannot be split, or is empty
    """
    try:
        words = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise DecoderError(
            f"the command of the decoder cannot be split into words: {error}: {shown(command)}"
        ) from None
    if not words:
        raise DecoderError("the command of the decoder is empty; give the program and its arguments")
    return words


def make_folder(folder: Path) -> None:
    """Create a folder unless it exists.

    :raises InputFileError: it does not exist and cannot be created
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputFileError(f"{folder}: cannot be created: {error.strerror or error}") from error


def decoded(
    place: Path,
    decode: Decoder,
    weights: dict[str, float],
    read: Callable[[Path], tuple[NBest, NBest]],
    check_lock: Callable[[], None],
) -> tuple[NBest, NBest]:
    """Decode unless the list of this iteration exists, and read the list.

    :param place: the folder of the iteration
    :param check_lock: called before the list gets its final name
    :raises DecoderError: the decoder failed, wrote no list, or wrote one that cannot be read
    :raises InputFileError: the decoder failed because the disk is full
    """
    file, nbest = place / "weights", place / "nbest"
    if file.exists():
        if read_weights(file) != weights:
            raise WeightsError(
                f"{file} holds other weights than those that this run begins with; give the folder of the same run, or a "
                "new one"
            )
    else:
        write_weights(file, weights)
    if nbest.exists():
        return read(nbest)
    with errors_named(str(nbest)):
        for old in place.glob("nbest.*.partial"):
            old.unlink()
    # a unique name, because a decoder that outlives its loop may still write to it
    partial_list = place / f"nbest.{os.urandom(4).hex()}.partial"
    try:
        _run(decode, weights, file, partial_list)
        try:
            lists = read(partial_list)
        except CybleuError as error:
            raise DecoderError(
                f"the list that the decoder wrote cannot be used: {error}; fix the decoder, and call again with the same "
                "folder: this iteration is decoded again"
            ) from error
    except DecoderError:
        _check_disk(place)
        raise
    check_lock()
    with errors_named(str(nbest)):
        os.replace(partial_list, nbest)
    return lists


def _run(decode: Decoder, weights: dict[str, float], file: Path, partial_list: Path) -> None:
    if callable(decode):
        decode(dict(weights), partial_list)
    else:
        paths = {"{weights}": str(file), "{nbest}": str(partial_list)}
        # in one pass, because the path of the folder may have such a name in braces
        command = [re.sub("{weights}|{nbest}", lambda found: paths[found[0]], word) for word in decode]
        try:
            # standard output is reserved for the results of the calling program
            output = None if sys.__stderr__ is None else 2
            status = subprocess.run(command, check=False, stdout=output).returncode
        except OSError as error:
            raise DecoderError(f"the decoder cannot be run: {shlex.join(command)}: {error}") from error
        if status:
            raise DecoderError(f"the decoder ended with status {status}: {shlex.join(command)}")
    if not partial_list.exists():
        raise DecoderError(f"the decoder wrote no list to {partial_list}")


def _check_disk(folder: Path) -> None:
    """Check that the disk of a folder is not full.

    :raises InputFileError: nothing can be written to the disk
    """
    try:
        with TemporaryFile(dir=folder) as file:
            file.write(os.urandom(PROBE))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise InputFileError(
            f"{folder}: nothing can be written to this disk: {error.strerror or error}; free some space, and call again "
            "with the same folder: this iteration is decoded again"
        ) from error
