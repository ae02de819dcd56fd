"""sacreBLEU's classes BLEU, CHRF and TER: cybleu counts plain lines, and sacreBLEU all other arguments.

sacreBLEU computes chrF and TER from the counts. cybleu also computes BLEU, where sacreBLEU's formula takes longer than the
counting. One segment is counted without reading it as a corpus, because most calls of programs have one.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from copy import copy
from functools import lru_cache, update_wrapper
from inspect import signature
from itertools import accumulate, chain
from operator import attrgetter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from .. import sacrebleu_compat
from .._backend import Definition, RawTexts, Segments, Tokenizer, answered, numbered_rows, raw_row, sum_rows
from .._runtime.extras import extra
from .._runtime.sequences import LISTS, is_sized
from ..errors import CybleuError, UnknownNameError
from ..text.shapes import mistake_in_documents, warn_of
from ..text.tokenizers import OWN, OfSacrebleu, own_tokenizer

with extra("sacrebleu", "sacrebleu_compat requires sacreBLEU", "cybleu[sacrebleu]"):
    import sacrebleu.metrics.bleu
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Score

    from .lazy import MetricCounter

theirs: Any = sacrebleu.metrics
TOKENIZERS = "sacrebleu.tokenizers."  # the package of sacreBLEU's tokenisers
OWN_OF_SACREBLEU = {f"{TOKENIZERS}tokenizer_{name}": name for name in OWN}  # by module
SMOOTHINGS = ("exp", "floor", "none")  # add-k also changes the counts that sacreBLEU shows
DEFAULT_FLOOR = theirs.BLEU.SMOOTH_DEFAULTS["floor"]
LARGEST_VALUE = 1e300  # of a smoothing
MANY = 100  # sacreBLEU warns from this number of lines that look tokenised


class BleuCounter(NamedTuple):
    """Counts n-grams for BLEU by the backend: importing `cybleu.metrics` would take longer than most calls.

    :ivar tokenizer: the tokeniser of lines
    :ivar order: the largest n-gram order
    """

    tokenizer: Tokenizer
    order: int

    def row(self, lines: Sequence[str]) -> list[int]:
        """Count a hypothesis and the references after it."""
        return raw_row(self.tokenizer, lines, self.order)

    def rows(self, hypotheses: RawTexts, references: RawTexts, bounds: array[int]) -> memoryview:
        """Count a corpus.

        :param bounds: where the references of each hypothesis begin, and the end
        """
        number = hypotheses.size
        width = 2 + 2 * self.order
        rows = memoryview(bytearray(8 * number * width)).cast("q", (number, width))
        segments = Segments(self.tokenizer, hypotheses, references, bounds)
        numbered_rows(segments, self.order, "closest", 0, number, rows)
        return rows

    def total(self, rows: memoryview) -> list[int]:
        """Add up rows."""
        totals = array("q", bytes(8 * (2 + 2 * self.order)))
        sum_rows(rows, totals, array("q", bytes(8 * self.order)))
        return totals.tolist()


LineCounter: TypeAlias = "BleuCounter | MetricCounter"


@lru_cache(64, typed=True)
def _bleu_counter(tokenizer: type, order: Any) -> BleuCounter | None:
    """Return what counts with a tokeniser of sacreBLEU; None if sacreBLEU must count."""
    module = tokenizer.__module__
    if type(order) is not int or order < 1 or not module.startswith(TOKENIZERS):
        return None
    return BleuCounter(own_tokenizer(OWN_OF_SACREBLEU.get(module, "none")), order)


@lru_cache(64, typed=True)
def _counter_of_metric(name: str, *settings: Any) -> MetricCounter | None:
    """Return what counts with a metric of cybleu; None if it does not support the settings."""
    try:
        return sacrebleu_compat.lazy.MetricCounter(name, settings)
    except CybleuError:
        return None


@lru_cache(64, typed=True)
def _bleu_definition(order: int, smoothing: str, value: float | None, effective_order: bool) -> Definition:
    """Return sacreBLEU's BLEU as the backend reads it: ``VARIANTS["sacrebleu"]`` of `cybleu.metrics` with these options."""
    rules = SimpleNamespace(
        name="sacrebleu",
        scale=100.0,
        weights=None,
        mean="logs",
        penalty="exponential",
        penalty_adds=0,
        empty_order="end",
        empty_hypothesis="zero",
        no_match_at_all="zero",
        short_segments_count=False,
        order=order,
        smoothing=smoothing,
        value=DEFAULT_FLOOR if value is None else value,
        effective_order=effective_order,
    )
    return Definition(rules)


