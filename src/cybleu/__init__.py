"""BLEU for programs: NLTK's functions, a hundred times faster, and the counts behind them.

``cybleu.BACKEND`` says which implementation runs: ``"cython"`` or ``"python"``.
"""

from __future__ import annotations

from ._backend import BACKEND
from .bleu_score import (
    SmoothingFunction,
    brevity_penalty,
    closest_ref_length,
    corpus_bleu,
    modified_precision,
    nltk_3_3,
    sentence_bleu,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .as_nltk import install_as_nltk as install_as_nltk
    from .bleu_score import Fraction as Fraction
    from .checks import check as check
    from .difference import Comparison as Comparison
    from .difference import explain_difference as explain_difference
    from .explanation import Explanation as Explanation
    from .explanation import clipped_counts as clipped_counts
    from .explanation import explain as explain
    from .explanation import ngram_counts as ngram_counts
    from .explanation import ngram_precision as ngram_precision
    from .sacrebleu_compat import sacrebleu_corpus_bleu as sacrebleu_corpus_bleu
    from .sacrebleu_compat import sacrebleu_sentence_bleu as sacrebleu_sentence_bleu

__version__ = "0.1.0"

__all__ = [
    "BACKEND",
    "Comparison",
    "Explanation",
    "Fraction",
    "SmoothingFunction",
    "__version__",
    "brevity_penalty",
    "check",
    "clipped_counts",
    "closest_ref_length",
    "corpus_bleu",
    "explain",
    "explain_difference",
    "install_as_nltk",
    "modified_precision",
    "ngram_counts",
    "ngram_precision",
    "nltk_3_3",
    "sacrebleu_corpus_bleu",
    "sacrebleu_sentence_bleu",
    "sentence_bleu",
]

# Imported when first used: `import cybleu` should cost a program nothing that it may not need.
_LATER = {
    "Comparison": "difference",
    "Explanation": "explanation",
    "Fraction": "bleu_score",
    "check": "checks",
    "clipped_counts": "explanation",
    "explain": "explanation",
    "explain_difference": "difference",
    "install_as_nltk": "as_nltk",
    "ngram_counts": "explanation",
    "ngram_precision": "explanation",
    "sacrebleu_corpus_bleu": "sacrebleu_compat",
    "sacrebleu_sentence_bleu": "sacrebleu_compat",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f".{_LATER[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
