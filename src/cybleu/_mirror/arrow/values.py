"""Texts, integers and lists of these in columns of Python objects."""

from __future__ import annotations

from array import array
from itertools import accumulate, chain

from ...errors import ArrowError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .streams import ArrowColumn

MOST_LEVELS = 2
KINDS = {str: "texts", bytes: "texts", int: "integers"}


class ArrowValues:
    """See the class of this name in :mod:`cybleu._kernels`."""

    def __init__(self, columns: list[ArrowColumn], dropped: int = -1):
        entries = list(chain.from_iterable(column.entries for column in columns))
        self.count = len(entries)
        self.depth = 0
        self._ends: list[list[int]] = []
        self._nulls = [_places_of_none(entries)]
        while list in (types := {type(entry) for entry in entries if entry is not None}):
            if types != {list}:
                raise ArrowError("the entries of a column are of different types")
            if self.depth == MOST_LEVELS:
                raise ArrowError("the lists of a column are more than two deep, as references with tokens are")
            self.depth += 1
            lists = [entry or [] for entry in entries]
            if self.depth == dropped:
                lists = [[entry for entry in entries if entry is not None] for entries in lists]
            self._ends.append(list(accumulate(map(len, lists))))
            entries = list(chain.from_iterable(lists))
            self._nulls.append(_places_of_none(entries))
        if len(types) > 1 or not types <= KINDS.keys():
            names = " and ".join(sorted(kind.__name__ for kind in types))
            raise ArrowError(f"a column of {names} holds neither texts nor integers nor lists of them")
        self._binary = bytes in types
        self.kind = next((KINDS[kind] for kind in types), "nothing")
        self._entries = entries

    def __len__(self) -> int:
        return self.count

    def ends_of(self, level: int) -> bytes:
        return array("q", self._ends[level]).tobytes()

    def nulls_of(self, level: int) -> list[int]:
        return self._nulls[level]

    def numbers(self) -> bytes:
        try:
            return array("q", [entry or 0 for entry in self._entries] if self.kind == "integers" else []).tobytes()
        except OverflowError as error:
            raise ArrowError("a column holds an integer that does not fit int64") from error

    def texts(self) -> list[Any]:
        nothing = b"" if self._binary else ""
        return [nothing if entry is None else entry for entry in self._entries] if self.kind == "texts" else []

    def lines(self) -> list[bytes]:
        """Return the texts encoded as UTF-8, which may be invalid."""
        return [text if isinstance(text, bytes) else text.encode() for text in self.texts()]


def _places_of_none(entries: list[Any]) -> list[int]:
    return [place for place, entry in enumerate(entries) if entry is None]
