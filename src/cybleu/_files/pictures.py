"""Pictures drawn by Matplotlib, an optional dependency."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .._runtime.extras import extra
from ..errors import UnknownNameError
from .text import shown
from .writing import check_paths, writing


def figure_class() -> Any:
    """
    :raises MissingExtraError: Matplotlib is not installed
    """
    with extra("matplotlib", "plots require Matplotlib", "cybleu[plot]"):
        from matplotlib.figure import Figure
    return Figure


def kind_of_picture(path: str, *kinds: str) -> str:
    """Find the format of a picture from its name, and check that it can be written.

    :raises UnknownNameError: its name has another ending
    :raises InputFileError: it cannot be written
    :raises MissingExtraError: Matplotlib is not installed
    """
    kind = Path(path).suffix.lower()[1:]
    if kind not in kinds:
        *others, last = (f".{one}" for one in kinds)
        raise UnknownNameError(f"the plot {shown(path)} must be a {', '.join(others)} or {last} file")
    check_paths([path])
    figure_class()
    return kind


def write_picture(path: str, picture: bytes) -> None:
    """If there is an error, a file that was there is not changed."""
    with writing(path) as file:
        file.buffer.write(picture)
