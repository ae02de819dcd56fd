"""sacreBLEU's classes BLEU, CHRF and TER: cybleu counts plain lines, and sacreBLEU all other arguments; it computes the scores."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from copy import copy
from functools import cached_property, lru_cache, update_wrapper
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any

from .. import _backend
from .._runtime.extras import extra
from .._runtime.shapes import mistake_in_documents, warn_of
from ..errors import UnknownNameError
from ..metrics import Bleu, Chrf, Ter
from ..metrics.chrf import LARGEST_BETA, MOST_ORDERS
from ..metrics.counting import LARGEST_ORDER
from ..text.batches import Corpus, RawText, Sets
from ..text.columns import lists_of_documents
from ..text.tokenizers import OWN, own_tokenizer

if TYPE_CHECKING:
    from ..metrics import Metric

with extra("sacrebleu", "this class is a subclass of one of sacreBLEU", "cybleu[sacrebleu]"):
    from sacrebleu.metrics.bleu import BLEU as TheirBleu
    from sacrebleu.metrics.chrf import CHRF as TheirChrf
    from sacrebleu.metrics.ter import TER as TheirTer
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

__all__ = ["BLEU", "CHRF", "TER"]

# sacreBLEU's classes, even if these are installed
_bleu: Any = getattr(TheirBleu, "_of_sacrebleu", TheirBleu)
_chrf: Any = getattr(TheirChrf, "_of_sacrebleu", TheirChrf)
_ter: Any = getattr(TheirTer, "_of_sacrebleu", TheirTer)

OWN_OF_SACREBLEU = {f"sacrebleu.tokenizers.tokenizer_{name}": name for name in OWN}  # by module
MANY = 100  # sacreBLEU warns from this number of lines that look tokenised


@lru_cache(typed=True)
def _bleu_of(module: str, order: Any) -> Bleu | None:
    name = OWN_OF_SACREBLEU.get(module)  # of the tokeniser
    if name is None or type(order) is not int or not 1 <= order <= LARGEST_ORDER:
        return None
    return Bleu("sacrebleu", max_order=order, tokenize=name)


_chrf_of, _ter_of = lru_cache(typed=True)(Chrf), lru_cache(Ter)


_Any: Any = object


class Counting(_Any):  # type: ignore[misc]
    """Mixin that counts with cybleu, to be placed before a metric of sacreBLEU in the bases of a class.

    :cvar _of_sacrebleu: the metric of sacreBLEU
    :cvar _counter: returns the metric, which counts lines that are in lower case if it is wanted; None if sacreBLEU must handle
        these settings
    :cvar _inherited: the attributes that sacreBLEU uses while it counts; if a subclass or an object has another one, sacreBLEU
        counts
    """

    _of_sacrebleu: Any
    _counter: Callable[[], Metric | None]
    _inherited: dict[str, Any]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "_of_sacrebleu" in vars(cls):
            cls._inherited = {name: getattr(cls, name) for name in dir(cls._of_sacrebleu) if _is_used(name)}

    def _is_overridden(self) -> bool:
        kind, own = type(self), vars(self)
        return any(name in own or getattr(kind, name) is not value for name, value in self._inherited.items())

    @cached_property
    def _sentences_overridden(self) -> bool:
        """The same, checked once for all sentences, because the check takes longer than counting one."""
        return self._is_overridden()

    def _warn_of(self, texts: Any) -> None:
        """Issue sacreBLEU's warnings about hypotheses."""

    def _counter_here(self) -> Metric | None:
        return None if self._is_overridden() else self._counter()

    def _lowered(self, lines: Sequence[str]) -> Sequence[str]:
        return list(map(str.lower, lines)) if getattr(self, "lowercase", False) else lines

    def _cache_references(self, references: Any) -> Any:
        references = lists_of_documents(references)
        if not _are_documents(references) or self._counter_here() is None:
            cached = Cached(super()._cache_references(references))
            sized = [document for document in references if hasattr(document, "__len__")]
            cached.documents = references if isinstance(references, str) else sized
            return cached
        settings = copy(self)  # later changes of the object are for hypotheses only, as in sacreBLEU
        settings._ref_cache = None
        kept = Kept(settings, references)
        numbers = set(kept.numbers)
        self.num_refs = numbers.pop() if len(numbers) == 1 else -1
        return kept

    def _counted(self, metric: Metric, hypotheses: Any, references: Any) -> Any:
        """Return the rows of the segments as a view; None if sacreBLEU counts."""
        if type(hypotheses) not in (list, tuple) or set(map(type, hypotheses)) != {str}:
            return None
        if references and not _are_documents(references):  # which may be readable only once
            return None
        kept = self._cache_references(references) if references else self._ref_cache
        if not isinstance(kept, Kept) or not all(kept.numbers) or kept.metric._counter_here() != metric:
            return None
        count = min(len(hypotheses), len(kept))
        texts = _backend.chosen.RawTexts(self._lowered(hypotheses[:count]))
        self._warn_of(texts)
        sets = Sets(RawText(_backend.chosen.RawTexts(kept.metric._lowered(kept.lines))), kept.bounds[: count + 1])
        return metric.rows_of(Corpus(RawText(texts), sets))

    def _rows(self, metric: Metric | None, hypotheses: Any, references: Any) -> Any:
        """Return the rows of the segments: a view, or sacreBLEU's list."""
        rows = None if metric is None else self._counted(metric, hypotheses, references)
        if rows is None:
            rows = super()._extract_corpus_statistics(hypotheses, references)
        self._warn_of_shapes(hypotheses, references)
        return rows

    def _extract_corpus_statistics(self, hypotheses: Any, references: Any) -> Any:
        rows = self._rows(self._counter_here(), hypotheses, lists_of_documents(references))
        return rows.tolist() if isinstance(rows, memoryview) else rows

    def _warn_of_shapes(self, hypotheses: Any, references: Any) -> None:
        """Warn about references and hypotheses that sacreBLEU splits or drops."""
        kept = self._ref_cache
        warn_of(mistake_in_documents(hypotheses, references or getattr(kept, "documents", [kept])))

    def corpus_score(self, hypotheses: Any, references: Any, n_bootstrap: int = 1) -> Any:
        """Score a corpus as ``corpus_score`` of sacreBLEU's class does.

        :param hypotheses: the lines to score
        :param references: documents with a line for each hypothesis, or None to use the references cached in the metric
        :param n_bootstrap: the number of bootstrap samples for a confidence interval; 1 draws none
        :return: sacreBLEU's ``BLEUScore``, ``CHRFScore`` or ``TERScore``, on its scale of 100
        """
        hypotheses, references = lists_of_documents(hypotheses), lists_of_documents(references)
        metric = self._counter_here()
        if n_bootstrap > 1 or metric is None:
            return super().corpus_score(hypotheses, references, n_bootstrap)
        self._check_corpus_score_args(hypotheses, references)
        rows = self._rows(metric, hypotheses, references)
        if not isinstance(rows, memoryview):
            return self._aggregate_and_compute(rows)
        return self._compute_score_from_stats(metric.total(rows))

    def sentence_score(self, hypothesis: Any, references: Any) -> Any:
        """Score a line as ``sentence_score`` of sacreBLEU's class does.

        :param hypothesis: the line to score
        :param references: its reference lines
        :return: sacreBLEU's ``BLEUScore``, ``CHRFScore`` or ``TERScore``, on its scale of 100
        """
        lines = [hypothesis, *references] if type(references) in (list, tuple) and references else []
        plain = set(map(type, lines)) == {str} and getattr(self, "effective_order", True)
        metric = self._counter() if plain and not self._sentences_overridden else None
        if metric is None:
            return super().sentence_score(hypothesis, references)
        self.num_refs = len(references)
        return self._compute_score_from_stats(self._row(metric, self._lowered(lines)))

    def _row(self, metric: Any, lines: Sequence[str]) -> Any:
        """Count a hypothesis and its references."""
        return metric.count(lines[0], lines[1:])


