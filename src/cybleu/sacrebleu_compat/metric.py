"""``sacrebleu.metrics.BLEU``, tokenised and counted by the kernels."""

from __future__ import annotations

from typing import Any

from ..errors import MissingExtraError
from ..stats.raw import raw_row_lists, raw_sum
from ..text.columns import documents_given
from ..text.raw import Raw
from ..text.tokenizers import OWN
from .functions import MANY, look_tokenised
from .kept import Kept, are_documents

try:
    from sacrebleu.metrics.bleu import BLEU as Theirs
except ImportError as error:
    raise MissingExtraError(
        "this class is a sacrebleu.metrics.BLEU, and sacreBLEU is not installed; "
        "install it with: pip install 'cybleu[sacrebleu]'"
    ) from error

__all__ = ["BLEU"]

ORIGINAL: Any = getattr(Theirs, "_of_sacrebleu", Theirs)  # also where ours has its place already


class BLEU(ORIGINAL):  # type: ignore[misc]
    """A subclass of ``sacrebleu.metrics.BLEU`` with the same arguments, attributes, results, signature and errors.

    cybleu counts lists and tuples of str, with the tokenisers ``13a``, ``intl``, ``zh``, ``char`` and ``none``.
    sacreBLEU counts everything else, and computes the score from the counts. You can use this class wherever you can
    use sacreBLEU's, also in ``sacrebleu.significance.PairedTest``.

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
        if not are_documents(references) or self._raw() is None:
            return super()._cache_references(references)
        kept = Kept(self, references)
        self.num_refs = kept.number
        return kept

    def _segments(self, hypotheses: Any, references: Any) -> tuple[Any, ...] | None:
        """What the kernels count, or None for sacreBLEU to count."""
        raw = self._raw()
        order = self.max_ngram_order
        if raw is None or type(order) is not int or order < 1:
            return None
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
        if not self._force and look_tokenised(texts):
            ORIGINAL(tokenize="none").corpus_score([" ."] * MANY, [["."] * MANY])  # gives its warning
        return raw, texts, others, bounds[: count + 1], order

    def _extract_corpus_statistics(self, hypotheses: Any, references: Any) -> Any:
        segments = self._segments(hypotheses, references)
        if segments is None:
            return super()._extract_corpus_statistics(hypotheses, references)
        return raw_row_lists(*segments)

    def corpus_score(self, hypotheses: Any, references: Any, n_bootstrap: int = 1) -> Any:
        """The score of a corpus, as ``sacrebleu.metrics.BLEU.corpus_score`` returns it.

        :param hypotheses: the lines to score
        :param references: documents with one line for each hypothesis, or None for the references that the metric keeps
        :param n_bootstrap: how many samples to draw for a confidence interval; 1 draws none
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
