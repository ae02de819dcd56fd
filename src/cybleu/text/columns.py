"""Texts in columns of objects that implement the Arrow PyCapsule interface: pyarrow, polars, pandas, DuckDB.

A column of texts is raw text. A column of lists of texts, or of integers, is token lists, or the sets of references that are
raw text. References may be in several columns. Only token ids require NumPy.
"""

from __future__ import annotations

from array import array
from functools import lru_cache, partial
from itertools import chain, islice
from operator import eq

from .. import _backend
from .._runtime.lazy_arrays import np
from .._runtime.sequences import by_position, check_ordered, is_missing
from ..errors import LengthMismatchError, NoReferencesError, NotUtf8Error, SequenceTypeError
from .batches import ListSets, Place, RawText, Sets, TokenIds, TokenLists
from .ids import one_each

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from .batches import AnySets, Batch, Kind

__all__ = [
    "ReferenceColumns",
    "TextColumn",
    "are_columns",
    "arrays_of",
    "column_of",
    "columns_of_references",
    "is_column",
    "lists_of_column",
    "lists_of_documents",
]


def is_column(value: Any) -> bool:
    """Whether this implements the Arrow PyCapsule interface, as an array or as a stream of arrays."""
    kind: Any = type(value)
    return _is_type_of_columns(kind)


def are_columns(references: Any) -> bool:
    """Whether these are a column, a table, or a list or tuple of columns."""
    return is_column(references) or _are_several(references)


def _are_several(references: Any) -> bool:
    return isinstance(references, (list, tuple)) and len(references) > 0 and all(map(is_column, references))


@lru_cache(256)  # failing to find an attribute takes as long as reading a short text
def _is_type_of_columns(kind: type) -> bool:
    if hasattr(kind, "__arrow_c_array__") or hasattr(kind, "__arrow_c_stream__"):
        return True
    return any(base.__module__ == "pandas.core.series" for base in kind.__mro__)  # Series of pandas 2


def arrays_of(value: Any) -> tuple[tuple[str, ...] | None, Iterator[Any]]:
    """The names of the columns of a table, or None for one column, and an iterator over the arrays.

    :raises ArrowError: the arrays are invalid, or were consumed before
    """
    return _backend.chosen.arrow_arrays(value)


class TextColumn:
    """A column of texts or of token lists: a sequence of these, which the backend can also read in place.

    :ivar name: of the argument, for messages
    :ivar first: the number of its first row there
    """

    __slots__ = ("_entries", "arrays", "first", "name", "values")

    def __init__(self, arrays: list[Any], name: str, first: int = 0):
        self.arrays = arrays
        self.first = first
        self.name = name
        self.values = _backend.chosen.ArrowValues(arrays)
        self._entries: list[Any] | None = None

    @property
    def depth(self) -> int:
        depth: int = self.values.depth
        return depth

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.entries())

    def __getitem__(self, position: Any) -> Any:
        return self.entries()[position]

    def entries(self) -> list[Any]:
        """Each text as a str or as a list of tokens."""
        if self._entries is None:
            self._check_present()
            if self.depth > 1:
                raise SequenceTypeError(
                    f"{self.name} is a column of lists of lists; a text is a str, or one list of tokens"
                )
            self._entries = _nested(self.values, self._where)
        return self._entries

    @property
    def kind(self) -> Kind:
        """What the texts are: ``raw text``, ``tokens`` or ``ids``."""
        if self.values.kind == "integers":
            return "ids"
        return "tokens" if self.depth else "raw text"

    def batch(self) -> Batch:
        """The texts, in place where they are raw text or token ids."""
        if self.kind == "tokens" or self.depth > 1:
            return TokenLists(self.entries(), Place(self.name))
        self._check_present()
        if self.kind == "raw text":
            return RawText(_lines(self.values, self._where), in_columns=True)
        if not self.depth:
            raise SequenceTypeError(f"{self.name} is a column of whole numbers; a text of token ids is a list of them")
        return _ids_of(self.values)

    def _where(self, text: int) -> str:
        return f"{self.name}[{self.first + _row_of(self.values, text)}]"

    def _check_present(self) -> None:
        missing = self.values.nulls_of(0)
        if missing:
            raise SequenceTypeError(
                f"{self.name}[{self.first + missing[0]}] is null; drop such rows, or fill them with an empty text"
            )
        _check_tokens(self.values, self.name, self.first)


