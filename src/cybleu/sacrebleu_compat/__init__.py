"""Drop-in replacements for sacreBLEU's BLEU, chrF and TER, and their installation as sacreBLEU."""

from __future__ import annotations

from .._runtime.later import later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .chrf import CHRF as CHRF
    from .chrf_functions import corpus_chrf as corpus_chrf
    from .chrf_functions import sentence_chrf as sentence_chrf
    from .functions import corpus_bleu as corpus_bleu
    from .functions import sentence_bleu as sentence_bleu
    from .install import SacrebleuInstallation as SacrebleuInstallation
    from .install import install_as_sacrebleu as install_as_sacrebleu
    from .metric import BLEU as BLEU
    from .ter import TER as TER
    from .ter_functions import corpus_ter as corpus_ter
    from .ter_functions import sentence_ter as sentence_ter

__getattr__, __dir__, __all__ = later(
    __name__,
    {
        "chrf": "CHRF",
        "chrf_functions": "corpus_chrf sentence_chrf",
        "functions": "corpus_bleu sentence_bleu",
        "install": "SacrebleuInstallation install_as_sacrebleu",
        "metric": "BLEU",
        "ter": "TER",
        "ter_functions": "corpus_ter sentence_ter",
    },
)