class CountedByCybleu(theirs.base.Metric):  # type: ignore[misc]
    """Mixin that counts with cybleu, to be placed before a metric of sacreBLEU in the bases of a class.

    :cvar _of_sacrebleu: the metric of sacreBLEU
    :cvar _counter_of_settings: returns what counts prepared lines; None if cybleu does not support the settings
    :cvar _names: the attributes that sacreBLEU uses while it counts and scores; if a subclass or an object has another one,
        sacreBLEU counts
    :cvar _values_of: returns their values
    :cvar _inherited: their values in this class
    """

    def _counter(self) -> LineCounter | None:
        """Return what counts prepared lines; None if sacreBLEU must count."""
        if self._values_of(type(self)) != self._inherited or not self._names.isdisjoint(vars(self)):
            return None
        return self._counter_of_settings()  # type: ignore[no-any-return]

    def _prepared(self, lines: Sequence[str]) -> Sequence[str]:
        """Return lines as cybleu counts them."""
        return lines

    def _score_of_row(self, row: list[Any]) -> Score:
        return self._compute_score_from_stats(row)

    # ------------------------------------------------------------------------------------------------------ one segment

    def _score_of_segment(self, lines: Sequence[Any]) -> Score | None:
        """Score a hypothesis and the references after it; None if sacreBLEU must count them."""
        counter = self._counter() if set(map(type, lines)) == {str} else None
        if counter is None:
            return None
        self.num_refs = len(lines) - 1
        return self._score_of_row(counter.row(self._prepared(lines)))

    def sentence_score(self, hypothesis: Any, references: Any) -> Any:
        """Score a line as ``sentence_score`` of sacreBLEU's class does.

        :param hypothesis: the line to score
        :param references: its reference lines
        :return: sacreBLEU's ``BLEUScore``, ``CHRFScore`` or ``TERScore``, on its scale of 100
        """
        score = None
        if type(references) in LISTS and references and getattr(self, "effective_order", True):
            score = self._score_of_segment([hypothesis, *references])
        return answered(score, super().sentence_score, hypothesis, references)  # which logs advice for corpus BLEU

    def corpus_score(self, hypotheses: Any, references: Any, n_bootstrap: int = 1) -> Any:
        """Score a corpus as ``corpus_score`` of sacreBLEU's class does.

        :param hypotheses: the lines to score
        :param references: documents with a line for each hypothesis, or None to use the references cached in the metric
        :param n_bootstrap: the number of bootstrap samples for a confidence interval; 1 draws none
        :return: sacreBLEU's ``BLEUScore``, ``CHRFScore`` or ``TERScore``, on its scale of 100
        """
        lines = _lines_of_segment(hypotheses, references)
        if not lines:
            hypotheses = _lists(hypotheses)
            references = _lists(references)
        score = None
        if n_bootstrap <= 1:  # otherwise sacreBLEU draws samples of the rows
            score = self._score_of_segment(lines) if lines else self._score_of_corpus(hypotheses, references)
        return answered(score, super().corpus_score, hypotheses, references, n_bootstrap)

    # ----------------------------------------------------------------------------------------------------------- corpus

    def _score_of_corpus(self, hypotheses: Any, references: Any) -> Score | None:
        """Score a corpus; None if sacreBLEU must count it."""
        rows = self._counted(hypotheses, references)
        if rows is None:
            return None
        self._warn(hypotheses, references)
        return self._score_of_row(self._counter_of_settings().total(rows))

    def _warn(self, hypotheses: Any, references: Any) -> None:
        documents = references or getattr(self._ref_cache, "documents", ())
        warn_of(mistake_in_documents(hypotheses, documents))

    def _counted(self, hypotheses: Any, references: Any) -> memoryview | None:
        """Return the rows of the segments as a view; None if sacreBLEU must count them."""
        if type(hypotheses) not in LISTS or set(map(type, hypotheses)) != {str}:
            return None
        kept = self._ref_cache if references is None else self._kept(references)
        # sacreBLEU has its own result or error for a segment without references
        if not isinstance(kept, Kept) or 0 in kept.numbers or kept.counter != self._counter():
            return None
        count = min(len(hypotheses), len(kept.bounds) - 1)
        texts = RawTexts(self._prepared(tuple(hypotheses[:count])))
        # of the lines as they are: a tokeniser may set full stops apart
        if not self._force and RawTexts(hypotheses[:count]).full_stops()[0] >= MANY:
            BLEU._of_sacrebleu(tokenize="none").corpus_score([" ."] * MANY, [["."] * MANY])  # sacreBLEU's own warning
        return kept.counter.rows(texts, RawTexts(kept.prepared), kept.bounds[: count + 1])

    def _extract_corpus_statistics(self, hypotheses: Any, references: Any) -> Any:
        references = _lists(references)
        counted = self._counted(hypotheses, references)
        rows = answered(counted and counted.tolist(), super()._extract_corpus_statistics, hypotheses, references)
        self._warn(hypotheses, references)
        return rows

    def _cache_references(self, references: Any) -> Any:
        references = _lists(references)
        return answered(self._kept(references), self._cached_by_sacrebleu, references)

    def _cached_by_sacrebleu(self, references: Any) -> Any:
        cached = Cached(super()._cache_references(references))
        cached.documents = references if isinstance(references, str) else list(filter(is_sized, references))
        return cached

    def _kept(self, references: Any) -> Kept | None:
        """Keep references that cybleu counts; None for others, which may be readable only once."""
        counter = self._counter()
        kinds = _kinds_of_lines(references)
        if counter is None or not kinds or not kinds <= {str, type(None)}:
            return None
        # later changes of the object are for hypotheses only, as in sacreBLEU
        kept = Kept(copy(self), counter, references, type(None) in kinds)
        self.num_refs = min(kept.numbers) if len(kept.numbers) == 1 else -1
        return kept


