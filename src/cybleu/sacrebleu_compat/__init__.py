"""sacreBLEU's functions and classes of BLEU and chrF, with the same results but faster; and their installation."""

from __future__ import annotations

from .._runtime.later import later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .chrf import CHRF as CHRF
    from .chrf_functions import sacrebleu_corpus_chrf as sacrebleu_corpus_chrf
    from .chrf_functions import sacrebleu_sentence_chrf as sacrebleu_sentence_chrf
    from .functions import sacrebleu_corpus_bleu as sacrebleu_corpus_bleu
    from .functions import sacrebleu_sentence_bleu as sacrebleu_sentence_bleu
    from .install import SacrebleuInstallation as SacrebleuInstallation
    from .install import install_as_sacrebleu as install_as_sacrebleu
    from .metric import BLEU as BLEU

__getattr__, __dir__, __all__ = later(
    __name__,
    {
        "chrf": "CHRF",
        "chrf_functions": "sacrebleu_corpus_chrf sacrebleu_sentence_chrf",
        "functions": "sacrebleu_corpus_bleu sacrebleu_sentence_bleu",
        "install": "SacrebleuInstallation install_as_sacrebleu",
        "metric": "BLEU",
    },
)
