"""``sacrebleu.metrics.BLEU``, tokenised and counted by the kernels."""

from __future__ import annotations

from functools import update_wrapper
from typing import Any

from .._runtime.extras import extra
from ..metrics.bleu import Bleu
from ..metrics.counting import LARGEST_ORDER
from ..text.tokenizers import OWN
from .counting import Counting
from .functions import counter_for, unknown_tokenizer, warn_of_tokenised

with extra("sacrebleu", "this class is a subclass of one of sacreBLEU", "cybleu[sacrebleu]"):
    from sacrebleu.metrics.bleu import BLEU as Theirs

__all__ = ["BLEU"]

ORIGINAL: Any = getattr(Theirs, "_of_sacrebleu", Theirs)  # sacreBLEU's class, even if this one is installed


class BLEU(Counting, ORIGINAL):  # type: ignore[misc]
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

    _of_sacrebleu = ORIGINAL

    def __init__(self, *arguments: Any, **options: Any) -> None:
        try:
            super().__init__(*arguments, **options)
        except KeyError as error:
            if hasattr(self, "tokenizer"):
                raise
            raise unknown_tokenizer(error.args[0]) from None

    def _counter(self) -> tuple[Bleu, bool] | None:
        chosen, order = self.tokenizer, self.max_ngram_order
        if not type(chosen).__module__.startswith("sacrebleu.tokenizers."):
            return None
        name = chosen.signature()
        if name not in OWN:
            return None
        if type(order) is not int or not 1 <= order <= LARGEST_ORDER:
            return None
        return counter_for(name, order), bool(self.lowercase)

    def _warn_of(self, texts: Any) -> None:
        if not self._force:
            warn_of_tokenised(ORIGINAL, texts)


update_wrapper(BLEU.__init__, ORIGINAL.__init__)  # the same signature and documentation