class ReferenceColumns:
    """References in one column, or in several of which the k-th has the k-th reference of each segment: a sequence of sets.

    A null among the references of a segment is ignored.

    :param raw: the texts are raw text, so that lists hold references and not tokens
    :param first: the number of the first row, for messages
    """

    __slots__ = ("_columns", "_first", "_raw", "_sets", "name")

    def __init__(self, columns: list[list[Any]], raw: bool, name: str, first: int = 0):
        self.name = name
        self._first = first
        self._raw = raw
        self._columns = columns
        _check_lengths([sum(map(len, arrays)) for arrays in columns], name)
        self._sets: list[list[Any]] | None = None

    def __len__(self) -> int:
        return sum(map(len, self._columns[0]))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.sets())

    def __getitem__(self, position: Any) -> Any:
        return self.sets()[position]

    @property
    def kind(self) -> Kind:
        """What the references are: ``raw text``, ``tokens`` or ``ids``."""
        values = _backend.chosen.ArrowValues(self._columns[0])
        if values.kind == "integers":
            return "ids"
        return "tokens" if values.depth > (1 if self._raw else 0) else "raw text"

    def read_as(self, raw: bool) -> ReferenceColumns:
        """The same columns.

        :param raw: the texts are raw text
        """
        return ReferenceColumns(self._columns, raw, self.name, self._first)

    @property
    def number(self) -> int | None:
        """The number of references of each segment; None if it may differ."""
        found = [_backend.chosen.ArrowValues(arrays) for arrays in self._columns]
        differs = any(values.depth > (0 if self._raw else 1) or values.nulls_of(0) for values in found)
        return None if differs else len(found)

    def _values(self, arrays: list[Any]) -> tuple[Any, bool]:
        """The values of a column, and whether its entries are lists of references."""
        values = _backend.chosen.ArrowValues(arrays)
        lists: bool = values.depth > (0 if self._raw else 1)
        if self._raw and (values.depth > 1 or values.kind == "integers"):
            raise _not_raw(values, self.name)
        if lists:
            values = _backend.chosen.ArrowValues(arrays, 1)
        _check_tokens(values, self.name, self._first, 2 if lists and not self._raw else 1)
        return values, lists

    def sets(self) -> list[list[Any]]:
        """The references of each segment, as str or as lists of tokens."""
        if self._sets is None:
            sets: list[list[Any]] = [[] for _ in range(len(self))]
            for arrays in self._columns:
                values, lists = self._values(arrays)
                entries = _nested(values, partial(self._where, values))
                missing = set(values.nulls_of(0))
                for position, entry in enumerate(entries):
                    if position not in missing:
                        sets[position].extend(entry if lists else [entry])
            for position, texts in enumerate(sets):
                if not texts:
                    raise self._none(position)
            self._sets = sets
        return self._sets

    def raw_sets(self) -> tuple[Any, array[int]]:
        """All references as the backend reads raw text, in place; and where those of each segment begin, and the end."""
        found = [self._values(arrays) for arrays in self._columns]
        rows = len(self)
        width = len(found)
        texts = [_lines(values, partial(self._where, values)) for values, _ in found]
        if any(lists or values.nulls_of(0) for values, lists in found):
            spans = [_spans(values, lists) for values, lists in found]
            if width == 1 and found[0][1]:
                bounds = array("q", [0])
                bounds += spans[0][1]
            else:
                bounds = array("q", bytes(8 * (rows + 1)))
                begins, ends = map(list, zip(*spans))
                texts = [_backend.chosen.RawTexts.row_by_row(texts, begins, ends, bounds)]
            if any(map(eq, bounds, islice(bounds, 1, None))):
                raise self._none(next(row for row in range(rows) if bounds[row] == bounds[row + 1]))
            return texts[0], bounds
        bounds = array("q", bytes(8 * (rows + 1)))
        return _backend.chosen.RawTexts.side_by_side(texts, [0] * width, bounds), bounds

    def batch(self, kind: Kind) -> AnySets:
        """The references, in place where they are raw text, or one text of token ids for each segment.

        :param kind: what the hypotheses are
        """
        if kind == "raw text":
            lines, bounds = self.raw_sets()
            return Sets(RawText(lines, in_columns=True), bounds)
        if len(self._columns) == 1:
            values, lists = self._values(self._columns[0])
            if values.kind == "integers" and values.depth == 1 and not lists:
                if values.nulls_of(0):
                    raise self._none(values.nulls_of(0)[0])
                return one_each(_ids_of(values))
        return ListSets(self.sets(), self.name)

    def _where(self, values: Any, text: int) -> str:
        return f"{self.name}[{self._first + _row_of(values, text)}]"

    def _none(self, row: int) -> NoReferencesError:
        row += self._first
        return NoReferencesError(f"{self.name}[{row}] has no reference; give at least one for each segment")


