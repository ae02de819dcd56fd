"""Tables of texts to rows of statistics, some segments at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import np
from .._runtime.exclusive import exclusive
from .._runtime.sequences import advice_for
from ..errors import ArrowError, LengthMismatchError, UnknownNameError
from ..metrics import find
from ..metrics.statistics import rows_by_name
from ..text.columns import ReferenceColumns, TextColumn, arrays_of, is_column
from ..text.reading import read_list

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..metrics import Score

    Rows = dict[str, NDArray[np.int64]]

__all__ = ["row_blocks", "rows", "score", "segment_scores", "total"]

BLOCK = 16384  # rows of a table that are counted at a time


@exclusive
def row_blocks(
    table: Any,
    hypothesis: str = "hypothesis",
    references: str | Sequence[str] = "reference",
    metric: Any = "bleu",
    *,
    threads: int | None = None,
    **options: Any,
) -> Iterator[Rows]:
    """The statistics of the segments of a table, block by block, for tables that do not fit into memory.

    :param table: an object that implements the Arrow PyCapsule interface: a pyarrow Table, RecordBatch or RecordBatchReader, a
        frame of polars or pandas, or a relation of DuckDB; or a dict of lists. A reader is read only as far as you take
        blocks
    :param hypothesis: the name of the column of hypotheses. It has raw texts, lists of tokens or lists of
        token ids
    :param references: the name of the column of references, which has a reference or a list of references for each
        segment; or the names of several columns. A null is left out, but each segment needs at least one reference
    :param metric: as for :func:`cybleu.metrics.find`, by default sacreBLEU's BLEU
    :param threads: how many threads count at the same time
    :param options: of the metric, such as ``tokenize="zh"``
    :return: a dict for each block, from the names of the metric's columns to int64 arrays `(n,)`, or float64 where the metric counts fractions, in the order of the
        rows
    :raises UnknownNameError: the table has no column with this name
    :raises SequenceTypeError: a hypothesis is null; the message has the number of its row in the whole table, from 0
    :raises NoReferencesError: a segment has no reference
    :raises ArrowError: `table` is not a table, or it is broken or already consumed
    :raises ValueError: two threads read one iterator at the same time

    >>> texts = {"hypothesis": ["The cat sat.", "A dog."], "reference": ["The cat sat!", "A dog."]}
    >>> [block["match_1"] for block in row_blocks(texts)]
    [array([3, 3])]
    """
    chosen = find(metric, **options)
    chosen.check_parts()
    wanted = [hypothesis, *([references] if isinstance(references, str) else references)]
    check_names(hypothesis, wanted[1:])
    if isinstance(table, Mapping):
        for texts, sets in _segments_of_lists(table, wanted):
            yield _named(chosen, chosen.rows(texts, sets, threads=threads))
        return
    if not is_column(table):
        raise ArrowError(
            f"a {type(table).__name__} does not implement the Arrow PyCapsule interface; {_collect(table)}pass a table of pyarrow, a DataFrame of "
            "Polars or pandas (which requires pyarrow), a relation of DuckDB, or a dict of lists"
        )
    names, arrays = arrays_of(table)
    places = [_place(name, names) for name in wanted]
    first = 0
    for part in arrays:
        columns = [part.field(place) for place in places]
        for start in range(0, len(part), BLOCK):
            parts = [column.part(start, min(start + BLOCK, len(part))) for column in columns]
            column = TextColumn(parts[:1], "hypotheses", first)
            others = ReferenceColumns([[one] for one in parts[1:]], column.kind == "raw text", "references", first)
            found = chosen.rows(column, others, threads=threads)
            first += len(found)
            yield _named(chosen, found)


def rows(
    table: Any,
    hypothesis: str = "hypothesis",
    references: str | Sequence[str] = "reference",
    metric: Any = "bleu",
    *,
    threads: int | None = None,
    **options: Any,
) -> Rows:
    """The statistics of all segments of a table as columns, which a frame can take as they are.

    :param table: as for :func:`row_blocks`
    :param hypothesis: the name of the column of hypotheses
    :param references: the name of the column of references, or the names of several
    :param metric: as for :func:`cybleu.metrics.find`, by default sacreBLEU's BLEU
    :param threads: how many threads count at the same time
    :param options: of the metric, such as ``tokenize="zh"``
    :return: a dict from the names of the metric's columns to int64 arrays `(n,)`, or float64 where the metric counts fractions, in the order of the rows; the arrays
        are empty for an empty table
    :raises CybleuError: as for :func:`row_blocks`

    With pandas, ``frame.assign(**rows(frame))`` adds them to a frame; with polars,
    ``frame.with_columns(**rows(frame))``.

    >>> texts = {"hypothesis": ["The cat sat.", "A dog."], "reference": ["The cat sat!", "A dog."]}
    >>> rows(texts)["match_1"]
    array([3, 3])
    """
    chosen = find(metric, **options)
    found = {name: _Growing(_length_of(table), chosen.dtype) for name in chosen.columns}
    for block in row_blocks(table, hypothesis, references, chosen, threads=threads):
        for name, numbers in block.items():
            found[name].append(numbers)
    return {name: column.whole() for name, column in found.items()}


def segment_scores(
    table: Any,
    hypothesis: str = "hypothesis",
    references: str | Sequence[str] = "reference",
    metric: Any = "bleu",
    *,
    threads: int | None = None,
    **options: Any,
) -> NDArray[np.float64]:
    """The score of each segment of a table, as the tool of the metric scores single sentences.

    For sacreBLEU this means effective order: orders for which a text is too short are left out, so that a text of three
    tokens that equals its reference has the score 100.

    :param table: as for :func:`row_blocks`
    :param hypothesis: the name of the column of hypotheses
    :param references: the name of the column of references, or the names of several
    :param metric: as for :func:`cybleu.metrics.find`, by default sacreBLEU's BLEU
    :param threads: how many threads count at the same time
    :param options: of the metric, such as ``tokenize="zh"``
    :return: float64 `(n,)`, on the metric's scale, in the order of the rows; empty for an empty table
    :raises CybleuError: as for :func:`row_blocks`

    ``frame.assign(score=segment_scores(frame))`` adds them to a frame of pandas;
    ``frame.with_columns(score=segment_scores(frame))`` to one of polars.

    >>> segment_scores({"hypothesis": ["It rains.", "A dog."], "reference": ["It rains.", "The dog."]}).round(2)
    array([100.  ,  55.03])
    """
    chosen = find(metric, **options)
    sentences = chosen.of_sentences()
    scores = [np.empty(0)]
    for block in row_blocks(table, hypothesis, references, chosen, threads=threads):
        scores.append(sentences.scores(rows_by_name(block, chosen)))
    return np.concatenate(scores)


def total(
    table: Any,
    hypothesis: str = "hypothesis",
    references: str | Sequence[str] = "reference",
    metric: Any = "bleu",
    *,
    threads: int | None = None,
    **options: Any,
) -> dict[str, int] | dict[str, float]:
    """The sum of the statistics of a table, which is read block by block and not kept.

    :param table: as for :func:`row_blocks`
    :param hypothesis: the name of the column of hypotheses
    :param references: the name of the column of references, or the names of several
    :param metric: as for :func:`cybleu.metrics.find`, by default sacreBLEU's BLEU
    :param threads: how many threads count at the same time
    :param options: of the metric, such as ``tokenize="zh"``
    :return: a dict from the names of the metric's columns to ints, 0 for an empty table. :func:`cybleu.score` takes it
    :raises CybleuError: as for :func:`row_blocks`

    >>> from cybleu import score
    >>> texts = {"hypothesis": ["The cat sat.", "A dog."], "reference": ["The cat sat!", "A dog."]}
    >>> total(texts)["match_1"], round(score(total(texts)).score, 2)
    (6, 69.14)
    """
    chosen = find(metric, **options)
    number = float if chosen.dtype == "float64" else int
    sums = dict.fromkeys(chosen.columns, number())
    for block in row_blocks(table, hypothesis, references, chosen, threads=threads):
        for name, numbers in block.items():
            sums[name] += number(numbers.sum())
    return sums


def score(
    table: Any,
    hypothesis: str = "hypothesis",
    references: str | Sequence[str] = "reference",
    metric: Any = "bleu",
    *,
    threads: int | None = None,
    **options: Any,
) -> Score:
    """The score of all segments of a table as one corpus. The table is read block by block and not kept.

    The other parameters are those of :func:`total`.

    :return: a :class:`cybleu.metrics.BleuScore`, or the :class:`cybleu.metrics.Score` of another metric
    :raises StatisticsError: the metric is a mean of the scores of segments; average the result of :func:`segment_scores`

    >>> texts = {"hypothesis": ["The cat sat.", "A dog."], "reference": ["The cat sat!", "A dog."]}
    >>> round(score(texts).score, 2)
    69.14
    """
    chosen = find(metric, **options)
    chosen.check_summable()
    return chosen.score([*total(table, hypothesis, references, chosen, threads=threads).values()])


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


def _collect(table: Any) -> str:
    advice = advice_for(table)
    return f"{advice}; or " if advice else ""


def _length_of(table: Any) -> int:
    """How many rows a table says that it has, 0 where it would have to count them."""
    if hasattr(table, "num_rows"):  # of pyarrow
        return int(table.num_rows)
    return len(table) if hasattr(table, "__array__") and hasattr(table, "__len__") else 0  # frames


def _segments_of_lists(table: Mapping[str, Any], names: Sequence[str]) -> Iterator[tuple[list[Any], list[list[Any]]]]:
    """The hypotheses and their references in a dict, where a list of lists of tokens, or of texts, has several references."""
    columns = [read_list(table[known(name, tuple(table))], name, "the texts of each segment") for name in names]
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
        raise ArrowError("this is one column, not a table; pass columns to cybleu.rows")
    return names.index(known(name, names))


# What columns are called; lower case, without a plural's s.
OF_REFERENCES = {"reference", "ref", "target", "gold"}
OF_HYPOTHESES = {"hypothesis", "hypothese", "hyp", "prediction", "pred", "output", "candidate", "translation", "mt"}


def check_names(hypothesis: str, references: Sequence[str]) -> None:
    """Check that there is a column of references, and that the names are not the wrong way round.

    :raises UnknownNameError: they are
    """
    if not references:
        raise UnknownNameError("there is no column of references; name at least one")
    turned = [name for name in references if _bare(name) in OF_HYPOTHESES]
    if turned and _bare(hypothesis) in OF_REFERENCES:
        raise UnknownNameError(
            f"the column of hypotheses is {hypothesis!r} and that of references {turned[0]!r}, which is the wrong way round; "
            f"pass hypothesis={turned[0]!r}, references={hypothesis!r}"
        )


def _bare(name: Any) -> str:
    text = str(name).lower()
    return text if text == "hypothesis" else text.removesuffix("s")


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