class Cached(list[Any]):
    """References that sacreBLEU has cached.

    :ivar documents: those that have a length
    """

    documents: str | Sequence[Any]


class Kept:
    """Cached references: lines for the backend, and when iterated the entries that sacreBLEU caches.

    :param metric: the metric with the settings for references
    :param counter: what counts with these settings
    :param documents: of one length
    :param incomplete: whether some lines are None
    :ivar numbers: the different numbers of references that segments have
    """

    def __init__(self, metric: Any, counter: LineCounter, documents: Sequence[Sequence[Any]], incomplete: bool):
        self.metric = metric
        self.counter = counter
        self.documents = documents
        width = len(documents)
        lines = documents[0] if width == 1 else chain.from_iterable(zip(*documents))
        counts = [width] * len(documents[0])
        if incomplete:
            lines = [line for line in lines if line is not None]
            counts = [width - group.count(None) for group in zip(*documents)]
        self.prepared = metric._prepared(tuple(lines))
        self.bounds = array("q", accumulate(counts, initial=0))
        self.numbers = set(counts)

    def __iter__(self) -> Iterator[Any]:
        return iter(theirs.base.Metric._cache_references(self.metric, self.documents))


def _lines_of_segment(hypotheses: Any, references: Any) -> list[Any]:
    """Return the hypothesis and the references of a corpus of one segment in lists; an empty list for any other."""
    if type(hypotheses) is not list or len(hypotheses) != 1 or type(references) is not list or not references:
        return []
    lines = hypotheses.copy()
    for document in references:
        if type(document) is not list or len(document) != 1:
            return []
        lines += document
    return lines


def _lists(documents: Any) -> Any:
    """Return reference documents, or the lines of one, with lists for columns."""
    if type(documents) in LISTS and LISTS.union([str]).issuperset(map(type, documents)):
        return documents
    return sacrebleu_compat.lazy.lists_of_documents(documents)


def _kinds_of_lines(references: Any) -> set[type]:
    """The types of the lines in lists or tuples of equal length; none for anything else."""
    are_lists = type(references) in LISTS and LISTS.issuperset(map(type, references))
    if not are_lists or len(set(map(len, references))) != 1:
        return set()
    return set(map(type, chain.from_iterable(references)))


