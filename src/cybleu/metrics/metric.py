"""What a metric is to the rest of the package.

A metric says how to count a segment, as a row of whole numbers that can be added up, and how to score a row or a sum of rows.
Rewards, matrices of pairs, minimum Bayes risk, oracles, the perceptron, tuning and the command line take any metric. A new one
needs `columns`, :meth:`Metric.row` and :meth:`Metric.evaluate`; whatever is faster another way it does itself, as
:class:`cybleu.metrics.Bleu` does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from .._runtime.numbers import score_given
from .._runtime.scales import percent
from .._runtime.sequences import by_position
from ..errors import ArrayValueError, StatisticsError, UnknownNameError
from ..stats.rows import counts_given, one_or_more, whole_array, whole_numbers
from ..text.columns import references_given, texts_given
from ..text.raw import raw_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..text.raw import Raw
    from .formula import Formula

Self = TypeVar("Self", bound="Metric")


@dataclass(frozen=True)
class Score:
    """A score with its scale and its definition; ``print`` shows it.

    :param score: on the metric's scale, from 0 to `scale`
    :param scale: of a perfect match, 1 or 100
    :param signature: the definition in one line

    >>> print(Score(score=0.5, scale=1, signature="metric:mine"))
    metric:mine = 50.00
    """

    score: float
    scale: float
    signature: str

    @property
    def percent(self) -> float:
        """The score from 0 to 100."""
        return float(percent(self.score, self.scale))

    def format(self, width: int = 2) -> str:
        """One line, always from 0 to 100.

        :param width: decimals of the score
        """
        return f"{self.signature} = {self.percent:.{width}f}"

    def __str__(self) -> str:
        return self.format()


class Metric(ABC):
    """How to count and how to score. Metrics are frozen: their fields cannot change, so they can be shared.

    :ivar name: the name of the metric
    :ivar scale: the score of a perfect match
    :ivar columns: the names of the numbers in a row

    >>> class SharedWords(Metric):
    ...     name, scale, columns = "shared words", 1, ("shared", "words")
    ...     def row(self, references, hypothesis):
    ...         return [len({*hypothesis} & {*references[0]}), len({*hypothesis})]
    ...     def evaluate(self, row):
    ...         return row[0] / row[1] if row[1] else 0.0
    >>> from cybleu import pairwise_bleu
    >>> pairwise_bleu([["a", "b"], ["a", "c"]], metric=SharedWords())
    array([[1. , 0.5],
           [0.5, 1. ]])
    """

    name: str
    scale: float = 1
    columns: tuple[str, ...] = ()
    #: Texts are str or bytes as they are, so that nothing makes tokens of them.
    of_raw_text: bool = False
    #: There are rows of raw text that the backend has read, see :meth:`rows_of_raw`.
    reads_raw_text: bool = False
    #: Rows may have numbers that are not whole, in float64.
    takes_fractions: bool = False

    # ----------------------------------------------------------------------------------------------------- to be given

    @abstractmethod
    def row(self, references: Sequence[Collection[Hashable]], hypothesis: Collection[Hashable]) -> list[int]:
        """The counts of one segment, whole numbers that add up to those of a corpus.

        :param references: one or more references, each a sequence of tokens
        :param hypothesis: a sequence of tokens
        """

    @abstractmethod
    def evaluate(self, row: Sequence[int]) -> float:
        """The score of a row or of a sum of rows, on the metric's scale.

        :param row: as many numbers as there are columns
        """

    # ------------------------------------------------------------------------------------------------- may be done better

    @property
    def signature(self) -> str:
        """The definition in one line."""
        return f"metric:{self.name}"

    def of_sentences(self: Self) -> Self:
        """The metric as it scores single sentences."""
        return self

    def with_choices(self: Self, **choices: Any) -> Self:
        """The metric with other values of its fields.

        :param choices: the new values, by the names of the fields
        :raises UnknownNameError: it has no such field
        """
        names: list[str] = [field.name for field in fields(self) if field.init] if is_dataclass(self) else []
        unknown = [name for name in choices if name not in names]
        if unknown:
            raise UnknownNameError(
                f"the metric {self.name} has no {unknown[0]!r}; it has {', '.join(names) or 'nothing to choose'}"
            )
        changed: Self = replace(self, **choices)  # type: ignore[type-var]
        return changed

    def rows(
        self,
        references: Any,
        hypotheses: Any,
        *,
        owner: Any = None,
        threads: int | None = None,
        progress: bool = False,
        tokenize: str | Callable[[str], Sequence[Hashable]] | None = None,
        lowercase: bool = False,
        **of_ids: Any,
    ) -> NDArray[np.int64]:
        """The row of each segment.

        :param references: for each segment a list of references
        :param hypotheses: for each segment a list of tokens
        :param owner: for each hypothesis the index of its list of references; by default hypothesis i has list i
        :param threads: how many threads work at the same time; a metric that is written in Python uses one
        :param progress: show a progress bar (needs tqdm)
        :param tokenize: the texts are raw text, and this says how to split them, as for :func:`cybleu.text.tokenizer`
        :param lowercase: put raw text in lower case first
        :param of_ids: arguments for arrays of token ids; only some metrics take them
        :return: int64 of shape `(hypotheses, columns)`
        """
        from .._runtime.arrays import np
        from .._runtime.parallel import run
        from ..text.batches import owners_given

        if hasattr(references, "stats"):
            raise ArrayValueError(
                f"References are prepared for BLEU, chrF and GLEU, and the metric {self.name} counts in its own way; "
                "give it lists of references"
            )
        self._refuse_ids(of_ids, "lists of tokens")
        raw = raw_of(tokenize, lowercase)
        if raw is not None:
            references, hypotheses = raw.sets_of_token_lists(references), raw.token_lists(hypotheses, "hypotheses")
        references = [by_position(texts) for texts in by_position(references_given(references))]
        hypotheses = by_position(texts_given(hypotheses))
        count = len(hypotheses)
        owners = owners_given(owner, len(references), count)
        rows = np.empty((count, len(self.columns)), dtype=np.int64)

        def work(start: int, stop: int) -> None:
            for position in range(start, stop):
                row = self._checked(self.row(references[owners[position]], hypotheses[position]))
                try:
                    rows[position] = row
                except OverflowError:
                    raise StatisticsError(f"the counts of {self.name} are beyond 64 bits: {row}") from None

        run(work, len(rows), 0, None, progress, "segments")
        return rows

    def _refuse_ids(self, of_ids: Mapping[str, Any], takes: str) -> None:
        for name, value in of_ids.items():
            if value is not None:
                raise ArrayValueError(f"{name} is for token ids, and the metric {self.name} takes {takes}")

    def rows_of_raw(
        self, raw: Raw, texts: Any, references: Any, bounds: Any, threads: int | None = None
    ) -> list[list[int]] | None:
        """The rows of segments of raw text that the backend has read; None if the metric needs tokens.

        :param raw: with one of the backend's tokenisers
        :param texts: hypotheses as the backend reads them
        :param references: the references of all segments as the backend reads them, one after the other
        :param bounds: where the references of each segment begin, and where the last ones end
        :param threads: how many threads work at the same time
        """
        return None

    def sum_of_raw(
        self, raw: Raw, texts: Any, references: Any, bounds: Any, threads: int | None = None
    ) -> tuple[list[int], Sequence[int] | None] | None:
        """The sum of these rows, and what else the score of a corpus needs; None if the metric needs tokens.

        The other parameters are those of :meth:`cybleu.metrics.Metric.rows_of_raw`.
        """
        return None

    def sum_of(
        self, list_of_references: Sequence[Any], hypotheses: Sequence[Any]
    ) -> tuple[list[int], Sequence[int] | None]:
        """The sum of the rows of some segments, and what else the score of a corpus needs to know of them.

        :param list_of_references: for each segment a list of references
        :param hypotheses: for each segment a list of tokens
        """
        rows = [
            self._checked(self.row(references, hypothesis))
            for references, hypothesis in zip(list_of_references, hypotheses)
        ]
        return [sum(column) for column in zip([0] * len(self.columns), *rows)], None

    def pairs(
        self,
        references: Sequence[Any],
        hypotheses: Sequence[Any] | None = None,
        *,
        out: NDArray[np.float64] | None = None,
        threads: int | None = None,
        progress: bool = False,
        **of_ids: Any,
    ) -> NDArray[np.float64]:
        """The score of every hypothesis against every reference alone.

        :param references: R texts
        :param hypotheses: H texts, by default the references
        :param out: an array to write into
        :param threads: how many threads work at the same time
        :param progress: show a progress bar (needs tqdm)
        :param of_ids: as for :meth:`rows`
        :return: float64 of shape `(H, R)`
        """
        from .._runtime.arrays import np
        from ..text.batches import separate_output

        texts = references if hypotheses is None else hypotheses
        count = len(references)
        owner = [number for _ in texts for number in range(count)]
        repeated = [text for text in texts for _ in range(count)]
        sets = [[reference] for reference in references]
        scores = self.scores(self.rows(sets, repeated, owner=owner, threads=threads, progress=progress, **of_ids))
        shape = len(texts), count
        result = separate_output(out, shape, np.float64, references=references, hypotheses=hypotheses)
        np.copyto(result, scores.reshape(shape))
        return result

    def score(self, stats: Any, short_segments: Sequence[int] | None = None) -> Score:
        """The score of a corpus or of one segment.

        :param stats: a row, or rows, which are added up
        :param short_segments: only BLEU uses this
        """
        if getattr(stats, "ndim", None) == 2:
            row = self._checked_array(stats).sum(axis=0, dtype=object).tolist()
        else:
            rows = [self._checked(row) for row in one_or_more(stats)]
            row = [sum(column) for column in zip([0] * len(self.columns), *rows)]
        return Score(score_given(self.evaluate(row), row), self.scale, self.signature)

    def _checked(self, row: Any) -> list[int]:
        """:raises StatisticsError: this is no row of the metric."""
        numbers = whole_numbers(row, f"the counts of {self.name}")
        if len(numbers) != len(self.columns):
            raise StatisticsError(f"a row of {self.name} has {len(self.columns)} entries, and this one {len(numbers)}")
        return numbers

    def _counted(self, row: Any) -> list[int]:
        """A row of counts as a list of ints.

        :raises StatisticsError: this is no row of whole numbers from 0
        """
        numbers = counts_given(row, f"the counts of {self.name}")
        self._check_width(len(numbers))
        return numbers

    def _checked_array(self, stats: Any) -> NDArray[np.int64]:
        """:raises StatisticsError: these are no rows of the metric."""
        array = whole_array(stats, "stats")
        if array.ndim != 2 or array.shape[1] != len(self.columns):
            raise StatisticsError(
                f"stats has the shape {array.shape}; rows of {self.name} have {len(self.columns)} entries"
            )
        return array

    def scores(self, stats: Any) -> NDArray[np.float64]:
        """The score of each row.

        :param stats: integers `(n, columns)`
        :return: float64 `(n,)`, on the metric's scale
        """
        return self.formula(len(self.columns)).score_rows(self._checked_array(stats))

    def formula(self, width: int) -> Formula:
        """What turns rows of this many columns into numbers in searches.

        :param width: how many columns
        """
        from .formula import Formula, InPython

        self._check_width(width)
        return Formula(InPython(self.evaluate))

    def _check_width(self, width: int) -> None:
        if width != len(self.columns):
            raise StatisticsError(
                f"a row of {self.name} has {len(self.columns)} entries, and these have {width}; count the texts for this metric, "
                "those of an n-best list with NBest.with_metric"
            )

    def summable(self, stats: NDArray[np.int64]) -> tuple[NDArray[np.int64], Metric]:
        """Rows from whose sum alone the metric given with them scores a corpus.

        :param stats: rows of segments
        """
        return stats, self

    @property
    def plateau(self) -> Metric | None:
        """A metric that gives different scores to sums that this one scores 0, so that a search can go on there."""
        return None
