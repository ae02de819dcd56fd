"""Columns of texts, of numbers and of lists of them, from what hands them over by the Arrow C data interface: by ctypes."""

from __future__ import annotations

import ctypes
from array import array as numbers_of
from bisect import bisect_right
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int, c_int64, c_void_p, py_object
from itertools import accumulate

from .._runtime.interrupts import look
from ..errors import ArrowError, NotUtf8Error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST = 1 << 56
MOST_LEVELS = 2
INTEGERS = {
    "c": ctypes.c_int8,
    "C": ctypes.c_uint8,
    "s": ctypes.c_int16,
    "S": ctypes.c_uint16,
    "i": ctypes.c_int32,
    "I": ctypes.c_uint32,
    "l": ctypes.c_int64,
    "L": ctypes.c_uint64,
}
TEXTS = {"u": "i", "U": "l", "z": "i", "Z": "l", "vu": "", "vz": ""}  # with the type of their offsets
LISTS = {"+l": "i", "+L": "l", "+vl": "i", "+vL": "l"}


class Schema(Structure):
    pass


class Array(Structure):
    pass


class Stream(Structure):
    pass


Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_void_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(Schema))),
    ("dictionary", POINTER(Schema)),
    ("release", CFUNCTYPE(None, POINTER(Schema))),
    ("private_data", c_void_p),
]
Array._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(Array))),
    ("dictionary", POINTER(Array)),
    ("release", CFUNCTYPE(None, POINTER(Array))),
    ("private_data", c_void_p),
]
Stream._fields_ = [
    ("get_schema", CFUNCTYPE(c_int, POINTER(Stream), POINTER(Schema))),
    ("get_next", CFUNCTYPE(c_int, POINTER(Stream), POINTER(Array))),
    ("get_last_error", CFUNCTYPE(c_char_p, POINTER(Stream))),
    ("release", CFUNCTYPE(None, POINTER(Stream))),
    ("private_data", c_void_p),
]


class _Own:
    """A struct that was moved here, released with this."""

    def __init__(self, struct: Any):
        self.struct = struct

    def __del__(self) -> None:
        if self.struct.release:
            self.struct.release(byref(self.struct))


def _moved(capsule: Any, name: bytes, kind: Any, what: str) -> _Own:
    valid = ctypes.pythonapi.PyCapsule_IsValid
    valid.argtypes, valid.restype = [py_object, c_char_p], c_int
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.argtypes, pointer.restype = [py_object, c_char_p], c_void_p
    if not valid(capsule, name):
        raise ArrowError(f"a capsule with the name {name.decode()} was expected, not {type(capsule).__name__}")
    given = kind.from_address(pointer(capsule, name))
    if not given.release:
        raise ArrowError(f"the {what} was consumed, or released, before; ask for it again")
    moved = kind()
    ctypes.memmove(byref(moved), byref(given), ctypes.sizeof(kind))
    ctypes.memset(ctypes.addressof(given) + kind.release.offset, 0, kind.release.size)
    return _Own(moved)


def _format(schema: Any) -> str:
    found: bytes | None = schema.format
    if found is None:
        raise ArrowError("a schema has no format")
    return found.decode("utf-8", "replace")


def _fields(schema: Any) -> list[Any]:
    if not 0 <= schema.n_children < MOST or (schema.n_children and not schema.children):
        raise ArrowError(f"a schema has {schema.n_children} children, and none are there")
    if not all(schema.children[number] for number in range(schema.n_children)):
        raise ArrowError("a child of a schema is not there")
    return [schema.children[number].contents for number in range(schema.n_children)]


def _names(schema: Any) -> tuple[str, ...] | None:
    fields = _fields(schema)
    if _format(schema) != "+s":
        return None
    return tuple((field.name or b"").decode("utf-8", "replace") for field in fields)


class ArrowColumn:
    """See the class of this name in :mod:`cybleu._kernels`."""

    def __init__(self, schema: Any, array: Any):
        own_schema = _moved(schema, b"arrow_schema", Schema, "array")
        self._hold(own_schema, _moved(array, b"arrow_array", Array, "array"))

    def _hold(self, schema: _Own, array: _Own) -> ArrowColumn:
        self._held = schema, array
        self._node = _Node(schema.struct, array.struct)
        if array.struct.length < 0:
            raise ArrowError(f"an array has the length {array.struct.length}")
        self._start, self._length = 0, array.struct.length
        self._present: Any = None
        return self

    def __len__(self) -> int:
        length: int = self._length
        return length

    @property
    def format(self) -> str:
        return _format(self._node.schema)

    @property
    def of_numbers(self) -> bool:
        return not self._node.schema.dictionary and self.format in INTEGERS

    @property
    def names(self) -> tuple[str, ...] | None:
        return _names(self._node.schema)

    def part(self, start: int, stop: int) -> ArrowColumn:
        if not 0 <= start <= stop <= self._length:
            raise ValueError("a column has not as many entries")
        column = ArrowColumn.__new__(ArrowColumn)
        column._held, column._node = self._held, self._node
        column._start, column._length = self._start + start, stop - start
        present = self._present
        column._present = None if present is None else lambda place: present(start + place)
        return column

    def field(self, number: int) -> ArrowColumn:
        node = self._node
        children = node.checked(1, len(_fields(node.schema)))
        if self.format != "+s" or not 0 <= number < len(children):
            raise ArrowError(f"an array of the format {self.format!r} has no field {number}")
        if self._present is not None:
            raise ArrowError("a column is in a struct in a struct; take it out first")
        column = ArrowColumn.__new__(ArrowColumn)
        column._held, column._node = self._held, children[number]
        column._start, column._length = self._start + node.array.offset, self._length
        column._present = lambda place: node.present(self._start + place)
        if children[number].array.length < column._start + column._length:
            raise ArrowError(f"field {number} of a struct is shorter than the struct needs")
        return column

    def _values(self) -> list[Any]:
        present = self._present or (lambda place: True)
        self._node.check(0, 0)
        return [self._node.value(self._start + place) if present(place) else None for place in range(self._length)]


