"""Columns whose offsets, indices or buffers are out of range: pyarrow reads them, and its functions crash on them."""

import ctypes

import numpy as np
import pytest
from hypothesis import given, strategies as st

import cybleu
from command_line import run
from cybleu import References, columns
from cybleu.errors import ArrowError, CybleuError
from cybleu.explanations import blind_spots
from cybleu.rerank import mbr
from cybleu.sacrebleu_compat import corpus_bleu

pytestmark = pytest.mark.filterwarnings("ignore::cybleu.errors.ShapeWarning")

SOUND = [0, 2, 4, 6]
FALLING = [0, 4, 2, 6]
BEYOND = [0, 2**31 - 2, 2**31 - 1, 6]
NEGATIVE = [0, -(2**31), 2, 6]


def buffer(pa, numbers, width=np.int32):
    return pa.py_buffer(np.array(numbers, width))


def texts(pa, offsets=SOUND, kind="string"):
    """Three texts of ``abcdef``."""
    width = np.int64 if kind.startswith("large") else np.int32
    buffers = [None, buffer(pa, offsets, width), pa.py_buffer(b"abcdef")]
    return pa.Array.from_buffers(getattr(pa, kind)(), 3, buffers)


def views(pa, size, place=0):
    """Three texts of 16 letters, of which the second has these numbers in its view."""
    data = b"0123456789abcdef"
    letters = int.from_bytes(data[:4], "little")
    numbers = [[16, letters, 0, 0], [size, letters, place, 0], [16, letters, 0, 0]]
    buffers = [None, buffer(pa, numbers), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.string_view(), 3, buffers)


def lists(pa, offsets, values):
    return pa.Array.from_buffers(pa.list_(values.type), 3, [None, buffer(pa, offsets)], children=[values])


def list_views(pa, offsets, sizes):
    values = pa.array(["a", "b", "c"])
    return pa.Array.from_buffers(
        pa.list_view(pa.string()), 3, [None, buffer(pa, offsets), buffer(pa, sizes)], children=[values]
    )


def fixed(pa, values):
    return pa.FixedSizeListArray.from_arrays(values, 1)


def dictionary(pa, indices, values=None):
    values = pa.array(["a", "b"]) if values is None else values
    return pa.DictionaryArray.from_arrays(pa.array(indices, pa.int32()), values, safe=False)


def run_ends(pa, ends, values):
    kind = pa.run_end_encoded(pa.int32(), pa.string())
    return pa.Array.from_buffers(kind, 3, [None], children=[pa.array(ends, pa.int32()), values])


LETTERS = list("abcdef")
DAMAGED = {
    "texts whose offsets fall": lambda pa: texts(pa, FALLING),
    "texts beyond the data": lambda pa: texts(pa, BEYOND),
    "texts before the data": lambda pa: texts(pa, NEGATIVE),
    "large texts": lambda pa: texts(pa, [0, 2**62, 2, 6], "large_string"),
    "a view with a negative size": lambda pa: views(pa, -1),
    "a view beyond the data": lambda pa: views(pa, 2**31 - 1),
    "a view of another buffer": lambda pa: views(pa, 16, place=7),
    "lists": lambda pa: lists(pa, FALLING, pa.array(LETTERS)),
    "lists beyond the values": lambda pa: lists(pa, BEYOND, pa.array(LETTERS)),
    "lists of damaged texts": lambda pa: lists(pa, [0, 1, 2, 3], texts(pa, BEYOND)),
    "lists of damaged lists": lambda pa: lists(pa, [0, 1, 2, 3], lists(pa, FALLING, pa.array(LETTERS))),
    "lists of a fixed size": lambda pa: fixed(pa, texts(pa, FALLING)),
    "list views beyond the values": lambda pa: list_views(pa, [0, 2**31 - 1, 0], [1, 1, 1]),
    "list views of a negative size": lambda pa: list_views(pa, [0, 2, 0], [1, -1, 1]),
    "an index beyond the dictionary": lambda pa: dictionary(pa, [0, 2**31 - 1, 1]),
    "the texts of a dictionary": lambda pa: dictionary(pa, [0, 1, 2], texts(pa, BEYOND)),
    "run ends": lambda pa: run_ends(pa, [1, -5, 3], pa.array(["a", "b", "c"])),
    "the texts of run ends": lambda pa: run_ends(pa, [1, 2, 3], texts(pa, BEYOND)),
}
PLAIN = ["a", "b", "c"]
USES = {
    "hypotheses": lambda column: cybleu.rows(column, [PLAIN] * 3),
    "references": lambda column: cybleu.rows(PLAIN, column),
    "references in several columns": lambda column: cybleu.rows(PLAIN, [column, column]),
    "References": References,
    "chrf": lambda column: cybleu.chrf(column, PLAIN),
    "Reward": lambda column: cybleu.Reward(column="r")(completions=PLAIN, r=column),
    "mbr": mbr,
    "documents": lambda column: corpus_bleu(PLAIN, [column]),
    "a list of texts": lambda column: cybleu.rows([column], [["a"]]),
    "a list of references": lambda column: cybleu.rows([["a"]], [[column]]),
    "a list of raw references": lambda column: cybleu.rows(["a"], [column]),
    "explain": lambda column: cybleu.explain(column, [["a"]]),
    "blind_spots": lambda column: blind_spots(column, column),
}


