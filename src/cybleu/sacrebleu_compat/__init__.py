"""Drop-in replacements for sacreBLEU's BLEU, chrF and TER, and their installation as sacreBLEU."""

from __future__ import annotations

from .._runtime.later import later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import lazy as lazy
    from .classes import BLEU as BLEU, CHRF as CHRF, TER as TER
    from .functions import (
        corpus_bleu as corpus_bleu,
        corpus_chrf as corpus_chrf,
        corpus_ter as corpus_ter,
        sentence_bleu as sentence_bleu,
        sentence_chrf as sentence_chrf,
        sentence_ter as sentence_ter,
    )
    from .install import install_as_sacrebleu as install_as_sacrebleu

__getattr__, __dir__, __all__ = later(
    __name__,
    {
        "classes": "BLEU CHRF TER",
        "functions": "corpus_bleu corpus_chrf corpus_ter sentence_bleu sentence_chrf sentence_ter",
        "install": "install_as_sacrebleu",
    },
    "lazy",
)
