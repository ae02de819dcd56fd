"""The interface of metrics.

A metric defines how to count a segment, as a row of whole numbers that can be added up, and how to score a row or a sum of rows.
Rewards, matrices of pairs, minimum Bayes risk, oracles, the perceptron, tuning and the command line accept any metric. A new
metric must define `columns`, :meth:`Metric.row` and :meth:`Metric.evaluate`. It can override other methods with faster ones, as
:class:`cybleu.metrics.Bleu` does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from .._runtime.numbers import finite_numbers, score_given
from .._runtime.scales import percent
from ..errors import ArrayValueError, SequenceTypeError, StatisticsError, UnknownNameError
from ..stats.prepared import PreparedReferences
from ..stats.rows import counts_given, one_or_more, whole_array, whole_numbers
from ..text.corpora import Corpus, check_same_kind, read_corpus, read_texts
from ..text.parsing import parse_given, parse_raw_references, parse_raw_texts, parse_texts, segments_of, tokenise
from ..text.raw import Raw, raw_of
from ..text.values import RawText, Segments, TokenLists, refuse_arrays_in

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..text.raw import Tokenize
    from ..text.values import Kind, ParsedTexts
    from .formula import Formula

Self = TypeVar("Self", bound="Metric")


@dataclass(frozen=True)
class Score:
    """A score with its scale and its definition; ``print`` shows it.

    :param score: the score on the metric's scale, from 0 to `scale`
    :param scale: the score of a perfect match, 1 or 100
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
        """Format the score in one line, always from 0 to 100.

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
    #: Whether the metric counts raw text that the backend has read, see :meth:`rows_of_raw`.
    reads_raw_text: ClassVar[bool] = False
    #: False for error rates, of which 0 is a perfect match and `scale` an error for each word.
    higher_is_better: ClassVar[bool] = True

    tokenize: Tokenize | None = field(default=None, kw_only=True)
    lowercase: bool = field(default=False, kw_only=True)

    # ----------------------------------------------------------------------------------------------------- to be given

    @abstractmethod
    def count(self, hypothesis: Any, references: Sequence[Any]) -> list[int]:
        """Count a segment: return numbers that add up to those of a corpus.

        :param hypothesis: a sequence of tokens, or a str if the metric reads text
        :param references: one or more references, likewise
        """

    @abstractmethod
    def evaluate(self, row: Sequence[int]) -> float:
        """Score a row or a sum of rows, on the metric's scale.

        :param row: a number for each column
        """

    # ------------------------------------------------------------------------------------------------- may be done better

    @property
    def signature(self) -> str:
        """The definition in one line."""
        return f"metric:{self.name}"

    def of_sentences(self: Self) -> Self:
        """Return the metric for scoring single sentences."""
        return self

    def for_rewards(self, brevity_penalty: bool = True) -> Metric:
        """Return the metric that :func:`cybleu.reward_scores` uses: it scores single sentences, and raises no error.

        :param brevity_penalty: False leaves out the brevity penalty, which only BLEU has
        :raises UnknownNameError: there is no brevity penalty to leave out
        """
        if not brevity_penalty:
            raise UnknownNameError(f"the metric {self.name} has no brevity penalty to leave out")
        return self.of_sentences()

    def without_failures(self: Self) -> Self:
        """Return the metric without errors: texts on which the tool fails get a score, so that searches can avoid them."""
        return self

    @property
    def number_type(self) -> type[int] | type[float]:
        """What a number of a row is."""
        return float if self.takes_fractions else int

    @property
    def of_raw_text(self) -> bool:
        """Whether the metric reads raw text, str or bytes, which is not tokenised."""
        return self.reads == "text"

    @property
    def takes_fractions(self) -> bool:
        """Whether rows may have fractions."""
        return self.dtype == "float64"

    @property
    def maximised(self) -> Metric:
        """The metric for what looks for the highest score: itself, or its :class:`Accuracy` if lower is better."""
        return self if self.higher_is_better else Accuracy(self)

    def in_lowercase(self: Self) -> Self:
        """The metric for raw text that is to be put in lower case first, if it counts raw text."""
        return self.with_choices(lowercase=True)

    def with_choices(self: Self, **choices: Any) -> Self:
        """Return the metric with other values of its fields.

        :param choices: the new values, by the names of the fields
        :raises UnknownNameError: the metric has no such field
        """
        names: list[str] = [field.name for field in fields(self) if field.init] if is_dataclass(self) else []
        unknown = [name for name in choices if name not in names]
        if unknown:
            raise UnknownNameError(
                f"the metric {self.name} has no {unknown[0]!r}; it has {', '.join(names) or 'nothing to choose'}"
            )
        changed: Self = replace(self, **choices)
        return changed

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
        :param of_ids: arguments for arrays of token ids, which only some metrics accept
        :return: int64 of shape `(hypotheses, columns)`, or float64 if the metric counts fractions
        """
        arguments = {"owner": owner, "threads": threads, "progress": progress}
        arguments |= self._ids_given(of_ids, ("lengths", "reference_lengths", "pad_id", "eos_id", "unk_id"))
        if isinstance(references, PreparedReferences):
            kind, texts = read_texts(hypotheses, "hypotheses")
            prepared: Any = references
            prepared._check(kind)
            return self._count_prepared(prepared, texts, **arguments)
        return self._count_corpus(read_corpus(hypotheses, references, owner), **arguments)

    def _ids_given(self, given: Mapping[str, Any], known: Sequence[str]) -> dict[str, Any]:
        """The arguments for token ids that are not None.

        :param known: the names that there are
        :raises UnknownNameError: one has another name, such as that of a field of the metric
        """
        for name in given:
            if name not in known:
                raise UnknownNameError(
                    f"{name} is no argument of a metric that is given; pass {type(self).__name__}({name}=...) if it is a field"
                )
        return {name: value for name, value in given.items() if value is not None}

    def _raw_for(self, kind: Kind) -> Raw | None:
        """How raw text is read; None for tokens and ids.

        :raises SequenceTypeError: the metric does not read texts of this kind
        :raises UnknownNameError: the metric has a tokeniser, and the texts are tokens
        """
        if self.reads == "text":
            if kind in ("tokens", "ids"):
                raise SequenceTypeError(
                    f"{self.name} reads raw text, and the hypotheses are {kind}; pass each text as a str"
                )
            return self._raw()
        if kind == "raw text":
            if self.tokenizer is None:
                raise SequenceTypeError(
                    f"{self.name} reads tokens, and the hypotheses are raw text; split them, or name a tokeniser: tokenize='13a'"
                )
            return self._raw_of(self.tokenizer, self.lowercase)
        for name, given in (("tokenize", self.tokenize is not None), ("lowercase", self.lowercase)):
            if given and kind != "nothing":
                raise UnknownNameError(
                    f"{name} is for raw text, and the hypotheses are {kind}; leave {name} out, or pass texts as str"
                )
        return None

    @property
    def tokenizer(self) -> Tokenize | None:
        """The tokeniser of raw text; None if the metric reads tokens alone."""
        return self.tokenize

    def _count_prepared(self, references: Any, hypotheses: Any, **arguments: Any) -> NDArray[Any]:
        """The rows of hypotheses of the same kind as prepared references."""
        return self._count_corpus(Corpus(references.kind, hypotheses, references.lists()), **arguments)

    def _count_corpus(self, corpus: Corpus, **arguments: Any) -> NDArray[Any]:
        """The rows of texts with a list of references for each segment."""
        return self._count_rows(corpus.references, corpus.hypotheses, self._raw_for(corpus.kind), **arguments)

    def _count_rows(
        self,
        references: Any,
        hypotheses: Any,
        raw: Raw | None,
        *,
        owner: Any = None,
        threads: int | None = None,
        progress: bool = False,
        **of_ids: Any,
    ) -> NDArray[Any]:
        """The same.

        :param raw: how raw text is read; None for tokens and ids
        """
        refuse_given(of_ids, f"the metric {self.name} reads tokens")
        if self.reads == "text":
            sets, texts = parse_raw_references(references, self._raw()), parse_raw_texts(hypotheses, self._raw())
            lines = sets.texts.lines.strings()
            groups = [lines[begin:end] for begin, end in pairwise(sets.bounds)]
            return self._rows_of(Segments(groups, texts.lines.strings()), owner, progress)
        return self._rows_of(segments_of(references, hypotheses, raw), owner, progress)

    def _raw(self) -> Raw:
        """How a metric that reads text has it: in one piece, and in lower case if that is wanted."""
        return Raw("none", self.lowercase)

    def _raw_of(self, tokenize: Any, lowercase: bool = False, **of_ids: Any) -> Raw | None:
        """The tokeniser for arguments with these names, as :func:`cybleu.text.raw.raw_of` returns it."""
        return raw_of(tokenize, lowercase, **of_ids)

    def _rows_of(self, segments: Segments, owner: Any, progress: bool) -> NDArray[np.int64]:
        """Count the segments of a parsed corpus in order."""
        from .._runtime.arrays import np
        from .._runtime.parallel import run
        from ..text.arrays import parse_owners

        sets, texts = segments.references, segments.hypotheses
        owners = parse_owners(owner, len(sets), len(texts))
        rows = np.empty((len(texts), len(self.columns)), dtype=self.dtype)

        def work(start: int, stop: int) -> None:
            for position in range(start, stop):
                row = self._checked(self.count(texts[position], sets[owners[position]]))
                try:
                    rows[position] = row
                except OverflowError:
                    raise StatisticsError(f"the counts of {self.name} are beyond 64 bits: {row}") from None

        run(work, len(rows), 0, None, progress, "segments")
        return rows

    def rows_of_raw(
        self, raw: Raw, texts: Any, references: Any, bounds: Any, threads: int | None = None
    ) -> list[list[int]] | None:
        """Count segments of raw text that the backend has read, and return their rows; None if the metric requires tokens.

        :param raw: the options of raw text, with a tokeniser of the backend
        :param texts: the hypotheses, as the backend reads them
        :param references: the concatenated references of all segments, as the backend reads them
        :param bounds: where the references of each segment begin, and where the last ones end
        :param threads: the number of threads
        """
        return None

    def sum_of_raw(
        self, raw: Raw, texts: Any, references: Any, bounds: Any, threads: int | None = None
    ) -> tuple[list[int], Sequence[int] | None] | None:
        """Count the segments as :meth:`rows_of_raw` does, and return the sum and what else a corpus score requires, or None.

        The other parameters are those of :meth:`cybleu.metrics.Metric.rows_of_raw`.
        """
        return None

    def sum_of(
        self, list_of_references: Sequence[Any], hypotheses: Sequence[Any]
    ) -> tuple[list[int], Sequence[int] | None]:
        """Count segments, and return the sum of their rows and what else a corpus score requires.

        :param list_of_references: for each segment a list of references
        :param hypotheses: for each segment a list of tokens
        """
        rows = [
            self._checked(self.count(hypothesis, references))
            for references, hypothesis in zip(list_of_references, hypotheses)
        ]
        return [sum(column) for column in zip([0] * len(self.columns), *rows)], None

    def pairs(
        self, texts: Any, others: Any = None, *, threads: int | None = None, progress: bool = False, **of_ids: Any
    ) -> NDArray[np.float64]:
        """Score each text against each other text as its only reference, as :func:`cybleu.pairs` does.

        :param texts: the hypotheses
        :param others: the references, by default `texts`
        :param threads: the number of threads
        :param progress: show a progress bar (requires tqdm)
        :param of_ids: of BLEU `pad_id` and `eos_id`
        :return: float64 of shape `(texts, others)`
        """
        from .._runtime.arrays import np

        of_ids = self._ids_given(of_ids, ("pad_id", "eos_id", "unk_id"))
        hypotheses, references = self._parsed_pair(texts, others, of_ids)
        result = np.empty((hypotheses.size, references.size))
        return self._fill_pairs(references, hypotheses, result, threads, progress)

    def _parsed_pair(self, texts: Any, others: Any, of_ids: dict[str, Any]) -> tuple[Any, Any]:
        """Parse the texts of :meth:`pairs`: hypotheses and references, the same object twice without `others`."""
        refuse_given(of_ids, f"the metric {self.name} reads {'text' if self.reads == 'text' else 'tokens'}")
        kind, given = read_texts(texts, "texts")
        parsed = self._parsed(given, "texts", kind)
        if others is None:
            return parsed, parsed
        kind_of_others, given = read_texts(others, "others")
        check_same_kind(kind, "texts", kind_of_others, "others")
        return parsed, self._parsed(given, "others", kind_of_others)

    def _parsed(self, texts: Any, name: str, kind: Kind) -> Any:
        """Parse texts for :meth:`_fill_pairs`."""
        raw = self._raw_for(kind)
        return parse_given(texts, name) if self.reads == "text" else self._split(parse_texts(texts, name, raw), raw)

    def _split(self, parsed: ParsedTexts, raw: Raw | None) -> Any:
        """Tokenise raw text, unless the metric numbers it."""
        if isinstance(parsed, RawText):
            assert raw is not None
            parsed = tokenise(raw, parsed)
        if isinstance(parsed, TokenLists):
            refuse_arrays_in(parsed)
        return parsed

    def _fill_pairs(
        self, references: Any, hypotheses: Any, result: NDArray[np.float64], threads: int | None, progress: bool
    ) -> NDArray[np.float64]:
        """Write the scores of :meth:`pairs` into an array, and return it.

        :param references: parsed texts
        :param hypotheses: parsed texts; the same object for the scores of the references against each other
        """
        from .._runtime.arrays import np

        sets = [[text] for text in references.lists()]
        texts = [text for text in hypotheses.lists() for _ in sets]
        owner = np.tile(np.arange(len(sets), dtype=np.int64), hypotheses.size)
        rows = self._rows_of(Segments(sets, texts), owner, progress)
        np.copyto(result, self.scores(rows).reshape(result.shape))
        return result

    def score(self, stats: Any, short_segments: Sequence[int] | None = None) -> Score:
        """Score a corpus or a segment.

        :param stats: a row, or rows, which are added up
        :param short_segments: only BLEU uses this
        """
        row = self._added_up(stats)
        return Score(score_given(self.evaluate(row), row), self.scale, self.signature)

    def total(self, rows: Any) -> list[Any]:
        """Add up rows in their order: the row of a corpus. Totals can be added up, too.

        :param rows: a row, or rows of segments or corpora that this metric counted
        :return: a list of numbers; of no rows, zeros
        """
        return self._added_up(rows)

    def _added_up(self, stats: Any) -> list[Any]:
        """Validate a row or rows, and add them up."""
        if self.takes_fractions and type(stats) is not list:
            from .._runtime.arrays import floats_given, np

            stats = np.atleast_2d(floats_given(stats, "stats"))
        if getattr(stats, "ndim", None) == 2:
            summed: list[Any] = self._checked_array(stats).sum(axis=0, dtype=object).tolist()
            return summed
        rows = [self._checked(row) for row in one_or_more(stats)]
        return [sum(column) for column in zip([0] * len(self.columns), *rows)]

    def _checked(self, row: Any) -> list[int]:
        """Validate a row.

        :raises StatisticsError: it is not a row of the metric
        """
        numbers: Any
        if self.takes_fractions:
            numbers = finite_numbers(row, f"the numbers of {self.name}")
            if numbers is None:
                raise StatisticsError(f"a row of {self.name} has finite numbers, and this is {row!r}")
        else:
            numbers = whole_numbers(row, f"the counts of {self.name}")
        if len(numbers) != len(self.columns):
            raise StatisticsError(f"a row of {self.name} has {len(self.columns)} entries, and this one {len(numbers)}")
        return list(numbers)

    def _counted(self, row: Any) -> list[int]:
        """Validate a row of counts, and return it as a list of ints.

        :raises StatisticsError: it is not a row of whole numbers from 0
        """
        numbers = counts_given(row, f"the counts of {self.name}")
        self._check_width(len(numbers))
        return numbers

    def _checked_array(self, stats: Any) -> NDArray[Any]:
        """Validate an array of rows.

        :raises StatisticsError: they are not rows of the metric
        """
        from .._runtime.arrays import floats_given

        array: NDArray[Any] = floats_given(stats, "stats") if self.takes_fractions else whole_array(stats, "stats")
        if array.ndim != 2 or array.shape[1] != len(self.columns):
            raise StatisticsError(
                f"stats has the shape {array.shape}; rows of {self.name} have {len(self.columns)} entries"
            )
        return array

    def scores(self, stats: Any) -> NDArray[np.float64]:
        """Score each row.

        :param stats: integers `(n, columns)`, or floats if the metric takes fractions
        :return: float64 `(n,)`, on the metric's scale
        """
        return self.formula(len(self.columns)).score_rows(self._checked_array(stats))

    def formula(self, width: int) -> Formula:
        """Return the formula that scores rows with this many columns in searches.

        :param width: the number of columns
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

    def check_summable(self) -> None:  # noqa: B027 - most metrics have nothing to check
        """Check that a corpus can be scored from the sum of its rows.

        :raises StatisticsError: the metric is a mean of the scores of segments
        """

    @property
    def weighs_by_call(self) -> bool:
        """Whether weights come from all references of a call, so that a corpus cannot be counted in several calls."""
        return False

    def of_corpus(self: Self, references: Any) -> Self:
        """Return the metric with the weights of a corpus, for counting its segments in several calls.

        :param references: for each segment a list of references
        """
        return self

    def check_parts(self) -> None:
        """Check that a corpus can be counted in several calls.

        :raises StatisticsError: the metric takes its weights from all references of a call
        """
        if self.weighs_by_call:
            raise StatisticsError(
                f"{self.name} takes its weights from all references of a call, and here a corpus is counted in parts; "
                "give the metric the weights of the whole corpus: metric.of_corpus(references)"
            )

    def summable(self, stats: NDArray[np.int64]) -> tuple[NDArray[np.int64], Metric]:
        """Return rows and a metric that scores a corpus from their sum alone.

        :param stats: rows of segments
        """
        return stats, self

    @property
    def plateau(self) -> Metric | None:
        """Return a metric that distinguishes sums that this one scores 0, so that a search can continue there."""
        return None


def from_fields(metric: Metric) -> tuple[Any, ...]:
    """Pickle a metric as its options, without what it has cached."""
    return partial(type(metric), **{one.name: getattr(metric, one.name) for one in fields(metric) if one.init}), ()


def refuse_given(of_ids: Mapping[str, Any], why: str = "the references are prepared; pass them to References") -> None:
    """:raises ArrayValueError: an argument for token ids is given"""
    for name, value in of_ids.items():
        if value is not None:
            raise ArrayValueError(f"{name} is for token ids, and {why}")


@dataclass(frozen=True)
class Accuracy(Metric):
    """What an error rate leaves of a perfect score: `scale` minus the score. Rows are those of the error rate.

    :param metric: the error rate

    >>> from cybleu.metrics import find
    >>> find("ter").maximised.evaluate([1.0, 4.0])
    75.0
    """

    metric: Metric

    def __post_init__(self) -> None:
        for name in ("scale", "columns", "reads", "dtype"):
            object.__setattr__(self, name, getattr(self.metric, name))

    @property
    def name(self) -> str:  # type: ignore[override]
        """``1-`` and the name of the error rate."""
        return f"1-{self.metric.name}"

    @property
    def signature(self) -> str:
        """The definition in one line."""
        return f"1-{self.metric.signature}"

    def count(self, hypothesis: Any, references: Sequence[Any]) -> list[int]:
        """Count a segment as the error rate does.

        The parameters are those of :meth:`cybleu.metrics.Metric.count`.
        """
        return self.metric.count(hypothesis, references)

    def rows(self, hypotheses: Any, references: Any, **arguments: Any) -> NDArray[Any]:
        """Count segments, and return the row of each.

        The parameters are those of :meth:`cybleu.metrics.Metric.rows`.
        """
        return self.metric.rows(hypotheses, references, **arguments)

    def _parsed_pair(self, texts: Any, others: Any, of_ids: dict[str, Any]) -> tuple[Any, Any]:
        return self.metric._parsed_pair(texts, others, of_ids)

    def _parsed(self, texts: Any, name: str, kind: Kind) -> Any:
        return self.metric._parsed(texts, name, kind)

    def _fill_pairs(
        self, references: Any, hypotheses: Any, result: NDArray[np.float64], *settings: Any
    ) -> NDArray[np.float64]:
        return self._turned(self.metric._fill_pairs(references, hypotheses, result, *settings))

    def _turned(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """These scores of the error rate as accuracies, in place."""
        scores *= -1
        scores += self.scale
        return scores

    def evaluate(self, row: Sequence[int]) -> float:
        """The score of a row or of a sum of rows.

        :param row: as many numbers as there are columns
        """
        return self.scale - self.metric.evaluate(row)

    def formula(self, width: int) -> Formula:
        """What turns rows of this many columns into numbers in searches.

        :param width: how many columns
        """
        from .formula import ArrayScores, FormulaOfRows

        self._check_width(width)
        return FormulaOfRows(self.evaluate, ArrayScores(lambda rows: self.scale - self.metric.scores(rows)))
