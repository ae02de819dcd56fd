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

    from .accumulator import CorpusAccumulator as CorpusAccumulator
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
    from .pairwise import pairwise_bleu as pairwise_bleu
    from .pairwise import self_bleu as self_bleu
    from .rewards import BleuReward as BleuReward
    from .rewards import bleu_rewards as bleu_rewards
    from .sacrebleu_compat import sacrebleu_corpus_bleu as sacrebleu_corpus_bleu
    from .sacrebleu_compat import sacrebleu_sentence_bleu as sacrebleu_sentence_bleu
    from .sentences import sentence_bleu_many as sentence_bleu_many
    from .stats import References as References
    from .stats import segment_stats as segment_stats
    from .variants import score as score
    from .variants import scores as scores

__version__ = "0.1.0"

__all__ = [
    "BACKEND",
    "BleuReward",
    "Comparison",
    "CorpusAccumulator",
    "Explanation",
    "Fraction",
    "References",
    "SmoothingFunction",
    "__version__",
    "bleu_rewards",
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
    "pairwise_bleu",
    "sacrebleu_corpus_bleu",
    "sacrebleu_sentence_bleu",
    "score",
    "scores",
    "segment_stats",
    "self_bleu",
    "sentence_bleu",
    "sentence_bleu_many",
]

# Imported when first used: `import cybleu` should cost a program nothing that it may not need.
_LATER = {
    "BleuReward": "rewards",
    "Comparison": "difference",
    "CorpusAccumulator": "accumulator",
    "Explanation": "explanation",
    "Fraction": "bleu_score",
    "References": "stats",
    "bleu_rewards": "rewards",
    "check": "checks",
    "clipped_counts": "explanation",
    "explain": "explanation",
    "explain_difference": "difference",
    "install_as_nltk": "as_nltk",
    "ngram_counts": "explanation",
    "ngram_precision": "explanation",
    "pairwise_bleu": "pairwise",
    "sacrebleu_corpus_bleu": "sacrebleu_compat",
    "sacrebleu_sentence_bleu": "sacrebleu_compat",
    "score": "variants",
    "scores": "variants",
    "segment_stats": "stats",
    "self_bleu": "pairwise",
    "sentence_bleu_many": "sentences",
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
