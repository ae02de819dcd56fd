"""BLEU with the names, arguments and values of ``nltk.translate.bleu_score``.

If you replace that import with this one, only the speed changes: the same call returns the same value of the same type.
If NLTK raises an error, cybleu raises an error of the same type. The definition is that of Papineni, Roukos, Ward and
Zhu (2002), "BLEU: a method for automatic evaluation of machine translation", with the deviations of NLTK 3.10.4.
"""

from __future__ import annotations

from .._runtime.later import later
from .parts import brevity_penalty, closest_ref_length, modified_precision
from .scores import corpus_bleu, sentence_bleu
from .smoothing import SmoothingFunction, nltk_3_2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .fraction import Fraction as Fraction

# Lazy, because importing `fractions` takes longer than everything else, and few programs use it.
__getattr__, __dir__, _LATER = later(__name__, {"fraction": "Fraction"})
__all__ = [
    "SmoothingFunction",
    "brevity_penalty",
    "closest_ref_length",
    "corpus_bleu",
    "modified_precision",
    "nltk_3_2",
    "sentence_bleu",
    *_LATER,
]

# Set the module as in NLTK, so that the functions are printed and pickled by their public names.
for _name in __all__[:7]:
    globals()[_name].__module__ = __name__