def _spans(values: Any, lists: bool) -> tuple[array[int], array[int]]:
    """Where the references of each row begin in a column, and where they end."""
    if lists:
        ends = _ends(values, 0)
        begins = array("q", [0])
        begins += ends[:-1]
        return begins[: len(ends)], ends
    if values.kind == "nothing":  # a column of nulls alone, which has no lines
        nowhere = array("q", bytes(8 * len(values)))
        return nowhere, nowhere
    begins = array("q", range(len(values)))
    ends = array("q", range(1, len(values) + 1))
    for position in values.nulls_of(0):
        ends[position] = position
    return begins, ends


def _ends(values: Any, level: int) -> array[int]:
    """Where the lists of a level end."""
    ends = array("q")
    ends.frombytes(values.ends_of(level))
    return ends


def _lines(values: Any, where: Callable[[int], str]) -> Any:
    """Raw text as the backend reads it, in place."""
    try:
        return _backend.chosen.RawTexts.of_values(values)
    except NotUtf8Error as error:
        raise NotUtf8Error(error.line, error.position, error.byte, where(error.line)) from None


def _not_raw(values: Any, name: str) -> SequenceTypeError:
    what = "lists of " * values.depth + ("whole numbers" if values.kind == "integers" else "texts")
    return SequenceTypeError(f"{name} is a column of {what}; with tokenize each text must be raw text, a str or bytes")


def _row_of(values: Any, entry: int, depth: int | None = None) -> int:
    """The row of an entry.

    :param depth: the level of the entry, by default the last
    """
    for level in reversed(range(values.depth if depth is None else depth)):
        entry = next(row for row, end in enumerate(_ends(values, level)) if end > entry)
    return entry


def _check_tokens(values: Any, name: str, first: int, level: int = 1) -> None:
    """:raises SequenceTypeError: an entry from this level on is null"""
    for depth in range(level, values.depth + 1):
        missing = values.nulls_of(depth)
        if missing:
            place = _row_of(values, missing[0], depth)
            raise SequenceTypeError(f"{name}[{first + place}] holds a null among its tokens; replace it with a token")


def _nested(values: Any, where: Callable[[int], str]) -> list[Any]:
    """The entries as nested lists of Python objects."""
    if values.kind == "integers":
        numbers = array("q")
        numbers.frombytes(values.numbers())
        entries: list[Any] = numbers.tolist()
    elif values.kind == "texts":
        try:
            entries = values.texts()
        except NotUtf8Error as error:
            raise NotUtf8Error(error.line, error.position, error.byte, where(error.line)) from None
    else:
        entries = [None] * len(values.nulls_of(values.depth))
    for level in reversed(range(values.depth)):
        ends = _ends(values, level)
        entries = [entries[begin:end] for begin, end in zip(chain([0], ends), ends)]
    return entries


