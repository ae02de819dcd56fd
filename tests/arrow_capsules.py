"""Valid and invalid Arrow arrays and streams, made without a library of columns."""

from __future__ import annotations

import ctypes
import struct
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p, py_object


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
    ("get_last_error", CFUNCTYPE(c_void_p, POINTER(Stream))),
    ("release", CFUNCTYPE(None, POINTER(Stream))),
    ("private_data", c_void_p),
]

LIVING = []
NUMBERS = {"c": "b", "C": "B", "s": "h", "S": "H", "i": "i", "I": "I", "l": "q", "L": "Q"}
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.argtypes, _new_capsule.restype = [c_void_p, c_char_p, c_void_p], py_object


def capsule(value, name):
    return _new_capsule(ctypes.addressof(value), name, None)


class Node:
    """An array in parts, which a test may spoil before it is handed over.

    :ivar buffers: bytes, or None for NULL
    """

    def __init__(
        self, layout, length, buffers, children=(), dictionary=None, null_count=-1, name="", offset=0, values=None
    ):
        self.layout, self.length, self.buffers, self.children = layout, length, list(buffers), list(children)
        self.dictionary, self.null_count, self.offset, self.name = dictionary, null_count, offset, name
        self.n_buffers = self.n_children = self.schema_children = (
            None  # what the struct says, where it is another number
        )
        self.values = values  # as Python objects, if they are known
        self.shift = 0  # bytes by which the buffers are not aligned
        self.released = [0, 0]  # how often the schema and the array were

    def structs(self):
        """The two structs, which live for ever: a kernel may still read them, whatever becomes of what handed them over."""
        kept = []
        LIVING.append(kept)
        schema, array = Schema(), Array()
        schema.format = None if self.layout is None else self.layout.encode()
        schema.name = self.name.encode()
        schema.n_children = len(self.children) if self.schema_children is None else self.schema_children
        array.length, array.null_count, array.offset = self.length, self.null_count, self.offset
        array.n_buffers = len(self.buffers) if self.n_buffers is None else self.n_buffers
        array.n_children = len(self.children) if self.n_children is None else self.n_children
        buffers = (c_void_p * max(1, len(self.buffers)))()
        for number, buffer in enumerate(self.buffers):
            if buffer is not None:
                size = self.shift + max(1, len(buffer))
                kept.append(ctypes.create_string_buffer(size))
                if ctypes.addressof(kept[-1]) % 8:  # small buffers on 32-bit systems
                    kept.append(ctypes.create_string_buffer(max(size, 32)))
                buffers[number] = ctypes.addressof(kept[-1]) + self.shift
                ctypes.memmove(buffers[number], buffer, len(buffer))
        array.buffers = buffers
        pairs = [child.structs() for child in self.children]
        schemas = (POINTER(Schema) * max(1, len(pairs)))(*(ctypes.pointer(pair[0]) for pair in pairs))
        arrays = (POINTER(Array) * max(1, len(pairs)))(*(ctypes.pointer(pair[1]) for pair in pairs))
        schema.children, array.children = schemas, arrays
        if self.dictionary is not None:
            pair = self.dictionary.structs()
            pairs.append(pair)
            schema.dictionary, array.dictionary = ctypes.pointer(pair[0]), ctypes.pointer(pair[1])

        def release(number):
            def called(pointer):
                self.released[number] += 1
                pointer.contents.release = type(pointer.contents.release)()

            return called

        schema.release = CFUNCTYPE(None, POINTER(Schema))(release(0))
        array.release = CFUNCTYPE(None, POINTER(Array))(release(1))
        kept += [buffers, pairs, schemas, arrays, schema, array, schema.release, array.release]
        return schema, array


class AsArray:
    """An array, with its values as Python objects for a backend without kernels."""

    def __init__(self, node):
        self.node = node
        if node.values is not None:
            self.to_pylist = lambda: node.values

    def __arrow_c_array__(self, requested_schema=None):
        schema, array = self.node.structs()
        return capsule(schema, b"arrow_schema"), capsule(array, b"arrow_array")