class ArrowStream:
    """See the class of this name in :mod:`cybleu._kernels`."""

    def __init__(self, stream: Any):
        self._own = _moved(stream, b"arrow_array_stream", Stream, "stream")
        if not self._own.struct.get_schema or not self._own.struct.get_next:
            raise ArrowError("the stream has no functions to read it")
        self._schema = _Own(Schema())
        self._call(self._own.struct.get_schema, self._schema)
        if not self._schema.struct.release:
            raise ArrowError("the stream gives a schema that is released")
        _fields(self._schema.struct)

    def _call(self, function: Any, own: _Own) -> None:
        stream = self._own.struct
        failed = function(byref(stream), byref(own.struct))
        if failed:
            text = stream.get_last_error(byref(stream)) if stream.get_last_error else None
            raise ArrowError(
                f"the stream fails with the number {failed}" + (f": {text.decode('utf-8', 'replace')}" if text else "")
            )

    @property
    def format(self) -> str:
        return _format(self._schema.struct)

    @property
    def names(self) -> tuple[str, ...] | None:
        return _names(self._schema.struct)

    def next(self) -> ArrowColumn | None:
        look()
        own = _Own(Array())
        self._call(self._own.struct.get_next, own)
        if not own.struct.release:
            return None
        return ArrowColumn.__new__(ArrowColumn)._hold(self._schema, own)


class _Node:
    """An array and its schema."""

    def __init__(self, schema: Any, array: Any):
        self.schema, self.array = schema, array
        self.format = _format(schema)
        _fields(schema)

    def checked(self, buffers: int, children: int) -> list[_Node]:
        """The children, where the sizes can be.

        :param buffers: how many there must be; at least so many where it is negative
        """
        array, fields = self.array, _fields(self.schema)
        enough = array.n_buffers == buffers or (buffers < 0 and -buffers <= array.n_buffers < MOST)
        if (
            not 0 <= array.length < MOST
            or not 0 <= array.offset < MOST - array.length
            or not -1 <= array.null_count <= array.length
            or not enough
            or (array.n_buffers and not array.buffers)
            or not array.n_children == len(fields) == children
            or (children and not array.children)
            or not all(array.children[number] for number in range(children))
            or not all(0 <= array.children[number].contents.length < MOST for number in range(children))
        ):
            raise ArrowError(
                f"an array of the format {self.format!r} has the length {array.length}, the offset {array.offset}, "
                f"{array.null_count} nulls, {array.n_buffers} buffers and {array.n_children} children, which cannot be"
            )
        return [_Node(field, array.children[number].contents) for number, field in enumerate(fields)]

    def buffer(self, number: int) -> int:
        address = self.array.buffers[number]
        if address is None and self.array.length:
            raise ArrowError(f"an array of the format {self.format!r} has no buffer {number}")
        return address or 0

    def present(self, place: int) -> bool:
        bits, place = self.array.buffers[0], self.array.offset + place
        return bits is None or bool(ctypes.c_uint8.from_address(bits + place // 8).value >> place % 8 & 1)

    def number(self, buffer: int, kind: str, place: int) -> int:
        of_kind: Any = INTEGERS[kind]
        found: int = of_kind.from_address(self.buffer(buffer) + place * ctypes.sizeof(of_kind)).value
        return found

    def check(self, level: int, wrapped: int) -> None:
        """Look at the whole tree, whatever is asked for."""
        if self.schema.dictionary or self.format == "+r":
            if wrapped == 4:
                raise ArrowError("dictionaries and runs are too deep in each other")
            if self.schema.dictionary:
                if not self.array.dictionary or self.format not in INTEGERS:
                    raise ArrowError(f"an array of the format {self.format!r} has no dictionary, or is no index of one")
                self.checked(2, 0)
                self.inner = _Node(self.schema.dictionary.contents, self.array.dictionary.contents)
            else:
                runs, self.inner = self.checked(0, 2)
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
            (self.inner,) = self.checked(buffers, 1)
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
            sizes = (c_int64 * buffers).from_address(self.array.buffers[self.array.n_buffers - 1])
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
        entries = [value for column in columns for value in column._values()]
        kinds = {column._node.kind() for column in columns}
        self._in_bytes = any(_leaf(column._node).format.endswith(("z", "Z")) for column in columns)
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


def _leaf(node: _Node) -> _Node:
    while hasattr(node, "inner"):
        node = node.inner
    return node


def _places_of_none(entries: list[Any]) -> list[int]:
    return [place for place, entry in enumerate(entries) if entry is None]


def _decoded(number: int, text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise NotUtf8Error(number, error.start, text[error.start]) from None
