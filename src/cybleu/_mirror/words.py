"""The numbers of the tokens of texts in bytes, split on white space."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Words:
    """See the class of this name in :mod:`cybleu._kernels`."""

    def __init__(self, numbers: dict[str, int]):
        self._numbers = {token.encode("utf-8", "surrogatepass"): number for token, number in numbers.items()}

    def look_up(self, block: bytes, begins: Any, ends: Any, unicode: bool, ids: Any) -> None:
        count = 0
        for position, (begin, end) in enumerate(zip(begins.tolist(), ends.tolist())):
            text = block[begin:end]
            tokens = [token.encode() for token in text.decode().split()] if unicode else text.split()
            begins[position] = count
            for token in tokens:
                ids[count] = self._numbers.get(token, -1)
                count += 1
            ends[position] = count