def _ids_of(values: Any) -> TokenIds:
    offsets = np.zeros(len(values) + 1, dtype=np.int64)
    offsets[1:] = np.frombuffer(values.ends_of(0), dtype=np.int64)
    return TokenIds(np.frombuffer(values.numbers(), dtype=np.int64), offsets[:-1].copy(), offsets[1:].copy())


# --------------------------------------------------------------------------------------------------------------- forms


def _columns_of(value: Any) -> tuple[tuple[str, ...] | None, list[list[Any]]] | None:
    """The names of columns, and the arrays of each; None for frames of Python objects or numbers, which are read by position."""
    of_frames = hasattr(value, "dtype") or hasattr(value, "dtypes")
    try:
        names, arrays = arrays_of(value)
        found = list(arrays)
        if names is None:
            if found and found[0].of_numbers and hasattr(value, "__array__"):
                return None
            if of_frames:
                _check_layout(found[:1])
            return None, [found]
        columns = [[array.field(number) for array in found] for number in range(len(names))]
        if hasattr(value, "__array__") and all(arrays and arrays[0].of_numbers for arrays in columns):
            return None
        return names, columns
    except (
        ArithmeticError,
        ImportError,
        NotImplementedError,
        TypeError,
        ValueError,
    ):  # of a producer, or an ArrowError
        if of_frames:
            return None
        raise


def _check_layout(arrays: list[Any]) -> None:
    """:raises ArrowError: the arrays hold neither texts nor lists"""
    _backend.chosen.ArrowValues(arrays)


def column_of(values: Any, name: str) -> Any:
    """A batch of texts: a :class:`TextColumn` where it is in a column, or else the result of :func:`by_position`.

    :raises SequenceTypeError: it is a table of several columns, a mapping or a set
    :raises ArrowError: the column is broken, was consumed before, or holds neither texts nor lists
    """
    if type(values) in (list, tuple) or isinstance(values, TextColumn):
        return values
    if not is_column(values):
        check_ordered(values, name)
        return by_position(values)
    arrays = _one_column(values, name)
    if arrays is None:
        return by_position(values)
    column = TextColumn(arrays, name)
    if column.arrays and column.arrays[0].of_numbers:
        raise SequenceTypeError(f"{name} is a column of whole numbers; a text of token ids is a list of them")
    return column


def _one_column(values: Any, name: str) -> list[Any] | None:
    found = _columns_of(values)
    if found is None:
        if not _is_frame_of_objects(values):
            return None
        found = tuple(map(str, values.columns)), []
    names, columns = found
    if len(columns) != 1:
        raise SequenceTypeError(
            f"{name} is a table of the columns {', '.join(map(repr, names or ()))}; give one of them"
        )
    return columns[0]


def lists_of_column(values: Any, name: str) -> Any:
    """The entries of a column as nested lists of str or int, or the result of :func:`by_position` for other values."""
    if type(values) in (list, tuple):
        return values
    if isinstance(values, TextColumn):
        return values.entries()
    arrays = _one_column(values, name) if is_column(values) else None
    if arrays is None:
        return by_position(values)
    found = _backend.chosen.ArrowValues(arrays)
    for level in range(found.depth + 1):
        if found.nulls_of(level):
            raise SequenceTypeError(f"{name} holds nulls; drop them, or fill them with an empty text")
    return _nested(found, lambda _: name)


def lists_of_documents(documents: Any) -> Any:
    """Reference documents, or the lines of one, with lists for columns; a null line is None."""
    if isinstance(documents, (list, tuple)):
        if any(map(_is_type_of_columns, set(map(type, documents)))):  # few types, and perhaps a million lines
            return [lists_of_documents(document) for document in documents]
        return documents
    found = _columns_of(documents) if is_column(documents) else None
    if found is None:
        return documents
    names, columns = found
    lines = []
    for arrays in columns:
        values = _backend.chosen.ArrowValues(arrays)
        entries = _nested(values, lambda text: f"line {text + 1}")
        for position in values.nulls_of(0):
            entries[position] = None
        lines.append(entries)
    return lines[0] if names is None else lines


