"""Texts in columns of any library that exports Arrow: pyarrow, Polars, pandas, DuckDB. pyarrow reads them.

A column of texts is raw text. A column of lists of texts, or of integers, is token lists, or the sets of references that are
raw text. References may be in several columns. Columns of Python objects are read as lists, and so are a Series and the
columns of a frame if pyarrow is not installed.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib.util import find_spec
from itertools import pairwise

from .._backend import RawTexts
from .._runtime.extras import extra
from .._runtime.lazy_arrays import bincount, np, repeat
from .._runtime.sequences import by_position, check_ordered, is_missing
from ..errors import (
    ArrowError,
    CybleuError,
    LengthMismatchError,
    MixedTokensError,
    NoReferencesError,
    NotUtf8Error,
    SequenceTypeError,
)
from .batches import ListSets, Place, RawText, Sets, TokenIds, TokenLists

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from .batches import AnySets, Batch, Kind

# What columns of texts and of references may hold, as :func:`_form` says it.
TEXTS = {"texts", "lists of texts", "lists of whole numbers"}
RAW = {"texts", "lists of texts"}
TOKENS = {"lists of texts", "lists of lists of texts"}
IDS = {"lists of whole numbers", "lists of lists of whole numbers"}


def is_column(value: Any) -> bool:
    """Whether this implements the Arrow PyCapsule interface, or is a Series of pandas 2, which pyarrow knows."""
    kind: Any = type(value)
    return _is_type_of_columns(kind)


@lru_cache(256)  # failing to find an attribute takes as long as reading a short text
def _is_type_of_columns(kind: type) -> bool:
    exports = hasattr(kind, "__arrow_c_array__") or hasattr(kind, "__arrow_c_stream__")
    return exports or _is_series_of_pandas(kind)


def _is_series_of_pandas(kind: type) -> bool:
    return any(base.__module__ == "pandas.core.series" for base in kind.__mro__)


def are_columns(references: Any) -> bool:
    """Whether these are a column, a table, or a list or tuple of columns."""
    several = isinstance(references, (list, tuple)) and len(references) > 0 and all(map(is_column, references))
    return several or is_column(references)


@contextmanager
def arrow(value: Any) -> Iterator[Any]:
    """The module pyarrow, to read a value.

    :raises ArrowError: pyarrow cannot read it
    :raises MissingExtraError: pyarrow is not installed
    """
    try:
        import pyarrow
    except ImportError:
        with extra("pyarrow", f"reading a {type(value).__name__} requires pyarrow", "cybleu[arrow]"):
            raise
    try:
        yield pyarrow
    except CybleuError:
        raise
    except (pyarrow.ArrowException, OSError, TypeError, ValueError) as error:
        raise ArrowError(f"a {type(value).__name__} cannot be read: {error}") from error


def columns_of_frame(value: Any) -> dict[Any, Any] | None:
    """The columns of a frame of pandas or Polars by name; None for other values."""
    if not hasattr(value, "to_dict") or getattr(value, "ndim", 2) == 1:
        return None
    return {name: value[name] for name in value.columns}


# -------------------------------------------------------------------------------------------------------- damaged columns


def check_column(column: Any, name: str) -> None:
    """Check offsets, indices and sizes of buffers, which pyarrow trusts when it reads a file.

    :param column: an array or a ChunkedArray of pyarrow
    :param name: of the column, for messages
    :raises ArrowError: one of them is out of range
    """
    from pyarrow import ArrowException

    layout = _of_bytes(column.type)
    try:
        for array in getattr(column, "chunks", [column]):
            array.validate()
            if layout != array.type:
                array = array.view(layout)
            array.validate(full=True)
    except ArrowException as error:
        raise ArrowError(f"{name} is damaged: {error}; write the column again") from error


def _of_bytes(kind: Any) -> Any:
    """The type of the same layout with bytes for texts, whose UTF-8 is not validated here: the backend does it."""
    import pyarrow as pa

    if pa.types.is_string(kind):
        return pa.binary()
    if pa.types.is_large_string(kind):
        return pa.large_binary()
    if pa.types.is_string_view(kind):
        return pa.binary_view()
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_of_bytes(field.type)) for field in kind])
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(_of_bytes(kind.value_type), kind.list_size)
    if pa.types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, _of_bytes(kind.value_type), kind.ordered)
    if pa.types.is_run_end_encoded(kind):
        return pa.run_end_encoded(kind.run_end_type, _of_bytes(kind.value_type))
    lists = {
        pa.ListType: pa.list_,
        pa.LargeListType: pa.large_list,
        pa.ListViewType: pa.list_view,
        pa.LargeListViewType: pa.large_list_view,
    }
    make_list = lists.get(type(kind))
    return make_list(_of_bytes(kind.value_type)) if make_list else kind


# ----------------------------------------------------------------------------------------------------------- one column


def _columns_of(value: Any, name: str) -> tuple[list[str] | None, list[Any]]:
    """The names of the columns of a table, None for one column; and the columns as :func:`_read` returns them.

    :param name: of the argument, for messages
    """
    if hasattr(value, "read_all"):  # a reader of pyarrow
        with arrow(value):
            value = value.read_all()
    if hasattr(value, "column_names"):  # a table of pyarrow
        return value.column_names, _read_all(zip(value.column_names, value.columns), name)
    frame = columns_of_frame(value)
    if frame is not None:
        return list(frame), _read_all(frame.items(), name)
    column = _read(value, name)
    if isinstance(column, list) or not hasattr(column.type, "get_field_index"):
        return None, [column]
    return [field.name for field in column.type], column.flatten()


def _read_all(columns: Iterable[tuple[Any, Any]], name: str) -> list[Any]:
    """The columns of a table as :func:`_read` returns them."""
    return [_read(column, f"the column {key!r} of {name}") for key, column in columns]


def _read(column: Any, name: str) -> Any:
    """A column as a ChunkedArray of pyarrow, or as a list."""
    of_objects = str(getattr(column, "dtype", "")).lower() == "object"
    if hasattr(column, "to_list") and (of_objects or find_spec("pyarrow") is None):
        return [None if is_missing(entry) else entry for entry in column.to_list()]
    with arrow(column) as pa:
        # an export would lose the sizes of buffers, so that pyarrow's own arrays, and those of pandas, stay as they are
        if not isinstance(column, (pa.Array, pa.ChunkedArray)):
            exports = hasattr(column, "__arrow_c_stream__") and not _is_series_of_pandas(type(column))
            column = pa.chunked_array(column) if exports else pa.array(column)
        if isinstance(column, pa.Array):
            column = pa.chunked_array([column])
    check_column(column, name)
    return column


def _entries(column: Any, name: str) -> Any:
    """A column of pyarrow as nested lists of Python objects, with None for null; other values as they are."""
    if not hasattr(column, "to_pylist"):
        return column
    entries: list[Any] = []
    try:
        entries.extend(entry.as_py() for entry in column)
    except UnicodeDecodeError as error:
        row = len(entries)
        raise NotUtf8Error(row, error.start, error.object[error.start], f"{name}[{row}]") from None
    return entries


def _of_numbers(column: Any) -> bool:
    """Whether the entries are integers, and not lists of them."""
    if isinstance(column, list):
        return len(column) > 0 and all(type(entry) is int for entry in column)
    return str(column.type).startswith(("int", "uint"))


def _plain(column: Any, name: str) -> Any:
    """A column of pyarrow as one array of large_binary or int64, or of large lists of these."""
    with arrow(column) as pa:
        kind, depth = column.type, 0
        while hasattr(kind, "value_type"):
            depth += not (pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind))
            kind = kind.value_type
        wanted = pa.int64() if pa.types.is_integer(kind) else pa.large_binary()
        for _ in range(depth):
            wanted = pa.large_list(wanted)
        array = None
        with suppress(pa.ArrowNotImplementedError):  # dictionaries of string views, run ends, and what holds no texts
            if "list_view" not in str(column.type):  # pyarrow 26 casts a slice of these to wrong lists
                array = column.cast(wanted)
        if array is None:
            array = pa.array(_entries(column, name), wanted)
        if isinstance(array, pa.ChunkedArray):
            array = array.chunk(0) if array.num_chunks == 1 else array.combine_chunks()
        return array


def _form(array: Any) -> str:
    """What an array holds that :func:`_plain` returns, such as ``lists of texts``."""
    kind = str(array.type)
    return "lists of " * kind.count("large_list") + ("whole numbers" if "int64" in kind else "texts")


def _batch(array: Any, name: str, first: int, owners: NDArray[Any] | None = None) -> Batch:
    """Texts without nulls in an array that :func:`_plain` returns; token ids and raw text in place.

    :param owners: for each text the row that it is from; by default texts are rows
    """
    offsets, values = None, array
    if hasattr(array, "offsets"):
        offsets, values = np.asarray(array.offsets) - array.offsets[0].as_py(), array.flatten()

    def row_of(value: int) -> int:
        text = value if offsets is None else int(np.searchsorted(offsets, value, "right")) - 1
        return first + (text if owners is None else int(owners[text]))

    if values.null_count:
        row = row_of(values.is_null().index(True).as_py())
        raise SequenceTypeError(f"{name}[{row}] holds a null among its tokens; replace it with a token")
    if offsets is not None and values.type == "int64":
        return TokenIds(np.asarray(values), offsets[:-1].copy(), offsets[1:].copy())
    ends = np.zeros(1, np.int64)
    if len(values):
        ends = np.frombuffer(values.buffers()[1], np.int64)[values.offset : values.offset + len(values) + 1]
    try:
        data = memoryview(values.buffers()[2] or b"").cast("B")
        lines = RawTexts.of_spans(data, ends[:-1], ends[1:])
    except NotUtf8Error as error:
        raise NotUtf8Error(error.line, error.position, error.byte, f"{name}[{row_of(error.line)}]") from None
    if offsets is None:
        return RawText(lines)
    tokens = lines.strings()
    return TokenLists([tokens[begin:end] for begin, end in pairwise(offsets.tolist())], Place(name))


def texts_of_column(column: Any, name: str, first: int = 0) -> Batch:
    """The texts in a column of pyarrow, one in each row.

    :param first: the number of the first row, for messages
    """
    array = _plain(column, name)
    if array.null_count:
        row = first + array.is_null().index(True).as_py()
        raise SequenceTypeError(f"{name}[{row}] is null; drop such rows, or fill them with an empty text")
    if _form(array) not in TEXTS:
        raise SequenceTypeError(f"{name} is a column of {_form(array)}; a text is a str, or a list of tokens or ids")
    return _batch(array, name, first)


# ------------------------------------------------------------------------------------------------- columns of references


class ReferenceColumns:
    """References in one column, or in several of which the k-th has the k-th reference of each segment; nulls are ignored.

    :param columns: of pyarrow
    :param first: the number of the first row, for messages
    :ivar one_each: each row has one reference, if its lists are lists of tokens
    """

    def __init__(self, columns: Sequence[Any], name: str, first: int = 0):
        self.name, self.first = name, first
        self._rows = len(columns[0])
        arrays = [_plain(column, name) for column in columns]
        self._arrays = [array for array in arrays if array.null_count < len(array)] or arrays[:1]
        self.one_each = len(self._arrays) == 1 and "lists of lists" not in _form(self._arrays[0])

    def sets(self, kind: Kind | None) -> AnySets:
        """The references of each segment.

        :param kind: what the hypotheses are; None if there are none
        """
        forms = set(map(_form, self._arrays))
        raw = kind == "raw text" or (kind is None and forms <= RAW)
        if not any(forms <= allowed for allowed in ([RAW] if raw else [TOKENS, IDS])):
            found = " and ".join(forms)
            hypotheses = f", and the hypotheses are {kind}" if kind else ""
            raise MixedTokensError(f"{self.name} holds {found}{hypotheses}; pass all as raw text, as tokens or as ids")
        owners, texts = self._in_order(0 if raw else 1)
        counts = bincount(owners, minlength=self._rows)
        if len(counts) and not counts.all():
            row = self.first + int(counts.argmin())
            raise NoReferencesError(f"{self.name}[{row}] has no reference; give at least one for each segment")
        bounds = np.concatenate([np.zeros(1, np.int64), counts.cumsum()])
        batch = _batch(texts, self.name, self.first, owners)
        if isinstance(batch, TokenLists):
            return ListSets([batch.texts[begin:end] for begin, end in pairwise(bounds.tolist())], self.name)
        return Sets(batch, bounds)

    def _in_order(self, depth: int) -> tuple[NDArray[Any], Any]:
        """For each reference the number of its row; and all references in this order.

        :param depth: of the lists of one reference
        """
        owners, parts = [], []
        for array in self._arrays:
            rows = np.arange(self._rows)
            if _form(array).count("lists") > depth:
                counts = np.asarray(array.value_lengths().fill_null(0))
                rows, array = repeat(rows, counts), array.flatten()
            if array.null_count:
                rows, array = rows[np.asarray(array.is_valid())], array.drop_null()
            owners.append(rows)
            parts.append(array)
        if len(parts) == 1:
            return owners[0], parts[0]
        with arrow(parts) as pa:
            rows = np.concatenate(owners)
            order = rows.argsort(kind="stable")
            return rows[order], pa.concat_arrays(parts).take(pa.array(order))


# ---------------------------------------------------------------------------------------------------------------- forms


def column_of(values: Any, name: str) -> Batch | list[Any] | Any:
    """A batch of the texts in a column; a list of Python objects; or the result of :func:`entries_of` for other values.

    :raises SequenceTypeError: it is a table of several columns, a mapping or a set
    :raises ArrowError: the column holds neither texts nor lists
    """
    if not is_column(values):
        return entries_of(values, name)
    column = _one_column(values, name)
    return texts_of_column(column, name) if hasattr(column, "to_pylist") else column


def _one_column(values: Any, name: str) -> list[Any] | Any:
    """The column as :func:`_read` returns it, or a frame of numbers as an array of them."""
    names, columns = _columns_of(values, name)
    if names and all(map(_of_numbers, columns)):
        return np.asarray(values)
    if len(columns) != 1:
        found = ", ".join(map(repr, names or ()))
        raise SequenceTypeError(f"{name} is a table of the columns {found}; give one of them")
    return columns[0]


def entries_of(values: Any, name: str) -> list[Any] | Any:
    """The entries of a column as nested lists of Python objects, or the result of :func:`by_position` for other values.

    :raises SequenceTypeError: it is a table of several columns, a mapping or a set
    """
    if is_column(values):
        return _entries(_one_column(values, name), name)
    check_ordered(values, name)
    return by_position(values)


def tokens_in(text: Any, name: str) -> Any:
    """The tokens in an array of pyarrow, other than numbers, as a list: its items are scalars, and equal to no str."""
    is_array_of_pyarrow = hasattr(text, "to_pylist") and hasattr(text, "type")
    if is_array_of_pyarrow and not _of_numbers(text):
        return _entries(_read(text, name), name)
    return text


def lists_of_documents(documents: Any) -> Any:
    """Reference documents, or the lines of one, with lists for columns; a null line is None."""
    if isinstance(documents, (list, tuple)):
        any_column = any(map(_is_type_of_columns, set(map(type, documents))))  # few types, and perhaps a million lines
        return list(map(lists_of_documents, documents)) if any_column else documents
    if not is_column(documents):
        return documents
    names, columns = _columns_of(documents, "a column of lines")
    lines = [_entries(column, "line") for column in columns]
    return lines[0] if names is None else lines


def columns_of_references(references: Any, name: str) -> ReferenceColumns | list[Any] | Any:
    """References in columns: :class:`ReferenceColumns`; a list if a column holds Python objects; an array of numbers.

    :param references: a column, a table with a column for each reference, or a list or tuple of columns; others are returned
    """
    if not are_columns(references):
        return references
    several = not is_column(references)
    tables = [_columns_of(table, name) for table in (references if several else [references])]
    columns = [column for _, part in tables for column in part]
    if columns and all(map(_of_numbers, columns)) and (several or tables[0][0]):
        return by_position(references)  # texts of token ids, or an array of them
    if any(isinstance(column, list) for column in columns):
        return side_by_side([_entries(column, name) for column in columns], name)
    check_lengths(columns, name)
    return ReferenceColumns(columns, name)


def check_lengths(columns: Sequence[Any], name: str) -> None:
    """:raises LengthMismatchError: columns of references have different lengths"""
    counts = [str(len(column)) for column in columns]
    if len(set(counts)) > 1:
        raise LengthMismatchError(
            f"the columns of {name} have {', '.join(counts)} entries; the k-th column has the k-th reference of each segment"
        )


def side_by_side(columns: Sequence[Any], name: str) -> Any:
    """References in one column as they are; those in several as a list for each segment, without nulls."""
    if len(columns) == 1:
        return columns[0]
    check_lengths(columns, name)
    sets = []
    for row in zip(*columns):
        texts = [text for text in row if text is not None]
        # In a list of references, a tuple could also be a token.
        sets.append([list(text) if type(text) is tuple else text for text in texts])
    return sets
