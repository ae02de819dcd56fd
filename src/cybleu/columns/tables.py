"""Tables of texts to rows of statistics, some segments at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import Floats, Integers, np
from ..errors import ArrowError, UnknownNameError
from ..metrics import find
from ..metrics.names import rows_by_name
from ..metrics.operations import check_parts, check_summable
from ..text.columns import (
    ReferenceColumns,
    are_columns,
    arrow,
    check_column,
    columns_by_name,
    is_column,
    side_by_side,
    texts_of_column,
)
from ..text.segments import described

if TYPE_CHECKING:
    from ..metrics import Score

    Names = str | Sequence[str]
    Rows = dict[str, Integers]

BLOCK = 16384  # rows of a table that are counted at a time


def row_blocks(
    table: Any,
    hypothesis: str = "hypothesis",
    references: Names = "reference",
    metric: Any = "bleu",
    *,
    threads: int | None = None,
    **options: Any,
) -> Iterator[Rows]:
    """Count the segments of a table block by block, for tables that do not fit into memory.

    :param table: an object that implements the Arrow PyCapsule interface (a pyarrow Table, RecordBatch or
        RecordBatchReader, a polars or pandas DataFrame, or a DuckDB relation), or a dict of lists. A reader is read
        only as far as you iterate over the blocks
    :param hypothesis: the name of the column of hypotheses, which contains raw texts, lists of tokens or lists of token
        ids
    :param references: the name of the column of references, which has a reference or a list of references for each
        segment; or the names of several columns. Nulls are ignored, but each segment requires at least one reference
    :param metric: the metric, in any form that :func:`cybleu.metrics.find` accepts, by default sacreBLEU's BLEU
    :param threads: the number of threads, by default one; it does not affect the result
    :param options: options of the metric, such as ``tokenize="zh"``
    :return: for each block a dict that maps the names of the metric's columns to int64 arrays `(n,)`, or float64 if the
        metric counts fractions, in the order of the rows
    :raises UnknownNameError: the table does not have exactly one column with a given name; or a column is given instead
        of its name
    :raises SequenceTypeError: a hypothesis is null; the message has the number of its row in the whole table, from 0
    :raises NoReferencesError: a segment has no reference
    :raises ArrowError: `table` is not a table, or it is already consumed; or a column is damaged
    :raises ValueError: two threads read one iterator at the same time

    >>> texts = {"hypothesis": ["The cat sat.", "A dog."], "reference": ["The cat sat!", "A dog."]}
    >>> [block["match_1"] for block in row_blocks(texts)]
    [array([3, 3])]
    """
    chosen = find(metric, **options)
    check_parts(chosen)
    for name in (hypothesis, references):
        if are_columns(name):
            raise UnknownNameError(f"a {type(name).__name__} is not the name of a column; pass a table, then names")
    wanted = [hypothesis, *names_of_references(references)]
    if find_spec("pyarrow") is None:
        table = dict(columns_by_name(table) or ()) or table
    for texts, sets in _of_lists(table, wanted) if isinstance(table, Mapping) else _of_arrow(table, wanted):
        found = chosen.rows(texts, sets, threads=threads)
        yield {name: np.ascontiguousarray(found[:, place]) for place, name in enumerate(chosen.columns)}


def rows(
    table: Any,
    hypothesis: str = "hypothesis",
    references: Names = "reference",
    metric: Any = "bleu",
    *,
    threads: int | None = None,
    **options: Any,
) -> Rows:
    """Count the segments of a table, and return their statistics as columns that can be added to a frame.

    :param table: see :func:`row_blocks`
    :param hypothesis: the name of the column of hypotheses
    :param references: the name of the column of references, or the names of several
    :param metric: the metric, in any form that :func:`cybleu.metrics.find` accepts, by default sacreBLEU's BLEU
    :param threads: the number of threads, by default one; it does not affect the result
    :param options: options of the metric, such as ``tokenize="zh"``
    :return: a dict that maps the names of the metric's columns to int64 arrays `(n,)`, or float64 if the metric counts
        fractions, in the order of the rows; the arrays are empty for an empty table
    :raises CybleuError: for the same reasons as :func:`row_blocks`

    To add the columns to a frame, use ``frame.assign(**rows(frame))`` with pandas, and
    ``frame.with_columns(**rows(frame))`` with polars.

    >>> texts = {"hypothesis": ["The cat sat.", "A dog."], "reference": ["The cat sat!", "A dog."]}
    >>> rows(texts)["match_1"]
    array([3, 3])
    """
    chosen = find(metric, **options)
    found = {name: bytearray() for name in chosen.columns}  # grow in place
    for block in row_blocks(table, hypothesis, references, chosen, threads=threads):
        for name, numbers in block.items():
            found[name].extend(numbers.data)
    return {name: np.frombuffer(column, dtype=chosen.dtype) for name, column in found.items()}


def segment_scores(
    table: Any,
    hypothesis: str = "hypothesis",
    references: Names = "reference",
    metric: Any = "bleu",
    *,
    threads: int | None = None,
    **options: Any,
) -> Floats:
    """Score each segment of a table, as the tool of the metric scores single sentences.

    For sacreBLEU this means effective order: orders for which a text is too short are skipped, so a text of three
    tokens that equals its reference scores 100.

    :param table: see :func:`row_blocks`
    :param hypothesis: the name of the column of hypotheses
    :param references: the name of the column of references, or the names of several
    :param metric: the metric, in any form that :func:`cybleu.metrics.find` accepts, by default sacreBLEU's BLEU
    :param threads: the number of threads, by default one; it does not affect the result
    :param options: options of the metric, such as ``tokenize="zh"``
    :return: float64 `(n,)`, on the metric's scale, in the order of the rows; empty for an empty table
    :raises CybleuError: for the same reasons as :func:`row_blocks`

    To add the scores to a frame, use ``frame.assign(score=segment_scores(frame))`` with pandas, and
    ``frame.with_columns(score=segment_scores(frame))`` with polars.

    >>> segment_scores({"hypothesis": ["It rains.", "A dog."], "reference": ["It rains.", "The dog."]}).round(2)
    array([100.  ,  55.03])
    """
    chosen = find(metric, **options)
    sentences = chosen.of_sentences()
    blocks = row_blocks(table, hypothesis, references, chosen, threads=threads)
    return np.concatenate([np.empty(0), *(sentences.scores(rows_by_name(block, chosen)) for block in blocks)])


def total(
    table: Any,
    hypothesis: str = "hypothesis",
    references: Names = "reference",
    metric: Any = "bleu",
    *,
    threads: int | None = None,
    **options: Any,
) -> dict[str, int] | dict[str, float]:
    """Sum the statistics of a table. The table is read block by block and not kept in memory.

    :param table: see :func:`row_blocks`
    :param hypothesis: the name of the column of hypotheses
    :param references: the name of the column of references, or the names of several
    :param metric: the metric, in any form that :func:`cybleu.metrics.find` accepts, by default sacreBLEU's BLEU
    :param threads: the number of threads, by default one; it does not affect the result
    :param options: options of the metric, such as ``tokenize="zh"``
    :return: a dict that maps the names of the metric's columns to ints, 0 for an empty table. :func:`cybleu.score`
        accepts it
    :raises CybleuError: for the same reasons as :func:`row_blocks`

    >>> from cybleu import score
    >>> texts = {"hypothesis": ["The cat sat.", "A dog."], "reference": ["The cat sat!", "A dog."]}
    >>> total(texts)["match_1"], round(score(total(texts)).score, 2)
    (6, 69.14)
    """
    chosen = find(metric, **options)
    sums = dict.fromkeys(chosen.columns, 0)
    for block in row_blocks(table, hypothesis, references, chosen, threads=threads):
        for name, numbers in block.items():
            sums[name] += numbers.sum().item()
    return sums


def score(
    table: Any,
    hypothesis: str = "hypothesis",
    references: Names = "reference",
    metric: Any = "bleu",
    *,
    threads: int | None = None,
    **options: Any,
) -> Score:
    """Score all segments of a table as one corpus. The table is read block by block and not kept in memory.

    The other parameters are those of :func:`total`.

    :return: a :class:`cybleu.metrics.BleuScore`, or the :class:`cybleu.metrics.Score` of another metric
    :raises StatisticsError: the metric is a mean of the scores of segments; average the result of
        :func:`segment_scores`

    >>> texts = {"hypothesis": ["The cat sat.", "A dog."], "reference": ["The cat sat!", "A dog."]}
    >>> round(score(texts).score, 2)
    69.14
    """
    chosen = find(metric, **options)
    check_summable(chosen)
    return chosen.score([*total(table, hypothesis, references, chosen, threads=threads).values()])


def _of_lists(table: Mapping[str, Any], wanted: Sequence[str]) -> Iterator[tuple[Any, Any]]:
    """The hypotheses and their references in a dict of columns, all together."""
    texts, *columns = (table[known(name, tuple(table))] for name in wanted)
    yield texts, columns if len(columns) > 1 and are_columns(columns) else side_by_side(columns, "references")


def _of_arrow(table: Any, wanted: Sequence[str]) -> Iterator[tuple[Any, Any]]:
    """The hypotheses and their references in the blocks of a table that pyarrow reads."""
    if not is_column(table):
        advice = "pass a table of pyarrow, a DataFrame of Polars or pandas, a relation of DuckDB, or a dict of lists"
        raise ArrowError(
            f"the table must implement the Arrow PyCapsule interface, but it is {described(table, advice)}"
        )
    first = 0
    with arrow(table) as pa:
        if isinstance(table, (pa.Array, pa.ChunkedArray)):
            table.validate()
            table = pa.Table.from_struct_array(table)
        if not hasattr(table, "__arrow_c_stream__"):
            table = pa.record_batch(table)
        if not isinstance(table, (pa.Table, pa.RecordBatch, pa.RecordBatchReader)):
            table = pa.RecordBatchReader.from_stream(table)
        places = [table.schema.names.index(known(name, table.schema.names)) for name in wanted]
        for part in table if isinstance(table, pa.RecordBatchReader) else [table]:
            for name, place in zip(wanted, places):
                column = part.column(place)
                check_column(column, f"the column {name!r}")
                # a damaged file can have columns of different lengths, which pyarrow reads without a check
                if len(column) != part.num_rows:
                    raise ArrowError(f"the column {name!r} has {len(column)} rows, but its table has {part.num_rows}")
            whole = part if isinstance(part, pa.Table) else pa.Table.from_batches([part])
            for batch in whole.to_batches(max_chunksize=BLOCK):
                texts, *others = (batch.column(place) for place in places)
                yield texts_of_column(texts, "hypotheses", first), ReferenceColumns(others, "references", first)
                first += len(texts)


def names_of_references(references: Any) -> list[str]:
    """:raises UnknownNameError: there is no column of references"""
    is_one = isinstance(references, str) or not hasattr(references, "__iter__")
    names = [references] if is_one else list(references)
    if not names:
        raise UnknownNameError("there is no column of references; name at least one")
    return names


def known(name: str, names: Sequence[str]) -> str:
    """The name of a column.

    :param names: of all columns
    :raises UnknownNameError: there is none of it, or there are several
    """
    if names.count(name) != 1:
        number = "no column" if name not in names else "several columns"
        raise UnknownNameError(f"the table has {number} {name!r}; it has {', '.join(map(repr, names))}")
    return name
