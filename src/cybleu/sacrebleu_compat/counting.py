"""What the classes of BLEU and chrF share: plain lines are counted by a metric of this package, anything else by sacreBLEU."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any

from .. import _backend
from ..text.columns import documents_given
from ..text.raw import Raw

if TYPE_CHECKING:
    from ..metrics import Metric

_Any: Any = object


class Counting(_Any):  # type: ignore[misc]
    """Comes before a metric of sacreBLEU among the bases of a class.

    :cvar _of_sacrebleu: that metric
    :cvar _methods: those of it that count; a subclass that has one of its own is counted by sacreBLEU
    """

    _of_sacrebleu: Any
    _methods: tuple[str, ...]

    def _counter(self) -> tuple[Metric, Raw] | None:
        """What counts here, and what makes tokens; None where something else does."""
        raise NotImplementedError

    def _warn_of(self, texts: Any) -> None:
        """Warn of hypotheses as sacreBLEU does."""

    def _counter_here(self) -> tuple[Metric, Raw] | None:
        theirs = self._of_sacrebleu
        if any(getattr(type(self), method) is not getattr(theirs, method) for method in self._methods):
            return None
        return self._counter()

    def _cache_references(self, references: Any) -> Any:
        references = documents_given(references)
        if not _are_documents(references) or self._counter_here() is None:
            return super()._cache_references(references)
        kept = Kept(self, references)
        self.num_refs = kept.number
        return kept

    def _segments(self, hypotheses: Any, references: Any) -> tuple[Metric, tuple[Any, ...]] | None:
        """What counts, and what it counts; None for sacreBLEU to count."""
        counter = self._counter_here()
        if counter is None:
            return None
        metric, raw = counter
        texts = raw.strings(hypotheses)
        if not texts:  # nor where there is none
            return None
        kept = self._cache_references(references) if references else self._ref_cache
        if not isinstance(kept, Kept) or not kept.whole:
            return None
        count = min(len(hypotheses), len(kept))
        others, bounds = kept.texts(raw)
        if count < len(hypotheses):
            texts = raw.strings(hypotheses[:count])
        self._warn_of(texts)
        return metric, (raw, texts, others, bounds[: count + 1])

    def _extract_corpus_statistics(self, hypotheses: Any, references: Any) -> Any:
        segments = self._segments(hypotheses, references)
        if segments is None:
            return super()._extract_corpus_statistics(hypotheses, references)
        metric, texts = segments
        return metric.rows_of_raw(*texts)

    def corpus_score(self, hypotheses: Any, references: Any, n_bootstrap: int = 1) -> Any:
        """The score of a corpus, as the ``corpus_score`` of sacreBLEU's class returns it.

        :param hypotheses: the lines to score
        :param references: documents with one line for each hypothesis, or None for the references that the metric keeps
        :param n_bootstrap: how many samples to draw for a confidence interval; 1 draws none
        :return: sacreBLEU's ``BLEUScore`` or ``CHRFScore``, from 0 to 100
        """
        hypotheses, references = documents_given(hypotheses), documents_given(references)
        if n_bootstrap > 1:
            return super().corpus_score(hypotheses, references, n_bootstrap)
        self._check_corpus_score_args(hypotheses, references)
        segments = self._segments(hypotheses, references)
        if segments is None:
            return super().corpus_score(hypotheses, references, n_bootstrap)
        metric, texts = segments
        found = metric.sum_of_raw(*texts)
        assert found is not None  # these metrics read raw text
        return self._compute_score_from_stats(found[0])


class Kept(Sequence[Any]):
    """References that are kept: as lines for the kernels, and one by one as sacreBLEU keeps them where it goes on."""

    def __init__(self, metric: Any, documents: Sequence[Sequence[str | None]]):
        self.metric = metric
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
        """How many references each segment has; -1 where that differs."""
        numbers = {len(group) for group in self.groups}
        return numbers.pop() if len(numbers) == 1 else -1

    @property
    def whole(self) -> bool:
        """Each segment has a reference."""
        return all(self.groups)

    def texts(self, raw: Raw) -> tuple[Any, array[int]]:
        key = raw.tokenize, raw.lowercase, _backend.BACKEND
        if self._raw is None or self._raw[0] != key:
            bounds = array("q", accumulate(map(len, self.groups), initial=0))
            self._raw = key, raw.texts(list(chain.from_iterable(self.groups)), "references"), bounds
        return self._raw[1], self._raw[2]


def _are_documents(references: Any) -> bool:
    """Whether these are lists or tuples of lines, equally long, or None where there is no reference."""
    return (
        type(references) in (list, tuple)
        and len(references) > 0
        and all(type(document) in (list, tuple) for document in references)
        and len({len(document) for document in references}) == 1
        and len(references[0]) > 0
        and all(set(map(type, document)) <= {str, type(None)} for document in references)
    )
