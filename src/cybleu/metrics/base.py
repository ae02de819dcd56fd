"""The interface of metrics.

A metric defines how to count a segment, as a row of numbers that can be added up, and how to score a row or a sum of
rows. Rewards, matrices of pairs, minimum Bayes risk, oracles, the perceptron, tuning and the command line accept any
metric. A new metric must define `name`, `columns`, :meth:`Metric.count` and :meth:`Metric.evaluate`. The metrics of this
package override :meth:`Metric.counter`, which reads a corpus once and then writes any of its rows, and score valid
rows; see :class:`BuiltinMetric`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar

from .._runtime.lazy_arrays import floats_given, np
from .._runtime.numbers import check_flags, finite_numbers, score_given
from .._runtime.parallel import checked_threads, run
from .._runtime.scales import percent
from .._runtime.sequences import length_of, plain_segment
from ..errors import NoReferencesError, SequenceTypeError, StatisticsError, UnknownNameError
from ..text.batches import Corpus, ListSets, Place, Sets, TokenLists
from ..text.ids import SpecialIds
from ..text.raw import Raw
from ..text.reading import check_same_kind, read_corpus, read_lines, read_texts
from ..text.tokenizers import tokenizer
from .references import References
from .statistics import has_rows, one_or_more, whole_array, whole_numbers
from .tokens import segments_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..text.batches import Batch, Kind
    from ..text.raw import Tokenize

Self = TypeVar("Self", bound="Metric")
Counter: TypeAlias = "Callable[[int, int, Any], None]"  # writes the rows from `start` to before `stop`

PAIRS_AT_ONCE = 65536


@dataclass(frozen=True)
class Score:
    """A score with its scale and its definition; ``print`` shows it.

    :param score: the score on the metric's scale
    :param scale: the score of a perfect match, 1 or 100; of an error rate, that of an error for each word, and a score can be above it
    :param signature: the definition in one line

    >>> print(Score(score=0.5, scale=1, signature="metric:mine"))
    metric:mine = 50.00
    """

    score: float
    scale: float
    signature: str

    @property
    def percent(self) -> float:
        """The score in percent of `scale`."""
        return float(percent(self.score, self.scale))

    def format(self, width: int = 2) -> str:
        """Format the score in one line, always in percent of `scale`.

        :param width: the number of decimals of the score
        """
        return f"{self.signature} = {self.percent:.{width}f}"

    def __str__(self) -> str:
        return self.format()


@dataclass(frozen=True)
class Metric(ABC):
    """Base class of metrics: how to count segments, and how to score the counts. Metrics are frozen: their fields cannot change, so they can be shared.

    :ivar name: the name of the metric
    :ivar scale: the score of a perfect match
    :ivar columns: the names of the numbers in a row

    >>> class SharedWords(Metric):
    ...     name, scale, columns = "shared words", 1, ("shared", "words")
    ...     def count(self, hypothesis, references):
    ...         return [len({*hypothesis} & {*references[0]}), len({*hypothesis})]
    ...     def evaluate(self, row):
    ...         return row[0] / row[1] if row[1] else 0.0
    >>> import cybleu
    >>> cybleu.pairs([["a", "b"], ["a", "c"]], metric=SharedWords())
    array([[1. , 0.5],
           [0.5, 1. ]])
    """

    name: ClassVar[str]
    scale: ClassVar[float] = 1
    columns: ClassVar[tuple[str, ...]] = ()
    #: What :meth:`count` takes: lists of ``tokens``, or the ``text`` as a str.
    reads: ClassVar[str] = "tokens"
    #: Of the numbers in a row: ``int64``, or ``float64`` for fractions.
    dtype: ClassVar[str] = "int64"
    #: False for error rates, of which 0 is a perfect match and `scale` an error for each word.
    higher_is_better: ClassVar[bool] = True
    #: The cost of counting a token without the lock of the interpreter; 0 for metrics in Python, which use one thread.
    cost: ClassVar[int] = 0
    #: The least number that a row may have; None for any.
    least: ClassVar[int | None] = None

    tokenize: Tokenize | None = field(default=None, kw_only=True)
    lowercase: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        check_flags(self, "lowercase")
        if self.reads == "text" and self.tokenize is not None:
            raise UnknownNameError(f"{self.name} reads raw text as it is, so it takes no tokeniser")
        if self.tokenizer is not None:
            tokenizer(self.tokenizer)

    # -------------------------------------------------------------------------------------------- given by a new metric

    @abstractmethod
    def count(self, hypothesis: Any, references: Sequence[Any]) -> list[int]:
        """Count a segment: return numbers that add up to those of a corpus.

        :param hypothesis: a sequence of tokens, or a str if the metric reads text
        :param references: one or more references of the same kind
        """

    @abstractmethod
    def evaluate(self, row: Sequence[int]) -> float:
        """Score a row or a sum of rows, on the metric's scale.

        :param row: a number for each column
        """

    # ---------------------------------------------------------------------------------------- overridden by faster ones

    def counter(self, corpus: Corpus) -> Counter:
        """Read a corpus, and return a function `(start, stop, rows)` that writes the rows of these segments.

        :param corpus: texts and references of a kind that the metric reads
        """
        segment = segments_of(corpus, self.raw(corpus.kind), self.reads)

        def count(start: int, stop: int, rows: Any) -> None:
            for position in range(start, stop):
                row = self._checked(self.count(*segment(position)))
                try:
                    for column, number in enumerate(row):
                        rows[position, column] = number
                except (OverflowError, ValueError):
                    raise StatisticsError(f"the counts of {self.name} are beyond 64 bits: {row}") from None

        return count

    def scores_of(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        """Score rows that are valid. :meth:`scores` validates them first.

        :param rows: an array `(n, columns)` of the metric's dtype
        """
        return np.array(list(map(self.score_of, rows.tolist())), dtype=np.float64)

    def score_of(self, row: Sequence[Any]) -> float:
        """Score a row that is valid.

        :param row: a number for each column
        """
        return score_given(self.evaluate(row), row)

    def _fill_pairs(
        self, texts: Batch, others: Batch, scores: NDArray[np.float64], threads: int | None, progress: bool
    ) -> None:
        """Write the score of each text against each other one as its only reference.

        :param texts: texts that have been read
        :param others: texts of the same kind; the same object for the scores of the texts against each other
        :param scores: an array `(texts, others)`
        """
        width = others.size
        sets = (
            ListSets([[text] for text in others.texts], others.place.name)
            if isinstance(others, TokenLists)
            else Sets(others, np.arange(width + 1, dtype=np.int64))
        )
        everyone, at_once = np.arange(width, dtype=np.int64), max(1, PAIRS_AT_ONCE // max(1, width))

        def work(start: int, stop: int) -> None:
            for first in range(start, stop, at_once):
                some = np.arange(first, min(stop, first + at_once), dtype=np.int64)
                corpus = Corpus(texts.take(np.repeat(some, width)), sets, np.tile(everyone, len(some)))
                scores[some] = self.scores_of(self._table(corpus)).reshape(len(some), width)

        run(work, texts.size, self.cost * 64 * scores.size, threads if self.cost else None, progress, "hypotheses")

    # -------------------------------------------------------------------------- overridden where the default does not fit

    @property
    def family(self) -> str:
        """The name of all variants of the metric: ``BLEU``, or the name of a metric that has none."""
        return self.name

    @property
    def signature(self) -> str:
        """The definition in one line."""
        return f"metric:{self.name}"

    def of_sentences(self: Self) -> Self:
        """Return the metric for scoring single sentences."""
        return self

    def as_reward(self) -> Metric:
        """Return the metric of :func:`cybleu.reward_scores`, which scores single sentences and gives an empty one 0.

        :raises UnknownNameError: its scores have no upper limit
        """
        return self.of_sentences()

    @property
    def weighs_by_call(self) -> bool:
        """Whether weights come from all references of a call, so that a corpus cannot be counted in several calls."""
        return False

    def with_weights_of(self: Self, references: Any) -> Self:
        """Return the metric with the weights of a corpus, for counting its segments in several calls.

        :param references: for each segment a list of references
        """
        return self

    @property
    def tokenizer(self) -> Tokenize | None:
        """The tokeniser of raw text; None if the metric reads tokens alone."""
        return self.tokenize

    def split_on_blanks(self: Self) -> Self:
        """Return the metric with white space as its tokeniser of raw text, unless it has another one."""
        return self.with_choices(tokenize="unicode") if self.reads == "tokens" and self.tokenize is None else self

    @property
    def plateau(self) -> Metric | None:
        """Return a metric that distinguishes sums that this one scores 0, so that a search can continue there."""
        return None

    # -------------------------------------------------------------------------------------------- the same in all metrics

    @property
    def maximised(self) -> Metric:
        """The metric to maximise: itself, or its :class:`Accuracy` if lower is better."""
        return self if self.higher_is_better else Accuracy(self)

    def with_choices(self: Self, **choices: Any) -> Self:
        """Return the metric with other values of its fields.

        :param choices: the new values, by the names of the fields
        :raises UnknownNameError: the metric has no such field
        """
        names = [field.name for field in fields(self) if field.init]
        for name in choices:
            if name not in names:
                raise UnknownNameError(f"the metric {self.name} has no {name!r}; it has {', '.join(names)}")
        changed = {name: value for name, value in choices.items() if value is not getattr(self, name)}
        return replace(self, **changed) if changed else self

    def rows(
        self,
        hypotheses: Any,
        references: Any,
        *,
        owner: Any = None,
        threads: int | None = None,
        progress: bool = False,
        **of_ids: Any,
    ) -> NDArray[Any]:
        """Count segments, and return the row of each, as :func:`cybleu.rows` does.

        :param hypotheses: a batch of texts
        :param references: one or several references for each segment, or prepared :class:`cybleu.References`
        :param owner: for each hypothesis the index of its references; by default hypothesis i has references i
        :param threads: the number of threads; metrics written in Python use one
        :param progress: show a progress bar (requires tqdm)
        :param of_ids: `lengths`, `reference_lengths`, `pad_id`, `eos_id` and `unk_id` of arrays of token ids
        :return: int64 of shape `(hypotheses, columns)`, or float64 if the metric counts fractions
        """
        given = self._ids_given(of_ids)
        if isinstance(references, References):
            corpus = references.corpus(hypotheses, owner, **given)
        else:
            lengths = {name: given.pop(name, None) for name in ("lengths", "reference_lengths")}
            corpus = read_corpus(hypotheses, references, owner, **lengths, special=SpecialIds(**given))
        return self._table(corpus, threads, progress)

    def _table(self, corpus: Corpus, threads: int | None = None, progress: bool = False) -> NDArray[Any]:
        rows = np.zeros((corpus.size, len(self.columns)), dtype=self.dtype)
        self._fill(corpus, rows, threads, progress)
        return rows

    def _fill(self, corpus: Corpus, rows: Any, threads: int | None = None, progress: bool = False) -> None:
        """Write the rows of a corpus, in threads if the metric and the texts allow it.

        :param corpus: texts and references that have been read
        :param rows: an array or a view `(segments, columns)` of zeros. A view does not require NumPy
        """
        checked_threads(threads)
        if not corpus.size:
            self.raw(corpus.kind)
            return
        count = self.counter(corpus)
        if not self.cost or isinstance(corpus.texts, TokenLists):
            threads = None
        cost = self.cost * corpus.cost
        run(lambda start, stop: count(start, stop, rows), corpus.size, cost, threads, progress, "segments")

    def rows_of(self, corpus: Corpus, threads: int | None = None) -> Any:
        """Count a corpus that has been read, and return its rows as a view `(segments, columns)`. Does not require NumPy.

        :param corpus: texts and references that have been read
        :param threads: the number of threads
        """
        code: Any = "d" if self.dtype == "float64" else "q"
        shape = corpus.size, len(self.columns)
        rows: Any = memoryview(bytearray(8 * shape[0] * shape[1])).cast(code, shape) if corpus.size else []
        self._fill(corpus, rows, threads)
        return rows

    def raw(self, kind: Kind) -> Raw | None:
        """How texts of this kind are tokenised; None for tokens and ids.

        :param kind: ``raw text``, ``tokens``, ``ids`` or ``nothing``
        :raises SequenceTypeError: the metric does not read texts of this kind
        :raises UnknownNameError: the metric has a tokeniser, and the texts are tokens
        """
        if self.reads == "text":
            if kind in ("tokens", "ids"):
                raise SequenceTypeError(
                    f"{self.name} reads raw text, and the hypotheses are {kind}; pass each text as a str"
                )
            return Raw("none", self.lowercase)
        if kind == "raw text":
            if self.tokenizer is None:
                raise SequenceTypeError(
                    f"{self.name} reads tokens, and the hypotheses are raw text; split them, or name a tokeniser: tokenize='13a'"
                )
            return self._raw()
        if kind != "nothing" and (self.lowercase or self.tokenize is not None):
            name = "lowercase" if self.tokenize is None else "tokenize"
            raise UnknownNameError(
                f"{name} is for raw text, and the hypotheses are {kind}; leave {name} out, or pass texts as str"
            )
        return None

    def _raw(self) -> Raw:
        assert self.tokenizer is not None
        return Raw(self.tokenizer, self.lowercase)

    def _ids_given(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments for token ids that are not None.

        :raises UnknownNameError: one has another name, such as that of a field of the metric
        """
        for name in given:
            if name not in ("lengths", "reference_lengths", *SpecialIds._fields):
                raise UnknownNameError(
                    f"{name} is no argument here; pass {type(self).__name__}({name}=...) if it is a field"
                )
        return {name: value for name, value in given.items() if value is not None}

    def pairs(
        self, texts: Any, others: Any = None, *, threads: int | None = None, progress: bool = False, **of_ids: Any
    ) -> NDArray[np.float64]:
        """Score each text against each other text as its only reference, as :func:`cybleu.pairs` does.

        :param texts: the hypotheses
        :param others: the references, by default `texts`
        :param threads: the number of threads
        :param progress: show a progress bar (requires tqdm)
        :param of_ids: `pad_id`, `eos_id` and `unk_id` of arrays of token ids
        :return: float64 of shape `(texts, others)`
        """
        special = SpecialIds(**self._ids_given(of_ids))
        hypotheses = read_texts(texts, "texts", special=special)
        references = hypotheses if others is None else read_texts(others, "others", special=special)
        self.raw(hypotheses.kind if hypotheses.size else references.kind if references.size else "nothing")
        scores = np.zeros((hypotheses.size, references.size))
        if scores.size:  # an empty list may be of any kind
            check_same_kind(hypotheses.kind, "texts", references.kind, "others")
            self._fill_pairs(hypotheses, references, scores, threads, progress)
        return scores

    def score(self, rows: Any) -> Score:
        """Score a corpus or a segment.

        :param rows: a row, or rows, which are added up
        """
        self.check_summable()
        return Score(self.score_of(self._sum(rows)), self.scale, self.signature)

    def total(self, rows: Any) -> list[Any]:
        """Add up rows in their order: the row of a corpus. Totals can be added up, too.

        :param rows: a row, or rows of segments or corpora that this metric counted
        :return: a list of numbers; of no rows, zeros
        :raises StatisticsError: the metric is a mean of the scores of segments
        """
        self.check_summable()
        return self._sum(rows) if has_rows(rows) else [0] * len(self.columns)

    def scores(self, rows: Any) -> NDArray[np.float64]:
        """Score each row.

        :param rows: integers `(n, columns)`, or floats if the metric takes fractions
        :return: float64 `(n,)`, on the metric's scale
        """
        table = self._array(rows)
        if table.ndim != 2:
            raise StatisticsError(f"rows has {table.ndim} dimensions; scores() takes rows, and score() a single one")
        metric = self.of_width(table.shape[1])
        metric._check_rows(table)
        return metric.scores_of(table)

    def _array(self, rows: Any) -> NDArray[Any]:
        return floats_given(rows, "rows") if self.dtype == "float64" else whole_array(rows, "rows")

    def _check_rows(self, rows: NDArray[Any]) -> None:
        """:raises StatisticsError: a row is not valid"""
        low = self.least is not None and rows.size > 0 and not rows.min() >= self.least
        if low or (self.dtype == "float64" and not np.isfinite(rows).all()):
            for row in rows.tolist():
                self._checked(row)

    def _checked(self, row: Any) -> list[Any]:
        """A row as a list.

        :raises StatisticsError: it is not valid
        """
        numbers: Any
        if self.dtype == "float64":
            numbers = finite_numbers(row, f"the numbers of {self.name}")
            if numbers is None or (self.least is not None and min(numbers, default=0) < self.least):
                least = "" if self.least is None else f" from {self.least}"
                raise StatisticsError(f"a row of {self.name} has finite numbers{least}, and this is {row!r}")
        else:
            numbers = whole_numbers(row, f"the counts of {self.name}", self.least)
        self.of_width(len(numbers))
        return list(numbers)

    def _sum(self, rows: Any) -> list[Any]:
        """The sum of a row or rows, from the first to the last."""
        columns: Any
        if isinstance(rows, memoryview) and rows.ndim == 2:  # of a counter, without NumPy
            width = len(self.columns)
            numbers = rows.cast("B").cast(rows.format)  # type: ignore[call-overload]
            columns = [numbers[column::width] for column in range(width)]
        elif hasattr(rows, "ndim"):
            table = np.atleast_2d(self._array(rows))
            if table.ndim != 2:
                raise StatisticsError(f"rows has {table.ndim} dimensions; it must be one row or rows")
            self.of_width(table.shape[1])
            self._check_rows(table)
            columns = table.T.tolist()
        else:
            columns = zip([0] * len(self.columns), *map(self._checked, one_or_more(rows)))
        # `sum` compensates rounding errors of floats from Python 3.12 on
        return [sum(column) if self.dtype == "int64" else reduce(add, column, 0) for column in columns]

    def of_width(self: Self, width: int) -> Self:
        """Return the metric for rows with this many columns.

        :param width: the number of columns; BLEU has any number of n-gram orders
        :raises StatisticsError: rows of the metric have another number
        """
        if width != len(self.columns):
            raise StatisticsError(
                f"a row of {self.name} has {len(self.columns)} entries, and these have {width}; count the texts for this "
                "metric, those of an n-best list with NBest.with_metric"
            )
        return self

    def check_summable(self) -> None:  # noqa: B027 - most metrics have nothing to check
        """Check that a corpus can be scored from the sum of its rows.

        :raises StatisticsError: the metric is a mean of the scores of segments
        """

    def summable(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return rows of segments whose sum has the score of the corpus.

        :param rows: rows of segments
        :raises StatisticsError: the metric is a mean of the scores of segments
        """
        self.check_summable()
        return rows

    def check_parts(self) -> None:
        """Check that a corpus can be counted in several calls.

        :raises StatisticsError: the metric takes its weights from all references of a call
        """
        if self.weighs_by_call:
            raise StatisticsError(
                f"{self.name} takes its weights from all references of a call, and here a corpus is counted in parts; "
                "give the metric the weights of the whole corpus: metric.with_weights_of(references)"
            )


class BuiltinMetric(Metric):
    """Base class of the metrics of this package, which define :meth:`counter` and :meth:`score_of` in place of `count` and `evaluate`."""

    least: ClassVar[int | None] = 0

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        # By the constructor, because the fields of a pickle can have any values.
        type(self).__init__(self, **{field.name: state[field.name] for field in fields(self) if field.init})

    def count(self, hypothesis: Any, references: Sequence[Any]) -> list[Any]:
        """Count a segment, and return its row. Does not require NumPy.

        :param hypothesis: a sequence of hashable tokens, or a str if the metric reads text
        :param references: one or more references of the same kind
        :raises NoReferencesError: there is no reference
        """
        corpus: Corpus
        if self.reads == "text":
            lines = read_lines(references, "references")
            corpus = Corpus(read_lines([hypothesis], "hypothesis"), Sets(lines, array("q", (0, lines.size))))
        else:
            references, hypothesis = plain_segment(references, hypothesis, first="hypothesis")
            corpus = Corpus(TokenLists([hypothesis], Place("hypotheses")), ListSets([references], "references"))
        if not length_of(references, "the references"):
            raise NoReferencesError("there is no reference for the hypothesis; give at least one")
        code: Any = "d" if self.dtype == "float64" else "q"
        row = array(code, bytes(8 * len(self.columns)))
        self.counter(corpus)(0, 1, memoryview(row).cast("B").cast(code, (1, len(row))))
        return row.tolist()

    def evaluate(self, row: Sequence[Any]) -> float:
        """Score a row or a sum of rows.

        :param row: a number from 0 for each column
        :raises StatisticsError: the row is not valid
        """
        return self.score_of(self._checked(row))


@dataclass(frozen=True)
class Accuracy(BuiltinMetric):
    """What an error rate leaves of a perfect score: `scale` minus the score. Rows are those of the error rate.

    :param metric: the error rate

    >>> from cybleu.metrics import find
    >>> find("ter").maximised.evaluate([1.0, 4.0])
    75.0
    """

    metric: Metric

    def __post_init__(self) -> None:
        for name in ("scale", "columns", "reads", "dtype", "cost", "least"):
            object.__setattr__(self, name, getattr(self.metric, name))

    @property
    def name(self) -> str:  # type: ignore[override]
        """``1-`` and the name of the error rate."""
        return f"1-{self.metric.name}"

    @property
    def signature(self) -> str:
        """The definition in one line."""
        return f"1-{self.metric.signature}"

    def of_sentences(self) -> Accuracy:
        """Return the metric for scoring single sentences."""
        return Accuracy(self.metric.of_sentences())

    def split_on_blanks(self) -> Accuracy:
        """Return the metric with white space as its tokeniser of raw text, unless it has another one."""
        return Accuracy(self.metric.split_on_blanks())

    def counter(self, corpus: Corpus) -> Counter:
        """Count a corpus as the error rate does.

        :param corpus: texts and references that have been read
        """
        return self.metric.counter(corpus)

    def raw(self, kind: Kind) -> Raw | None:
        """How the error rate tokenises texts.

        :param kind: the kind of the texts
        """
        return self.metric.raw(kind)

    def score_of(self, row: Sequence[Any]) -> float:
        """Score a row that is valid.

        :param row: a number for each column
        """
        return self.scale - self.metric.score_of(row)

    def scores_of(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        """Score rows that are valid.

        :param rows: an array `(n, columns)`
        """
        return self.scale - self.metric.scores_of(rows)
