"""Functions from a batch of Arrow to columns of Arrow, which an engine such as Spark or Ray maps and sums.

A task has one processor, so that these functions count in one thread. They are sent to other machines, where they import cybleu.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import np
from ..errors import ArrayValueError, EmptyCorpusError, LengthMismatchError, SequenceTypeError, UnknownNameError
from ..metrics import Bleu, Score, find
from .tables import rows, statistics

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..metrics import Metric, Variant
    from .tables import Tokenize

    Names = str | Sequence[str]

__all__ = ["SCORE", "Counting"]

SCORE = "score"


class Counting:
    """Which columns are counted and how, and which columns are kept with the counts.

    :raises UnknownNameError: there is no such metric, or no column of references
    :raises ArrayValueError: a column is kept twice, or has the name of a new column
    """

    def __init__(
        self,
        hypothesis: str,
        references: Names,
        metric: str | Metric | Variant | None,
        tokenize: Tokenize,
        lowercase: bool,
        keep: Names = (),
    ):
        self.metric = find(metric)
        self.hypothesis = hypothesis
        self.references = _names(references)
        self.keep = _names(keep)
        self._tokens: Any = {"tokenize": tokenize, "lowercase": lowercase, "threads": 1}
        if not self.references:
            raise UnknownNameError("there is no column of references; name at least one")
        for place, name in enumerate(self.keep):
            if name in (*self.addends, SCORE) or name in self.keep[:place]:
                made = "given twice" if name in self.keep[:place] else "the name of a column that is made"
                raise ArrayValueError(f"the column {name!r} is to be kept, and it is {made}; rename it")

    def for_sums(self) -> Counting:
        """The same, after a check that sums have a score.

        :raises StatisticsError: the metric is a mean of the scores of segments
        """
        self.metric.check_summable()
        return self

    @property
    def read(self) -> list[str]:
        """The columns that are read, each once."""
        return list(dict.fromkeys((*self.keep, self.hypothesis, *self.references)))

    @property
    def addends(self) -> tuple[str, ...]:
        """The statistics, and what else the score of a sum needs: NLTK counts segments that are too short for an order."""
        short = isinstance(self.metric, Bleu) and self.metric.definition.short_segments_count
        return (*self.metric.columns, *([f"short_{n + 1}" for n in range(len(self._totals))] if short else []))

    @property
    def _totals(self) -> tuple[str, ...]:
        return tuple(name for name in self.metric.columns if name.startswith("total_"))

    # -------------------------------------------------------------------------------- from batches to columns, on workers

    def rows_of(self, batch: Any) -> dict[str, Any]:
        """The columns that are kept, and the statistics of each segment.

        :param batch: a RecordBatch or Table of pyarrow
        """
        return {**self._kept(batch), **self._counted(batch)}

    def addends_of(self, batch: Any) -> dict[str, Any]:
        """The same with what the score of a sum needs.

        :param batch: as for :meth:`rows_of`
        """
        found = self.rows_of(batch)
        if len(self.addends) > len(self.metric.columns):
            for name, total in zip(self.addends[len(self.metric.columns) :], self._totals):
                found[name] = (found[total] == 0).astype(np.int64)
        return found

    def sums_of(self, batch: Any) -> dict[str, Any]:
        """What the score of a sum needs, added up in the batch, so that the engine has one row of it to move and to add.

        :param batch: as for :meth:`rows_of`
        """
        rows = self.addends_of(batch)
        return {name: rows[name].sum(keepdims=True) if batch.num_rows else rows[name] for name in self.addends}

    def segment_scores_of(self, batch: Any) -> dict[str, Any]:
        """The columns that are kept, and the score of each segment.

        :param batch: as for :meth:`rows_of`
        """
        table = statistics(self._counted(batch), self.metric)
        scores = self.metric.of_sentences().scores(table)
        return {**self._kept(batch), SCORE: scores}

    def group_scores_of(self, batch: Any) -> dict[str, Any]:
        """The columns that are kept, sums of statistics, and their score.

        :param batch: of the sums of groups, a RecordBatch or Table of pyarrow
        """
        sums = {name: np.asarray(batch.column(name)) for name in self.addends}
        scores = [
            self.score_of({name: column[place].item() for name, column in sums.items()}).score
            for place in range(batch.num_rows)
        ]
        made = {name: sums[name] for name in self.metric.columns}
        return {**self._kept(batch), **made, SCORE: np.array(scores, dtype=np.float64)}

    def _kept(self, batch: Any) -> dict[str, Any]:
        return {name: batch.column(name) for name in self.keep}

    def _counted(self, batch: Any) -> dict[str, Any]:
        return rows(batch, self.hypothesis, self.references, self.metric, **self._tokens)

    # ------------------------------------------------------------------------------------- from sums to scores, where asked

    def total_of(self, sums: Mapping[str, Any]) -> dict[str, Any]:
        """The sum of the statistics.

        :param sums: what the engine found, None where there is no row
        """
        return {name: self.metric.number_type(sums[name] or 0) for name in self.metric.columns}

    def score_of(self, sums: Mapping[str, Any]) -> Score:
        """The score of a sum.

        :param sums: as for :meth:`total_of`
        :raises EmptyCorpusError: there is no row
        """
        if any(sums[name] is None for name in self.addends):
            raise EmptyCorpusError("there is no segment to score; give at least one row with its references")
        row = [*self.total_of(sums).values()]
        short = [int(sums[name] or 0) for name in self.addends[len(row) :]]
        return self.metric.score(row, short or None)

    def systems_of(self, table: Any) -> dict[str, NDArray[np.int64]]:
        """The rows of each system, in the order of the segments.

        :param table: a Table of pyarrow with the columns of the system and of the segment, which are kept, and the statistics
        :raises SequenceTypeError: a system or a segment is null
        :raises LengthMismatchError: a system has a segment twice, or not the segments of the first system
        """
        system, segment = self.keep
        for name in self.keep:
            if table.column(name).null_count:
                raise SequenceTypeError(f"the column {name!r} holds nulls; each row needs its system and its segment")
        found = {}
        first: Any = None
        for one in table.column(system).unique().sort():
            part = table.filter(_equal(table.column(system), one)).sort_by(segment)
            segments = part.column(segment).combine_chunks()
            if len(segments.unique()) < len(segments):
                twice = next(ours for ours, before in zip(segments[1:], segments[:-1]) if ours == before)
                raise LengthMismatchError(f"the system {one} has the segment {twice} more than once")
            if first is None:
                first = one, segments
            if not segments.equals(first[1]):
                ours, theirs = set(segments.to_pylist()), set(first[1].to_pylist())
                raise LengthMismatchError(
                    f"the systems {first[0]} and {one} have not the same segments, for example {min(ours ^ theirs)!r}"
                )
            found[str(one)] = statistics(part, self.metric)
        return found


def _equal(column: Any, value: Any) -> Any:
    from pyarrow import compute

    return compute.equal(column, value)


def _names(given: Names) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)