@pytest.fixture(params=DAMAGED)
def damaged(request, pyarrow):
    return DAMAGED[request.param](pyarrow)


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_damaged_column_is_an_error(damaged, use):
    with pytest.raises(CybleuError, match="damaged"):
        use(damaged)


def test_a_slice_and_a_chunk_are_checked_too(damaged, pyarrow):
    chunks = [damaged.slice(3), damaged.slice(1)]
    for column in (damaged.slice(1, 1), pyarrow.chunked_array(chunks)):
        with pytest.raises(CybleuError, match="hypotheses is damaged"):
            cybleu.rows(column, [PLAIN] * len(column))


def test_the_column_of_a_table_is_named(damaged, pyarrow):
    table = pyarrow.table({"h": PLAIN, "r": PLAIN, "r2": damaged})
    batch = table.to_batches()[0]
    several = pyarrow.concat_tables([table[3:], table])
    for one in (table, batch, several, table.to_reader(), batch.to_struct_array()):
        with pytest.raises(ArrowError, match="the column 'r2' is damaged"):
            columns.rows(one, "h", ["r", "r2"])
    with pytest.raises(ArrowError, match="the column 'r2' of references is damaged"):
        cybleu.rows(PLAIN, table)


def test_a_damaged_column_that_is_not_read_is_no_error(damaged, pyarrow):
    table = pyarrow.table({"h": PLAIN, "r": PLAIN, "r2": damaged})
    assert columns.total(table, "h", "r")["match_1"] == 3


def test_a_damaged_parquet_file_on_the_command_line(pyarrow, tmp_path):
    """The column `h` has an index beyond its dictionary."""
    from pyarrow import parquet

    path = tmp_path / "table.parquet"
    texts = pyarrow.array(PLAIN * 8).dictionary_encode()
    parquet.write_table(pyarrow.table({"h": texts}), path, compression="none", use_dictionary=True)
    packed = bytes([0b00_10_01_00, 0b01_00_10_01, 0b10_01_00_10] * 2)  # the indices, of two bits each
    data = path.read_bytes()
    assert data.count(packed) == 1
    path.write_bytes(data.replace(packed, bytes([0b00_10_01_11]) + packed[1:]))
    done = run("score", f"{path}:h", f"{path}:h")
    assert done.exit_code == 2
    assert f"{path}:h is damaged" in done.stderr


# ---------------------------------------------------------------------------------------------------------- C interface


class ArrowArray(ctypes.Structure):
    """The struct of an array in Arrow's C data interface."""


ArrowArray._fields_ = [
    *((name, ctypes.c_int64) for name in ("length", "null_count", "offset", "n_buffers", "n_children")),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))),
    ("dictionary", ctypes.POINTER(ArrowArray)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]


class Changed:
    """An array or a batch whose export through the C interface a function changes."""

    def __init__(self, value, change):
        self.value = value
        self.change = change

    def __arrow_c_array__(self, requested_schema=None):
        schema, array = self.value.__arrow_c_array__(requested_schema)
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype = ctypes.c_void_p
        pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
        self.change(ArrowArray.from_address(pointer(array, b"arrow_array")))
        return schema, array


