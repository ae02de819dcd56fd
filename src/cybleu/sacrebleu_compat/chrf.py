"""``sacrebleu.metrics.CHRF``, counted by the kernels."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ..errors import MissingExtraError
from ..metrics.chrf import LARGEST_BETA, MOST_ORDERS, Chrf
from ..text.raw import Raw
from .functions import are_plain
from .kept import Kept, are_documents

try:
    from sacrebleu.metrics.chrf import CHRF as Theirs
    from sacrebleu.metrics.chrf import CHRFScore
except ImportError as error:
    raise MissingExtraError(
        "this class is a sacrebleu.metrics.CHRF, and sacreBLEU is not installed; "
        "install it with: pip install 'cybleu[sacrebleu]'"
    ) from error

__all__ = ["CHRF", "of_sentence"]

ORIGINAL: Any = getattr(Theirs, "_of_sacrebleu", Theirs)  # also where ours has its place already


@lru_cache
def _measure(char_order: int, word_order: int, beta: float, kind: str, whitespace: bool, eps_smoothing: bool) -> Chrf:
    return Chrf(char_order, word_order, beta, whitespace, eps_smoothing)


@lru_cache
def _raw(lowercase: bool) -> Raw:
    return Raw("none", lowercase)


class CHRF(ORIGINAL):  # type: ignore[misc]
    """A subclass of ``sacrebleu.metrics.CHRF`` with the same arguments, attributes, results, signature and errors.

    cybleu counts lists and tuples of str. sacreBLEU counts everything else, and computes the score from the counts. You
    can use this class wherever you can use sacreBLEU's, also in ``sacrebleu.significance.PairedTest``.

    >>> metric = CHRF(word_order=2)
    >>> print(metric.corpus_score(["The cat sat on the mat."], [["The cat sits on the mat."]]))
    chrF2++ = 69.22
    >>> metric.get_signature().info["nw"]
    2
    """

    _of_sacrebleu = ORIGINAL

    def _metric(self) -> Chrf | None:
        """What counts here, or None where something else does."""
        orders = self.char_order, self.word_order
        if not all(type(order) is int and 0 <= order <= MOST_ORDERS for order in orders) or not sum(orders):
            return None
        if type(self.beta) not in (int, float) or not abs(self.beta) <= LARGEST_BETA:
            return None
        for method in _OWN:
            if getattr(type(self), method) is not getattr(ORIGINAL, method):
                return None
        return _measure(*orders, self.beta, type(self.beta).__name__, bool(self.whitespace), bool(self.eps_smoothing))

    def _cache_references(self, references: Any) -> Any:
        if not are_documents(references) or self._metric() is None:
            return super()._cache_references(references)
        kept = Kept(self, references)
        self.num_refs = kept.number
        return kept

    def _segments(self, hypotheses: Any, references: Any) -> tuple[Any, ...] | None:
        """What the kernels count, or None for sacreBLEU to count."""
        metric = self._metric()
        if metric is None or not are_plain(hypotheses):
            return None
        kept = self._cache_references(references) if references else self._ref_cache
        if not isinstance(kept, Kept) or not kept.whole:
            return None
        count = min(len(hypotheses), len(kept))
        raw = _raw(bool(self.lowercase))
        others, bounds = kept.texts(raw)
        texts = raw.texts(hypotheses if count == len(hypotheses) else hypotheses[:count], "hypotheses")
        return metric, (raw, texts, others, bounds[: count + 1])

    def _extract_corpus_statistics(self, hypotheses: Any, references: Any) -> Any:
        segments = self._segments(hypotheses, references)
        if segments is None:
            return super()._extract_corpus_statistics(hypotheses, references)
        return segments[0].rows_of_raw(*segments[1])

    def corpus_score(self, hypotheses: Any, references: Any, n_bootstrap: int = 1) -> Any:
        """The score of a corpus, as ``sacrebleu.metrics.CHRF.corpus_score`` returns it.

        :param hypotheses: the lines to score
        :param references: documents with one line for each hypothesis, or None for the references that the metric keeps
        :param n_bootstrap: how many samples to draw for a confidence interval; 1 draws none
        :return: sacreBLEU's ``CHRFScore``, from 0 to 100
        """
        if n_bootstrap > 1:
            return super().corpus_score(hypotheses, references, n_bootstrap)
        self._check_corpus_score_args(hypotheses, references)
        segments = self._segments(hypotheses, references)
        if segments is None or not len(segments[1][1]):
            return super().corpus_score(hypotheses, references, n_bootstrap)
        return self._compute_score_from_stats(segments[0].sum_of_raw(*segments[1])[0])


def of_sentence(
    hypothesis: Any,
    references: Any,
    char_order: Any,
    word_order: Any,
    beta: Any,
    whitespace: bool,
    eps_smoothing: Any,
) -> Any:
    """The ``CHRFScore`` of one line, without an object of the class above where the arguments are plain."""
    if (
        type(hypothesis) is str
        and type(references) in (list, tuple)
        and set(map(type, references)) == {str}
        and type(char_order) is type(word_order) is type(beta) is int
        and 0 <= char_order <= MOST_ORDERS
        and 0 <= word_order <= MOST_ORDERS
        and char_order + word_order
        and abs(beta) <= LARGEST_BETA
    ):
        metric = _measure(char_order, word_order, beta, "int", whitespace, bool(eps_smoothing))
        return CHRFScore(metric.evaluate(metric.row(references, hypothesis)), char_order, word_order, beta)
    found = CHRF(char_order, word_order, beta, whitespace=whitespace, eps_smoothing=eps_smoothing)
    return found.sentence_score(hypothesis, references)


_OWN = (
    "_preprocess_segment",
    "_compute_segment_statistics",
    "_extract_reference_info",
    "_get_match_statistics",
    "_remove_punctuation",
    "_compute_f_score",
)
