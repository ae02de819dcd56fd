"""Figures of Matplotlib, which is an extra."""

from __future__ import annotations

from ..errors import MissingExtraError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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
