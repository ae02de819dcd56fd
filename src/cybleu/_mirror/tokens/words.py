"""Token ids of raw text."""

from __future__ import annotations

from array import array
from itertools import repeat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..text.raw_texts import RawTexts


class RawVocabulary:
    """See the class of this name in :mod:`cybleu._kernels`."""

    def __init__(self, tokenizer: Any):
        self.tokenizer = tokenizer
        self._numbers: dict[str, int] = {}

    def add(self, texts: RawTexts, ends: Any) -> bytes:
        for line in texts.texts:
            for token in self.tokenizer.tokens(line):
                self._numbers.setdefault(token, len(self._numbers))
        return self.look_up(texts, ends)

    def look_up(self, texts: RawTexts, ends: Any) -> bytes:
        found = array("i")
        for position, text in enumerate(self.numbered(texts.texts)):
            found.extend(text)
            ends[position] = len(found)
        return found.tobytes()

    def numbered(self, lines: list[str]) -> list[list[int]]:
        return [list(map(self._numbers.get, self.tokenizer.tokens(line), repeat(-1))) for line in lines]