class BLEU(CountedByCybleu, theirs.BLEU):  # type: ignore[misc]
    """A subclass of ``sacrebleu.metrics.BLEU`` with the same arguments, attributes, results, signature and errors.

    cybleu tokenises lists and tuples of str as ``13a``, ``intl``, ``zh``, ``char`` and ``none`` do. For other tokenisers,
    sacreBLEU tokenises each different line once. cybleu counts the tokens and computes the score. sacreBLEU does all of
    this for other texts. You can use this class wherever you can use sacreBLEU's, also in
    ``sacrebleu.significance.PairedTest``.

    >>> metric = BLEU(lowercase=True)
    >>> print(metric.corpus_score(["The cat sat on the mat."], [["The cat sits on the mat."]]))
    BLEU = 48.89 85.7/66.7/40.0/25.0 (BP = 1.000 ratio = 1.000 hyp_len = 7 ref_len = 7)
    >>> metric.get_signature().info["case"]
    'lc'
    """

    _of_sacrebleu = theirs.BLEU

    def __init__(self, *arguments: Any, **options: Any) -> None:
        try:
            super().__init__(*arguments, **options)
        except KeyError as error:
            if hasattr(self, "tokenizer"):
                raise
            raise UnknownNameError(f"unknown tokeniser {error}; use one of {', '.join(self.TOKENIZERS)}") from None

    def _counter_of_settings(self) -> BleuCounter | None:
        tokenizer: Any = type(self.tokenizer)
        return _bleu_counter(tokenizer, self.max_ngram_order)

    def _prepared(self, lines: Sequence[str]) -> Sequence[str]:
        if self.lowercase:
            lines = list(map(str.lower, lines))
        if type(self.tokenizer).__module__ in OWN_OF_SACREBLEU:  # the backend tokenises them
            return lines
        return OfSacrebleu(self.tokenizer).spaced(lines)

    def _score_of_row(self, row: list[int]) -> Score:
        order = self.max_ngram_order
        value = self.smooth_value
        is_plain = type(value) in (type(None), float, int) and 0 <= (value or 0) <= LARGEST_VALUE
        parts = None
        if is_plain and self.smooth_method in SMOOTHINGS:  # numbers of other types have their own arithmetic
            parts = _bleu_definition(order, self.smooth_method, value, bool(self.effective_order)).evaluate(row)
        if parts is None:
            return self._compute_score_from_stats(row)
        score, precisions, penalty = parts
        return theirs.BLEUScore(score, row[2 : 2 + order], row[2 + order :], precisions, penalty, row[0], row[1])


update_wrapper(BLEU.__init__, theirs.BLEU.__init__)
# getfullargspec does not follow __wrapped__
BLEU.__init__.__signature__ = signature(theirs.BLEU.__init__)  # type: ignore[attr-defined]


class CHRF(CountedByCybleu, theirs.CHRF):  # type: ignore[misc]
    """A subclass of ``sacrebleu.metrics.CHRF`` with the same arguments, attributes, results, signature and errors.

    cybleu counts lists and tuples of str. sacreBLEU counts all other texts, and computes the score from the counts. You
    can use this class wherever you can use sacreBLEU's, also in ``sacrebleu.significance.PairedTest``.

    >>> metric = CHRF(word_order=2)
    >>> print(metric.corpus_score(["The cat sat on the mat."], [["The cat sits on the mat."]]))
    chrF2++ = 69.22
    >>> metric.get_signature().info["nw"]
    2
    """

    _of_sacrebleu = theirs.CHRF

    def _prepared(self, lines: Sequence[str]) -> Sequence[str]:
        return list(map(str.lower, lines)) if self.lowercase else lines

    def _counter_of_settings(self) -> MetricCounter | None:
        if self.order != self.char_order + self.word_order:  # sacreBLEU scores as many as the metric was made with
            return None
        return _counter_of_metric(
            "Chrf", self.char_order, self.word_order, self.beta, self.whitespace, self.eps_smoothing
        )


class TER(CountedByCybleu, theirs.TER):  # type: ignore[misc]
    """A subclass of ``sacrebleu.metrics.TER`` with the same arguments, attributes, results, signature and errors.

    cybleu counts lists and tuples of str. sacreBLEU counts everything else, and computes the score from the counts. You
    can use this class wherever you can use sacreBLEU's, also in ``sacrebleu.significance.PairedTest``.

    >>> metric = TER(normalized=True)
    >>> print(metric.corpus_score(["The cat sat on the mat."], [["The cat sits on the mat."]]))
    TER = 14.29
    >>> metric.get_signature().info["norm"]
    True
    """

    _of_sacrebleu = theirs.TER

    def _counter_of_settings(self) -> MetricCounter | None:
        chosen = self.tokenizer
        if type(chosen) is not TercomTokenizer:
            return None
        return _counter_of_metric(
            "Ter", chosen._normalized, chosen._no_punct, chosen._asian_support, chosen._case_sensitive
        )


for _kind in (BLEU, CHRF, TER):
    _used = [name for name in dir(_kind._of_sacrebleu) if name.startswith(("_", "compute"))]
    _kind._names = frozenset(name for name in _used if not name.startswith("__") and name != "_abc_impl")
    _kind._values_of = attrgetter(*_kind._names)
    _kind._inherited = _kind._values_of(_kind)
