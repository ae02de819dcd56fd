"""Drop-in replacements for sacreBLEU's BLEU, chrF and TER, and their installation as sacreBLEU."""

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
    from .ter import TER as TER
    from .ter_functions import sacrebleu_corpus_ter as sacrebleu_corpus_ter
    from .ter_functions import sacrebleu_sentence_ter as sacrebleu_sentence_ter

__getattr__, __dir__, __all__ = later(
    __name__,
    {
        "chrf": "CHRF",
        "chrf_functions": "sacrebleu_corpus_chrf sacrebleu_sentence_chrf",
        "functions": "sacrebleu_corpus_bleu sacrebleu_sentence_bleu",
        "install": "SacrebleuInstallation install_as_sacrebleu",
        "metric": "BLEU",
        "ter": "TER",
        "ter_functions": "sacrebleu_corpus_ter sacrebleu_sentence_ter",
    },
)
