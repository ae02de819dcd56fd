"""BLEU with the names, arguments and values of ``nltk.translate.bleu_score``.

Replacing that import by this one changes nothing but the speed: the same call gives the same value of the same type,
and where NLTK raises, the error raised here is also of NLTK's type. The definition is Papineni, Roukos, Ward and Zhu
(2002), "BLEU: a method for automatic evaluation of machine translation"; the rules about it that are NLTK's own are
those of NLTK 3.10.4.
"""

from __future__ import annotations

from .._runtime.later import later
from .parts import brevity_penalty, closest_ref_length, modified_precision
from .scores import corpus_bleu, sentence_bleu
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
_NOW = (
    SmoothingFunction,
    brevity_penalty,
    closest_ref_length,
    corpus_bleu,
    modified_precision,
    nltk_3_3,
    sentence_bleu,
)
__all__ = sorted([*(value.__name__ for value in _NOW), *_LATER])

# Where NLTK has them, so that what prints or pickles a function says the name that people import.
for _value in _NOW:
    _value.__module__ = __name__
