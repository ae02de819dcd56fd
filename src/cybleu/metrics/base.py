"""The interface of metrics.

A metric defines how to count a segment, as a row of numbers that can be added up, and how to score a row or a sum of
rows. Rewards, matrices of pairs, minimum Bayes risk, oracles, the perceptron, tuning and the command line accept any
metric. A new metric must define `name`, `columns`, :meth:`Metric.count` and :meth:`Metric.evaluate`. The metrics of this
package define :meth:`Metric.counter`, which reads a corpus once and then writes any of its rows, and a formula for valid
rows; see :class:`BuiltinMetric`. What cybleu does with a metric is in :mod:`cybleu.metrics.operations`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from math import isnan
from typing import Any, ClassVar, TypeAlias, TypeVar

from .._runtime.html import html_table
from .._runtime.lazy_arrays import Array, Floats, np
from .._runtime.numbers import as_number, check_flags
from .._runtime.parallel import run
from .._version import __version__
from ..errors import NoReferencesError, StatisticsError, UnknownNameError
from ..text.batches import Corpus, ListSets, Place, Sets, TokenLists, in_pairs
from ..text.ids import SpecialIds
from ..text.reading import check_same_kind, read_corpus, read_lines, read_texts
from ..text.segments import length_of, plain_segment
from ..text.tokenizers import Tokenization, Tokenize
from . import operations
from .references import References

PAIRS_AT_ONCE = 65536

# the fields that sacreBLEU prints for its metrics
OF_SACREBLEU = {"sacrebleu": "case eff tok smooth", "chrf": "case eff nc nw space", "ter": "case tok norm punct asian"}
# options that sacreBLEU does not print, with the values that it has
USUAL = {"order": ("4",), "weights": ("uniform",), "beta": ("2",), "smooth": ("exp", "none")}
# tokenisers that sacreBLEU does not have
OWN_TOKENIZERS = ("unicode", "ascii", "space")

Self = TypeVar("Self", bound="Metric")
Counter: TypeAlias = "Callable[[int, int, Any], None]"  # writes the rows from `start` to before `stop`


class Signature(str):
    """The fields that define a score. As a str it is the line that is printed, such as ``metric:gleu|min:1|max:4``.

    :param fields: the names of the fields with their values; a field without a name is printed as its value alone

    >>> signature = Signature({"metric": "gleu", "min": 1})
    >>> signature
    'metric:gleu|min:1'
    >>> signature.with_fields(min=2, nrefs=1)
    'metric:gleu|min:2|nrefs:1'
    """

    fields: Mapping[str, Any]

    def __new__(cls, fields: Mapping[str, Any]) -> Signature:
        line = "|".join([f"{name}:{value}" if name else str(value) for name, value in fields.items()])
        signature = super().__new__(cls, line)
        signature.fields = fields
        return signature

    def __getnewargs__(self) -> tuple[Any]:
        return (self.fields,)

    @classmethod
    def read(cls, line: str) -> Signature:
        """Read a line that cybleu or sacreBLEU has printed; another line becomes a field without a name."""
        fields: dict[str, str] = {}
        for part in line.split("|"):
            name, colon, value = part.partition(":")
            fields |= {name: value} if colon else {"": part}
        signature = cls(fields)
        return signature if signature == line else cls({"": line})

    def with_fields(self, **fields: Any) -> Signature:
        """Return the signature with other values of fields, and with more fields at the end."""
        return Signature({**self.fields, **fields})

    def of_sacrebleu(self) -> str | None:
        """Return the signature that sacreBLEU prints for the same score; None if it has no such score."""
        fields = self.fields
        names = ["nrefs", *OF_SACREBLEU.get(fields.get("variant") or fields.get("metric", "").rstrip("+"), "").split()]
        usual = all(str(fields.get(name, values[0])) in values for name, values in USUAL.items())
        if len(names) == 1 or not usual or not {*names} <= fields.keys() or fields.get("tok") in OWN_TOKENIZERS:
            return None
        shown = {name: fields[name] for name in names}
        return Signature({**shown, "version": "2.6.0", "cybleu": __version__})


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
        return operations.percent(self.score, self.scale)

    def format(self, width: int = 2) -> str:
        """Format the score in one line, always in percent of `scale`.

        :param width: the number of decimals of the score
        """
        return f"{self.signature} = {self.percent:.{width}f}"

    def _cells(self, width: int = 2) -> dict[str, Any]:
        """The numbers that are shown, by name."""
        return {"score": f"{self.percent:.{width}f}"}

    def __str__(self) -> str:
        return self.format()

    def _repr_html_(self) -> str:
        cells = self._cells()
        return html_table(self.signature, cells, [cells.values()])


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
    #: The tokeniser of raw text, unless `tokenize` names another one; None if the metric reads tokens alone.
    tokenizer: ClassVar[str | None] = None
    # how that one splits it
    _words: ClassVar[type[Tokenization]] = Tokenization
    #: Of the numbers in a row: ``int64``, or ``float64`` for fractions.
    dtype: ClassVar[str] = "int64"
    #: The least number that a row may have; None for any.
    least: ClassVar[int | None] = None
    #: False for error rates, of which 0 is a perfect match and `scale` an error for each word.
    higher_is_better: ClassVar[bool] = True
    #: The keys of the papers that define the metric, in ``cli/papers.bib``.
    papers: ClassVar[tuple[str, ...]] = ()
    #: True if the score of a corpus is the mean of the scores of its segments, so that no sum of rows has it.
    averages: ClassVar[bool] = False
    #: True if weights come from all references of a call, so that a corpus cannot be counted in several calls.
    weighs_by_call: ClassVar[bool] = False
    #: The cost of counting a token without the lock of the interpreter; 0 for metrics in Python, which use one thread.
    cost: ClassVar[int] = 0
    #: The metrics that this one combines; each reads the texts in its own way.
    components: ClassVar[tuple[Metric, ...]] = ()

    tokenize: Tokenize | None = field(default=None, kw_only=True)
    lowercase: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        check_flags(self, "lowercase")
        if self.reads == "text" and self.tokenize is not None:
            raise UnknownNameError(f"{self.name} reads raw text as it is, so it takes no tokeniser")
        _ = self.tokenization  # raises UnknownNameError if there is no such tokeniser

    # ---------------------------------------------------------------------------------------------- each metric defines

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

    # ------------------------------------------------------------------------------------ a metric defines what differs

    @property
    def signature(self) -> str:
        """The definition with its options in one line."""
        return Signature({"metric": self.name})

    @cached_property
    def tokenization(self) -> Tokenization | None:
        """How raw text is tokenised; None if the metric reads tokens alone."""
        if self.tokenize is not None:
            return Tokenization(self.tokenize, self.lowercase)
        tokenizer = "none" if self.reads == "text" else self.tokenizer
        return None if tokenizer is None else self._words(tokenizer, self.lowercase)

    def of_sentences(self: Self) -> Self:
        """Return the metric for scoring single sentences."""
        return self

    def as_reward(self) -> Metric:
        """Return the metric of :func:`cybleu.reward_scores`, which scores single sentences and gives an empty one 0.

        :raises UnknownNameError: its scores have no upper limit
        """
        return self.of_sentences()

    def with_weights_of(self: Self, references: Any) -> Self:
        """Return the metric with the weights of a corpus, for counting its segments in several calls.

        :param references: for each segment a list of references
        """
        return self

    def of_width(self: Self, width: int) -> Self:
        """Return the metric for rows with this many columns.

        :param width: the number of columns; BLEU has any number of n-gram orders
        :raises StatisticsError: rows of the metric have another number
        """
        operations.check_width(self, width)
        return self

    # how rows are validated and added up
    _checked_row = operations.checked_row
    _check_rows = operations.check_rows
    _sum_of_rows = operations.sum_of_rows

    def summable(self, rows: Array) -> Array:
        """Return rows of segments whose sum has the score of the corpus.

        :param rows: rows of segments
        :raises StatisticsError: the metric is a mean of the scores of segments
        """
        operations.check_summable(self)
        return rows

    def score_of_row(self, row: Sequence[Any], signature: str) -> Score:
        """Return the score of a row that is valid, with its parts if it has some.

        :param row: a number for each column
        :param signature: the signature of the result
        """
        return Score(self.formula(row), self.scale, signature)

    # ----------------------------------------------------------------------------------- a metric defines to be faster

    def counter(self, corpus: Corpus) -> Counter:
        """Read a corpus, and return a function `(start, stop, rows)` that writes the rows of these segments.

        :param corpus: texts and references as the metric reads them: in lower case where it has that option, and as tokens if its
            tokeniser is a function
        """
        return operations.counter_in_python(self, corpus)

    def formula(self, row: Sequence[Any]) -> float:
        """Score a row that is valid.

        :param row: a number for each column
        :raises StatisticsError: the metric returns what is no number
        """
        score = self.evaluate(row)
        number = as_number(score)
        if isnan(number):
            raise StatisticsError(
                f"the metric gives {score!r} for the row {list(row)}; it must give a number for every row"
            )
        return number

    def evaluate_rows(self, rows: Array) -> Floats:
        """Score rows that are valid. :meth:`scores` validates them first.

        :param rows: an array `(n, columns)` of the metric's dtype
        """
        return np.array(list(map(self.formula, rows.tolist())), dtype=np.float64)

    def fill_pairs(self, pairs: Corpus, scores: Floats, threads: int | None, progress: bool) -> None:
        """Write the score of each text against each reference.

        :param pairs: texts as the metric reads them, and references each in a set of its own; the same object for the
            scores of texts against each other
        :param scores: an array `(texts, references)`
        :param threads: the number of threads
        :param progress: show a progress bar (requires tqdm)
        """
        width = pairs.sets.size
        everyone = np.arange(width, dtype=np.int64)
        texts_at_once = max(1, PAIRS_AT_ONCE // max(1, width))

        def work(start: int, stop: int) -> None:
            for first in range(start, stop, texts_at_once):
                # a segment for each pair: each text once for each of the others
                some = np.arange(first, min(stop, first + texts_at_once), dtype=np.int64)
                texts = pairs.texts.take(np.repeat(some, width))
                owners = np.tile(everyone, len(some))
                corpus = Corpus(texts, pairs.sets, owners, changed=pairs.changed)
                of_pairs = self.evaluate_rows(operations.rows_of_corpus(self, corpus))
                scores[some] = of_pairs.reshape(len(some), width)

        cost = self.cost * 64 * scores.size
        run(work, pairs.size, cost, threads if self.cost else None, progress, "hypotheses")

    def expected_scores(self, pairs: Corpus, weights: Floats, threads: int | None) -> Floats:
        """Return the weighted mean of the scores of each text against each reference.

        Sums are rounded once, so that the order of the references makes no difference.

        :param pairs: as for :meth:`fill_pairs`
        :param weights: a number from 0 for each reference
        :param threads: the number of threads
        :return: a mean for each text
        """
        from .pairs import weighted_means  # requires NumPy

        scores = np.zeros((pairs.size, pairs.sets.size))
        self.fill_pairs(pairs, scores, threads, False)
        return weighted_means(
            lambda start, stop, part: np.copyto(part, scores[start:stop]), pairs.size, weights, threads
        )

    # ----------------------------------------------------------------------------------------- what users do with it

    def rows(
        self,
        hypotheses: Any,
        references: Any,
        *,
        owner: Any = None,
        threads: int | None = None,
        progress: bool = False,
        **of_ids: Any,
    ) -> Array:
        """Count segments, and return the row of each, as :func:`cybleu.rows` does.

        :param hypotheses: a batch of texts
        :param references: one or several references for each segment, or prepared :class:`cybleu.References`
        :param owner: for each hypothesis the index of its references; by default hypothesis i has references i
        :param threads: the number of threads; metrics written in Python use one
        :param progress: show a progress bar (requires tqdm)
        :param of_ids: `lengths`, `reference_lengths`, `pad_id`, `eos_id` and `unk_id` of arrays of token ids
        :return: int64 of shape `(hypotheses, columns)`, or float64 if the metric counts fractions
        """
        given = operations.ids_given(self, of_ids)
        if isinstance(references, References):
            corpus = references.corpus(hypotheses, owner, **given)
        else:
            corpus = read_corpus(hypotheses, references, owner, **given)
        return operations.rows_of_corpus(self, corpus, threads, progress)

    def total(self, rows: Any) -> list[Any]:
        """Add up rows in their order: the row of a corpus. Totals can be added up, too.

        :param rows: a row, or rows of segments or corpora that this metric counted
        :return: a list of numbers; of no rows, zeros
        :raises StatisticsError: the metric is a mean of the scores of segments
        """
        operations.check_summable(self)
        return self._sum_of_rows(rows, of_sums=True) if operations.has_rows(rows) else [0] * len(self.columns)

    def score(self, rows: Any, *, signature: str | None = None) -> Score:
        """Score a corpus or a segment.

        :param rows: a row, or rows, which are added up
        :param signature: the signature of the result, by default that of the metric
        """
        operations.check_summable(self)
        row = self._sum_of_rows(rows)
        metric = self.of_width(len(row))  # rows of BLEU may have another number of orders
        return metric.score_of_row(row, metric.signature if signature is None else signature)

    def scores(self, rows: Any) -> Floats:
        """Score each row.

        :param rows: integers `(n, columns)`, or floats if the metric takes fractions
        :return: float64 `(n,)`, on the metric's scale
        """
        table = operations.table_of_rows(self, rows)
        metric = self.of_width(table.shape[1])
        metric._check_rows(table)
        return metric.evaluate_rows(table)

    def pairs(
        self, texts: Any, others: Any = None, *, threads: int | None = None, progress: bool = False, **of_ids: Any
    ) -> Floats:
        """Score each text against each other text as its only reference, as :func:`cybleu.pairs` does.

        :param texts: the hypotheses
        :param others: the references, by default `texts`
        :param threads: the number of threads
        :param progress: show a progress bar (requires tqdm)
        :param of_ids: `pad_id`, `eos_id` and `unk_id` of arrays of token ids
        :return: float64 of shape `(texts, others)`
        """
        special = SpecialIds(**operations.ids_given(self, of_ids))
        hypotheses = read_texts(texts, "texts", special=special)
        references = hypotheses if others is None else read_texts(others, "others", special=special)
        corpus = in_pairs(hypotheses, references)
        operations.tokenization_for(self, corpus.kind)
        scores = np.zeros((hypotheses.size, references.size))
        if scores.size:  # an empty list may be of any kind
            check_same_kind(hypotheses.kind, "texts", references.kind, "others")
            self.fill_pairs(operations.corpus_for(self, corpus), scores, threads, progress)
        return scores


class BuiltinMetric(Metric):
    """Base class of the metrics of this package, which define :meth:`counter` and :meth:`formula` in place of `count` and `evaluate`."""

    least: ClassVar[int | None] = 0

    @abstractmethod
    def formula(self, row: Sequence[Any]) -> float:
        """Score a row that is valid.

        :param row: a number for each column
        """

    @cached_property
    def signatures(self) -> dict[Any, str]:
        """The signatures of results that describe texts, too, by the kind of the texts and the number of references."""
        return {}

    def __reduce__(self) -> tuple[Any, ...]:
        # The fields alone, because kernels cannot be pickled; by the constructor, because those of a pickle can have any
        # values.
        return partial(type(self), **{field.name: getattr(self, field.name) for field in fields(self)}), ()

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
        return operations.rows_without_numpy(self, corpus).tolist()[0]  # type: ignore[no-any-return]

    def evaluate(self, row: Sequence[Any]) -> float:
        """Score a row or a sum of rows.

        :param row: a number from 0 for each column
        :raises StatisticsError: the row is not valid
        """
        numbers = self._checked_row(row)
        return self.of_width(len(numbers)).formula(numbers)
