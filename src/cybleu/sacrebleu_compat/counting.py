"""Base class of BLEU, chrF and TER: cybleu counts plain lines, and sacreBLEU all other arguments."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from copy import copy
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any

from .. import _backend
from .._runtime.shapes import lengths, mistake_in_documents, mistake_in_lengths, mistake_in_references, warn_of
from ..text.batches import Corpus, RawText, Sets
from ..text.columns import lists_of_documents

if TYPE_CHECKING:
    from ..metrics import Metric

_Any: Any = object


class Counting(_Any):  # type: ignore[misc]
    """Mixin that counts with cybleu, to be placed before a metric of sacreBLEU in the bases of a class.

    :cvar _of_sacrebleu: the metric of sacreBLEU
    :cvar _counter: returns the metric, and whether lines are put in lower case; None if sacreBLEU must handle these settings
    :cvar _inherited: the attributes that sacreBLEU's class uses; if a subclass or an object has another one, sacreBLEU
        counts
    """

    _of_sacrebleu: Any
    _counter: Callable[[], tuple[Metric, bool] | None]
    _inherited: dict[str, Any]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "_of_sacrebleu" in vars(cls):
            cls._inherited = {name: getattr(cls, name) for name in dir(cls._of_sacrebleu) if _is_used(name)}

    def _warn_of(self, texts: Any) -> None:
        """Issue sacreBLEU's warnings about hypotheses."""

    def _as_theirs(self, rows: Any) -> Any:
        """Return statistics of cybleu with the types of sacreBLEU's."""
        return rows

    def _counter_here(self) -> tuple[Metric, bool] | None:
        own = type(self)
        if not self._inherited.keys().isdisjoint(vars(self)) or any(
            getattr(own, name) is not value for name, value in self._inherited.items()
        ):
            return None
        return self._counter()

    def _cache_references(self, references: Any) -> Any:
        references = lists_of_documents(references)
        if not _are_documents(references) or self._counter_here() is None:
            cached = Cached(super()._cache_references(references))
            cached.documents = lengths(references)
            cached.mistake = mistake_in_references(references)
            return cached
        settings = copy(self)  # later changes of the object are for hypotheses only, as in sacreBLEU
        settings._ref_cache = None
        kept = Kept(settings, references)
        self.num_refs = kept.number
        return kept

    def _segments(
        self, counter: tuple[Metric, bool] | None, hypotheses: Any, references: Any
    ) -> tuple[Metric, Corpus] | None:
        """Return the metric and the segments; None if sacreBLEU counts."""
        if counter is None:
            return None
        metric, lowercase = counter
        texts = strings(hypotheses, lowercase)
        if not texts:  # also if there is no text
            return None
        kept = self._ref_cache
        if references:
            references = lists_of_documents(references)
            if not _are_documents(references):
                return None
            kept = Kept(self, references)
            self.num_refs = kept.number
        elif not isinstance(kept, Kept) or kept.metric._counter_here() != counter:
            return None
        if not kept.whole:
            return None
        count = min(len(hypotheses), len(kept))
        others, bounds = kept.texts(lowercase)
        if count < len(hypotheses):
            texts = strings(hypotheses[:count], lowercase)
        self._warn_of(texts)
        return metric, Corpus(RawText(texts), Sets(RawText(others), bounds[: count + 1]))

    def _extract_corpus_statistics(self, hypotheses: Any, references: Any) -> Any:
        segments = self._segments(self._counter_here(), hypotheses, references)
        if segments is None:
            rows = super()._extract_corpus_statistics(hypotheses, references)
        else:
            metric, corpus = segments
            rows = self._as_theirs(metric.rows_of(corpus).tolist())
        self._warn_of_shapes(hypotheses, references)
        return rows

    def _warn_of_shapes(self, hypotheses: Any, references: Any) -> None:
        """Warn about references and hypotheses that sacreBLEU splits or drops."""
        if references:
            warn_of(mistake_in_documents(hypotheses, references))
            return
        kept = self._ref_cache
        known = getattr(kept, "mistake", None)
        if known is None:
            known = mistake_in_lengths(len(hypotheses), getattr(kept, "documents", [len(kept)]))
        warn_of(known)

    def corpus_score(self, hypotheses: Any, references: Any, n_bootstrap: int = 1) -> Any:
        """Score a corpus as ``corpus_score`` of sacreBLEU's class does.

        :param hypotheses: the lines to score
        :param references: documents with a line for each hypothesis, or None to use the references cached in the metric
        :param n_bootstrap: the number of bootstrap samples for a confidence interval; 1 draws none
        :return: sacreBLEU's ``BLEUScore``, ``CHRFScore`` or ``TERScore``, on its scale of 100
        """
        hypotheses, references = lists_of_documents(hypotheses), lists_of_documents(references)
        counter = self._counter_here()
        if n_bootstrap > 1 or counter is None:
            return super().corpus_score(hypotheses, references, n_bootstrap)
        self._check_corpus_score_args(hypotheses, references)
        segments = self._segments(counter, hypotheses, references)
        if segments is None:
            return super().corpus_score(hypotheses, references, n_bootstrap)
        metric, corpus = segments
        row = metric.total(metric.rows_of(corpus))
        self._warn_of_shapes(hypotheses, references)
        return self._compute_score_from_stats(row)


class Cached(list[Any]):
    """References that sacreBLEU has cached.

    :ivar documents: the number of lines of each document
    :ivar mistake: what is wrong with them
    """

    documents: list[int]
    mistake: str | None = None


class Kept(Sequence[Any]):
    """Cached references: lines for the kernels, and on access the entries that sacreBLEU caches.

    :param metric: the metric with the settings for references
    """

    def __init__(self, metric: Any, documents: Sequence[Sequence[str | None]]):
        self.metric = metric
        self.documents = list(map(len, documents))
        self.groups = [[line for line in lines if line is not None] for lines in zip(*documents)]
        self._raw: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_raw": None}

    def __len__(self) -> int:
        return len(self.groups)

    def __getitem__(self, position: Any) -> Any:
        lines = [self.metric._preprocess_segment(line) for line in self.groups[position]]
        return self.metric._extract_reference_info(lines)

    @property
    def number(self) -> int:
        """The number of references of each segment; -1 if it differs."""
        numbers = {len(group) for group in self.groups}
        return numbers.pop() if len(numbers) == 1 else -1

    @property
    def whole(self) -> bool:
        """Whether each segment has a reference."""
        return all(self.groups)

    def texts(self, lowercase: bool) -> tuple[Any, array[int]]:
        key = lowercase, _backend.BACKEND
        if self._raw is None or self._raw[0] != key:
            bounds = array("q", accumulate(map(len, self.groups), initial=0))
            self._raw = key, strings(list(chain.from_iterable(self.groups)), lowercase), bounds
        return self._raw[1], self._raw[2]


def strings(lines: Any, lowercase: bool) -> Any:
    """Lines as the backend reads them; None if this is not a list or tuple of nothing but str."""
    if lowercase and type(lines) in (list, tuple):
        lines = [line.lower() if type(line) is str else line for line in lines]
    return _backend.chosen.RawTexts.of_strings(lines)


def _is_used(name: str) -> bool:
    """Whether sacreBLEU's class uses this attribute while it counts. It never calls the three methods for users."""
    return name not in ("corpus_score", "sentence_score", "get_signature", "_abc_impl") and not name.startswith("__")


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
