"""Texts in columns of any library that exports Arrow: pyarrow, Polars, pandas, DuckDB. pyarrow reads them.

A column of texts is raw text. A column of lists of texts, or of integers, is token lists, or the sets of references that are
raw text. References may be in several columns. Columns of Python objects are read as lists, and so are a Series and the
columns of a frame if pyarrow is not installed.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from .._backend import RawTexts
from .._runtime.extras import extra
from .._runtime.lazy_arrays import Integers, bincount, np, repeat
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
from .batches import AnySets, Batch, Kind, ListSets, Place, Sets, TokenIds, TokenLists, split_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyarrow import Array, ChunkedArray, DataType


class Form(NamedTuple):
    """What a column holds: texts or whole numbers, in lists of so many levels."""

    depth: int
    is_whole: bool

    def __str__(self) -> str:
        return "lists of " * self.depth + ("whole numbers" if self.is_whole else "texts")


# What columns of raw references, of tokens and of ids may hold.
RAW = {Form(0, is_whole=False), Form(1, is_whole=False)}
TOKENS = {Form(1, is_whole=False), Form(2, is_whole=False)}
IDS = {Form(1, is_whole=True), Form(2, is_whole=True)}


def is_column(value: Any) -> bool:
    """Return whether this implements the Arrow PyCapsule interface, or is a Series of pandas 2, which pyarrow knows."""
    kind: Any = type(value)
    return _is_type_of_columns(kind)


@lru_cache(256)  # failing to find an attribute takes as long as reading a short text
def _is_type_of_columns(kind: type) -> bool:
    exports = hasattr(kind, "__arrow_c_array__") or hasattr(kind, "__arrow_c_stream__")
    return exports or _is_series_of_pandas(kind)


def _is_series_of_pandas(kind: type) -> bool:
    return any(base.__module__ == "pandas.core.series" for base in kind.__mro__)


def are_columns(references: Any) -> bool:
    """Return whether these are a column, a table, or a list or tuple of columns."""
    several = isinstance(references, (list, tuple)) and len(references) > 0 and all(map(is_column, references))
    return several or is_column(references)


@contextmanager
def arrow(value: Any) -> Iterator[Any]:
    """Give the module pyarrow, to read a value.

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


def columns_by_name(value: Any) -> list[tuple[Any, Any]] | None:
    """Return the names and the columns of a table of pyarrow, or a frame of pandas or Polars; None for other values."""
    if hasattr(value, "column_names"):
        return list(zip(value.column_names, value.columns))
    if not hasattr(value, "to_dict") or getattr(value, "ndim", 2) == 1:
        return None
    return [(name, value[name]) for name in value.columns]


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


def _of_bytes(kind: Any) -> DataType:
    """Return the type of the same layout with bytes for texts, whose UTF-8 is not validated here: the backend does it."""
    import pyarrow as pa

    if pa.types.is_string(kind):
        return pa.binary()
    if pa.types.is_large_string(kind):
        return pa.large_binary()
    if pa.types.is_string_view(kind):
        return pa.binary_view()
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_of_bytes(field.type)) for field in kind])
    if not hasattr(kind, "value_type"):
        return kind
    values = _of_bytes(kind.value_type)
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(values, kind.list_size)
    if pa.types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, values, kind.ordered)
    if pa.types.is_run_end_encoded(kind):
        return pa.run_end_encoded(kind.run_end_type, values)
    lists = {
        pa.ListType: pa.list_,
        pa.LargeListType: pa.large_list,
        pa.ListViewType: pa.list_view,
        pa.LargeListViewType: pa.large_list_view,
    }
    return lists[type(kind)](values) if type(kind) in lists else kind


# ----------------------------------------------------------------------------------------------------------- one column


def _columns_of(value: Any, name: str) -> tuple[list[str] | None, list[Any]]:
    """Return the names of the columns of a table, None for one column; and the columns as :func:`_read` returns them.

    :param name: of the argument, for messages
    """
    if hasattr(value, "read_all"):  # a reader of pyarrow
        with arrow(value):
            value = value.read_all()
    table = columns_by_name(value)
    if table is not None:
        return [key for key, _ in table], [_read(column, f"the column {key!r} of {name}") for key, column in table]
    column = _read(value, name)
    if isinstance(column, list) or not hasattr(column.type, "get_field_index"):
        return None, [column]
    return [field.name for field in column.type], column.flatten()


def _read(column: Any, name: str) -> Array | ChunkedArray | list[Any]:
    """Return a column as one of pyarrow, or as a list."""
    of_objects = str(getattr(column, "dtype", "")).lower() == "object"
    if hasattr(column, "to_list") and (of_objects or find_spec("pyarrow") is None):
        return [None if is_missing(entry) else entry for entry in column.to_list()]
    with arrow(column) as pa:
        # an export would lose the sizes of buffers, so that pyarrow's own arrays, and those of pandas, stay as they are
        if not isinstance(column, (pa.Array, pa.ChunkedArray)):
            exports = hasattr(column, "__arrow_c_stream__") and not _is_series_of_pandas(type(column))
            column = pa.chunked_array(column) if exports else pa.array(column)
    check_column(column, name)
    return column


