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

    def numbers(self, texts: RawTexts, ends: Any, adds: bool) -> bytes:
        found = array("i")
        for position, line in enumerate(texts.texts):
            tokens = self.tokenizer.tokens(line)
            if adds:
                for token in tokens:
                    self._numbers.setdefault(token, len(self._numbers))
            found.extend(map(self._numbers.get, tokens, repeat(-1)))
            ends[position] = len(found)
        return found.tobytes()