class AsStream:
    """A stream of arrays of one type.

    :param error: what it fails with after the arrays
    """

    def __init__(self, nodes, of=None, error=None):
        self.nodes, self.of, self.error = nodes, of or nodes[0], error
        self.released = 0
        self.stream = None
        if all(node.values is not None for node in self.nodes):
            self.to_pylist = lambda: [value for node in self.nodes for value in node.values]

    def __arrow_c_stream__(self, requested_schema=None):
        if self.stream is None:
            self.stream = self.made()
            LIVING.append(self)
        return capsule(self.stream, b"arrow_array_stream")

    def made(self):
        stream = Stream()
        left = list(self.nodes)

        def get_schema(_, schema):
            self.schema = self.of.structs()[0]
            ctypes.memmove(schema, ctypes.byref(self.schema), ctypes.sizeof(Schema))
            return 0

        def get_next(_, array):
            if left:
                pair = left.pop(0).structs()
                ctypes.memmove(array, ctypes.byref(pair[1]), ctypes.sizeof(Array))
                return 0
            if self.error is not None:
                return 5
            ctypes.memset(array, 0, ctypes.sizeof(Array))
            return 0

        def release(pointer):
            self.released += 1
            pointer.contents.release = type(pointer.contents.release)()

        self.message = None if self.error is None else ctypes.create_string_buffer(self.error.encode())
        kinds = dict(Stream._fields_)
        stream.get_schema = kinds["get_schema"](get_schema)
        stream.get_next = kinds["get_next"](get_next)
        stream.get_last_error = kinds["get_last_error"](
            lambda _: None if self.message is None else ctypes.addressof(self.message)
        )
        stream.release = kinds["release"](release)
        return stream


# ------------------------------------------------------------------------------------------------------------- columns


def bits(values, offset=0):
    """The validity of values, or None where nothing is null."""
    if None not in values:
        return None
    present = [True] * offset + [value is not None for value in values]
    return bytes(
        sum(bit << number for number, bit in enumerate(present[at : at + 8])) for at in range(0, len(present), 8)
    )


def texts(values, layout="u"):
    """A column of str, bytes or None."""
    encoded = [b"" if value is None else value if isinstance(value, bytes) else value.encode() for value in values]
    if layout.startswith("v"):
        views, data = [], [b"", b""]
        for number, text in enumerate(encoded):
            if len(text) <= 12:
                views.append(struct.pack("=i12s", len(text), text))
            else:
                buffer = number % 2
                views.append(struct.pack("=i4sii", len(text), text[:4], buffer, len(data[buffer])))
                data[buffer] += text
        sizes = struct.pack("=2q", *map(len, data))
        return Node(layout, len(values), [bits(values), b"".join(views), *data, sizes], values=values)
    ends = [0]
    for text in encoded:
        ends.append(ends[-1] + len(text))
    offsets = struct.pack(f"={len(ends)}{'q' if layout in 'UZ' else 'i'}", *ends)
    return Node(layout, len(values), [bits(values), offsets, b"".join(encoded)], values=values)


def integers(values, layout="l"):
    numbers = [0 if value is None else value for value in values]
    buffer = struct.pack(f"={len(numbers)}{NUMBERS[layout]}", *numbers)
    return Node(layout, len(values), [bits(values), buffer], values=values)


def lists(values, child, layout="+l"):
    """A column of lists or None. Those of a fixed size have the size in the layout.

    :param child: makes a column of what is in all the lists
    """
    inner = [[] if value is None else list(value) for value in values]
    if layout.startswith("+w"):
        size = int(layout[3:])
        inner = [each or [inner_value(values)] * size for each in inner]
        return Node(layout, len(values), [bits(values)], [child([entry for each in inner for entry in each])])
    kind = "q" if layout[-1] == "L" else "i"
    if layout.startswith("+v"):  # the lists the other way round in the child
        backwards = [entry for each in reversed(inner) for entry in each]
        begins, at = [], len(backwards)
        for each in inner:
            at -= len(each)
            begins.append(at)
        sizes = [struct.pack(f"={len(inner)}{kind}", *numbers) for numbers in (begins, map(len, inner))]
        return Node(layout, len(values), [bits(values), *sizes], [child(backwards)])
    ends = [0]
    for each in inner:
        ends.append(ends[-1] + len(each))
    offsets = struct.pack(f"={len(ends)}{kind}", *ends)
    children = [child([entry for each in inner for entry in each])]
    return Node(layout, len(values), [bits(values), offsets], children, values=values)


def inner_value(values):
    return next((entry for each in values if each for entry in each), 0)


def dictionary(values, child, layout="c"):
    different = list(dict.fromkeys(value for value in values if value is not None))
    node = integers([None if value is None else different.index(value) for value in values], layout)
    node.dictionary = child(different)
    node.values = values
    return node


def table(**columns):
    for name, node in columns.items():
        node.name = name
    return Node("+s", next(iter(columns.values())).length, [None], columns.values())


def sliced(node, start, stop):
    """The entries from `start` to before `stop`."""
    node.offset += start
    node.length = stop - start
    if node.values is not None:
        node.values = node.values[start:stop]
    return node
