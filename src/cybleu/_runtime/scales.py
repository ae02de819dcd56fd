"""Format scores and counts for output."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    from numpy.typing import NDArray

    Scores = TypeVar("Scores", float, NDArray[Any])


def percent(score: Scores, scale: float) -> Scores:
    """Convert a score, or an array of scores, to the scale from 0 to 100.

    :param scale: the score of a perfect match
    """
    return 100 / scale * score


def counted(number: int, one: str, several: str = "") -> str:
    """Format a count with its noun: `1 segment`, `2 segments`.

    :param several: the plural, by default with an s
    """
    return f"{number} {one if number == 1 else several or one + 's'}"
