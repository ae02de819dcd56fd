"""Columns that are handed over by the Arrow C data interface: by ctypes."""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int, c_int64, c_void_p, py_object

from .._runtime.interrupts import look
from ..errors import ArrowError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MOST = 1 << 56
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


class Node:
    """An array and its schema."""

    def __init__(self, schema: Any, array: Any):
        self.schema, self.array = schema, array
        self.format = _format(schema)
        _fields(schema)

    def checked(self, buffers: int, children: int) -> list[tuple[Any, Any]]:
        """The schemas and arrays of the children, where the sizes can be.

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
        return [(field, array.children[number].contents) for number, field in enumerate(fields)]

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


class ArrowColumn:
    """See the class of this name in :mod:`cybleu._kernels`.

    :ivar start: the first of its entries in the array
    :ivar present: tells of a place in the column whether its struct is there; None without a struct
    """

    start: int
    present: Callable[[int], bool] | None

    def __init__(self, schema: Any, array: Any):
        own_schema = _moved(schema, b"arrow_schema", Schema, "array")
        self._hold(own_schema, _moved(array, b"arrow_array", Array, "array"))

    def _hold(self, schema: _Own, array: _Own) -> ArrowColumn:
        self._held = schema, array
        self.node = Node(schema.struct, array.struct)
        if not 0 <= array.struct.length < MOST:
            raise ArrowError(f"an array has the length {array.struct.length}")
        self.start, self._length = 0, array.struct.length
        self.present = None
        return self

    def __len__(self) -> int:
        length: int = self._length
        return length

    @property
    def format(self) -> str:
        return _format(self.node.schema)

    @property
    def of_numbers(self) -> bool:
        return not self.node.schema.dictionary and self.format in INTEGERS

    @property
    def names(self) -> tuple[str, ...] | None:
        return _names(self.node.schema)

    def part(self, start: int, stop: int) -> ArrowColumn:
        if not 0 <= start <= stop <= self._length:
            raise ValueError("a column has not as many entries")
        column = ArrowColumn.__new__(ArrowColumn)
        column._held, column.node = self._held, self.node
        column.start, column._length = self.start + start, stop - start
        present = self.present
        column.present = None if present is None else lambda place: present(start + place)
        return column

    def field(self, number: int) -> ArrowColumn:
        node = self.node
        children = node.checked(1, len(_fields(node.schema)))
        if self.format != "+s" or not 0 <= number < len(children):
            raise ArrowError(f"an array of the format {self.format!r} has no field {number}")
        if self.present is not None:
            raise ArrowError("a column is in a struct in a struct; take it out first")
        column = ArrowColumn.__new__(ArrowColumn)
        column._held, column.node = self._held, Node(*children[number])
        column.start, column._length = self.start + node.array.offset, self._length
        column.present = lambda place: node.present(self.start + place)
        if column.node.array.length < column.start + column._length:
            raise ArrowError(f"field {number} of a struct is shorter than the struct needs")
        return column


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