def _sets_of_objects(entries: Any, raw: bool) -> Any:
    """The sets in a column of Python objects. An entry that is a text is the only reference of its segment."""
    if not isinstance(entries, list):
        return entries
    entries = [by_position(entry) for entry in entries]
    if raw:
        return [[entry] if isinstance(entry, (str, bytes)) else _without_missing(entry) for entry in entries]
    # As in a column of Arrow, an empty entry is an empty text, unless other entries hold references.
    texts = [_is_tokens(entry) for entry in entries]
    of_texts = all(is_text or is_missing(entry) for is_text, entry in zip(texts, entries))
    return [
        [entry] if is_text and (of_texts or len(entry)) else _without_missing(entry)
        for is_text, entry in zip(texts, entries)
    ]


def _without_missing(references: Any) -> Any:
    if is_missing(references):
        return []
    return [text for text in references if not is_missing(text)] if isinstance(references, list) else references


def _is_tokens(entry: Any) -> bool:
    """Whether an entry is a list, or an array of one dimension, of str or whole numbers."""
    if not isinstance(entry, (list, tuple)):
        return getattr(entry, "ndim", None) == 1
    return all(
        isinstance(token, (str, int)) or (hasattr(token, "__index__") and getattr(token, "ndim", 0) == 0)
        for token in entry
    )


def _is_frame_of_objects(values: Any) -> bool:
    """Whether this is a frame that does not export to Arrow, as those of pandas without pyarrow; its items are column names."""
    return hasattr(values, "columns") and isinstance(by_position(values), list)


def _sets_without_arrow(references: Any, several: bool, raw: bool, name: str) -> Any:
    """The sets of references in columns of Python objects."""
    if _is_frame_of_objects(references):
        columns = [column for _, column in references.items()] if hasattr(references, "items") else list(references)
    elif several:
        columns = references
    else:
        return _sets_of_objects(by_position(references), raw)
    lists = [_sets_of_objects(by_position(column), raw) for column in columns]
    if not all(isinstance(sets, list) for sets in lists):
        return by_position(references)  # numbers
    _check_lengths(list(map(len, lists)), name)
    return [[text for texts in group for text in _as_sequence(texts)] for group in zip(*lists)]


def _as_sequence(texts: Any) -> Any:
    """The references of an entry, which may be a str or a value that is no text."""
    return [texts] if isinstance(texts, (str, bytes)) or not hasattr(texts, "__len__") else texts


def _check_lengths(counts: list[int], name: str) -> None:
    if len(set(counts)) > 1:
        raise LengthMismatchError(
            f"the columns of {name} have {', '.join(map(str, counts))} entries; the k-th column has the k-th reference "
            "of each segment"
        )


def columns_of_references(references: Any, raw: bool, name: str) -> Any:
    """Sets of references: :class:`ReferenceColumns`, or the result of :func:`by_position` for other values.

    :param references: also a table with a column for each reference, or a list or tuple of columns
    :param raw: the texts are raw text
    :raises SequenceTypeError: it is a mapping or a set
    """
    if isinstance(references, ReferenceColumns):
        return references
    several = _are_several(references)
    if not several and not is_column(references):
        check_ordered(references, name)
        return by_position(references)
    columns: list[list[Any]] = []
    for column in references if several else [references]:
        found = _columns_of(column)
        if found is None or not found[1]:
            return _sets_without_arrow(references, several, raw, name)
        columns += found[1]
    if any(arrays and arrays[0].of_numbers for arrays in columns):
        if several:
            return by_position(references)
        raise SequenceTypeError(f"{name} is a column of whole numbers; a text of token ids is a list of them")
    return ReferenceColumns(columns, raw, name)