class Cached(list[Any]):
    """References that sacreBLEU has cached.

    :ivar documents: those that have a length
    """

    documents: Any


class Kept(Sequence[Any]):
    """Cached references: lines for the kernels, and on access the entries that sacreBLEU caches.

    :param metric: the metric with the settings for references
    """

    def __init__(self, metric: Any, documents: Sequence[Sequence[str | None]]):
        self.metric = metric
        self.documents = documents
        lines, width = list(chain.from_iterable(zip(*documents))), len(documents)
        self.lines = [line for line in lines if line is not None]
        self.numbers = [width] * (len(lines) // width)  # of references
        if len(self.lines) < len(lines):
            self.numbers = [width - group.count(None) for group in zip(*documents)]
        self.bounds = array("q", accumulate(self.numbers, initial=0))

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, position: Any) -> Any:
        position = range(len(self))[position]
        lines = self.lines[self.bounds[position] : self.bounds[position + 1]]
        return self.metric._extract_reference_info(list(map(self.metric._preprocess_segment, lines)))


def _is_used(name: str) -> bool:
    """Whether sacreBLEU's class may use this attribute while it counts: its private ones."""
    return name.startswith("_") and not name.startswith("__") and name != "_abc_impl"


def _are_documents(references: Any) -> bool:
    """Check for lists or tuples of equal length, which hold lines, or None where there is no reference."""
    return (
        type(references) in (list, tuple)
        and len(references) > 0
        and all(type(document) in (list, tuple) for document in references)
        and len({len(document) for document in references}) == 1
        and len(references[0]) > 0
        and all(set(map(type, document)) <= {str, type(None)} for document in references)
    )


