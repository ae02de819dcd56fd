"""Texts as ids of tokens."""

from __future__ import annotations

from functools import cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class TokenTexts:
    """See the class of this name in :mod:`cybleu._kernels`."""

    def __init__(self, ids: Any, begins: Any, ends: Any):
        self.ids = ids
        self.begins = begins
        self.ends = ends
        self.size = len(begins)

    @cached_property
    def texts(self) -> list[list[int]]:
        places = zip(self.begins.tolist(), self.ends.tolist())
        return [self.ids[begin:end].tolist() for begin, end in places]
