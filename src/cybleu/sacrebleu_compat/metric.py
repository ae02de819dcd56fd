"""``sacrebleu.metrics.BLEU``, tokenised and counted by the kernels."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import accumulate, chain
from typing import Any

from .. import _backend
from ..errors import MissingExtraError
from ..stats.raw import raw_row_lists, raw_sum
from ..text.columns import documents_given
from ..text.raw import Raw
from ..text.tokenizers import OWN
from .functions import MANY, are_plain

try:
    from sacrebleu.metrics.bleu import BLEU as Theirs
except ImportError as error:
    raise MissingExtraError(
        "this class is a sacrebleu.metrics.BLEU, and sacreBLEU is not installed; "
        "install it with: pip install 'cybleu[sacrebleu]'"
    ) from error

__all__ = ["BLEU"]

ORIGINAL: Any = getattr(Theirs, "_of_sacrebleu", Theirs)  # also where ours has its place already


class _Kept(Sequence[Any]):
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
    def whole(self) -> bool:
        """Each segment has a reference."""
        return all(self.groups)

    def texts(self, raw: Raw) -> tuple[Any, array[int]]:
        key = raw.tokenize, raw.lowercase, _backend.BACKEND
        if self._raw is None or self._raw[0] != key:
            bounds = array("q", accumulate(map(len, self.groups), initial=0))
            self._raw = key, raw.texts(list(chain.from_iterable(self.groups)), "references"), bounds
        return self._raw[1], self._raw[2]


class BLEU(ORIGINAL):  # type: ignore[misc]
    """``sacrebleu.metrics.BLEU``: the same arguments, attributes, results, signature and errors, and it is one.

    The tokenisers ``13a``, ``intl``, ``zh``, ``char`` and ``none`` and the counting are done by the kernels, for lists and tuples of
    str. sacreBLEU does whatever else it is given, and computes the score from the counts. It can be used wherever that class can,
    also in ``sacrebleu.significance.PairedTest``.

    >>> metric = BLEU(lowercase=True)
    >>> print(metric.corpus_score(["The cat sat on the mat."], [["The cat sits on the mat."]]))
    BLEU = 48.89 85.7/66.7/40.0/25.0 (BP = 1.000 ratio = 1.000 hyp_len = 7 ref_len = 7)
    >>> metric.get_signature().info["case"]
    'lc'
    """

    _of_sacrebleu = ORIGINAL

    def _raw(self) -> Raw | None:
        """What makes tokens here, or None where something else does."""
        name = self.tokenizer_signature
        if name not in OWN or not type(self.tokenizer).__module__.startswith("sacrebleu.tokenizers."):
            return None
        for method in ("_preprocess_segment", "_compute_segment_statistics", "_extract_reference_info"):
            if getattr(type(self), method) is not getattr(ORIGINAL, method):
                return None
        return Raw(name, self.lowercase)

    def _cache_references(self, references: Any) -> Any:
        references = documents_given(references)
        if not _are_documents(references) or self._raw() is None:
            return super()._cache_references(references)
        kept = _Kept(self, references)
        numbers = {len(group) for group in kept.groups}
        self.num_refs = numbers.pop() if len(numbers) == 1 else -1
        return kept

    def _segments(self, hypotheses: Any, references: Any) -> tuple[Any, ...] | None:
        """What the kernels count, or None for sacreBLEU to count."""
        raw = self._raw()
        order = self.max_ngram_order
        if raw is None or type(order) is not int or order < 1 or not are_plain(hypotheses):
            return None
        kept = self._cache_references(references) if references else self._ref_cache
        if not isinstance(kept, _Kept) or not kept.whole:
            return None
        count = min(len(hypotheses), len(kept))
        others, bounds = kept.texts(raw)
        if not self._force and sum(line.endswith(" .") for line in hypotheses[:count]) >= MANY:
            ORIGINAL(tokenize="none").corpus_score([" ."] * MANY, [["."] * MANY])  # gives its warning
        texts = raw.texts(hypotheses if count == len(hypotheses) else hypotheses[:count], "hypotheses")
        return raw, texts, others, bounds[: count + 1], order

    def _extract_corpus_statistics(self, hypotheses: Any, references: Any) -> Any:
        segments = self._segments(hypotheses, references)
        if segments is None:
            return super()._extract_corpus_statistics(hypotheses, references)
        return raw_row_lists(*segments)

    def corpus_score(self, hypotheses: Any, references: Any, n_bootstrap: int = 1) -> Any:
        """The score of a corpus, as ``sacrebleu.metrics.BLEU.corpus_score`` gives it.

        :param hypotheses: the lines to score
        :param references: documents with one line for each hypothesis, or None for those that the metric keeps
        :param n_bootstrap: from 2 on so many samples are drawn for a confidence interval
        :return: sacreBLEU's ``BLEUScore``, from 0 to 100
        """
        hypotheses, references = documents_given(hypotheses), documents_given(references)
        if n_bootstrap > 1:
            return super().corpus_score(hypotheses, references, n_bootstrap)
        self._check_corpus_score_args(hypotheses, references)
        segments = self._segments(hypotheses, references)
        if segments is None or not len(segments[1]):
            return super().corpus_score(hypotheses, references, n_bootstrap)
        return self._compute_score_from_stats(raw_sum(*segments)[0])


def _are_documents(references: Any) -> bool:
    return (
        type(references) in (list, tuple)
        and len(references) > 0
        and all(type(document) in (list, tuple) for document in references)
        and len({len(document) for document in references}) == 1
        and len(references[0]) > 0
        and all(set(map(type, document)) <= {str, type(None)} for document in references)
    )
