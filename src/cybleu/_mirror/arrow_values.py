"""The texts, the whole numbers and the lists of them in the arrays of a column: by ctypes."""

from __future__ import annotations

import ctypes
from array import array as numbers_of
from bisect import bisect_right
from itertools import accumulate

from ..errors import ArrowError, NotUtf8Error
from .arrow import INTEGERS, Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .arrow import ArrowColumn

MOST_LEVELS = 2
TEXTS = {"u": "i", "U": "l", "z": "i", "Z": "l", "vu": "", "vz": ""}  # with the type of their offsets
LISTS = {"+l": "i", "+L": "l", "+vl": "i", "+vL": "l"}


class _Tree(Node):
    """An array with the arrays of its dictionary, its runs or its lists."""

    def check(self, level: int, wrapped: int) -> None:
        """Look at the whole tree, whatever is asked for."""
        if self.schema.dictionary or self.format == "+r":
            if wrapped == 4:
                raise ArrowError("dictionaries and runs are too deep in each other")
            if self.schema.dictionary:
                if not self.array.dictionary or self.format not in INTEGERS:
                    raise ArrowError(f"an array of the format {self.format!r} has no dictionary, or is no index of one")
                self.checked(2, 0)
                self.inner = _Tree(self.schema.dictionary.contents, self.array.dictionary.contents)
            else:
                runs, self.inner = (_Tree(*child) for child in self.checked(0, 2))
                runs.checked(2, 0)
                if runs.format not in ("s", "i", "l") or self.inner.array.length < runs.array.length:
                    raise ArrowError(
                        f"the ends of runs have the format {runs.format!r}, or there are not as many values"
                    )
                first = runs.array.offset
                self.ends = [runs.number(1, runs.format, first + place) for place in range(runs.array.length)]
                if any(end <= before for before, end in zip([0, *self.ends], self.ends)):
                    raise ArrowError("the ends of runs do not rise")
                if [0, *self.ends][-1] < self.array.offset + self.array.length:
                    raise ArrowError("the runs end before the array")
            self.inner.check(level, wrapped + 1)
        elif self.format in TEXTS:
            self.checked(-3 if self.format[0] == "v" else 3, 0)
            self.buffer(1)
            if self.format[0] == "v" and self.array.n_buffers > 3 and not self.array.buffers[self.array.n_buffers - 1]:
                raise ArrowError("string views have buffers, and the sizes of those are missing")
        elif self.format in INTEGERS:
            self.checked(2, 0)
            self.buffer(1)
        elif self.format in LISTS or self.format.startswith("+w:"):
            if level == MOST_LEVELS:
                raise ArrowError("the lists of a column are more than two deep, as references with tokens are")
            if self.format in LISTS:
                buffers = 3 if self.format[1] == "v" else 2
            else:
                buffers = 1
                if not self.format[3:].isdecimal() or len(self.format) > 18:
                    raise ArrowError(f"lists of a fixed size have the format {self.format!r}")
            (self.inner,) = (_Tree(*child) for child in self.checked(buffers, 1))
            if (
                buffers == 1
                and (self.array.offset + self.array.length) * int(self.format[3:]) > self.inner.array.length
            ):
                raise ArrowError("lists of a fixed size do not fit into their child")
            if buffers > 1:
                for number in range(1, buffers):
                    self.buffer(number)
            self.inner.check(level + 1, 0)
        elif self.format != "n":
            raise ArrowError(
                f"a column of the Arrow format {self.format!r} holds neither texts, nor whole numbers, nor lists"
            )

    def entries(self, column: ArrowColumn) -> list[Any]:
        """What is in a column of this array."""
        self.check(0, 0)
        present = column.present or (lambda place: True)
        return [self.value(column.start + place) if present(place) else None for place in range(len(column))]

    def leaf(self) -> _Tree:
        """What is in all dictionaries, runs and lists."""
        return self.inner.leaf() if hasattr(self, "inner") else self

    def kind(self) -> tuple[int, str]:
        """How deep the lists are, and what is in them."""
        if self.schema.dictionary or self.format == "+r":
            return self.inner.kind()
        if self.format.startswith("+"):
            depth, kind = self.inner.kind()
            return depth + 1, kind
        return 0, "texts" if self.format in TEXTS else "integers" if self.format in INTEGERS else "nothing"

    def value(self, position: int) -> Any:
        """A list, bytes, an int, or None where there is nothing."""
        place = self.array.offset + position
        if self.format == "n":
            return None
        if self.format == "+r":
            return self.inner.value(bisect_right(self.ends, place))
        if not self.present(position):
            return None
        if self.schema.dictionary:
            index = self.number(1, self.format, place)
            if not 0 <= index < self.inner.array.length:
                raise ArrowError(f"a dictionary has {self.inner.array.length} entries, and an index is {index}")
            return self.inner.value(index)
        if self.format in INTEGERS:
            number = self.number(1, self.format, place)
            if number >= 2**63:
                raise ArrowError(f"number {position} is {number}, which does not fit int64")
            return number
        if self.format in TEXTS:
            return self._view(place) if self.format[0] == "v" else self._text(place, TEXTS[self.format])
        return [self.inner.value(entry) for entry in range(*self._bounds(place))]

    def _text(self, place: int, kind: str) -> bytes:
        begin, end = self.number(1, kind, place), self.number(1, kind, place + 1)
        if not 0 <= begin <= end or (end > begin and not self.array.buffers[2]):
            raise ArrowError(f"text {place} is from {begin} to {end}, which cannot be")
        return ctypes.string_at(self.array.buffers[2] + begin, end - begin) if end > begin else b""

    def _view(self, place: int) -> bytes:
        start = self.buffer(1) + 16 * place
        size, _, number, begin = (ctypes.c_int32 * 4).from_address(start)
        if 0 <= size <= 12:
            return ctypes.string_at(start + 4, size)
        buffers = self.array.n_buffers - 3
        if size > 0 and 0 <= number < buffers and self.array.buffers[2 + number]:
            sizes = (ctypes.c_int64 * buffers).from_address(self.array.buffers[self.array.n_buffers - 1])
            if begin >= 0 and begin + size <= sizes[number]:
                return ctypes.string_at(self.array.buffers[2 + number] + begin, size)
        raise ArrowError(f"string view {place} is of {size} bytes from {begin} in buffer {number}, which are not there")

    def _bounds(self, place: int) -> tuple[int, int]:
        if self.format not in LISTS:
            width = int(self.format[3:])
            return place * width, (place + 1) * width
        kind = LISTS[self.format]
        begin = self.number(1, kind, place)
        end = begin + self.number(2, kind, place) if self.format[1] == "v" else self.number(1, kind, place + 1)
        if not 0 <= begin <= end <= self.inner.array.length:
            raise ArrowError(f"list {place} is from {begin} to {end} of a child of {self.inner.array.length}")
        return begin, end


