"""Texts as ids of tokens."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class TokenTexts:
    """See the class of this name in :mod:`cybleu._kernels`."""

    def __init__(self, ids: Any, begins: Any, ends: Any):
        self.texts: list[list[int]] = [ids[begin:end].tolist() for begin, end in zip(begins.tolist(), ends.tolist())]
