"""Metrics: BLEU as many tools define it, chrF, GLEU, NIST, ROUGE, TER, WER and CER.

A metric is a frozen object that counts segments and scores the counts. Every function that takes a metric also takes a
name in :data:`METRICS`, such as ``nltk``; a name with a smoothing, such as ``nltk:method1``; or a dict from names to
weights. The fields of the metric, such as ``smoothing="method1"``, are options of these functions.
"""

from __future__ import annotations

from .._catalogue import CATALOGUE
from .._runtime.later import later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .base import Metric as Metric, Score as Score
    from .bleu import Bleu as Bleu, BleuScore as BleuScore
    from .chrf import Chrf as Chrf
    from .combined import Mixture as Mixture
    from .gleu import Gleu as Gleu
    from .names import METRICS as METRICS, find as find, rows as rows, score as score, scores as scores
    from .nist import Nist as Nist, NistInformation as NistInformation, NistScore as NistScore
    from .references import References as References
    from .rouge import Rouge as Rouge, RougeScore as RougeScore, Shares as Shares
    from .ter import Ter as Ter
    from .variants import VARIANTS as VARIANTS, Variant as Variant
    from .wer import Cer as Cer, Wer as Wer

__getattr__, __dir__, __all__ = later(
    __name__,
    {
        "base": "Metric Score",
        "combined": "Mixture",
        "names": "METRICS find rows score scores",
        "references": "References",
        "variants": "VARIANTS Variant",
        **{module: classes for module, (classes, _, _) in CATALOGUE.items()},
    },
)