class BLEU(Counting, _bleu):  # type: ignore[misc]
    """A subclass of ``sacrebleu.metrics.BLEU`` with the same arguments, attributes, results, signature and errors.

    cybleu counts lists and tuples of str, with the tokenisers ``13a``, ``intl``, ``zh``, ``char`` and ``none``.
    sacreBLEU counts all other texts, and computes the score from the counts. You can use this class wherever you can
    use sacreBLEU's, also in ``sacrebleu.significance.PairedTest``.

    >>> metric = BLEU(lowercase=True)
    >>> print(metric.corpus_score(["The cat sat on the mat."], [["The cat sits on the mat."]]))
    BLEU = 48.89 85.7/66.7/40.0/25.0 (BP = 1.000 ratio = 1.000 hyp_len = 7 ref_len = 7)
    >>> metric.get_signature().info["case"]
    'lc'
    """

    _of_sacrebleu = _bleu

    def __init__(self, *arguments: Any, **options: Any) -> None:
        try:
            super().__init__(*arguments, **options)
        except KeyError as error:
            if hasattr(self, "tokenizer"):
                raise
            known = ", ".join(_bleu.TOKENIZERS)
            raise UnknownNameError(f"unknown tokeniser {error.args[0]!r}; use one of {known}") from None

    def _counter(self) -> Bleu | None:
        return _bleu_of(type(self.tokenizer).__module__, self.max_ngram_order)

    def _row(self, metric: Any, lines: Sequence[str]) -> Any:
        return _backend.chosen.raw_row(own_tokenizer(metric.tokenize), lines, self.max_ngram_order)

    def _warn_of(self, texts: Any) -> None:
        if not self._force and texts.full_stops()[0] >= MANY:
            _bleu(tokenize="none").corpus_score([" ."] * MANY, [["."] * MANY])  # sacreBLEU's own warning


update_wrapper(BLEU.__init__, _bleu.__init__)  # the same signature and documentation


class CHRF(Counting, _chrf):  # type: ignore[misc]
    """A subclass of ``sacrebleu.metrics.CHRF`` with the same arguments, attributes, results, signature and errors.

    cybleu counts lists and tuples of str. sacreBLEU counts all other texts, and computes the score from the counts. You
    can use this class wherever you can use sacreBLEU's, also in ``sacrebleu.significance.PairedTest``.

    >>> metric = CHRF(word_order=2)
    >>> print(metric.corpus_score(["The cat sat on the mat."], [["The cat sits on the mat."]]))
    chrF2++ = 69.22
    >>> metric.get_signature().info["nw"]
    2
    """

    _of_sacrebleu = _chrf

    def _counter(self) -> Chrf | None:
        orders = self.char_order, self.word_order
        if not all(type(order) is int and 0 <= order <= MOST_ORDERS for order in orders):
            return None
        if not sum(orders) or self.order != sum(orders):  # sacreBLEU scores as many orders as the metric was made with
            return None
        if type(self.beta) not in (int, float) or not abs(self.beta) <= LARGEST_BETA:
            return None
        return _chrf_of(*orders, self.beta, bool(self.whitespace), bool(self.eps_smoothing))


class TER(Counting, _ter):  # type: ignore[misc]
    """A subclass of ``sacrebleu.metrics.TER`` with the same arguments, attributes, results, signature and errors.

    cybleu counts lists and tuples of str. sacreBLEU counts everything else, and computes the score from the counts. You
    can use this class wherever you can use sacreBLEU's, also in ``sacrebleu.significance.PairedTest``.

    >>> metric = TER(normalized=True)
    >>> print(metric.corpus_score(["The cat sat on the mat."], [["The cat sits on the mat."]]))
    TER = 14.29
    >>> metric.get_signature().info["norm"]
    True
    """

    _of_sacrebleu = _ter

    def _counter(self) -> Ter | None:
        chosen = self.tokenizer
        if type(chosen) is not TercomTokenizer:
            return None
        options = chosen._normalized, chosen._no_punct, chosen._asian_support, chosen._case_sensitive
        return _ter_of(*map(bool, options))