def _as_objects(column: Any, name: str) -> Any:
    """Return a column of pyarrow as nested lists of Python objects, with None for null; other values as they are."""
    if not hasattr(column, "to_pylist"):
        return column
    entries: list[Any] = []
    try:
        # one after the other, so that an error knows its row
        entries.extend(entry.as_py() for entry in column)
    except UnicodeDecodeError as error:
        row = len(entries)
        raise NotUtf8Error(row, error.start, error.object[error.start], f"{name}[{row}]") from None
    return entries


def _are_integers(column: Any) -> bool:
    """Return whether the entries are integers, and not lists of them."""
    if isinstance(column, list):
        return len(column) > 0 and all(type(entry) is int for entry in column)
    return str(column.type).startswith(("int", "uint"))


def _plain(column: Any, name: str) -> tuple[Array, Form]:
    """Return a column of pyarrow as one array of large_binary or int64, or of large lists of these; and which of them it is."""
    with arrow(column) as pa:
        kind = column.type
        depth = 0
        while hasattr(kind, "value_type"):
            # these are other layouts of the same values, and no lists
            if not (pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind)):
                depth += 1
            kind = kind.value_type
        form = Form(depth, pa.types.is_integer(kind))
        wanted = pa.int64() if form.is_whole else pa.large_binary()
        for _ in range(depth):
            wanted = pa.large_list(wanted)
        array = None
        with suppress(pa.ArrowNotImplementedError):  # dictionaries of string views, run ends, and what holds no texts
            if "list_view" not in str(column.type):  # pyarrow 26 casts a slice of these to wrong lists
                array = column.cast(wanted)
        if array is None:
            array = pa.array(_as_objects(column, name), wanted)
        if isinstance(array, pa.ChunkedArray):
            array = array.chunk(0) if array.num_chunks == 1 else array.combine_chunks()
        return array, form


def _batch(array: Array, name: str, first: int, owners: Integers | None = None) -> Batch:
    """Return the texts without nulls in an array that :func:`_plain` returns; token ids and raw text in place.

    :param owners: for each text the row that it is from; by default texts are rows
    """
    values = array
    offsets = None
    if hasattr(array, "offsets"):  # lists of tokens or ids, and no lines
        # of a slice of a column they do not begin with 0
        offsets = np.asarray(array.offsets) - array.offsets[0].as_py()
        values = array.flatten()

    def row_of(value: int) -> int:
        text = value if offsets is None else int(np.searchsorted(offsets, value, "right")) - 1
        return first + (text if owners is None else int(owners[text]))

    if values.null_count:
        row = row_of(values.is_null().index(True).as_py())
        raise SequenceTypeError(f"{name}[{row}] holds a null among its tokens; replace it with a token")
    if offsets is not None and values.type == "int64":
        return TokenIds(np.asarray(values), offsets[:-1].copy(), offsets[1:].copy())
    try:
        lines = _raw_texts_of(values)
    except NotUtf8Error as error:
        raise NotUtf8Error(error.line, error.position, error.byte, f"{name}[{row_of(error.line)}]") from None
    return lines if offsets is None else TokenLists(split_at(lines.lists(), offsets.tolist()), Place(name))


def _raw_texts_of(values: Array) -> RawTexts:
    """Return large_binary without nulls as the backend reads it, in place."""
    if not len(values):
        return RawTexts()
    bounds, data = values.buffers()[1:]
    ends = np.frombuffer(bounds, np.int64)[values.offset : values.offset + len(values) + 1]
    return RawTexts.of_spans(memoryview(data or b"").cast("B"), ends[:-1], ends[1:])


def texts_of_column(column: Any, name: str, first: int = 0) -> Batch:
    """Return the texts in a column of pyarrow, one in each row.

    :param first: the number of the first row, for messages
    """
    array, form = _plain(column, name)
    if array.null_count:
        row = first + array.is_null().index(True).as_py()
        raise SequenceTypeError(f"{name}[{row}] is null; drop such rows, or fill them with an empty text")
    if form not in {*RAW, Form(1, is_whole=True)}:
        raise SequenceTypeError(f"{name} is a column of {form}; a text is a str, or a list of tokens or ids")
    return _batch(array, name, first)


# ------------------------------------------------------------------------------------------------- columns of references


