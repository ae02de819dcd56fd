"""Scores of Ray Data's Datasets. A map turns Arrow blocks of texts into rows of statistics, and Ray adds these up.

It needs Ray from 2.40. cybleu, NumPy and pyarrow have to be installed on the machines of the cluster. Texts are in
columns of strings, or of lists of strings. Bad input raises one of cybleu's errors inside an error of Ray. The row that
it names is counted from the start of the block.

In the examples `dataset` is a Dataset with one segment of two systems. Its columns are `system`, `segment`,
`hypothesis` and `reference`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..errors import ArrowError
from .engines import Counting
from .tables import known

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..metrics import Metric, Score, Variant
    from .engines import Names
    from .tables import Tokenize

__all__ = ["group_scores", "rows", "score", "segment_scores", "system_rows", "total"]


def rows(
    dataset: Any,
    hypothesis: str = "hypothesis",
    references: Names = "reference",
    metric: str | Metric | Variant | None = None,
    *,
    keep: Names = (),
    tokenize: Tokenize = "13a",
    lowercase: bool = False,
) -> Any:
    """The statistics of each segment as columns, which Ray adds up.

    :param dataset: a Dataset of Ray Data
    :param hypothesis: the name of the column of hypotheses
    :param references: the name of the column of references, which has a reference or a list of references for each
        segment; or the names of several columns
    :param metric: as for :func:`cybleu.metrics.find`, by default ``sacrebleu``
    :param keep: the name of a column to keep with the statistics, such as that of the segment, or the names of
        several
    :param tokenize: how to split raw text into tokens, by default ``13a``; None for lists of tokens
    :param lowercase: put raw text in lower case first
    :return: a Dataset, not computed yet
    :raises UnknownNameError: there is no column, or no metric, with this name
    :raises ArrayValueError: a column is kept twice, or has the name of a new column
    :raises ArrowError: `dataset` is not a Dataset

    >>> sorted((row["system"], row["hyp_len"], row["match_1"]) for row in rows(dataset, keep="system").take_all())
    [('a', 4, 4), ('b', 4, 3)]
    """
    counting = Counting(hypothesis, references, metric, tokenize, lowercase, keep)
    return _mapped(_read(dataset, counting), counting, Counting.rows_of)


def segment_scores(
    dataset: Any,
    hypothesis: str = "hypothesis",
    references: Names = "reference",
    metric: str | Metric | Variant | None = None,
    *,
    keep: Names = (),
    tokenize: Tokenize = "13a",
    lowercase: bool = False,
) -> Any:
    """The score of each segment, in the column ``score``.

    The metric scores single sentences here, as :func:`cybleu.scores` does with this metric at the level of sentences.

    :param dataset: a Dataset of Ray Data
    :param hypothesis: the name of the column of hypotheses
    :param references: as for :func:`rows`
    :param metric: as for :func:`cybleu.metrics.find`, by default ``sacrebleu``
    :param keep: the name of a column to keep with the score, or the names of several
    :param tokenize: how to split raw text into tokens, by default ``13a``; None for lists of tokens
    :param lowercase: put raw text in lower case first
    :return: a Dataset, not computed yet
    :raises CybleuError: as for :func:`rows`

    >>> sorted(round(row["score"], 2) for row in segment_scores(dataset).take_all())
    [59.46, 100.0]
    """
    counting = Counting(hypothesis, references, metric, tokenize, lowercase, keep)
    return _mapped(_read(dataset, counting), counting, Counting.segment_scores_of)


def total(
    dataset: Any,
    hypothesis: str = "hypothesis",
    references: Names = "reference",
    metric: str | Metric | Variant | None = None,
    *,
    tokenize: Tokenize = "13a",
    lowercase: bool = False,
) -> dict[str, int]:
    """The sum of the statistics of all segments.

    :param dataset: a Dataset of Ray Data
    :param hypothesis: the name of the column of hypotheses
    :param references: as for :func:`rows`
    :param metric: as for :func:`cybleu.metrics.find`, by default ``sacrebleu``
    :param tokenize: how to split raw text into tokens, by default ``13a``; None for lists of tokens
    :param lowercase: put raw text in lower case first
    :return: a dict from the names of the metric's columns to ints, 0 for a Dataset without rows
    :raises CybleuError: as for :func:`rows`

    >>> total(dataset)["match_1"]
    7
    """
    counting = Counting(hypothesis, references, metric, tokenize, lowercase)
    return counting.total_of(_sums(dataset, counting))


def score(
    dataset: Any,
    hypothesis: str = "hypothesis",
    references: Names = "reference",
    metric: str | Metric | Variant | None = None,
    *,
    tokenize: Tokenize = "13a",
    lowercase: bool = False,
) -> Score:
    """The score of all segments as one corpus, as :func:`cybleu.score` gives it for their rows.

    :param dataset: a Dataset of Ray Data
    :param hypothesis: the name of the column of hypotheses
    :param references: as for :func:`rows`
    :param metric: as for :func:`cybleu.metrics.find`, by default ``sacrebleu``. It cannot be a mean of the scores of
        segments; for such a mean, average the result of :func:`segment_scores`
    :param tokenize: how to split raw text into tokens, by default ``13a``; None for lists of tokens
    :param lowercase: put raw text in lower case first
    :return: a :class:`cybleu.metrics.BleuScore`, or the :class:`cybleu.metrics.Score` of another metric
    :raises EmptyCorpusError: the Dataset has no rows
    :raises StatisticsError: the metric is a mean of the scores of segments
    :raises CybleuError: as for :func:`rows`

    >>> print(f"{score(dataset).score:.2f}, {score(dataset, metric='chrf').score:.2f}")
    72.31, 79.65
    """
    counting = Counting(hypothesis, references, metric, tokenize, lowercase).for_sums()
    return counting.score_of(_sums(dataset, counting))


def group_scores(
    dataset: Any,
    by: Names,
    hypothesis: str = "hypothesis",
    references: Names = "reference",
    metric: str | Metric | Variant | None = None,
    *,
    partitions: int | None = None,
    tokenize: Tokenize = "13a",
    lowercase: bool = False,
) -> Any:
    """The score of each group as one corpus: the column ``score``, and the sums of the statistics.

    :param dataset: a Dataset of Ray Data
    :param by: the name of the column whose values are the groups, or the names of several
    :param hypothesis: the name of the column of hypotheses
    :param references: as for :func:`rows`
    :param metric: as for :func:`score`
    :param partitions: into how many parts Ray shuffles the groups; by default Ray decides. If there are few groups, a
        small number is faster
    :param tokenize: how to split raw text into tokens, by default ``13a``; None for lists of tokens
    :param lowercase: put raw text in lower case first
    :return: a Dataset, not computed yet, with a row for each group, in any order
    :raises StatisticsError: the metric is a mean of the scores of segments
    :raises CybleuError: as for :func:`rows`

    >>> sorted((row["system"], round(row["score"], 2)) for row in group_scores(dataset, "system", partitions=1).take_all())
    [('a', 100.0), ('b', 59.46)]
    """
    counting = Counting(hypothesis, references, metric, tokenize, lowercase, by).for_sums()
    counted = _mapped(_read(dataset, counting), counting, Counting.addends_of)
    groups = counted.groupby(list(counting.keep), num_partitions=partitions)
    return _mapped(groups.aggregate(*_added(counting)), counting, Counting.group_scores_of)


def system_rows(
    dataset: Any,
    hypothesis: str = "hypothesis",
    references: Names = "reference",
    metric: str | Metric | Variant | None = None,
    *,
    system: str = "system",
    segment: str = "segment",
    tokenize: Tokenize = "13a",
    lowercase: bool = False,
) -> dict[str, NDArray[np.int64]]:
    """The rows of several systems in this process, as the tests of :mod:`cybleu.significance` take them.

    :param dataset: a Dataset of Ray Data with a row for each segment of each system
    :param hypothesis: the name of the column of hypotheses
    :param references: as for :func:`rows`
    :param metric: as for :func:`cybleu.metrics.find`, by default ``sacrebleu``
    :param system: the name of the column that says whose hypothesis it is
    :param segment: the name of the column that says which segment it is; the rows are in its order
    :param tokenize: how to split raw text into tokens, by default ``13a``; None for lists of tokens
    :param lowercase: put raw text in lower case first
    :return: a dict from the names of the systems to int64 arrays `(segments, columns)`
    :raises LengthMismatchError: a system has a segment twice, or not the same segments as another
    :raises SequenceTypeError: a system or a segment is null
    :raises CybleuError: as for :func:`rows`

    >>> {name: of_system.shape for name, of_system in system_rows(dataset).items()}
    {'a': (1, 10), 'b': (1, 10)}
    """
    counting = Counting(hypothesis, references, metric, tokenize, lowercase, (system, segment))
    return counting.systems_of(_table(_mapped(_read(dataset, counting), counting, Counting.rows_of)))


def _mapped(dataset: Any, counting: Counting, function: Callable[[Counting, Any], dict[str, Any]]) -> Any:
    """The columns that are kept, and those that the function makes of blocks."""

    def map_block(block: Any) -> Any:
        from pyarrow import Table

        return Table.from_pydict(function(counting, block))

    return dataset.map_batches(map_block, batch_format="pyarrow", batch_size=None, zero_copy_batch=True)


def _read(dataset: Any, counting: Counting) -> Any:
    """The columns that are read and no others, where Ray knows them before it computes anything.

    :raises ArrowError: `dataset` is not a Dataset
    :raises UnknownNameError: there is no column of a name
    """
    if not (hasattr(dataset, "map_batches") and hasattr(dataset, "select_columns")):
        raise ArrowError(
            f"a {type(dataset).__name__} is not a Dataset of Ray Data; pass tables in memory to cybleu.columns.rows"
        )
    names = dataset.columns(fetch_if_missing=False)
    if names is None:
        return dataset  # a task says what is missing
    return dataset.select_columns([known(name, names, "dataset") for name in counting.read])


def _sums(dataset: Any, counting: Counting) -> dict[str, int | None]:
    # Ray keeps processors back for the sum as long as the map is in one execution with it; here each has all of them
    in_blocks = _mapped(_read(dataset, counting), counting, Counting.sums_of).materialize()
    found: dict[str, int | None] = in_blocks.aggregate(*_added(counting))
    return found


def _added(counting: Counting) -> list[Any]:
    from ray.data.aggregate import Sum

    return [Sum(name, alias_name=name) for name in counting.addends]


def _table(dataset: Any) -> Any:
    """All of it in this process."""
    from pyarrow import concat_tables
    from ray import get

    return concat_tables(get(dataset.to_arrow_refs()))
