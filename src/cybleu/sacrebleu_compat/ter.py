"""``sacrebleu.metrics.TER``, counted by the kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._runtime.extras import extra
from .counting import Counting
from .ter_functions import measure

with extra("sacrebleu", "this class is a subclass of one of sacreBLEU", "cybleu[sacrebleu]"):
    from sacrebleu.metrics.ter import TER as Theirs
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

if TYPE_CHECKING:
    from ..metrics.ter import Ter

__all__ = ["TER"]

ORIGINAL: Any = getattr(Theirs, "_of_sacrebleu", Theirs)  # also where ours has its place already


class TER(Counting, ORIGINAL):  # type: ignore[misc]
    """A subclass of ``sacrebleu.metrics.TER`` with the same arguments, attributes, results, signature and errors.

    cybleu counts lists and tuples of str. sacreBLEU counts everything else, and computes the score from the counts. You
    can use this class wherever you can use sacreBLEU's, also in ``sacrebleu.significance.PairedTest``.

    >>> metric = TER(normalized=True)
    >>> print(metric.corpus_score(["The cat sat on the mat."], [["The cat sits on the mat."]]))
    TER = 14.29
    >>> metric.get_signature().info["norm"]
    True
    """

    _of_sacrebleu = ORIGINAL

    def _counter(self) -> tuple[Ter, bool] | None:
        chosen = self.tokenizer
        if type(chosen) is not TercomTokenizer:
            return None
        options = chosen._normalized, chosen._no_punct, chosen._asian_support, chosen._case_sensitive
        return measure(*map(bool, options)), False

    def _as_theirs(self, rows: Any) -> Any:
        return [[int(edits), length] for edits, length in rows]
