"""``sacrebleu.metrics.CHRF``, counted by the kernels."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .._runtime.extras import extra
from ..metrics.chrf import LARGEST_BETA, MOST_ORDERS, Chrf
from .counting import Counting
from .functions import raw_for

with extra("sacrebleu", "this class is a subclass of one of sacreBLEU", "cybleu[sacrebleu]"):
    from sacrebleu.metrics.chrf import CHRF as Theirs
    from sacrebleu.metrics.chrf import CHRFScore

if TYPE_CHECKING:
    from ..text.raw import Raw

__all__ = ["CHRF", "of_sentence"]

ORIGINAL: Any = getattr(Theirs, "_of_sacrebleu", Theirs)  # sacreBLEU's class, even if this one is installed


@lru_cache
def _measure(char_order: int, word_order: int, beta: float, kind: str, whitespace: bool, eps_smoothing: bool) -> Chrf:
    return Chrf(char_order, word_order, beta, whitespace, eps_smoothing)


class CHRF(Counting, ORIGINAL):  # type: ignore[misc]
    """A subclass of ``sacrebleu.metrics.CHRF`` with the same arguments, attributes, results, signature and errors.

    cybleu counts lists and tuples of str. sacreBLEU counts all other texts, and computes the score from the counts. You
    can use this class wherever you can use sacreBLEU's, also in ``sacrebleu.significance.PairedTest``.

    >>> metric = CHRF(word_order=2)
    >>> print(metric.corpus_score(["The cat sat on the mat."], [["The cat sits on the mat."]]))
    chrF2++ = 69.22
    >>> metric.get_signature().info["nw"]
    2
    """

    _of_sacrebleu = ORIGINAL

    def _counter(self) -> tuple[Chrf, Raw] | None:
        orders = self.char_order, self.word_order
        if not all(type(order) is int and 0 <= order <= MOST_ORDERS for order in orders):
            return None
        if not sum(orders) or self.order != sum(orders):  # sacreBLEU scores as many orders as the metric was made with
            return None
        if type(self.beta) not in (int, float) or not abs(self.beta) <= LARGEST_BETA:
            return None
        space, epsilon = bool(self.whitespace), bool(self.eps_smoothing)
        return _measure(*orders, self.beta, type(self.beta).__name__, space, epsilon), raw_for(
            "none", bool(self.lowercase)
        )


def of_sentence(
    hypothesis: Any,
    references: Any,
    char_order: Any,
    word_order: Any,
    beta: Any,
    whitespace: bool,
    eps_smoothing: Any,
) -> Any:
    """Return the ``CHRFScore`` of a line, without creating a :class:`CHRF` if the arguments are plain lists of str."""
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
