"""Numbers that somebody gives."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..errors import CybleuError


def check_whole(number: Any, name: str, least: int, most: int | None = None, *, error: type[CybleuError]) -> None:
    """:raises CybleuError: the number is no int from `least` to `most`; of the class that is given"""
    if type(number) is not int or number < least or (most is not None and number > most):
        to = "" if most is None else f" to {most}"
        raise error(f"{name} is {number!r}; it must be a whole number from {least}{to}")
