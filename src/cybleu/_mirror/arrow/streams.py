"""Read columns without the kernels, as lists of Python objects converted by the producer or by pyarrow."""

from __future__ import annotations

from ...errors import ArrowError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


class ArrowColumn:
    """Values of a column, or columns of a table."""

    def __init__(self, entries: list[Any], fields: list[list[Any]] | None = None):
        self.entries = entries
        self._fields = fields

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def of_numbers(self) -> bool:
        return {type(entry) for entry in self.entries if entry is not None} == {int}

    def part(self, start: int, stop: int) -> ArrowColumn:
        return ArrowColumn(self.entries[start:stop])

    def field(self, number: int) -> ArrowColumn:
        return ArrowColumn((self._fields or [])[number])


def arrow_arrays(value: Any) -> tuple[tuple[str, ...] | None, Iterator[ArrowColumn]]:
    """See the function of this name in :mod:`cybleu._kernels`."""
    if not hasattr(value, "columns"):
        for method in ("to_pylist", "to_list"):
            if hasattr(value, method):
                return None, iter([ArrowColumn(_plain(getattr(value, method)()))])
    elif hasattr(value, "fetchall"):
        rows = value.fetchall()
        return _table(value.columns, [[row[number] for row in rows] for number in range(len(value.columns))])
    elif hasattr(value, "get_columns"):  # a Polars DataFrame
        return _table(value.columns, [column.to_list() for column in value.get_columns()])
    return _by_pyarrow(value)


def _by_pyarrow(value: Any) -> tuple[tuple[str, ...] | None, Iterator[ArrowColumn]]:
    try:
        import pyarrow
    except ModuleNotFoundError as error:
        raise ArrowError(
            f"reading a {type(value).__name__} requires cybleu's compiled kernels or pyarrow; pip install pyarrow"
        ) from error
    try:
        if hasattr(type(value), "__arrow_c_array__"):
            column = pyarrow.chunked_array([pyarrow.array(value)])
        else:
            column = pyarrow.chunked_array(value)
        if not pyarrow.types.is_struct(column.type):
            return None, iter([ArrowColumn(_plain(column.to_pylist()))])
        names = [column.type.field(number).name for number in range(column.type.num_fields)]
        return _table(names, [field.to_pylist() for field in column.flatten()])
    except (pyarrow.ArrowException, TypeError) as error:
        raise ArrowError(f"pyarrow cannot read a {type(value).__name__}: {error}") from error


def _table(names: Any, columns: list[list[Any]]) -> tuple[tuple[str, ...], Iterator[ArrowColumn]]:
    rows = [None] * (len(columns[0]) if columns else 0)
    return tuple(map(str, names)), iter([ArrowColumn(rows, list(map(_plain, columns)))])


def _plain(entries: Any) -> list[Any]:
    """Convert tuples and arrays to lists, and missing values to None."""
    return [_plain_entry(entry) for entry in entries]


def _plain_entry(entry: Any) -> Any:
    if entry is None or isinstance(entry, (str, bytes, int)):
        return entry
    if hasattr(entry, "tolist"):  # a NumPy array or scalar
        entry = entry.tolist()
    if isinstance(entry, (list, tuple)):
        return _plain(entry)
    return None if type(entry).__name__ == "NAType" or entry != entry else entry
