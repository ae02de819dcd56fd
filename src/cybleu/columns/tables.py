"""Tables of texts to rows of statistics, some segments at a time."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import array_given, floats_given, np
from .._runtime.exclusive import exclusive
from ..errors import ArrowError, LengthMismatchError, StatisticsError, UnknownNameError
from ..metrics import find
from ..stats.rows import whole_numbers
from ..text.columns import ReferenceColumns, TextColumn, arrays_of, is_column
from ..text.parsing import parse_list

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..metrics import Metric, Variant

    Tokenize = str | Callable[[str], Sequence[Hashable]] | None
    Rows = dict[str, NDArray[np.int64]]

__all__ = ["row_blocks", "rows", "statistics", "total"]

BLOCK = 16384  # rows of a table that are counted at a time


@exclusive
def row_blocks(
    table: Any,
    hypothesis: str = "hypothesis",
    references: str | Sequence[str] = "reference",
    metric: str | Metric | Variant | None = None,
    *,
    tokenize: Tokenize = "13a",
    lowercase: bool = False,
    threads: int | None = None,
) -> Iterator[Rows]:
    """The statistics of the segments of a table, block by block, for tables that do not fit into memory.

    :param table: an object that implements the Arrow PyCapsule interface: a pyarrow Table, RecordBatch or RecordBatchReader, a
        frame of polars or pandas, or a relation of DuckDB; or a dict of lists. A reader is read only as far as you take
        blocks
    :param hypothesis: the name of the column of hypotheses. It has texts, or with ``tokenize=None`` lists of tokens or
        of token ids
    :param references: the name of the column of references, which has a reference or a list of references for each
        segment; or the names of several columns. A null is left out, but each segment needs at least one reference
    :param metric: as for :func:`cybleu.metrics.find`, by default ``sacrebleu``
    :param tokenize: how to split raw text into tokens: a name or a function as for :func:`cybleu.text.tokenizer`, by
        default ``13a`` as in sacreBLEU; None for columns of lists of tokens. chrF has no tokens and ignores this, so
        leave it as it is
    :param lowercase: put raw text in lower case first
    :param threads: how many threads count at the same time
    :return: a dict for each block, from the names of the metric's columns to int64 arrays `(n,)`, or float64 where the metric counts fractions, in the order of the
        rows
    :raises UnknownNameError: the table has no column with this name
    :raises SequenceTypeError: a hypothesis is null; the message has the number of its row in the whole table, from 0
    :raises NoReferencesError: a segment has no reference
    :raises ArrowError: `table` is not a table, or it is broken or already consumed
    :raises ConcurrentReadError: two threads read one iterator at the same time

    >>> texts = {"hypothesis": ["The cat sat.", "A dog."], "reference": ["The cat sat!", "A dog."]}
    >>> [block["match_1"] for block in row_blocks(texts)]
    [array([3, 3])]
    """
    chosen = find(metric)
    chosen.check_parts()
    wanted = [hypothesis, *([references] if isinstance(references, str) else references)]
    if len(wanted) < 2:
        raise UnknownNameError("there is no column of references; name at least one")
    if chosen.of_raw_text and tokenize == "13a":
        tokenize = None  # by default; of another tokeniser such a metric says that it takes none
    raw = tokenize is not None or chosen.of_raw_text
    counted: Any = {"tokenize": tokenize, "lowercase": lowercase, "threads": threads}
    if isinstance(table, Mapping):
        for texts, sets in _segments_of_lists(table, wanted):
            yield _named(chosen, chosen.rows(sets, texts, **counted))
        return
    if not is_column(table):
        raise ArrowError(
            f"a {type(table).__name__} does not implement the Arrow PyCapsule interface; pass a table of pyarrow, a DataFrame of "
            "Polars or pandas (which requires pyarrow), a relation of DuckDB, or a dict of lists"
        )
    names, arrays = arrays_of(table)
    places = [_place(name, names) for name in wanted]
    first = 0
    for part in arrays:
        columns = [part.field(place) for place in places]
        for start in range(0, len(part), BLOCK):
            parts = [column.part(start, min(start + BLOCK, len(part))) for column in columns]
            found = chosen.rows(
                ReferenceColumns([[column] for column in parts[1:]], raw, "references", first),
                TextColumn(parts[:1], "hypotheses", first),
                **counted,
            )
            first += len(found)
            yield _named(chosen, found)


def rows(
    table: Any,
    hypothesis: str = "hypothesis",
    references: str | Sequence[str] = "reference",
    metric: str | Metric | Variant | None = None,
    *,
    tokenize: Tokenize = "13a",
    lowercase: bool = False,
    threads: int | None = None,
) -> Rows:
    """The statistics of all segments of a table as columns, which a frame can take as they are.

    :param table: as for :func:`row_blocks`
    :param hypothesis: the name of the column of hypotheses
    :param references: the name of the column of references, or the names of several
    :param metric: as for :func:`cybleu.metrics.find`, by default ``sacrebleu``
    :param tokenize: how to split raw text into tokens, by default ``13a``; None for columns of lists of tokens
    :param lowercase: put raw text in lower case first
    :param threads: how many threads count at the same time
    :return: a dict from the names of the metric's columns to int64 arrays `(n,)`, or float64 where the metric counts fractions, in the order of the rows; the arrays
        are empty for an empty table
    :raises CybleuError: as for :func:`row_blocks`

    With pandas, ``frame.assign(**rows(frame))`` adds them to a frame; with polars,
    ``frame.with_columns(**rows(frame))``.

    >>> texts = {"hypothesis": ["The cat sat.", "A dog."], "reference": ["The cat sat!", "A dog."]}
    >>> rows(texts)["match_1"]
    array([3, 3])
    """
    chosen = find(metric)
    arguments: Any = {"tokenize": tokenize, "lowercase": lowercase, "threads": threads}
    found = {name: _Growing(_length_of(table), chosen.dtype) for name in chosen.columns}
    for block in row_blocks(table, hypothesis, references, chosen, **arguments):
        for name, numbers in block.items():
            found[name].append(numbers)
    return {name: column.whole() for name, column in found.items()}


def total(
    table: Any,
    hypothesis: str = "hypothesis",
    references: str | Sequence[str] = "reference",
    metric: str | Metric | Variant | None = None,
    *,
    tokenize: Tokenize = "13a",
    lowercase: bool = False,
    threads: int | None = None,
) -> dict[str, int] | dict[str, float]:
    """The sum of the statistics of a table, which is read block by block and not kept.

    :param table: as for :func:`row_blocks`
    :param hypothesis: the name of the column of hypotheses
    :param references: the name of the column of references, or the names of several
    :param metric: as for :func:`cybleu.metrics.find`, by default ``sacrebleu``
    :param tokenize: how to split raw text into tokens, by default ``13a``; None for columns of lists of tokens
    :param lowercase: put raw text in lower case first
    :param threads: how many threads count at the same time
    :return: a dict from the names of the metric's columns to ints, 0 for an empty table
    :raises CybleuError: as for :func:`row_blocks`

    >>> texts = {"hypothesis": ["The cat sat.", "A dog."], "reference": ["The cat sat!", "A dog."]}
    >>> total(texts)["match_1"]
    6
    """
    arguments: Any = {"tokenize": tokenize, "lowercase": lowercase, "threads": threads}
    chosen = find(metric)
    number = chosen.number_type
    sums = dict.fromkeys(chosen.columns, number())
    for block in row_blocks(table, hypothesis, references, metric, **arguments):
        for name, numbers in block.items():
            sums[name] += number(numbers.sum())
    return sums


def statistics(columns: Any, metric: str | Metric | Variant | None = None) -> NDArray[np.int64]:
    """Turn columns of statistics into rows, as :func:`cybleu.score` and the tests of significance take them.

    :param columns: an object with columns or numbers by name: a dict, a frame, a table, or a row of sums from a
        database. It may have other columns, too
    :param metric: the metric of the columns, by default ``sacrebleu``
    :return: int64 of shape `(n, columns)`; one row if the columns are numbers
    :raises StatisticsError: a column is missing, or holds something other than whole numbers that fit into int64

    >>> from cybleu import score
    >>> sums = {"hyp_len": 5, "ref_len": 5, "match_1": 4, "match_2": 2, "match_3": 1, "match_4": 0}
    >>> sums |= {"total_1": 5, "total_2": 4, "total_3": 3, "total_4": 2}
    >>> round(score(statistics(sums)).score, 4)
    42.7287
    """
    chosen = find(metric)
    found = [_numbers(columns, name, chosen.takes_fractions) for name in chosen.columns]
    if len(set(map(len, found))) > 1:
        raise StatisticsError(f"the columns have different lengths: {', '.join(map(str, map(len, found)))}")
    return np.column_stack(found)


class _Growing:
    """A column of as many numbers as a table says that it has rows, which becomes longer if it has more.

    Memory is not used before it is written. A stream does not state the number of its rows; then the array grows by an
    eighth.
    """

    def __init__(self, count: int, dtype: str) -> None:
        self._numbers: NDArray[Any] = np.empty(count, dtype=dtype)
        self._count = 0

    def append(self, numbers: NDArray[np.int64]) -> None:
        end = self._count + len(numbers)
        if end > len(self._numbers):
            self._numbers.resize(max(end, len(self._numbers) * 9 // 8), refcheck=False)
        self._numbers[self._count : end] = numbers
        self._count = end

    def whole(self) -> NDArray[np.int64]:
        self._numbers.resize(self._count, refcheck=False)
        return self._numbers


def _length_of(table: Any) -> int:
    """How many rows a table says that it has, 0 where it would have to count them."""
    if hasattr(table, "num_rows"):  # of pyarrow
        return int(table.num_rows)
    return len(table) if hasattr(table, "__array__") and hasattr(table, "__len__") else 0  # frames


def _segments_of_lists(table: Mapping[str, Any], names: Sequence[str]) -> Iterator[tuple[list[Any], list[list[Any]]]]:
    """The hypotheses and their references in a dict, where a list of lists of tokens, or of texts, has several references."""
    columns = [parse_list(table[known(name, tuple(table))], name, "the texts of each segment") for name in names]
    counts = [len(column) for column in columns]
    if len(set(counts)) > 1:
        raise LengthMismatchError(f"the columns have {', '.join(map(str, counts))} entries; give one for each segment")
    for start in range(0, counts[0], BLOCK):
        texts, *others = (column[start : start + BLOCK] for column in columns)
        yield (
            texts,
            [
                [text for entry in entries for text in _references_of(entry, hypothesis)]
                for hypothesis, *entries in zip(texts, *others)
            ],
        )


def _references_of(entry: Any, hypothesis: Any) -> list[Any]:
    if entry is None:
        return []
    of_tokens = isinstance(hypothesis, (list, tuple))
    several = isinstance(entry, (list, tuple)) and (
        not of_tokens or (len(entry) > 0 and isinstance(entry[0], (list, tuple)))
    )
    return [text for text in entry if text is not None] if several else [entry]


def _place(name: str, names: tuple[str, ...] | None) -> int:
    if names is None:
        raise ArrowError("this is one column, not a table; pass columns to segment_stats")
    return names.index(known(name, names))


def known(name: str, names: Sequence[str], what: str = "table") -> str:
    """The name of a column.

    :param names: of all columns
    :raises UnknownNameError: there is none of it, or there are several
    """
    if names.count(name) != 1:
        number = "no column" if name not in names else "several columns"
        raise UnknownNameError(f"the {what} has {number} {name!r}; it has {', '.join(map(repr, names))}")
    return name


def _named(metric: Any, found: NDArray[np.int64]) -> Rows:
    return {name: np.ascontiguousarray(found[:, place]) for place, name in enumerate(metric.columns)}


def _numbers(columns: Any, name: str, fractions: bool) -> NDArray[Any]:
    try:
        values = columns[name]
    except Exception as error:
        has = ", ".join(map(repr, columns)) if isinstance(columns, Mapping) else type(columns).__name__
        raise StatisticsError(f"there is no column {name!r} in the columns: {has}") from error
    flat = array_given(values, name).reshape(-1)
    if fractions:
        return floats_given(flat, name)
    if flat.dtype.kind not in "iu":
        flat = np.array(whole_numbers(flat.tolist(), name, " from 0"), dtype=object)
    if len(flat) and not 0 <= int(flat.min()) <= int(flat.max()) < 2**63:
        raise StatisticsError(
            f"{name} holds {int(flat.min())} to {int(flat.max())}; statistics are from 0 and fit int64"
        )
    return flat.astype(np.int64)
