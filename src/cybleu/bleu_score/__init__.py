"""BLEU with the names, arguments and values of ``nltk.translate.bleu_score``.

Replacing that import by this one changes nothing but the speed: the same call gives the same value of the same type,
and where NLTK raises, the error raised here is also of NLTK's type. The definition is Papineni, Roukos, Ward and Zhu
(2002), "BLEU: a method for automatic evaluation of machine translation"; the rules about it that are NLTK's own are
those of NLTK 3.10.4.
"""

from __future__ import annotations

from .._runtime.later import later
from .parts import brevity_penalty, closest_ref_length, modified_precision
from .scores import corpus_bleu, corpus_bleu_of_row, sentence_bleu
from .smoothing import SmoothingFunction, nltk_3_3

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .fraction import Fraction as Fraction
    from .install import install_as_nltk as install_as_nltk
    from .many import sentence_bleu_many as sentence_bleu_many

# `fractions` takes longer to import than all the rest, and few programs need it.
__getattr__, __dir__, _LATER = later(
    __name__, {"fraction": "Fraction", "install": "install_as_nltk", "many": "sentence_bleu_many"}
)
__all__ = [
    "SmoothingFunction",
    "brevity_penalty",
    "closest_ref_length",
    "corpus_bleu",
    "corpus_bleu_of_row",
    "modified_precision",
    "nltk_3_3",
    "sentence_bleu",
    *_LATER,
]

# Where NLTK has them, so that what prints or pickles a function says the name that people import.
for _name in __all__[:8]:
    globals()[_name].__module__ = __name__
