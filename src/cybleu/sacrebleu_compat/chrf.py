"""``sacrebleu.metrics.CHRF``, counted by the kernels."""

from __future__ import annotations

from typing import Any

from .._runtime.extras import extra
from ..metrics.chrf import LARGEST_BETA, MOST_ORDERS, Chrf
from .chrf_functions import measure
from .counting import Counting

with extra("sacrebleu", "this class is a subclass of one of sacreBLEU", "cybleu[sacrebleu]"):
    from sacrebleu.metrics.chrf import CHRF as Theirs

__all__ = ["CHRF"]

ORIGINAL: Any = getattr(Theirs, "_of_sacrebleu", Theirs)  # sacreBLEU's class, even if this one is installed


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

    def _counter(self) -> tuple[Chrf, bool] | None:
        orders = self.char_order, self.word_order
        if not all(type(order) is int and 0 <= order <= MOST_ORDERS for order in orders):
            return None
        if not sum(orders) or self.order != sum(orders):  # sacreBLEU scores as many orders as the metric was made with
            return None
        if type(self.beta) not in (int, float) or not abs(self.beta) <= LARGEST_BETA:
            return None
        space, epsilon = bool(self.whitespace), bool(self.eps_smoothing)
        return measure(*orders, self.beta, type(self.beta).__name__, space, epsilon), bool(self.lowercase)
