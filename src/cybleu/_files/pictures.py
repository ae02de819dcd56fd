"""Pictures by Matplotlib, which is an extra."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import MissingExtraError, UnknownNameError
from .writing import check_paths, writing


def figure_class() -> Any:
    """
    :raises MissingExtraError: Matplotlib is not installed
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError(
            "plots need Matplotlib, which is not installed; install it with: pip install 'cybleu[plot]'"
        ) from None
    return Figure


def kind_of_picture(path: str, *kinds: str) -> str:
    """Which of these kinds of files a picture is to be.

    :raises UnknownNameError: its name ends otherwise
    :raises InputFileError: it cannot be written
    :raises MissingExtraError: Matplotlib is not installed
    """
    kind = Path(path).suffix.lower()[1:]
    if kind not in kinds:
        *others, last = (f".{one}" for one in kinds)
        raise UnknownNameError(f"the plot {path!r} must be a {', '.join(others)} or {last} file")
    check_paths([path])
    figure_class()
    return kind


def write_picture(path: str, picture: bytes) -> None:
    """If there is an error, a file that was there is not changed."""
    with writing(path) as file:
        file.buffer.write(picture)
