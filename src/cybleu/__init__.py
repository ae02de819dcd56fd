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

    from .stats.accumulator import CorpusAccumulator as CorpusAccumulator
    from .bleu_score.install import install_as_nltk as install_as_nltk
    from .bleu_score import Fraction as Fraction
    from .checks import check as check
    from .explanations.tools import Comparison as Comparison
    from .explanations.tools import explain_difference as explain_difference
    from .explanations.steps import Explanation as Explanation
    from .explanations.steps import clipped_counts as clipped_counts
    from .explanations.steps import explain as explain
    from .explanations.steps import ngram_counts as ngram_counts
    from .explanations.steps import ngram_precision as ngram_precision
    from .pairwise import pairwise_bleu as pairwise_bleu
    from .pairwise import self_bleu as self_bleu
    from .rewards import BleuReward as BleuReward
    from .rewards import bleu_rewards as bleu_rewards
    from .sacrebleu_compat import sacrebleu_corpus_bleu as sacrebleu_corpus_bleu
    from .sacrebleu_compat import sacrebleu_sentence_bleu as sacrebleu_sentence_bleu
    from .bleu_score.many import sentence_bleu_many as sentence_bleu_many
    from .stats.references import References as References
    from .stats.references import segment_stats as segment_stats
    from .metrics.bleu import score as score
    from .metrics.bleu import scores as scores

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
    "Comparison": "explanations.tools",
    "CorpusAccumulator": "stats.accumulator",
    "Explanation": "explanations.steps",
    "Fraction": "bleu_score.fraction",
    "References": "stats.references",
    "bleu_rewards": "rewards",
    "check": "checks",
    "clipped_counts": "explanations.steps",
    "explain": "explanations.steps",
    "explain_difference": "explanations.tools",
    "install_as_nltk": "bleu_score.install",
    "ngram_counts": "explanations.steps",
    "ngram_precision": "explanations.steps",
    "pairwise_bleu": "pairwise",
    "sacrebleu_corpus_bleu": "sacrebleu_compat",
    "sacrebleu_sentence_bleu": "sacrebleu_compat",
    "score": "metrics.bleu",
    "scores": "metrics.bleu",
    "segment_stats": "stats.references",
    "self_bleu": "pairwise",
    "sentence_bleu_many": "bleu_score.many",
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
