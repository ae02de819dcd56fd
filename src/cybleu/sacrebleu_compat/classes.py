"""sacreBLEU's classes BLEU, CHRF and TER: cybleu counts plain lines, and sacreBLEU all other arguments.

sacreBLEU computes the scores from the counts, except BLEU of sentences, where its formula takes longer than the counting.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from copy import copy
from functools import lru_cache, update_wrapper
from inspect import signature
from itertools import accumulate, chain, pairwise
from typing import Any

from .._backend import RawTexts, raw_row
from .._runtime.extras import extra
from .._runtime.sequences import is_sized
from ..errors import CybleuError, UnknownNameError
from ..metrics import Bleu, Chrf, Metric, Ter
from ..metrics.operations import rows_without_numpy
from ..text.batches import Corpus, RawText, Sets
from ..text.columns import lists_of_documents
from ..text.shapes import mistake_in_documents, warn_of
from ..text.tokenizers import OWN, own_tokenizer

with extra("sacrebleu", "sacrebleu_compat requires sacreBLEU", "cybleu[sacrebleu]"):
    import sacrebleu.metrics.bleu
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

__all__ = ["BLEU", "CHRF", "TER"]

theirs: Any = sacrebleu.metrics
OWN_OF_SACREBLEU = {f"sacrebleu.tokenizers.tokenizer_{name}": name for name in OWN}  # by module
PLAIN = {str}  # types of lines
MANY = 100  # sacreBLEU warns from this number of lines that look tokenised


def kept_by_arguments(make: Callable[..., Any]) -> Callable[..., Any]:
    """Keep what a function makes, by its arguments; None if cybleu does not support them."""

    @lru_cache(typed=True)
    def made(*arguments: Any) -> Any:
        with suppress(CybleuError, KeyError):
            return make(*arguments)

    return made


_chrf_of, _ter_of = kept_by_arguments(Chrf), kept_by_arguments(Ter)


@kept_by_arguments
def _bleu_of(tokenizer: type, order: Any) -> Bleu:
    return Bleu("sacrebleu", max_order=order, tokenize=OWN_OF_SACREBLEU[tokenizer.__module__])


@kept_by_arguments
def _of_sentences(tokenizer: type, order: Any, smoothing: str, value: Any) -> tuple[Any, Any]:
    """Return the tokeniser of sentences, and what computes score, precisions and brevity penalty of their rows.

    sacreBLEU computes them with ``add-k``, because that also changes the counts that it shows.
    """
    used = value if smoothing == "floor" else None
    exact = smoothing != "add-k" and type(used) in (type(None), int, float)
    metric = Bleu("sacrebleu", smoothing, used, max_order=order, effective_order=True)
    return own_tokenizer(OWN_OF_SACREBLEU[tokenizer.__module__]), metric.scorer.kernel.evaluate if exact else None


class CountedByCybleu(theirs.base.Metric):  # type: ignore[misc]
    """Mixin that counts with cybleu, to be placed before a metric of sacreBLEU in the bases of a class.

    :cvar _of_sacrebleu: the metric of sacreBLEU
    :cvar _counter: returns the metric, which counts lines that are in lower case if it is wanted; None if sacreBLEU must handle
        these settings
    :cvar _inherited: the attributes that sacreBLEU uses while it counts; if a subclass or an object has another one, sacreBLEU
        counts
    :ivar _checked: the number of attributes that the object had when `_overridden` was found
    """

    _checked = 0

    def _is_overridden(self) -> bool:
        kind, own = type(self), vars(self)
        return any(name in own or getattr(kind, name) is not value for name, value in self._inherited.items())

    def _counter_here(self) -> Metric | None:
        return None if self._is_overridden() else self._counter()

    def _lowered(self, lines: Sequence[str]) -> Sequence[str]:
        return list(map(str.lower, lines)) if getattr(self, "lowercase", False) else lines

    def _cache_references(self, references: Any) -> Any:
        references = lists_of_documents(references)
        kept: Any = self._kept(references)
        if kept is None:
            kept = Cached(super()._cache_references(references))
            kept.documents = references if isinstance(references, str) else list(filter(is_sized, references))
        return kept

    def _kept(self, references: Any) -> Any:
        """Keep references that cybleu counts; None for others, which may be readable only once."""
        counter, kinds = self._counter_here(), _kinds_of_lines(references)
        if counter is None or not kinds or not kinds <= {str, type(None)}:
            return None
        # later changes of the object are for hypotheses only, as in sacreBLEU
        kept = Kept(copy(self), counter, references, type(None) in kinds)
        self.num_refs = min(kept.numbers) if len(kept.numbers) == 1 else -1
        return kept

    def _counted(self, hypotheses: Any, references: Any) -> Any:
        """Return the rows of the segments as a view; None if sacreBLEU counts."""
        if type(hypotheses) not in (list, tuple) or not hypotheses or not PLAIN.issuperset(map(type, hypotheses)):
            return None
        kept = self._ref_cache if references is None else self._kept(references)
        if not isinstance(kept, Kept) or 0 in kept.numbers or kept.counter != self._counter_here():
            return None
        warn_of(mistake_in_documents(hypotheses, kept.documents))
        count = min(len(hypotheses), len(kept.bounds) - 1)
        texts = RawTexts(self._lowered(tuple(hypotheses)[:count]))
        if not self._force and texts.full_stops()[0] >= MANY:
            BLEU._of_sacrebleu(tokenize="none").corpus_score([" ."] * MANY, [["."] * MANY])  # sacreBLEU's own warning
        sets = Sets(RawText(RawTexts(kept.metric._lowered(kept.lines))), kept.bounds[: count + 1])
        return rows_without_numpy(kept.counter, Corpus(RawText(texts), sets))

    def _extract_corpus_statistics(self, hypotheses: Any, references: Any) -> Any:
        references = lists_of_documents(references)
        if (counted := self._counted(hypotheses, references)) is not None:
            return counted.tolist()
        rows = super()._extract_corpus_statistics(hypotheses, references)
        warn_of(mistake_in_documents(hypotheses, references or getattr(self._ref_cache, "documents", ())))
        return rows

    def corpus_score(self, hypotheses: Any, references: Any, n_bootstrap: int = 1) -> Any:
        """Score a corpus as ``corpus_score`` of sacreBLEU's class does.

        :param hypotheses: the lines to score
        :param references: documents with a line for each hypothesis, or None to use the references cached in the metric
        :param n_bootstrap: the number of bootstrap samples for a confidence interval; 1 draws none
        :return: sacreBLEU's ``BLEUScore``, ``CHRFScore`` or ``TERScore``, on its scale of 100
        """
        hypotheses = hypotheses if type(hypotheses) is list else lists_of_documents(hypotheses)
        references = lists_of_documents(references)
        rows = None if n_bootstrap > 1 else self._counted(hypotheses, references)
        if rows is None:
            return super().corpus_score(hypotheses, references, n_bootstrap)
        return self._compute_score_from_stats(self._counter().total(rows))

    def sentence_score(self, hypothesis: Any, references: Any) -> Any:
        """Score a line as ``sentence_score`` of sacreBLEU's class does.

        :param hypothesis: the line to score
        :param references: its reference lines
        :return: sacreBLEU's ``BLEUScore``, ``CHRFScore`` or ``TERScore``, on its scale of 100
        """
        if len(self.__dict__) != self._checked:  # attributes were added; the check is slower than counting a line
            self._overridden, self._checked = self._is_overridden(), len(self.__dict__)
        lines: list[Any] = [hypothesis, *references] if type(references) in (list, tuple) and references else [None]
        plain = PLAIN.issuperset(map(type, lines)) and not self._overridden
        score = self._score_of_lines(self._lowered(lines)) if plain else None
        if score is None:
            return super().sentence_score(hypothesis, references)
        self.num_refs = len(references)
        return score

    def _score_of_lines(self, lines: Sequence[str]) -> Any:
        """Score a hypothesis and its references; None if sacreBLEU must count them."""
        metric: Any = self._counter()
        return metric and self._compute_score_from_stats(metric.count(lines[0], lines[1:]))


class Cached(list[Any]):
    """References that sacreBLEU has cached.

    :ivar documents: those that have a length
    """


class Kept:
    """Cached references: lines for the kernels, and when iterated the entries that sacreBLEU caches.

    :param metric: the metric with the settings for references
    :param counter: what counts with these settings
    :param documents: of one length
    :param incomplete: whether some lines are None
    :ivar numbers: the different numbers of references that segments have
    """

    def __init__(self, metric: Any, counter: Metric, documents: Sequence[Sequence[str | None]], incomplete: bool):
        self.metric, self.counter, self.documents = metric, counter, documents
        width = len(documents)
        lines = documents[0] if width == 1 else chain.from_iterable(zip(*documents))
        self.lines = tuple([line for line in lines if line is not None] if incomplete else lines)
        counts = [width - group.count(None) for group in zip(*documents)] if incomplete else [width]
        bounds = accumulate(counts, initial=0) if incomplete else range(0, len(self.lines) + 1, width)
        self.bounds, self.numbers = array("q", list(bounds)), set(counts)

    def __iter__(self) -> Iterator[Any]:
        for begin, end in pairwise(self.bounds):
            yield self.metric._extract_reference_info(list(map(self.metric._preprocess_segment, self.lines[begin:end])))


def _is_used(name: str) -> bool:
    """Whether sacreBLEU's class may use this attribute while it counts and scores."""
    return name.startswith(("_", "compute")) and not name.startswith("__") and name != "_abc_impl"