class ReferenceColumns:
    """References in one column, or in several of which the k-th has the k-th reference of each segment; nulls are ignored.

    :param columns: of pyarrow
    :param first: the number of the first row, for messages
    :ivar one_each: each row has one reference, if its lists are lists of tokens
    """

    def __init__(self, columns: Sequence[Any], name: str, first: int = 0):
        self.name = name
        self.first = first
        self._rows = len(columns[0])
        plain = [_plain(column, name) for column in columns]
        # a column of nulls alone says nothing of what it would hold
        self._plain = [(array, form) for array, form in plain if array.null_count < len(array)] or plain[:1]
        self.one_each = len(self._plain) == 1 and self._plain[0][1].depth < 2

    def sets(self, kind: Kind | None) -> AnySets:
        """Return the references of each segment.

        :param kind: what the hypotheses are; None if there are none
        """
        forms = dict.fromkeys(form for _, form in self._plain).keys()
        raw = kind == "raw text" or (kind is None and forms <= RAW)
        if not any(forms <= allowed for allowed in ([RAW] if raw else [TOKENS, IDS])):
            found = " and ".join(map(str, forms))
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
            return ListSets(split_at(batch.texts, bounds.tolist()), self.name)
        return Sets(batch, bounds)

    def _in_order(self, depth: int) -> tuple[Integers, Array]:
        """Return for each reference the number of its row; and all references in this order.

        :param depth: of the lists of one reference
        """
        owners = []
        parts = []
        for array, form in self._plain:
            rows = np.arange(self._rows)
            if form.depth > depth:
                rows = repeat(rows, np.asarray(array.value_lengths().fill_null(0)))
                array = array.flatten()
            if array.null_count:
                rows = rows[np.asarray(array.is_valid())]
                array = array.drop_null()
            owners.append(rows)
            parts.append(array)
        if len(parts) == 1:
            return owners[0], parts[0]
        with arrow(parts) as pa:
            rows = np.concatenate(owners)
            # stable: references of a row stay in the order of their columns
            order = rows.argsort(kind="stable")
            return rows[order], pa.concat_arrays(parts).take(pa.array(order))


# ---------------------------------------------------------------------------------------------------------------- forms


def column_of(values: Any, name: str) -> Batch | list[Any] | Any:
    """Return a batch of the texts in a column; a list of Python objects; or the result of :func:`entries_of` for other values.

    :raises SequenceTypeError: it is a table of several columns, a mapping or a set
    :raises ArrowError: the column holds neither texts nor lists
    """
    if not is_column(values):
        return entries_of(values, name)
    column = _one_column(values, name)
    return texts_of_column(column, name) if hasattr(column, "to_pylist") else column


def _one_column(values: Any, name: str) -> list[Any] | Any:
    """Return the column as :func:`_read` returns it, or a frame of numbers as an array of them."""
    names, columns = _columns_of(values, name)
    if names and all(map(_are_integers, columns)):  # such as a frame that was made of an array of ids
        return np.asarray(values)
    if len(columns) != 1:
        found = ", ".join(map(repr, names or ()))
        raise SequenceTypeError(f"{name} is a table of the columns {found}; give one of them")
    return columns[0]


def entries_of(values: Any, name: str) -> list[Any] | Any:
    """Return the entries of a column as nested lists of Python objects, or the result of :func:`by_position` for other values.

    :raises SequenceTypeError: it is a table of several columns, a mapping or a set
    """
    if is_column(values):
        return _as_objects(_one_column(values, name), name)
    check_ordered(values, name)
    return by_position(values)


def tokens_in(text: Any, name: str) -> Any:
    """Return the tokens in an array of pyarrow, other than numbers, as a list: its items are scalars, and equal to no str."""
    is_array_of_pyarrow = hasattr(text, "to_pylist") and hasattr(text, "type")
    if is_array_of_pyarrow and not _are_integers(text):
        return _as_objects(_read(text, name), name)
    return text


def lists_of_documents(documents: Any) -> Any:
    """Return reference documents, or the lines of one, with lists for columns; a null line is None."""
    if isinstance(documents, (list, tuple)):
        any_column = any(map(_is_type_of_columns, set(map(type, documents))))  # few types, and perhaps a million lines
        return list(map(lists_of_documents, documents)) if any_column else documents
    if not is_column(documents):
        return documents
    names, columns = _columns_of(documents, "a column of lines")
    lines = [_as_objects(column, "line") for column in columns]
    return lines[0] if names is None else lines


def columns_of_references(references: Any, name: str) -> ReferenceColumns | list[Any] | Any:
    """Read references in columns: :class:`ReferenceColumns`; a list if a column holds Python objects; an array of numbers.

    :param references: a column, a table with a column for each reference, or a list or tuple of columns; others are returned
    """
    if not are_columns(references):
        return references
    several = not is_column(references)
    tables = [_columns_of(table, name) for table in (references if several else [references])]
    columns = [column for _, part in tables for column in part]
    if columns and all(map(_are_integers, columns)) and (several or tables[0][0]):
        return by_position(references)  # texts of token ids, or an array of them
    if any(isinstance(column, list) for column in columns):
        return side_by_side([_as_objects(column, name) for column in columns], name)
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
    """Return references in one column as they are; those in several as a list for each segment, without nulls."""
    if len(columns) == 1:
        return columns[0]
    check_lengths(columns, name)
    sets = []
    for row in zip(*columns):
        texts = [text for text in row if text is not None]
        # In a list of references, a tuple could also be a token.
        sets.append([list(text) if type(text) is tuple else text for text in texts])
    return sets