def test_a_damaged_column_through_the_c_interface(damaged):
    with pytest.raises(ArrowError, match="references is damaged"):
        cybleu.rows(PLAIN, Changed(damaged, lambda array: None))


CHANGES = {
    "a longer table": lambda table: setattr(table, "length", 5),
    "a negative table": lambda table: setattr(table, "length", -5),
    "a shorter column": lambda table: setattr(table.children[0].contents, "length", 1),
    "a negative column": lambda table: setattr(table.children[0].contents, "length", -1),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize(
    "read",
    [lambda table: columns.rows(table, "h", "r"), lambda table: cybleu.rows(PLAIN, table)],
    ids=["a table", "references"],
)
def test_a_table_with_wrong_lengths_through_the_c_interface(pyarrow, change, read):
    with pytest.raises(ArrowError):
        read(Changed(pyarrow.record_batch({"r": PLAIN, "h": PLAIN}), change))


# ------------------------------------------------------------------------------------------------------- any other damage

NESTED = [["a", "b c"], ["d e f", "a longer text"], ["a b"]]
SOUND_COLUMNS = {
    "string": lambda pa: pa.array(["a b", "", "c d e"]),
    "large_string": lambda pa: pa.array(["a b", None, "c d e"], pa.large_string()),
    "string_view": lambda pa: pa.array(["a b", "a text of more bytes", "another long text"], pa.string_view()),
    "list": lambda pa: pa.array(NESTED),
    "large_list": lambda pa: pa.array(NESTED, pa.large_list(pa.string_view())),
    "list_view": lambda pa: pa.array(NESTED, pa.list_view(pa.string())),
    "ids": lambda pa: pa.array([[1, 2], [3], [4, 5, 6]]),
    "lists of lists": lambda pa: pa.array([[[1, 2]], [[3], [4]], [[4, 5, 6]]]),
    "fixed": lambda pa: pa.array([["a", "b"], ["c", "d"], ["e", "f"]], pa.list_(pa.string(), 2)),
    "dictionary": lambda pa: pa.array(["a b", "c", "a b"]).dictionary_encode(),
    "lists of dictionaries": lambda pa: pa.array(NESTED, pa.list_(pa.dictionary(pa.int8(), pa.string()))),
    "run ends": lambda pa: pa.compute.run_end_encode(pa.array(["a b", "a b", "c"])),
}


def bodies(pa, stream):
    """The places of all bytes of a stream that are data, and not metadata."""
    source = pa.py_buffer(stream)
    places = []
    for message in pa.ipc.MessageReader.open_stream(source):
        if message.body is not None:
            start = message.body.address - source.address
            places.extend(range(start, start + message.body.size))
    return places


def outcome(function):
    try:
        return function().tolist()
    except CybleuError as error:
        return type(error)


@pytest.mark.parametrize("name", SOUND_COLUMNS)
@given(data=st.data(), number=st.sampled_from([0, 1, 2, 3, 7, 127, 128, 255]))
def test_changed_bytes_are_an_error_or_other_texts(pyarrow, name, data, number):
    column = SOUND_COLUMNS[name](pyarrow)
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, pyarrow.schema({"r": column.type})) as writer:
        writer.write(pyarrow.record_batch({"r": column}))
    stream = bytearray(sink.getvalue())
    stream[data.draw(st.sampled_from(bodies(pyarrow, bytes(stream))))] = number
    changed = pyarrow.ipc.open_stream(pyarrow.py_buffer(bytes(stream))).read_all()["r"]
    plain = ["a b", "c d", "e f"]
    hypotheses = {"ids": [[1, 2], [3], [4]], "lists of lists": [[1, 2], [3], [4]]}.get(name, plain)
    found = outcome(lambda: cybleu.rows(hypotheses, changed))
    try:
        changed.validate(full=True)
    except pyarrow.ArrowException:
        return
    expected = outcome(lambda: cybleu.rows(hypotheses, changed.to_pylist()))
    assert found == expected