def _kinds_of_lines(references: Any) -> set[type]:
    """The types of the lines in lists or tuples of equal length; none for anything else."""
    if type(references) not in (list, tuple) or not {list, tuple}.issuperset(map(type, references)):
        return set()
    return set().union(*[map(type, lines) for lines in references]) if len(set(map(len, references))) == 1 else set()


class BLEU(CountedByCybleu, theirs.BLEU):  # type: ignore[misc]
    """A subclass of ``sacrebleu.metrics.BLEU`` with the same arguments, attributes, results, signature and errors.

    cybleu counts lists and tuples of str, with the tokenisers ``13a``, ``intl``, ``zh``, ``char`` and ``none``.
    sacreBLEU counts all other texts, and computes the score of a corpus from the counts. You can use this class wherever
    you can use sacreBLEU's, also in ``sacrebleu.significance.PairedTest``.

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

    def _counter(self) -> Any:
        return _bleu_of(type(self.tokenizer), self.max_ngram_order)

    def _score_of_lines(self, lines: Sequence[str]) -> Any:
        order = self.max_ngram_order
        key = type(self.tokenizer), order, self.smooth_method, self.smooth_value
        found = self.effective_order and _of_sentences(*key)  # without it, sacreBLEU logs advice
        if not found:
            return None
        tokenizer, evaluate = found
        row = raw_row(tokenizer, lines, order)
        parts = evaluate and evaluate(row)
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

    def _counter(self) -> Any:
        orders, other = (self.char_order, self.word_order), (self.beta, self.whitespace, self.eps_smoothing)
        # sacreBLEU scores as many orders as the metric was made with
        return _chrf_of(*orders, *other) if self.order == sum(orders) else None


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

    def _counter(self) -> Any:
        chosen = self.tokenizer
        if type(chosen) is not TercomTokenizer:
            return None
        return _ter_of(chosen._normalized, chosen._no_punct, chosen._asian_support, chosen._case_sensitive)


for _kind in (BLEU, CHRF, TER):
    _kind._inherited = {name: getattr(_kind, name) for name in dir(_kind._of_sacrebleu) if _is_used(name)}