class ArrowValues:
    """See the class of this name in :mod:`cybleu._kernels`."""

    def __init__(self, columns: list[ArrowColumn], dropped: int = -1):
        trees = [_Tree(column.node.schema, column.node.array) for column in columns]
        entries = [entry for tree, column in zip(trees, columns) for entry in tree.entries(column)]
        kinds = {tree.kind() for tree in trees}
        self._in_bytes = any(tree.leaf().format.endswith(("z", "Z")) for tree in trees)
        self.depth = max((depth for depth, _ in kinds), default=0)
        known = {kind for _, kind in kinds} - {"nothing"}
        if len(known) > 1:
            raise ArrowError("the arrays of a column are of different types")
        self.kind = next(iter(known), "nothing")
        self.count = len(entries)
        self._ends: list[list[int]] = []
        self._nulls = [_places_of_none(entries)]
        for level in range(1, self.depth + 1):
            lists = [entry or [] for entry in entries]
            if level == dropped:
                lists = [[entry for entry in entries if entry is not None] for entries in lists]
            self._ends.append(list(accumulate(map(len, lists))))
            entries = [entry for entries in lists for entry in entries]
            self._nulls.append(_places_of_none(entries))
        self._entries = entries

    def __len__(self) -> int:
        return self.count

    def ends_of(self, level: int) -> bytes:
        return numbers_of("q", self._ends[level]).tobytes()

    def nulls_of(self, level: int) -> list[int]:
        return self._nulls[level]

    def numbers(self) -> bytes:
        return numbers_of("q", [entry or 0 for entry in self._entries] if self.kind == "integers" else []).tobytes()

    def texts(self) -> list[Any]:
        texts = [entry or b"" for entry in self._entries] if self.kind == "texts" else []
        return texts if self._in_bytes else [_decoded(number, text) for number, text in enumerate(texts)]

    def lines(self) -> list[bytes]:
        """The texts in UTF-8, which may be wrong."""
        return [entry or b"" for entry in self._entries] if self.kind == "texts" else []


def _places_of_none(entries: list[Any]) -> list[int]:
    return [place for place, entry in enumerate(entries) if entry is None]


def _decoded(number: int, text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise NotUtf8Error(number, error.start, text[error.start]) from None
