"""The formats of n-best lists by name, and the reader of each."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING

from .._files.text import shown
from ..errors import ArrayValueError, UnknownNameError
from .fairseq import FairseqReader
from .lines import FieldReader, Reader
from .plain import PlainReader

if TYPE_CHECKING:
    Path = str | PathLike[str]

FORMATS = ("moses", "joshua", "plain", "fairseq", "json")


def open_reader(
    path: Path, name: str | None, size: int | None, features: Path | None, names: Sequence[str] | None
) -> Reader:
    """The reader of a format. `size`, `features` and `names` are for the plain one."""
    if name is not None and name not in FORMATS:
        raise UnknownNameError(f"unknown format {shown(name)}; use one of {', '.join(FORMATS)}")
    if name == "plain" or (name is None and size is not None):
        if type(size) is not int or size < 1:
            raise ArrayValueError(
                f"size is {size!r}; the plain format needs the number of lines of each segment, from 1"
            )
        return PlainReader(path, size, features, names)
    if size is not None or features is not None or names is not None:
        raise ArrayValueError("size, features and names are for the plain format, a file without fields")
    if name == "fairseq":
        return FairseqReader(path)
    if name == "json":
        from .json_lines import JsonReader  # what it imports takes a while

        return JsonReader(path)
    return FieldReader(path, name)
